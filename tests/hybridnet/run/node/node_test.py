# SPDX-License-Identifier: MIT
"""Nodes, interfaces and programs: Mininet's methods, on an agent that is a fake."""

from __future__ import annotations

import functools
import io
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.run.node import Host, Switch
from hybridnet.run.node.link import Intf, Link
from tests.hybridnet.run.net.support import FakeCluster


def host(cluster: FakeCluster | None = None) -> Host:
    cluster = cluster or FakeCluster()
    made = Host("h1")
    plans = [{"mac": f"02:00:00:00:00:0{n}", "addresses": [f"10.0.{n}.1/16"]} for n in (0, 1)]
    intfs = [Intf(f"h1-eth{n}", made, n, plan) for n, plan in enumerate(plans)]
    made.bind(functools.partial(cluster.call, "m1"), "m1", intfs)
    return made


def last(cluster: FakeCluster) -> dict[str, Any]:
    return cluster.calls[-1][2]


def test_cmd_joins_words_and_prints_nodes_by_name() -> None:
    cluster = FakeCluster()
    h1 = host(cluster)
    assert h1.cmd("ping -c1", Switch("s1"), 5) == "h1$ ping -c1 s1 5\n"
    assert (h1.lastPid, h1.last_status) == (7, 0)
    assert f"{h1} {h1.defaultIntf()}" == "h1 h1-eth0"


def test_cmd_quotes_the_words_of_one_list() -> None:
    assert host().cmd(["echo", "a b", "c"]) == "h1$ echo 'a b' c\n"


def test_a_method_where_its_result_is_meant_is_refused() -> None:
    with pytest.raises(UsageError, match=r"is a method, and not what it returns; write IP\(\)$"):
        host().cmd("ping -c1", host().IP)


def test_a_started_command_is_waited_for_and_keeps_others_out() -> None:
    h1 = host()
    h1.sendCmd("slow")
    assert h1.waiting
    with pytest.raises(
        MachineError, match=r"cannot run `ls` while `slow` is running; call waitOutput\(\) first"
    ):
        h1.cmd("ls")
    assert h1.waitOutput() == "one\ntwo\n"
    assert not h1.waiting


def test_interfaces_are_found_by_name_port_and_default() -> None:
    h1 = host()
    assert h1.intfNames() == ["h1-eth0", "h1-eth1"]
    assert h1.IP() == "10.0.0.1"
    assert h1.IP("h1-eth1") == "10.0.1.1"
    assert h1.MAC(1) == "02:00:00:00:00:01"
    assert h1.intf("h1-eth9") is None
    assert h1.IP("h1-eth9") is None


def test_a_node_without_interface_has_no_address() -> None:
    h1 = Host("h1")
    assert h1.defaultIntf() is None
    assert h1.IP() is None
    with pytest.raises(UsageError, match="node h1 has no interface"):
        h1.setIP("10.0.0.1/8")


def test_set_ip_replaces_the_address_there_and_here() -> None:
    cluster = FakeCluster()
    h1 = host(cluster)
    h1.setIP("10.9.0.1", 24)
    assert [call[2]["argv"][:4] for call in cluster.calls] == [
        ["ip", "-4", "address", "flush"],
        ["ip", "-4", "address", "add"],
    ]
    assert last(cluster)["argv"][4] == "10.9.0.1/24"
    assert (h1.IP(), h1.defaultIntf().prefixLen) == ("10.9.0.1", 24)  # type: ignore[union-attr]
    with pytest.raises(UsageError, match="'nonsense/8' is not an IP address"):
        h1.setIP("nonsense")


def test_an_address_of_ipv6_leaves_that_of_ipv4_alone() -> None:
    cluster = FakeCluster()
    h1 = host(cluster)
    assert h1.IP6() is None
    h1.setIP("fd00::9/64")
    assert [call[2]["argv"][1] for call in cluster.calls] == ["-6", "-6"]
    assert (h1.IP(), h1.IP6()) == ("10.0.0.1", "fd00::9")


def test_a_refused_command_quotes_what_it_said() -> None:
    cluster = FakeCluster()
    cluster.answers["exec"] = lambda **_: {"status": 2, "stdout": b"", "stderr": b"RTNETLINK: File exists\n"}
    with pytest.raises(
        MachineError, match=r"node h1: `ip neighbour replace .*` failed: RTNETLINK: File exists"
    ):
        host(cluster).setARP("10.0.0.2", "02:00:00:00:00:02")


@pytest.mark.parametrize(
    ("given", "words"),
    [(None, ["dev", "h1-eth0"]), ("h1-eth1", ["dev", "h1-eth1"]), ("via 10.0.0.9", ["via", "10.0.0.9"])],
)
def test_default_route_takes_an_interface_or_ip_routes_words(given: str | None, words: list[str]) -> None:
    cluster = FakeCluster()
    host(cluster).setDefaultRoute(given)
    assert last(cluster)["argv"] == ["ip", "route", "replace", "default", *words]


