# SPDX-License-Identifier: MIT
"""Machines reached by SSH: a real sshd runs in each of two local machines, and a second cluster goes there."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.cli.execute import find_machine
from hybridnet.errors import MachineError, PlanError, UsageError
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.system.cleaning import clean_all
from hybridnet.system.journal import read_entries
from hybridnet.topologies import TwoTrees
from tests.system.machine_plans import pair, tree
from tests.system.ssh_place import ssh_place

pytestmark = pytest.mark.slow

LOOKS = "ip -o link | cut -d: -f2 | sort; ps ax -o comm | grep -v -e '^sh$' -e '^ps$' -e grep -e sort | sort"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, list[SshMachine]]]:
    with ssh_place(tmp_path_factory.mktemp("ssh")) as made:
        yield made


def look(outer: Cluster, machine: str) -> str:
    text: str = outer.call(machine, "exec", argv=LOOKS)["stdout"].decode()
    return text


def settled(outer: Cluster, machine: str, wanted: str) -> str:
    """What is there once it is as wanted; sshd's processes for a closed connection end by and by."""
    deadline = time.monotonic() + 15
    while (seen := look(outer, machine)) != wanted and time.monotonic() < deadline:
        time.sleep(0.1)
    return seen


def gone(directory: Path) -> bool:
    deadline = time.monotonic() + 30
    while directory.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    return not directory.exists()


def test_two_machines_with_open_vswitch_on_one_computer_are_refused_before_anything_is_built(
    place: tuple[Cluster, list[SshMachine]],
) -> None:
    outer, hosts = place
    before = look(outer, "a")
    topo = TwoTrees(depth=1)
    with Cluster.ssh([hosts[0], hosts[0]]) as cluster:
        net = Net(topo, controller=None, cluster=cluster)
        said = rf"machines m1 and m2 are one computer \({outer.address('a')}\) .*name each computer once"
        with pytest.raises(PlanError, match=said):
            net.start()
    assert settled(outer, "a", before) == before


def test_the_same_is_built_and_removed_over_ssh(place: tuple[Cluster, list[SshMachine]]) -> None:
    outer, hosts = place
    before = [look(outer, "a"), look(outer, "b")]
    with Cluster.ssh(hosts) as cluster:
        assert cluster.machines == ["m1", "m2"]
        assert [cluster.address(m) for m in cluster.machines] == [outer.address("a"), outer.address("b")]
        assert cluster.client.scheduler.address.startswith("tls://")
        assert cluster.facts("m1")["hostname"] == "a"
        plans = {m: tree(m, 2, index=i, portal=True) for i, m in enumerate(cluster.machines, 1)}
        cluster.call_all({m: ("build", {"plan": plan}) for m, plan in plans.items()})
        [result] = cluster.call("m2", "ping_pairs", pairs=[("h1", "10.2.0.4")], wait_s=3.0)
        assert result["received"] == 1
        # on a computer of its own a machine shares the network of that computer, and so its devices are there
        assert "s1-eth3p" in look(outer, "a")
        assert cluster.call("m1", "exec", argv=["ls", "/run/netns"])["stdout"] == b"h1\nh2\nh3\nh4\n"
        assert outer.call("a", "exec", argv=["ls", "/run/netns"])["stdout"] == b""
        enter = hosts[0].enter_command(
            cluster.journal.run, "m1", ["sh", "-c", 'ls /run/netns; echo "$0"', "a  b"]
        )
        assert subprocess.run(enter, capture_output=True, text=True).stdout == "h1\nh2\nh3\nh4\na  b\n"
        for machine, hostname in (("m1", "a"), ("m2", "b")):
            place = find_machine(machine, cluster.journal.run)  # as `hybridnet exec` does
            assert (
                subprocess.run(place.enter(["hostname"]), capture_output=True).stdout
                == hostname.encode() + b"\n"
            )
            switches = cluster.call(machine, "exec", argv=["ovs-vsctl", "list-br"])["stdout"]
            seen = subprocess.run(place.enter(["ovs-vsctl", "list-br"]), capture_output=True).stdout
            assert seen == switches != b""
            assert subprocess.run(place.enter(["sh", "-c", "exit 7"])).returncode == 7
        gone = subprocess.run(hosts[0].enter_command("none", "m1", ["true"]), capture_output=True, text=True)
        assert "machine m1 of run none is not on this computer any more" in gone.stderr
    assert [settled(outer, name, was) for name, was in zip("ab", before, strict=True)] == before
    assert not any(Path(host.state).exists() for host in hosts)


