# SPDX-License-Identifier: MIT
"""Several instances on one machine: the same network in one and in four, and one that is killed and returns."""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from tests.system.live import finish_iperf3, rtts_ms, snapshots, start_iperf3, wait_until

pytestmark = pytest.mark.system

BW_MBPS = 20
DELAY_MS = 5.0


class Row(Topo):
    """h1 - r1 - r2 - r3 - r4 - h2, and a way around r2 - r3."""

    def build(self, apart: bool = True) -> None:
        for number in range(1, 6):
            self.addSimRouter(f"r{number}", instance=number if apart and number < 5 else 1)
        self.addLink(self.addHost("h1"), "r1")
        self.addLink("r1", "r2", bw=BW_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=100)
        self.addLink("r2", "r3", delay="0.1ms")
        self.addLink("r3", "r4", delay="0.1ms")
        self.addLink(self.addHost("h2"), "r4")
        self.addLink("r1", "r5", bw=BW_MBPS, delay="20ms")
        self.addLink("r5", "r4", bw=BW_MBPS, delay="20ms")


def rtt_and_goodput(net: Net) -> tuple[float, float]:
    """Median round trip in ms, and what one TCP flow gets in Mbit/s."""
    there = net["h2"].IP()
    net["h1"].cmd(f"ping -c 2 -i 0.2 {there}")  # every router learns the MACs on the way
    rtt = statistics.median(rtts_ms(net, "h1", there, 40))
    end = finish_iperf3(start_iperf3(net["h2"], net["h1"], "-t", "3", "-C", "cubic"))
    return rtt, end["sum_received"]["bits_per_second"] / 1e6


def instance_pid(net: Net, name: str) -> int:
    """The process whose command line has this instance's plan."""
    found = net.cluster.call("m1", "exec", argv=["pgrep", "-f", f"instances/{name}/instance.json"])["stdout"]
    return int(found.split()[0])


@pytest.mark.slow
def test_one_instance_and_four_are_the_same_network_and_one_that_is_killed_returns(tmp_path: Path) -> None:
    with Net(Row(apart=False), controller=None) as net:
        assert list(snapshots(net)) == ["m1.1"]
        rtt_of_one, goodput_of_one = rtt_and_goodput(net)
    captures = {"r3-eth1": str(tmp_path / "r3.pcap")}
    with Net(Row(), controller=None, reroute=True, captures=captures, record=str(tmp_path)) as net:
        assert list(snapshots(net)) == ["m1.1", "m1.2", "m1.3", "m1.4"]
        rtt, goodput = rtt_and_goodput(net)
        assert rtt == pytest.approx(rtt_of_one, abs=0.5)  # 0.1 ms where nothing else runs
        assert goodput == pytest.approx(goodput_of_one, rel=0.1)  # 3 % where nothing else runs
        assert 2 * (DELAY_MS + 0.2) <= rtt < 2 * (DELAY_MS + 0.2) + 1
        rows = {name: row for name, snapshot in snapshots(net).items() for row in snapshot["peers"]}
        assert all(row["synchronized"] for row in rows.values())

        # An instance in the middle is killed: the others go around, and it is missed by name.
        mark, there = net.mark(), net["h2"].IP()
        before = instance_pid(net, "m1.2")
        net.cluster.call("m1", "exec", argv=["kill", "-9", str(before)])
        wait_until(lambda: "0 received" not in net["h1"].cmd(f"ping -c 1 -W 1 {there}"))
        assert rtts_ms(net, "h1", there, 5)[0] >= 80  # by r5
        assert net.snapshot()["m1.2"] is None
        assert "instance m1.2 was killed by signal 9 and is missing for " in str(net.verdict(mark))

        net.restart_instance("m1.2")
        assert instance_pid(net, "m1.2") != before
        wait_until(lambda: rtts_ms(net, "h1", there, 3)[0] < 80)
        net.check()
        said = str(net.verdict(mark))
        assert "instance m1.2 was killed by signal 9 and was missing for " in said
        fresh = net.mark()
        rtts_ms(net, "h1", there, 20)
        again = net.verdict(fresh)  # its new counters are not compared with those before
        assert not any("missing" in reason for reason in again.reasons)
        assert min(again.figures["m1.2"].values()) >= 0
    assert (tmp_path / "r3.pcap").stat().st_size > 10_000
    records = sorted(path.name for path in tmp_path.glob("*.pcapng"))
    assert records == ["m1.1.pcapng", "m1.2-2.pcapng", "m1.2.pcapng", "m1.3.pcapng", "m1.4.pcapng"]
    report = subprocess.run(
        [sys.executable, "-m", "hybridnet.cli", "replay", str(tmp_path / "m1.4.pcapng")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert report.stdout.splitlines()[-2].startswith("m1.4: ")


def sessions_of(net: Net, name: str) -> dict[str, int]:
    """How often each neighbour of an instance has seen it begin."""
    rows = {
        at: row for at, snapshot in snapshots(net).items() for row in snapshot["peers"] if row["name"] == name
    }
    assert all(row["synchronized"] and not row["peer_silent"] for row in rows.values())
    return {at: row["sessions"] for at, row in rows.items()}


@pytest.mark.slow
def test_an_instance_that_is_killed_twenty_times_returns_to_its_neighbours_at_once_each_time() -> None:
    """At once: by the counters of its peers, which have one more session of it, and no time of the computer's."""
    with Net(Row(), controller=None, reroute=True) as net:
        there = net["h2"].IP()
        assert rtts_ms(net, "h1", there, 3)
        for number in range(20):
            name = f"m1.{2 + number % 2}"
            before = sessions_of(net, name)
            assert len(before) == 2
            net.cluster.call("m1", "exec", argv=["kill", "-9", str(instance_pid(net, name))])
            wait_until(lambda name=name: net.snapshot()[name] is None)  # type: ignore[misc]
            net.restart_instance(name)
            wait_until(lambda: any(rtt < 40 for rtt in rtts_ms(net, "h1", there, 1)))  # neither way by r5
            # A neighbour that was restarted since counts from 1: it has seen this instance begin once.
            assert sessions_of(net, name) == {at: count + 1 for at, count in before.items()}
            net.check()