def test_dpctl_speaks_the_switchs_openflow() -> None:
    cluster = FakeCluster()
    s1 = Switch("s1", protocols="OpenFlow10")
    s1.bind(functools.partial(cluster.call, "m1"), "m1", [])
    s1.dpctl("add-flow", "actions=normal")
    assert last(cluster)["argv"] == ["ovs-ofctl", "-O", "OpenFlow10", "add-flow", "s1", "actions=normal"]


def test_connections_to_another_node_are_pairs_of_interfaces() -> None:
    h1, s1 = host(), Switch("s1")
    port = Intf("s1-eth1", s1, 1, None)
    s1.intfs[1] = port
    Link("h1-s1", "veth", h1.intfs[0], port)
    assert h1.connectionsTo(s1) == [(h1.intfs[0], port)]
    assert s1.connectionsTo(h1) == [(port, h1.intfs[0])]
    assert str(h1.intfs[0].link) == "h1-eth0<->s1-eth1"


# Programs


def test_popen_divides_text_and_keeps_shell_text_whole() -> None:
    cluster = FakeCluster()
    h1 = host(cluster)
    h1.popen("echo 'a b' c")
    assert last(cluster)["command"] == ["echo", "a b", "c"]
    h1.popen("echo 'a b' | cat", shell=True)
    assert last(cluster)["command"] == "echo 'a b' | cat"
    h1.popen("ls", "-l")
    assert last(cluster)["command"] == ["ls", "-l"]


def test_popen_reads_lines_across_chunks() -> None:
    program = host().popen("cat")
    assert program.stdout is not None
    assert program.stdout.readline() == "first line\n"
    assert list(program.stdout) == ["second line\n"]
    assert program.stdout.read() == ""


def test_communicate_returns_both_streams_and_forgets_the_program() -> None:
    cluster = FakeCluster()
    program = host(cluster).popen("cat", stdin=subprocess.PIPE)
    assert program.communicate("input") == ("first line\nsecond line\n", "")
    assert program.returncode == 3
    assert [(c[2]["data"], c[2]["end"]) for c in cluster.calls if c[1] == "write_process"] == [
        (b"input", False), (b"", True),
    ]  # fmt: skip
    assert cluster.verbs()[-1] == "close_process"


def test_output_goes_into_an_open_file(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w") as file:
        program = host().popen("cat", stdout=file)
        program.wait()
    assert (tmp_path / "out").read_text() == "first line\nsecond line\n"
    assert program.stdout is None


def test_output_goes_on_into_a_file_that_the_caller_has_closed(tmp_path: Path) -> None:
    closed = threading.Event()

    class Printing(FakeCluster):
        def call(self, machine: str, verb: str, **arguments: Any) -> Any:
            if verb == "read_process":
                closed.wait()
            return super().call(machine, verb, **arguments)

    with (tmp_path / "out").open("w") as file:
        program = host(Printing()).popen("cat", stdout=file)
    closed.set()
    program.wait()
    assert (tmp_path / "out").read_text() == "first line\nsecond line\n"


def test_bytes_on_request_and_merged_errors() -> None:
    cluster = FakeCluster()
    program = host(cluster).popen("cat", text=False, stderr=subprocess.STDOUT)
    assert last(cluster)["merge"] is True
    assert program.stderr is None
    assert program.stdout is not None
    assert program.stdout.read() == b"first line\nsecond line\n"


def test_waiting_too_long_is_subprocesss_timeout() -> None:
    cluster = FakeCluster()
    cluster.answers["wait_process"] = lambda **_: None
    with pytest.raises(subprocess.TimeoutExpired):
        host(cluster).popen("sleep 9").wait(timeout=0.01)


@pytest.mark.parametrize("options", [{"preexec_fn": print}, {"bufsize": 1}])
def test_unsupported_popen_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="is not supported"):
        host().popen("ls", **options)
    with pytest.raises(UsageError, match="is not supported"):
        host().popen("ls", stdout=-17)


def test_pexec_returns_output_errors_and_status() -> None:
    assert host().pexec("ls") == ("first line\nsecond line\n", "", 3)


def test_a_text_file_object_takes_text() -> None:
    sink = io.StringIO()
    host().popen("cat", stdout=sink).wait()
    assert sink.getvalue() == "first line\nsecond line\n"


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        (["bird"], "programs .* is not a dictionary"),
        ({"bird": "12"}, "bird '12' is not a whole number"),
        ({"bird": 0}, "bird 0 is not a whole number from 1"),
    ],
)
def test_programs_to_watch_are_numbers_of_processes_by_name(programs: Any, said: str) -> None:
    with pytest.raises(UsageError, match=rf"r1\.watch: {said}"):
        Host("r1").watch(programs)
