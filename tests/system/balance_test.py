# SPDX-License-Identifier: MIT
"""Nothing is lost uncounted: what a portal, link or peering took in is what it gave out, dropped or still holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.topologies import TwoTrees
from tests.system.live import (
    Snapshot,
    finish_iperf3,
    only,
    quiet_snapshots,
    snapshots,
    start_iperf3,
)
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.thorough

OTHER = {"m1": "m2", "m2": "m1"}
QUEUE_PACKETS = 20  # few, so that TCP fills it and frames are dropped


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    topo = TwoTrees(depth=1, bw=20, delay="2ms", max_queue_size=QUEUE_PACKETS)
    with Net(topo, port_type=PORT_TYPE) as net:
        assert net.pingAll(timeout=5) == 0
        yield net


@pytest.fixture(scope="module")
def loaded(net: Net) -> tuple[list[dict[str, Snapshot]], dict[str, Snapshot]]:
    """TCP one way, TCP and UDP the other: snapshots while it runs, and once nothing moves any more."""
    h1, h2, h3, h4 = net.get("h1", "h2", "h3", "h4")
    udp = start_iperf3(h1, h3, "-t", "3", "-u", "-b", "10M", "-l", "1400", port=5202)
    while only(snapshots(net)["m2"]["links"])["accepted_packets"] < 200:
        pass  # its first datagram, without which it does not begin, must not be one that TCP's queue drops
    running = [
        udp,
        start_iperf3(h3, h1, "-t", "2", "-C", "cubic"),
        start_iperf3(h2, h4, "-t", "2", "-C", "cubic"),
    ]
    during = [snapshots(net) for _ in range(20)]
    for flow in running:
        finish_iperf3(flow)
    return during, quiet_snapshots(net)


def dropped(row: Mapping[str, Any]) -> int:
    return sum(row["dropped"].values())


def assert_each_row_balances(snapshot: Snapshot) -> None:
    for link in snapshot["links"]:
        assert link["accepted_packets"] == link["delivered_packets"] + dropped(link) + link["in_flight"]
    for portal in snapshot["portals"]:
        out = portal["written_segments"] + portal["written_dropped"] + portal["in_flight"]
        assert portal["accepted_segments"] == out
        assert dropped(portal) == portal["captured_dropped"] + portal["written_dropped"]
    for peer in snapshot["peers"]:
        sent = peer["sent_packets"] + peer["sent_dropped"] + peer["queued_packets"]
        assert peer["accepted_packets"] == sent


def test_every_element_balances_at_any_instant_under_load(
    loaded: tuple[list[dict[str, Snapshot]], dict[str, Snapshot]],
) -> None:
    during, quiet = loaded
    for of in [*during, quiet]:
        for snapshot in of.values():
            assert_each_row_balances(snapshot)
    links = [only(of["m1"]["links"]) for of in during]
    assert links[-1]["delivered_packets"] > links[0]["delivered_packets"]  # there was load to look at


def test_each_element_gives_the_next_what_it_counts(
    loaded: tuple[list[dict[str, Snapshot]], dict[str, Snapshot]],
) -> None:
    """portal captures → link accepts, delivers → peering sends → other peering receives → other portal writes"""
    _, quiet = loaded
    for machine, snapshot in quiet.items():
        portal, link, peer = (only(snapshot[section]) for section in ("portals", "links", "peers"))
        there = quiet[OTHER[machine]]
        arrived, written = only(there["peers"]), only(there["portals"])
        assert portal["captured_segments"] - portal["captured_dropped"] == link["accepted_packets"]
        assert link["delivered_packets"] == peer["accepted_packets"]
        received = arrived["received_packets"] + arrived["pending_packets"] + arrived["lost_packets"]
        assert peer["sent_packets"] == received
        given = written["accepted_segments"] + arrived["received_dropped"] + arrived["in_flight"]
        assert arrived["received_packets"] == given


def test_only_the_links_queue_dropped_frames(
    loaded: tuple[list[dict[str, Snapshot]], dict[str, Snapshot]],
) -> None:
    _, quiet = loaded
    for snapshot in quiet.values():
        assert set(only(snapshot["links"])["dropped"]) == {"queue_full"}
        assert only(snapshot["links"])["in_flight"] == snapshot["pool"]["exhausted"] == 0
        for section in ("portals", "peers"):
            row = only(snapshot[section])
            assert (dropped(row), row["kernel_drops"], row["in_flight"]) == (0, 0, 0)
        assert only(snapshot["peers"])["lost_packets"] == 0


@pytest.mark.parametrize("backend", ["packet", "pcap"])
def test_no_datagram_is_lost_between_the_portals(backend: str) -> None:
    """Each has a number, and the receiver counts the missing ones. No switch that could drop one is on the way."""
    topo = Topo()
    topo.addHost("h1", machine="m1")
    topo.addHost("h2", machine="m2")
    topo.addLink("h1", "h2", bw=100, delay="2ms")
    with Net(topo, controller=None, backend=backend) as net:
        before = quiet_snapshots(net)
        options = ["-u", "-b", "2M", "-l", "1400", "-t", "2"]
        end = finish_iperf3(start_iperf3(net["h2"], net["h1"], *options))
        after = quiet_snapshots(net)
    sent = end["sum"]["packets"]
    assert sent >= 2e6 * 2 / 8 / 1400 * 0.9
    assert end["sum"]["lost_packets"] == 0
    captured = difference(before, after, "m1", "portals", "captured_segments")
    assert captured >= sent
    assert difference(before, after, "m2", "portals", "written_segments") == captured
    assert difference(before, after, "m2", "peers", "lost_packets") == 0
    assert difference(before, after, "m1", "portals", "kernel_drops") == 0


def difference(
    before: Mapping[str, Snapshot], after: Mapping[str, Snapshot], machine: str, section: str, figure: str
) -> int:
    return int(only(after[machine][section])[figure] - only(before[machine][section])[figure])
