# SPDX-License-Identifier: MIT
"""The prompt: commands in nodes, names for addresses, errors that do not end it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.shell import CLI
from hybridnet.net import Net
from hybridnet.system.log import setLogLevel
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.net.support import FakeCluster


def run(tmp_path: Path, *lines: str) -> FakeCluster:
    setLogLevel("output")
    cluster = FakeCluster()
    script = tmp_path / "commands"
    script.write_text("\n".join(lines) + "\n")
    with Net(SingleSwitchTopo(k=2), controller=None, cluster=cluster) as net:  # type: ignore[arg-type]
        CLI(net, script=str(script))
    return cluster


def started(cluster: FakeCluster) -> list[dict[str, Any]]:
    return [arguments for _, verb, arguments in cluster.calls if verb == "start_command"]


def test_a_nodes_name_runs_the_rest_there_with_addresses_for_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = run(tmp_path, "h1 ping -c1  h2")
    assert started(cluster) == [{"node": "h1", "text": "ping -c1  10.0.0.2"}]
    assert capsys.readouterr().out == "one\ntwo\n"


def test_looking_commands_print_the_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "nodes", "net", "links", "intfs", "machines", "dump", "plan")
    text = capsys.readouterr().err
    for part in (
        "h1 h2 s1",
        "h1 h1-eth0:s1-eth1",
        "h2-eth0<->s1-eth2 (veth)",
        "s1: s1-eth1,s1-eth2",
        "m1 127.0.0.1",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("fly", "*** Unknown command: fly"),
        ("h1", "*** Enter a command for node: h1 <command>"),
        ("link h1 s1 sideways", "status 'sideways' does not exist"),
        ("link h1", "*** write: link NODE NODE up|down"),
        ("iperf h1", "*** 1 hosts are given"),
        ("iperf h1 h9", "node 'h9' does not exist"),
        ("py 1/0", "*** ZeroDivisionError: division by zero"),
        ("source nowhere", "*** nowhere: No such file"),
        ("source /bin/true", "*** /bin/true: it is not text in UTF-8"),
        ("xterm h9", "*** xterm h9: it is neither a host nor a switch"),
        ("xterm", "*** write: xterm NODE ..."),
        ("pingall x", "ping: timeout 'x' is not a number of seconds"),
        ("dpctl 'show", "No closing quotation"),
        ("help", "  link NODE NODE up|down: set the links between two nodes."),
    ],
)
def test_errors_are_told_and_the_prompt_goes_on(
    line: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, line, "py 6*7")
    text = capsys.readouterr().err
    assert says in text
    assert "42" in text


def test_python_sees_the_net_and_keeps_variables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "px x = h1.IP()", "py x, len(net.hosts)")
    assert "('10.0.0.1', 2)" in capsys.readouterr().err


def test_comments_and_everything_after_exit_are_left_out(tmp_path: Path) -> None:
    cluster = run(tmp_path, "# h1 ls", "", "exit", "h1 ls")
    assert started(cluster) == []


def test_link_and_exec_reach_the_machine(tmp_path: Path) -> None:
    cluster = run(tmp_path, "link h1 s1 down", "exec m1 ovs-vsctl show")
    assert [c[1] for c in cluster.calls if c[1].startswith("link")] == ["link_down", "link_down"]
    assert ("m1", "exec", {"argv": "ovs-vsctl show"}) in cluster.calls


def test_timing_a_command_tells_how_long_it_took(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "time nodes")
    assert "*** Elapsed time: " in capsys.readouterr().err


def test_help_lists_commands_that_say_nothing_of_themselves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Own(CLI):
        def do_silent(self, _: str) -> None:
            pass

        def default(self, line: str) -> None:
            pass

    script = tmp_path / "commands"
    script.write_text("help\n")
    with Net(SingleSwitchTopo(k=1), controller=None, cluster=FakeCluster()) as net:  # type: ignore[arg-type]
        Own(net, script=str(script))
    told = capsys.readouterr().err
    assert "\n  silent\n" in told
    assert "NODE COMMAND" in told