def test_after_kill_9_of_the_head_agents_clean_up_and_its_guardian_does_the_rest(
    place: tuple[Cluster, list[SshMachine]], tmp_path: Path
) -> None:
    outer, hosts = place
    before = look(outer, "a")
    text = (
        "import json, sys, time\n"
        "from hybridnet.machines.cluster import Cluster\n"
        "from hybridnet.machines.workers.ssh import SshMachine\n"
        "host, plan = json.load(sys.stdin)\n"
        "host['options'] = tuple(host['options'])\n"
        "cluster = Cluster.ssh([SshMachine(**host)])\n"
        "cluster.call('m1', 'build', plan=plan)\n"
        "print(cluster.journal.run, flush=True)\n"
        "time.sleep(1000)\n"
    )
    environment = {**os.environ, "HYBRIDNET_STATE_DIR": str(tmp_path / "state")}
    head = subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert head.stdin is not None
    assert head.stdout is not None
    json.dump([asdict(hosts[0]), tree("m1", 2, portal=True)], head.stdin)
    head.stdin.close()
    assert head.stdout.readline()
    assert "s1-eth3p" in look(outer, "a")
    head.send_signal(signal.SIGKILL)
    head.wait()
    head.stdout.close()
    assert settled(outer, "a", before) == before
    assert gone(tmp_path / "state")
    assert gone(Path(hosts[0].state))


def test_two_machines_of_a_run_on_one_computer_each_remove_their_own_part(
    place: tuple[Cluster, list[SshMachine]],
) -> None:
    outer, hosts = place
    state = Path(hosts[0].state)
    with Cluster.ssh([replace(hosts[0], name=name) for name in ("m1", "m2")]) as cluster:
        cluster.call("m2", "build", plan=pair("m2"))
        first = state / cluster.journal.run / "m1"
        init = (first / "init").read_text()
        assert outer.call("a", "exec", argv=["kill", init])["status"] == 0
        assert gone(first)
        with pytest.raises(MachineError, match="machine m1: its agent"):
            cluster.call("m1", "facts")
        assert cluster.call("m2", "exec", argv=["true"], node="h1")["status"] == 0
        assert (state / cluster.journal.run / "m2" / "journal.jsonl").exists()
    assert gone(state)


