# SPDX-License-Identifier: MIT
"""Networks that change while they run: what comes works, what stays is not disturbed, what goes leaves nothing."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hybridnet import Host, MachineError, Net, Topo
from hybridnet.system.journal import read_entries, state_directory
from hybridnet.topologies import SingleSwitchTopo
from tests.system.computer import run_on_a_computer
from tests.system.live import rtts_ms

SCRIPT = """
from mininet.link import TCLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import LinearTopo

setLogLevel("warning")
net = Mininet(LinearTopo(2), switch=OVSBridge, controller=None, link=TCLink)
net.start()
h1, h2, s1, s2 = net.get("h1", "h2", "s1", "s2")
h3 = net.addHost("h3")
link = net.addLink(h3, s1)
s1.attach(link.intf2)
h3.setIP("10.0.0.33/8")
print("a host that came", net.pingAll(timeout=10))
s3 = net.addSwitch("s3")
net.addLink(s3, s2)
s3.start([])
net.addLink(net.addHost("h4", ip="10.0.0.44/8"), s3)
print("beyond a switch that came", net.pingAll(timeout=10))
h1.intf().config(delay="20ms")
print("delay", float(h1.cmd("ping -c 3 -i 0.2 -q 10.0.0.2").split("/")[-3]) > 20)
h1.intf().config(delay="0ms", loss=100)
print("loss", net.ping([h1, h2], timeout=1))
net.delLink(link)
print("without its link", h3.intfNames(), s1.intfNames())
net.delHost(h3)
net.delLinkBetween(s2, s3)
print("left", sorted(net.keys()), len(net.links), s3.intfNames())
net["h4"].intf().rename("eth9")
print("renamed", "eth9" in net["h4"].cmd("ip -br link"), net["h4"].intfNames())
net.stop()
"""


def test_a_mininet_script_changes_its_network_while_it_runs(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ended = run_on_a_computer([sys.executable, "-m", "hybridnet.cli", "run", str(script)])
    assert ended.status == 0, ended.err
    lines = [line for line in ended.out.splitlines() if line and not line.startswith(("***", "verdict"))]
    assert lines == [
        "a host that came 0.0",
        "beyond a switch that came 0.0",
        "delay True",
        "loss 100.0",
        "without its link [] ['lo', 's1-eth1', 's1-eth2']",
        "left ['h1', 'h2', 'h4', 's1', 's2', 's3'] 4 ['lo', 's3-eth2']",
        "renamed True ['eth9']",
    ], ended.err
    assert ended.left == {}


def busy_network() -> Topo:
    """h1 and h2 beyond two switches, h3 behind a simulated link, and h4, h5 to be joined with what comes."""
    topo = Topo()
    for name in ("s1", "s2"):
        topo.addSwitch(name, failMode="standalone")
    topo.addLink("s1", "s2")
    for host, switch, options in (
        ("h1", "s1", {}),
        ("h2", "s2", {}),
        ("h3", "s2", {"delay": "1ms"}),
        ("h4", "s1", {}),
        ("h5", "s2", {}),
    ):
        topo.addLink(topo.addHost(host), switch, **options)
    return topo


THINGS = """
ls -d /sys/class/net/*
ls /run/netns
for s in $(ovs-vsctl list-br); do ovs-vsctl list-ports $s; done
"""
CENSUS = f"""
{THINGS}
ps -e -o comm= | grep -vE '^(sh|ps|ls|wc|grep|sort|ip|ovs-vsctl|nsenter)$' | sort
"""


class Sizes(NamedTuple):
    """What grows with each round if a round leaves something."""

    journal: int
    resident_bytes: int
    descriptors: int


def census(net: Net) -> tuple[list[str], Sizes]:
    """What there is on the machine; and how many things its journal holds, its processes' memory, and how many
    descriptors they have.
    """
    said = net.cluster.call("m1", "exec", argv=CENSUS)["stdout"].decode().splitlines()
    run = state_directory() / net.cluster.journal.run
    resident = net.cluster.call("m1", "exec", argv="cat /proc/[0-9]*/statm | cut -d' ' -f2 | paste -sd+ | bc")
    descriptors = net.cluster.call("m1", "exec", argv="ls -d /proc/[0-9]*/fd/* | wc -l")
    return said, Sizes(
        len(read_entries(run / "m1")),
        int(resident["stdout"]) * os.sysconf("SC_PAGESIZE"),
        int(descriptors["stdout"]),
    )


