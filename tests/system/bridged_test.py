# SPDX-License-Identifier: MIT
"""Two machines with a tree of switches each, joined bridged: one Ethernet, one Ryu, one slow simulated link between."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Ryu
from hybridnet.run.controllers.process import free_port
from hybridnet.topologies import TwoTrees
from tests.system.live import finish_iperf3, only, rtts_ms, snapshots, start_iperf3
from tests.system.port_type import PORT_TYPE

RATE_BPS = 10_000_000
DELAY_MS = 5.0
MTU = 1500
ETHERNET_HEADER = 14
IPV4_HEADER = 20
TCP_HEADER = 20 + 12  # with the timestamps that Linux sends in every segment

SWITCHES = {f"{number:016x}" for number in range(1, 7)}  # s1 ... s3 on m1, s4 ... s6 on m2
ROOTS = {f"{1:016x}", f"{4:016x}"}


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    ryu = Ryu(
        "c0", "tree_switch", "ryu.app.rest_topology", rest_port=free_port(), arguments=["--observe-links"]
    )
    topo = TwoTrees(depth=2, bw=RATE_BPS / 1e6, delay=f"{DELAY_MS}ms", max_queue_size=100)
    with Net(topo, controller=ryu, port_type=PORT_TYPE) as net:
        yield net


def topology(net: Net, what: str) -> list[dict[str, Any]]:
    """Ryu's own view: its REST interface's ``switches`` or ``links``."""
    found: list[dict[str, Any]] = net.controllers[0].rest(f"/v1.0/topology/{what}")  # type: ignore[attr-defined]
    return found


def test_every_host_reaches_every_other(net: Net) -> None:
    assert net.pingAll(timeout=5) == 0


def test_one_ryu_has_the_switches_of_both_machines(net: Net) -> None:
    assert {switch["dpid"] for switch in topology(net, "switches")} == SWITCHES


def test_ryu_discovers_the_simulated_link_between_the_roots(net: Net) -> None:
    deadline = time.monotonic() + 30  # it sends an LLDP frame per port and second, and finds links one by one
    while True:
        links = {(link["src"]["dpid"], link["dst"]["dpid"]) for link in topology(net, "links")}
        joint = {pair for pair in links if set(pair) == ROOTS}
        if len(joint) == 2 and len(links) == 2 * (2 + 2 + 1):  # two links in each tree, both ways
            break
        assert time.monotonic() < deadline, f"Ryu knows only {links}"
        time.sleep(0.2)


def test_arp_passes_the_link(net: Net) -> None:
    h1, h5 = net["h1"], net["h5"]
    h1.cmd("ip neighbour flush all")
    assert rtts_ms(net, "h1", h5.IP(), 1)
    assert h5.MAC() in h1.cmd("ip neighbour show", h5.IP())


def test_a_ping_over_the_link_takes_twice_its_delay_longer(net: Net) -> None:
    near = rtts_ms(net, "h1", net["h3"].IP(), 20)
    far = rtts_ms(net, "h1", net["h5"].IP(), 20)
    assert far[0] >= 2 * DELAY_MS
    assert far[0] <= 2 * DELAY_MS + near[0] + 5  # a busy computer's; benchmarks measure it well


def test_tcp_fills_the_link_and_no_more(net: Net) -> None:
    segment = MTU - IPV4_HEADER - TCP_HEADER
    payload_bps = RATE_BPS * segment / (MTU + ETHERNET_HEADER)
    end = finish_iperf3(start_iperf3(net["h5"], net["h1"], "-t", "3", "-O", "1", "-C", "cubic"))
    assert end["sum_received"]["bits_per_second"] == pytest.approx(payload_bps, rel=0.05)


def test_the_link_was_given_every_frame_that_its_portal_captured(net: Net) -> None:
    before = snapshots(net)
    rtts_ms(net, "h1", net["h5"].IP(), 20)
    after = snapshots(net)  # each of one instant, whatever passes meanwhile
    for machine in ("m1", "m2"):
        portal = only(after[machine]["portals"])
        link = only(after[machine]["links"])
        passed = link["accepted_packets"] - only(before[machine]["links"])["accepted_packets"]
        assert passed >= 20
        assert portal["captured_dropped"] == portal["kernel_drops"] == portal["capture_errors"] == 0
        assert link["accepted_packets"] == portal["captured_segments"]
        assert link["accepted_bytes"] == portal["captured_bytes"]