def test_cleaning_reaches_machines_whose_agents_were_killed(
    place: tuple[Cluster, list[SshMachine]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything of the run killed at the same time on the far side: its devices stay, until the head cleans."""
    outer, hosts = place
    before = look(outer, "a")
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    cluster = Cluster.ssh(hosts[:1])
    cluster.call("m1", "build", plan=tree("m1", 2, portal=True))
    run = cluster.journal.run
    kill = f"for p in $(grep -lz HYBRIDNET_RUN={run} /proc/[0-9]*/environ | cut -d/ -f3); do kill -9 $p; done"
    outer.call("a", "exec", argv=f"({kill}) 2>/dev/null; true")
    with pytest.raises(MachineError, match="machine m1: its agent"):
        cluster.call("m1", "facts")
    assert "s1-eth3p" in look(outer, "a")
    removed = clean_all(runs=[])  # nothing is named, nothing is removed
    assert removed == []
    removed = subprocess.run(
        SshMachine.clean_command(hosts[0], run), capture_output=True, text=True, check=True
    ).stdout
    assert "link s1-eth3" in removed
    assert settled(outer, "a", before) == before
    cluster.close()


def test_a_spare_host_joins_a_running_network_and_leaves_it(place: tuple[Cluster, list[SshMachine]]) -> None:
    outer, hosts = place
    before = [look(outer, "a"), look(outer, "b")]
    nowhere = SshMachine("root@127.0.0.1", name="m3", port=9)
    topo = Topo()
    topo.addLink(topo.addHost("h1"), topo.addSimRouter("r1", machine="m1"))

    def join(net: Net, machine: str) -> None:
        with net.changes():
            net.addLink(net.addHost("h2"), net.addSimRouter("r2", machine=machine))
            net.addLink("r1", "r2", delay="5ms")

    with (
        Cluster.ssh(hosts[:1], spare=[hosts[1], nowhere]) as cluster,
        Net(topo, cluster=cluster, controller=None) as net,
    ):
        assert cluster.machines == ["m1"]
        with pytest.raises(
            MachineError, match=r"machine m3 could not be started: ssh: connect to host 127.0.0.1 port 9"
        ):
            join(net, "m3")
        with pytest.raises(
            UsageError, match="no place for a machine 'm4'; the hosts of this run are m1, m2, m3"
        ):
            join(net, "m4")
        assert cluster.machines == ["m1"]
        for _ in range(2):
            join(net, "m2")
            assert cluster.facts("m2")["hostname"] == "b"
            assert net.pingAll(timeout=10) == 0
            state = Path(hosts[1].state) / cluster.journal.run
            assert state.exists()
            net.delMachine("m2")
            assert settled(outer, "b", before[1]) == before[1]
            assert not state.exists()
        assert [e["name"] for e in read_entries(cluster.journal.directory) if e["kind"] == "ssh_machine"] == [
            "m1",
            "m3",  # which nobody could clean
        ]
    assert [settled(outer, machine, was) for machine, was in zip("ab", before, strict=True)] == before
    shutil.rmtree(cluster.journal.directory)  # kept for `hybridnet clean`, for m3


@pytest.fixture
def subnets(place: tuple[Cluster, list[SshMachine]], tmp_path: Path) -> Iterator[list[SshMachine]]:
    """The same machines, each in a subnet that it and this computer alone are in: 10.99.1.0/24 and 10.99.2.0/24."""
    outer, hosts = place
    there, devices = [], []
    for number, (machine, host) in enumerate(zip("ab", hosts, strict=True), 1):
        address, device, inside = f"10.99.{number}.2", f"hntest{os.getpid()}{machine}", "subnet"
        pid = find_machine(machine, outer.journal.run).init_pid
        devices.append(device)
        for line in (
            f"link add {device} type veth peer name {inside} netns {pid}",
            f"addr add 10.99.{number}.1/24 dev {device}",
            f"link set {device} up",
        ):
            subprocess.run(["ip", *line.split()], check=True)
        for line in (f"addr add {address}/24 dev {inside}", f"link set {inside} up"):
            outer.call(machine, "exec", argv=["ip", *line.split()])
        # The machines reach each other as before.
        other = outer.address("b" if machine == "a" else "a")
        outer.call(machine, "exec", argv=["ip", "route", "add", f"10.99.{3 - number}.2", "via", other])
        elsewhere = tmp_path / f"sshd-{machine}"
        configuration = Path(host.identity or "").parent / f"sshd-{machine}"
        elsewhere.write_text(configuration.read_text().replace(outer.address(machine), address))
        sshd = ["/usr/sbin/sshd", "-D", "-e", "-f", str(elsewhere)]
        outer.call(machine, "start_process", node="", command=sshd)
        listening = f"ss -ltn | grep -q '{address}:22 '"
        outer.call(machine, "exec", argv=f"while ! {listening}; do sleep 0.05; done", timeout=20)
        known = ("-o", f"HostKeyAlias={outer.address(machine)}")
        there.append(replace(host, target=f"root@{address}", options=host.options + known))
    yield there
    for device in devices:
        subprocess.run(["ip", "link", "del", device], check=True)


def test_switches_on_machines_in_different_subnets_of_the_head_find_its_controller(
    subnets: list[SshMachine],
) -> None:
    with Cluster.ssh(subnets) as cluster, Net(TwoTrees(depth=1), cluster=cluster) as net:
        assert net.pingAll(timeout=10) == 0
        heads = [
            cluster.call(machine, "exec", argv=["ovs-vsctl", "get-controller", switch])["stdout"].split(b":")[
                1
            ]
            for machine, switch in (("m1", "s1"), ("m2", "s2"))
        ]
    assert heads == [b"10.99.1.1", b"10.99.2.1"]


def test_captures_on_machines_over_ssh_come_into_the_run_directory(
    place: tuple[Cluster, list[SshMachine]], tmp_path: Path
) -> None:
    _, hosts = place
    topo = Topo()
    for number in ("1", "2"):
        topo.addLink(topo.addHost(f"h{number}"), topo.addSimRouter(f"r{number}", machine=f"m{number}"))
    topo.addLink("r1", "r2", delay="5ms")
    files = {f"r{number}-eth1": f"/run/r{number}.pcap" for number in (1, 2)}  # /run is each machine's own
    with Cluster.ssh(hosts) as cluster:
        with Net(topo, cluster=cluster, controller=None, captures=files, out=tmp_path / "run") as net:
            assert net["h1"].cmd(f"ping -c 3 -i 0.2 {net['h2'].IP()}").count("bytes from") == 3
        there = {m: cluster.call(m, "download", path=f"/run/r{m[1:]}.pcap") for m in cluster.machines}
        for machine in cluster.machines:
            cluster.call(machine, "exec", argv=f"rm /run/r{machine[1:]}.pcap")
    folder = tmp_path / "run" / "network-1" / "captures"
    assert {path.name for path in folder.iterdir()} == {
        f"m{number}-r{number}.{kind}" for number in (1, 2) for kind in ("pcap", "txt")
    }
    for machine, data in there.items():
        assert not Path(f"/run/r{machine[1:]}.pcap").exists()
        assert (folder / f"{machine}-r{machine[1:]}.pcap").read_bytes() == data
        assert (folder / f"{machine}-r{machine[1:]}.txt").read_text().count("ICMP echo request") == 3


def test_a_host_that_cannot_be_reached_is_named_with_sshs_words(
    place: tuple[Cluster, list[SshMachine]],
) -> None:
    outer, hosts = place
    nowhere = SshMachine(
        f"root@{outer.address('a')}",
        port=23,
        python=sys.executable,
        identity=hosts[0].identity,
        options=hosts[0].options,
    )
    with pytest.raises(MachineError, match=r"machine m2 could not be started: .*Connection refused"):
        Cluster.ssh([hosts[0], nowhere])
    lacking = SshMachine(**{**asdict(hosts[0]), "python": "/usr/bin/python3-that-is-not-there"})
    with pytest.raises(MachineError, match=r"machine m1 could not be started: .*python3-that-is-not-there"):
        Cluster.ssh([lacking])


def test_hosts_over_ssh_run_programs(place: tuple[Cluster, list[SshMachine]]) -> None:
    _, hosts = place
    with Cluster.ssh(hosts[:1]) as cluster:
        cluster.call("m1", "build", plan=pair("m1"))
        assert cluster.call("m1", "run_command", node="h1", text="ping -c 1 -W 2 10.0.0.2 >&2; echo $?")[
            "output"
        ].endswith("0\n")