def come_and_go(net: Net, number: int) -> None:
    """A host with its link, and another link, come and go again: two changes of nodes and two of links."""
    with net.changes():
        guest = net.addHost(f"guest{number}")
        net.addLink(guest, "s1", **({"delay": "2ms"} if number % 2 else {}))
    ends = ("h4", "h5") if number % 4 < 2 else ("h4", "s2")
    net.addLink(*ends, **({"delay": "3ms"} if number % 2 else {}))
    if number % 10 == 0:
        assert net.ping([net["h5"], guest], timeout=5) == 0
    net.delLink(*ends)
    net.delHost(guest)


@contextlib.contextmanager
def pinging(source: Host, *targets: Host) -> Iterator[None]:
    """Two hundred pings a second to each meanwhile, of which none is lost: one may be under way at the end."""
    programs = [source.popen(["ping", "-n", "-q", "-i", "0.005", target.IP()]) for target in targets]
    yield
    for program in programs:
        program.send_signal(signal.SIGINT)
    for program in programs:
        said = program.communicate()[0]
        sent, received = re.findall(r"(\d+) packets transmitted, (\d+) received", said)[0]
        assert 100 < int(sent) <= int(received) + 1, said


@pytest.mark.parametrize("rounds", [16, pytest.param(200, marks=pytest.mark.slow)])
def test_nodes_and_links_come_and_go_under_traffic_and_nothing_else_is_disturbed(rounds: int) -> None:
    with Net(busy_network(), controller=None) as net:
        assert net.pingAll(timeout=5) == 0
        with pinging(net["h1"], net["h2"], net["h3"]):
            for number in range(8):  # what is made once, such as connections of the head, is there afterwards
                come_and_go(net, number)
        before, mark = census(net), net.mark()
        seconds = []
        with pinging(net["h1"], net["h2"], net["h3"]):
            for number in range(rounds):
                begun = time.monotonic()
                come_and_go(net, number)
                seconds.append(time.monotonic() - begun)
        after = census(net)
        assert list(difflib.unified_diff(before[0], after[0])) == []
        assert after[1].journal == before[1].journal
        assert after[1].resident_bytes - before[1].resident_bytes < 20e6
        # A connection may be open now that was not; one descriptor left by each round would be seen.
        assert after[1].descriptors - before[1].descriptors < rounds / 2
        assert not [reason for reason in net.verdict(mark).reasons if "dropped" in reason]
        print(f"a round of four changes takes {1000 * sorted(seconds)[rounds // 2]:.0f} ms (median)")


def test_a_change_that_a_machine_cannot_make_leaves_it_as_it_was() -> None:
    with Net(SingleSwitchTopo(k=3), controller=None, fail_mode="standalone") as net:
        h2 = net["h2"]
        h2.cmd("X=kept")
        taken = ["ip", "link", "add", "name", "s1-eth4", "type", "veth"]
        assert net.cluster.call("m1", "exec", argv=taken)["status"] == 0
        before = net.cluster.call("m1", "exec", argv=THINGS)["stdout"]
        with pytest.raises(MachineError, match="s1-eth4"):
            exchange(net)
        assert net.cluster.call("m1", "exec", argv=THINGS)["stdout"] == before
        assert (net["h2"], h2.IP(), h2.cmd("echo $X")) == (h2, "10.0.0.2", "kept\n")
        assert net.pingAll(timeout=5) == 0
        assert net.cluster.call("m1", "exec", argv=["ip", "link", "del", "s1-eth4"])["status"] == 0
        exchange(net)
        assert [host.name for host in net.hosts] == ["h1", "h3", "h4"]
        assert net.pingAll(timeout=5) == 0


