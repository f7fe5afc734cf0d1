# SPDX-License-Identifier: MIT
"""What an agent makes on a machine, and that nothing of it stays: real namespaces, real Open vSwitch, real programs."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hybridnet.errors import MachineError, PlanError, UsageError
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.workers.fabric import MTU
from tests.system.machine_plans import mac, pair, tree
from tests.system.port_type import PORT_TYPE


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.local(["m1", "m2"]) as made:
        yield made


@pytest.fixture
def two_hosts(cluster: Cluster) -> Iterator[Cluster]:
    cluster.call("m1", "build", plan=pair("m1"))
    yield cluster
    cluster.call("m1", "destroy")


def shell(cluster: Cluster, command: str, machine: str = "m1", node: str = "") -> str:
    done = cluster.call(machine, "exec", argv=command, node=node)
    assert done["status"] == 0, done
    return done["stdout"].decode()


def devices(cluster: Cluster, node: str = "") -> list[str]:
    """The network devices there, without those that a kernel with modules for tunnels makes in every namespace."""
    by_the_kernel = {
        "gre0",
        "gretap0",
        "erspan0",
        "tunl0",
        "sit0",
        "ip6tnl0",
        "ip6gre0",
        "ip_vti0",
        "ip6_vti0",
    }
    return sorted(set(shell(cluster, "ls /sys/class/net", node=node).split()) - by_the_kernel)


def sim_plan(machine: str) -> dict[str, Any]:
    """One host on a portal of a simulated router, its gateway, behind which lies a simulated host."""
    plan = pair(machine)
    interface = {"name": "h1-eth0", "mac": mac(0, 1), "addresses": ["10.1.0.1/16"], "mtu": 1500}
    plan["hosts"] = [
        {
            "name": "h1",
            "interfaces": [interface],
            "routes": [{"prefix": "default", "via": "10.1.0.254"}],
            "private_dirs": [],
        }
    ]
    plan["pairs"] = []
    plan["portals"] = [{"name": "p1", "node": "h1", "interface": "h1-eth0", "device": "h1-eth0p"}]
    direction = {
        "rate_bps": 1_000_000_000,
        "delay_ns": 0,
        "queue_packets": 1000,
        "queue_bytes": None,
        "overhead_bytes": 0,
        "train_limit_ns": 50_000,
    }
    far = {**direction, "delay_ns": 5_000_000}
    instance = {
        "format": 1,
        "name": machine,
        "seed": 1,
        "token": "00000000000000aa",
        "nodes": [
            {
                "name": "r1",
                "kind": "router",
                "interfaces": [
                    {
                        "name": "r1-eth1",
                        "mac": "02:aa:00:00:00:01",
                        "address": "10.1.255.254/16",
                        "mtu": 1500,
                    },
                    {"name": "r1-eth2", "mac": "02:aa:00:00:00:02", "address": "10.2.0.254/16", "mtu": 1500},
                ],
                "routes": [],
            },
            {
                "name": "v1",
                "kind": "host",
                "interfaces": [
                    {"name": "v1-eth0", "mac": "02:aa:00:00:00:03", "address": "10.2.0.1/16", "mtu": 1500}
                ],
                "routes": [{"prefix": "0.0.0.0/0", "via": "10.2.0.254", "interface": "v1-eth0"}],
            },
        ],
        "emulation_portals": [{"name": "p1", "device": "h1-eth0p", "backend": "packet"}],
        "peers": [],
        "links": [
            {
                "name": "h1-r1",
                "a": {"portal": "p1"},
                "b": {"interface": "r1-eth1"},
                "a_to_b": direction,
                "b_to_a": direction,
            },
            {
                "name": "r1-v1",
                "a": {"interface": "r1-eth2"},
                "b": {"interface": "v1-eth0"},
                "a_to_b": far,
                "b_to_a": far,
            },
        ],
        "captures": [],
        "realtime": {
            "policy": "best_effort",
            "lateness_limit_ns": 1_000_000,
            "cpu": None,
            "fifo_priority": 10,
        },
    }
    plan["instances"] = [instance]
    plan["hosts"][0]["routes"][0]["via"] = "10.1.255.254"
    return plan


def test_a_machine_has_its_own_name_processes_devices_and_run_directory(cluster: Cluster) -> None:
    assert shell(cluster, "hostname") == "m1\n"
    assert "hybridnet.machines.workers.init" in shell(cluster, "tr '\\0' ' ' </proc/1/cmdline")
    assert devices(cluster) == ["eth0", "lo"]
    assert shell(cluster, "ls /run/netns /run/openvswitch").split() == ["/run/netns:", "/run/openvswitch:"]


def test_who_waits_for_a_machine_has_none_of_its_mounts(cluster: Cluster) -> None:
    """It writes into the state directory while the machine mounts over /run."""
    init = Path(f"/proc/{(cluster.journal.directory / 'm1' / 'init').read_text()}")
    [outer] = re.findall(r"^PPid:\s*(\d+)$", (init / "status").read_text(), re.MULTILINE)
    ours = os.readlink("/proc/self/ns/mnt")
    assert os.readlink(f"/proc/{outer}/ns/mnt") == ours
    assert os.readlink(init / "ns/mnt") != ours


def test_machines_reach_each_other_over_a_link_of_the_fabrics_mtu(cluster: Cluster) -> None:
    other, most = cluster.address("m2"), MTU - 20 - 8
    shell(cluster, f"ping -c 1 -W 2 -M do -s {most} {other}")
    assert cluster.call("m1", "exec", argv=f"ping -c 1 -W 1 -M do -s {most + 1} {other}")["status"] != 0


def test_hosts_have_addresses_routes_devices_and_nothing_of_the_machine(two_hosts: Cluster) -> None:
    assert devices(two_hosts, node="h1") == ["h1-eth0", "lo"]
    assert "192.168.2.0/24 via 10.0.0.2 dev h1-eth0" in shell(two_hosts, "ip route", node="h1")
    assert mac(0, 1) in shell(two_hosts, "ip link show h1-eth0", node="h1")
    [result] = two_hosts.call("m1", "ping_pairs", pairs=[("h1", "10.0.0.2")], count=3, interval_s=0.01)
    assert (result["sent"], result["received"], len(result["rtts_ms"])) == (3, 3, 3)


def test_a_shell_keeps_directory_variables_and_the_last_status(two_hosts: Cluster) -> None:
    two_hosts.call("m1", "run_command", node="h1", text="cd /tmp; export A='x y'")
    answer = two_hosts.call("m1", "run_command", node="h1", text='pwd; echo "$A"; (exit 3)')
    assert (answer["output"], answer["status"]) == ("/tmp\nx y\n", 3)


def test_a_shell_survives_an_unfinished_quote_and_takes_long_and_many_lines(two_hosts: Cluster) -> None:
    broken = two_hosts.call("m1", "run_command", node="h1", text="echo 'abc")
    assert broken["status"] != 0
    assert "unexpected EOF" in broken["output"]
    long = "x" * 100_000
    answer = two_hosts.call("m1", "run_command", node="h1", text=f"cat <<'END'\n{long}\né\nEND\n")
    assert answer["output"] == f"{long}\né\n"


def test_a_command_started_is_read_interrupted_and_then_another_runs(two_hosts: Cluster) -> None:
    two_hosts.call("m1", "start_command", node="h1", text="ping 10.0.0.2")
    text = ""
    while "icmp_seq=1" not in text:
        answer = two_hosts.call("m1", "read_command", node="h1", timeout=5.0)
        assert not answer["done"]
        text += answer["output"]
    with pytest.raises(MachineError, match=r"m1: node h1: .*still running"):
        two_hosts.call("m1", "run_command", node="h1", text="true")
    two_hosts.call("m1", "interrupt", node="h1")
    answer = {"done": False}
    while not answer["done"]:
        answer = two_hosts.call("m1", "read_command", node="h1", timeout=5.0)
    assert two_hosts.call("m1", "run_command", node="h1", text="echo next")["output"] == "next\n"


def test_a_command_that_takes_too_long_is_interrupted_and_named(two_hosts: Cluster) -> None:
    with pytest.raises(MachineError, match=r"machine m1: node h1: `sleep 60` did not end within 0\.3 s"):
        two_hosts.call("m1", "run_command", node="h1", text="sleep 60", timeout=0.3)
    assert two_hosts.call("m1", "run_command", node="h1", text="echo alive")["output"] == "alive\n"


def test_a_command_interrupted_before_it_begins_does_not_end_the_shell(two_hosts: Cluster) -> None:
    two_hosts.call("m1", "run_command", node="h1", text="A=kept")
    for text in 10 * ["true"] + ["sleep 60"]:
        with contextlib.suppress(MachineError):  # `true` may be as quick
            two_hosts.call("m1", "run_command", node="h1", text=text, timeout=0.0)
    assert two_hosts.call("m1", "run_command", node="h1", text="echo $A")["output"] == "kept\n"


def test_a_long_command_in_one_host_does_not_hold_up_another(two_hosts: Cluster, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    command = {"node": "h1", "text": f"touch {begun}; sleep 1000"}
    started = threading.Thread(target=two_hosts.call, args=("m1", "run_command"), kwargs=command)
    started.start()
    wait = f"until [ -e {begun} ]; do sleep 0.01; done; echo here"
    assert two_hosts.call("m1", "run_command", node="h2", text=wait, timeout=20.0)["output"] == "here\n"
    assert started.is_alive()
    two_hosts.call("m1", "interrupt", node="h1")
    started.join(10)
    assert not started.is_alive()


def test_a_program_has_binary_pipes_and_takes_signals(two_hosts: Cluster) -> None:
    data = bytes(range(256)) * 1000
    number = two_hosts.call("m1", "start_process", node="h1", command=["cat"], stdin=True)["number"]
    two_hosts.call("m1", "write_process", number=number, data=data, end=True)
    received = b""
    while (piece := two_hosts.call("m1", "read_process", number=number, timeout=5.0)) is not None:
        received += piece
    assert received == data
    assert two_hosts.call("m1", "wait_process", number=number, timeout=5.0) == 0
    two_hosts.call("m1", "close_process", number=number)
    number = two_hosts.call("m1", "start_process", node="h1", command="exec sleep 60")["number"]
    assert two_hosts.call("m1", "poll_process", number=number) is None
    two_hosts.call("m1", "signal_process", number=number, signal=signal.SIGTERM)
    assert two_hosts.call("m1", "wait_process", number=number, timeout=5.0) == -signal.SIGTERM
    two_hosts.call("m1", "close_process", number=number)
    with pytest.raises(UsageError, match="no program number"):
        two_hosts.call("m1", "poll_process", number=number)


def test_what_runs_in_hosts_has_the_hosts_priority_and_agents_go_before_it(two_hosts: Cluster) -> None:
    # priority, niceness, real-time priority, policy; and the niceness of the session's group
    look = "cut -d' ' -f18,19,40,41 /proc/{0}/stat; [ ! -e /proc/{0}/autogroup ] || cut -d' ' -f3 /proc/{0}/autogroup"
    own = look.format("self")
    grouped = os.path.exists("/proc/self/autogroup")
    ordinary = "20 0 0 0\n" + ("0\n" if grouped else "")
    assert shell(two_hosts, own, node="h1") == ordinary
    assert shell(two_hosts, own) == ordinary
    for _ in range(2):  # with the shell's start, and without
        assert two_hosts.call("m1", "run_command", node="h1", text=own)["output"] == ordinary
    assert two_hosts.call("m1", "run_command", node="h1", text=look.format("$$"))["output"] == ordinary
    number = two_hosts.call("m1", "start_process", node="h1", command=own)["number"]
    said = b""
    while (piece := two_hosts.call("m1", "read_process", number=number, timeout=5.0)) is not None:
        said += piece
    two_hosts.call("m1", "close_process", number=number)
    assert said.decode() == ordinary
    agent = "5 -15 0 0\n" + ("-15\n" if grouped else "")
    assert shell(two_hosts, look.format("$PPID")) == agent


def test_private_directories_are_a_hosts_own(cluster: Cluster, tmp_path: Path) -> None:
    plan = pair("m1")
    directory = tmp_path / "deep" / "private"
    plan["hosts"][0]["private_dirs"] = [str(directory)]
    cluster.call("m1", "build", plan=plan)
    shell(cluster, f"touch {directory}/mine", node="h1")
    assert shell(cluster, f"ls {directory}", node="h1") == "mine\n"
    assert shell(cluster, f"ls {directory}", node="h2") == ""
    cluster.call("m1", "destroy")
    assert list(tmp_path.iterdir()) == []


def test_a_host_keeps_its_routes_when_its_link_goes_down_and_up(two_hosts: Cluster) -> None:
    two_hosts.call("m1", "link_down", node="h1", interface="h1-eth0")
    assert two_hosts.call("m1", "ping_pairs", pairs=[("h2", "10.0.0.1")], wait_s=0.2)[0]["received"] == 0
    two_hosts.call("m1", "link_up", node="h1", interface="h1-eth0")
    assert "192.168.2.0/24 via 10.0.0.2" in shell(two_hosts, "ip route", node="h1")


@pytest.mark.parametrize("port_type", [PORT_TYPE, "afxdp"])
def test_a_tree_of_switches_connects_its_hosts_and_is_removed_without_a_trace(
    cluster: Cluster, port_type: str
) -> None:
    looks = (
        "ip -o link | cut -d: -f2; ls /run/netns /run/openvswitch; cut -d' ' -f5 /proc/self/mountinfo | sort"
    )
    before = shell(cluster, looks)
    cluster.call("m1", "build", plan=tree("m1", 3, port_type=port_type, portal=True))
    try:
        pairs = [(f"h{a}", f"10.1.0.{b}") for a in range(1, 9) for b in range(1, 9) if a != b]
        results = cluster.call("m1", "ping_pairs", pairs=pairs, wait_s=3.0)
        assert [result["received"] for result in results] == [1] * (8 * 7)
        counters = cluster.call("m1", "interface_counters", interfaces=[("h1", "h1-eth0"), ("", "s1-eth3p")])[
            "counters"
        ]
        assert counters[0]["tx_packets"] >= 14  # 7 requests sent, 7 answered

        cluster.call("m1", "link_down", node="s1", interface="s1-eth1")
        assert cluster.call("m1", "ping_pairs", pairs=[("h1", "10.1.0.8")], wait_s=0.3)[0]["received"] == 0
        assert cluster.call("m1", "ping_pairs", pairs=[("h1", "10.1.0.4")], wait_s=1.0)[0]["received"] == 1
        cluster.call("m1", "link_up", node="s1", interface="s1-eth1")
        assert cluster.call("m1", "ping_pairs", pairs=[("h1", "10.1.0.8")], wait_s=3.0)[0]["received"] == 1

        # TCP: the checksums that a host leaves to its device must be finished before a switch port that cannot do it
        shell(cluster, "iperf3 -s -1 -D", node="h8")
        text = shell(cluster, "iperf3 -c 10.1.0.8 -t 1 -C cubic -f m --connect-timeout 3000", node="h1")
        rate = float(text.split("receiver")[0].rsplit("Mbits/sec", 1)[0].split()[-1])
        assert rate > 5.0  # with unfinished checksums it is 0; an emulated processor brings some 40

        cluster.call("m1", "start_process", node="h3", command=["sleep", "1000"])
        cluster.call("m1", "run_command", node="h3", text="setsid sleep 1001 &")
    finally:
        cluster.call("m1", "destroy")
    assert shell(cluster, looks) == before
    assert "sleep" not in shell(cluster, "ps ax -o comm")


def test_a_real_host_pings_a_simulated_one_through_the_instance(cluster: Cluster) -> None:
    cluster.call("m1", "build", plan=sim_plan("m1"))
    try:
        [result] = cluster.call(
            "m1", "ping_pairs", pairs=[("h1", "10.2.0.1")], count=5, interval_s=0.1, wait_s=2.0
        )
        assert result["received"] == 5
        assert result["rtt_min_ms"] >= 10.0  # 5 ms there, 5 ms back
        assert list(cluster.call("m1", "snapshot")) == ["m1"]
    finally:
        final = cluster.call("m1", "destroy")
    assert final["m1"]["links"]


def test_a_killed_instance_is_one_clear_error(cluster: Cluster) -> None:
    cluster.call("m1", "build", plan=sim_plan("m1"))
    try:
        shell(
            cluster,
            "kill -9 $(grep -l hybridnet.simulate.instance /proc/[0-9]*/cmdline | head -1 | cut -d/ -f3)",
        )
        [outage] = cluster.call("m1", "await_outages", known=0, seconds=10.0)
        assert (outage["instance"], outage["how"]) == ("m1", "was killed by signal 9")
        with pytest.raises(MachineError, match="machine m1: instance m1 was killed by signal 9"):
            cluster.call("m1", "check_parts")
        assert cluster.call("m1", "snapshot") == {"m1": None}
    finally:
        final = cluster.call("m1", "destroy")
    assert final == {"m1": None}


def test_what_cannot_be_built_is_taken_down_again_and_named(cluster: Cluster) -> None:
    before = shell(cluster, "ip -o link | cut -d: -f2; ls /run/netns")
    plan = tree("m1", 2)
    plan["pairs"].append(plan["pairs"][-1])
    with pytest.raises(MachineError, match=r"machine m1: .*File exists.*ip link add"):
        cluster.call("m1", "build", plan=plan)
    assert shell(cluster, "ip -o link | cut -d: -f2; ls /run/netns") == before
    with pytest.raises(PlanError, match="machine m1: machine plan, at hosts"):
        cluster.call("m1", "build", plan={**pair("m1"), "hosts": [{"name": "h1"}]})
    with pytest.raises(MachineError, match="machine m1: host h9 does not exist"):
        cluster.call("m1", "run_command", node="h9", text="true")


def test_files_go_there_and_come_back(cluster: Cluster) -> None:
    directory = cluster.call("m1", "scratch_directory")
    cluster.call("m1", "upload", path=f"{directory}/a", data=b"\0\xff", mode=0o600)
    assert cluster.call("m1", "download", path=f"{directory}/a") == b"\0\xff"
    with pytest.raises(MachineError, match=r"machine m1: cannot read /no/such: No such file"):
        cluster.call("m1", "download", path="/no/such")


def test_switches_say_whether_their_controller_is_there(cluster: Cluster) -> None:
    controller = f"tcp:{cluster.address('m1')}:16653"
    cluster.call("m1", "build", plan=tree("m1", 2, controllers=[controller], fail_mode="secure"))
    try:
        assert cluster.call("m1", "switches_connected") == {"s1": False, "s2": False, "s3": False}
        [result] = cluster.call("m1", "ping_pairs", pairs=[("h1", "10.1.0.2")], wait_s=0.3)
        assert result["received"] == 0  # fail_mode secure: no controller, no forwarding
        looks = "ovs-vsctl get bridge s2 datapath_id protocols fail_mode other_config:disable-in-band"
        assert shell(cluster, looks).split() == ['"0000000100000002"', "[OpenFlow13]", "secure", '"true"']
    finally:
        cluster.call("m1", "destroy")