def test_a_plain_link_that_becomes_a_simulated_one_leaves_its_ends_what_was_set_there(
    capfd: pytest.CaptureFixture[str],
) -> None:
    shown = "cat /sys/class/net/h1-eth0/{mtu,address}; ip neigh show nud permanent"
    with Net(SingleSwitchTopo(k=2), controller=None, fail_mode="standalone") as net:
        h1, h2 = net["h1"], net["h2"]
        h1.cmd("ip link set h1-eth0 mtu 1400 address 02:00:00:00:00:77")
        h1.cmd("ip neigh replace 10.0.0.9 lladdr 02:00:00:00:00:09 nud permanent dev h1-eth0")
        h2.cmd("ip link set h2-eth0 mtu 9000; tc qdisc add dev h2-eth0 root pfifo limit 7")
        before = h1.cmd(shown)
        assert before.split()[:2] == ["1400", "02:00:00:00:00:77"]
        assert "10.0.0.9 dev h1-eth0 lladdr 02:00:00:00:00:09 PERMANENT" in before
        capfd.readouterr()  # a start that takes long says so
        net.set_link("h1", "s1", delay="5ms")
        assert capfd.readouterr().err == ""
        assert h1.cmd(shown) == before
        net.set_link("h2", "s1", delay="5ms")
        said = capfd.readouterr().err
        assert "*** Warning: interface h2-eth0: its queueing discipline pfifo is gone" in said
        assert h2.cmd("cat /sys/class/net/h2-eth0/mtu") == "9000\n"
        assert net.pingAll(timeout=5) == 0


def test_a_plain_link_whose_end_a_script_has_renamed_becomes_a_simulated_one_with_that_name() -> None:
    with Net(SingleSwitchTopo(k=2), controller=None, fail_mode="standalone") as net:
        h1, h2 = net["h1"], net["h2"]
        h1.cmd("ip link set h1-eth0 down; ip link set h1-eth0 name up0; ip link set up0 up")
        net.set_link("h1", "s1", delay="20ms")
        assert "10.0.0.1/8" in h1.cmd("ip -brief address show dev up0")
        assert min(rtts_ms(net, "h1", h2.IP(), 3)) > 40  # there and back


def test_a_host_that_comes_is_known_to_hosts_whose_interfaces_a_script_has_renamed_or_removed() -> None:
    with Net(SingleSwitchTopo(k=3), controller=None, fail_mode="standalone", autoStaticArp=True) as net:
        net["h1"].cmd("ip link set h1-eth0 down; ip link set h1-eth0 name up0; ip link set up0 up")
        net["h2"].cmd("ip link del h2-eth0")
        with net.changes():
            net.addLink(net.addHost("h4"), "s1")
        h4 = net["h4"]
        known = f"{h4.IP()} dev up0 lladdr {h4.MAC()} PERMANENT"
        assert known in net["h1"].cmd("ip neigh show nud permanent")
        assert net.ping([net["h1"], h4], timeout=2) == 0
        net.delHost(h4)
        assert net["h1"].cmd("ip neigh show nud permanent") == ""


def exchange(net: Net) -> None:
    """One host goes, and another comes, as one change."""
    with net.changes():
        net.delHost("h2")
        net.addLink(net.addHost("h4"), "s1", port2=4)


def test_an_interrupt_while_the_image_of_a_new_host_is_fetched_undoes_the_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, fetching = tmp_path / "begun", tmp_path / "skopeo"
    fetching.write_text(f"#!/bin/sh\ntouch {begun}\nexec sleep 600\n")
    fetching.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def press() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    with Net(SingleSwitchTopo(k=2), controller=None) as net:
        pressing = threading.Thread(target=press)
        pressing.start()
        with pytest.raises(KeyboardInterrupt):
            net.addHost("h3", image="docker://127.0.0.1/never:1")
        pressing.join()
        assert sorted(net.keys()) == ["h1", "h2", "s1"]
        net.addLink(net.addHost("h3"), "s1")
        assert net["h3"].cmd("echo here") == "here\n"
