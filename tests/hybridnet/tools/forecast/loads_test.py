# SPDX-License-Identifier: MIT
"""Known networks under costs in round figures: what each part takes follows by hand.

A flow of 1000 datagrams/s takes a millionth of a processor for each nanosecond that a unit costs.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.plan.network import MachineSpec, RealtimeOptions
from hybridnet.tools.forecast.costs import AROUND, THREAD, Cost, switching
from hybridnet.tools.forecast.demand import Demand, Flow
from hybridnet.tools.forecast.loads import Computer, Loads, Work
from hybridnet.topologies import TwoTrees
from tests.hybridnet.plan.support import plan
from tests.hybridnet.tools.forecast.support import (
    NODE,
    PEERING,
    PEERING_AROUND,
    PORTAL,
    PORTAL_AROUND,
    RECEIVER,
    SENDER,
    SIMHOST,
    SWITCH,
    SWITCH_AROUND,
    VETH,
    computer,
    elements,
)

KILO = 1000 / 1e9  # processors for a nanosecond of each of a thousand units


def udp(source: str, target: str, pps: float = 1000) -> Flow:
    return Flow(source, target, pps * 8 * 1000, "udp", 1000)


def loads(topo: Topo, *flows: Flow, on: list[Computer] | None = None, **options: Any) -> dict[str, float]:
    """What each part has to do, by what it is called. Instances sleep, unless told otherwise."""
    made = plan(topo, **{"realtime": RealtimeOptions(wait="sleep"), **options})
    found: Loads = Work(made, Demand(list(flows)), on or [computer(*made.machines)]).loads()
    return {str(part): busy for part, busy in found.busy.items()}


class Pair(Topo):
    """h1 and h2, with so much between them."""

    def build(self, *nodes: str, **link: Any) -> None:
        for host in ("h1", "h2"):
            self.addHost(host)
        before = "h1"
        for number, kind in enumerate(nodes):
            name = f"x{number}"
            if kind == "ovs":
                self.addSwitch(name)
            elif kind == "openflow":
                self.addSwitch(name, kind="simulated")
            elif kind == "switch":
                self.addSimSwitch(name)
            elif kind == "router":
                self.addSimRouter(name)
            self.addLink(before, name, **link)
            before = name
        self.addLink(before, "h2", **link)


def test_two_hosts_on_a_veth_pair_take_their_programs_and_what_is_around() -> None:
    found = loads(Pair(), udp("h1", "h2"))
    assert found == pytest.approx(
        {
            "processors of c": (SENDER + RECEIVER + VETH) * KILO,
            "sender at h1": SENDER * KILO,
            "receiver at h2": RECEIVER * KILO,
        }
    )


def test_flows_add_up_where_they_meet() -> None:
    found = loads(Pair(), udp("h1", "h2"), udp("h2", "h1", 3000))
    assert found["processors of c"] == pytest.approx(4 * (SENDER + RECEIVER + VETH) * KILO)
    assert found["sender at h2"] == pytest.approx(3 * SENDER * KILO)


def test_bursts_cost_less_the_busier_they_make_the_computer() -> None:
    """A thousand bursts would take a processor each at sender and around, did each end a pause. Those of both ends,
    2000 in a second at two processors, come after more than 200 us with exp(-0.2).
    So busy = 2 exp(-0.2) (1 - busy / 2).
    """
    known = elements()
    known["sender.veth"]["udp"][THREAD] = known["veth"]["udp"][AROUND] = Cost(burst_ns=1_000_000)
    known["receiver.veth"]["udp"][THREAD] = Cost()
    found = loads(Pair(), udp("h1", "h2"), on=[computer(elements=known)])
    busy = 2 * math.exp(-0.2) / (1 + math.exp(-0.2))
    assert found["processors of c"] == pytest.approx(busy)
    assert found["sender at h1"] == pytest.approx(busy / 2)
    assert found["receiver at h2"] == 0.0


def test_bridges_joined_by_patch_ports_are_one_pass() -> None:
    found = loads(Pair("ovs", "ovs", "ovs"), udp("h1", "h2"))
    assert found["Open vSwitch of m1"] == pytest.approx(SWITCH * KILO)
    assert found["processors of c"] == pytest.approx((SENDER + RECEIVER + SWITCH + SWITCH_AROUND) * KILO)


def test_further_bridges_make_a_turn_longer() -> None:
    known = elements()
    known["ovs.afpacket"]["udp"][THREAD] = Cost(burst_ns=40_000, unit_ns=SWITCH)
    known["ovs.bridge"]["udp"][THREAD] = Cost(burst_ns=30_000)
    found = loads(Pair("ovs", "ovs", "ovs"), udp("h1", "h2"), on=[computer(elements=known)])
    assert found["Open vSwitch of m1"] == pytest.approx(switching(1000, 100_000, SWITCH * KILO))


def test_acknowledgments_wake_open_vswitch_too() -> None:
    known = elements()
    known["ovs.afpacket"]["tcp"][THREAD] = Cost(burst_ns=100_000)
    flow = Flow("h1", "h2", 65_160 * 8 * 100, "tcp")  # a hundred of the longest trains
    found = loads(Pair("ovs"), flow, on=[computer(elements=known)])
    assert found["Open vSwitch of m1"] == pytest.approx(switching(200, 100_000, 0.0))


def test_a_thread_that_polls_is_busy_without_traffic_and_looks_less_with_it() -> None:
    known = elements()
    known["ovs.afxdp"] = known["ovs.afpacket"] | {
        protocol: {THREAD: Cost(25_000, 100_000), AROUND: Cost()} for protocol in ("tcp", "udp")
    }
    for kind in ("sender", "receiver"):
        known[f"{kind}.afxdp"] = known[f"{kind}.afpacket"]
    polling = 25 / 75  # a look of 25 us after each pause of 50 us
    for pps in (1, 5000):
        found = loads(Pair("ovs"), udp("h1", "h2", pps), on=[computer(elements=known)], port_type="afxdp")
        work = 1e-4 * pps
        assert found["Open vSwitch of m1"] == pytest.approx(work + (1 - work) * polling)
    apart = TwoTrees(depth=1)  # nothing passes m2
    found = loads(apart, udp("h1", "h2"), on=[computer("m1", "m2", elements=known)], port_type="afxdp")
    assert found["Open vSwitch of m2"] == pytest.approx(polling)


def test_a_switch_in_the_kernel_has_no_thread_and_bridges_beside_it_take_nothing() -> None:
    found = loads(Pair("ovs", "ovs"), udp("h1", "h2"), port_type="system")
    assert "Open vSwitch of m1" not in found
    assert found["processors of c"] == pytest.approx((SENDER + RECEIVER + SWITCH_AROUND) * KILO)


def test_a_simulated_link_takes_two_portals() -> None:
    found = loads(Pair(delay="1ms"), udp("h1", "h2"))
    assert found["instance m1"] == pytest.approx(2 * PORTAL * KILO)
    assert found["processors of c"] == pytest.approx(
        (SENDER + RECEIVER + 2 * (PORTAL + PORTAL_AROUND)) * KILO
    )


@pytest.mark.parametrize(("delay", "stages"), [("1ms", 2), (0, 1)])
def test_what_waits_on_a_link_comes_out_in_a_turn_of_its_own(delay: str, stages: int) -> None:
    known = elements()
    known["loop"]["udp"][THREAD] = Cost(burst_ns=100_000)
    link = {"delay": delay, "loss": 1}
    found = loads(Pair(**link), udp("h1", "h2"), on=[computer(elements=known)])
    work, waited = 2 * PORTAL * KILO, 0.1 * stages
    assert found["instance m1"] == pytest.approx(work + (1 - work) * waited / (1 + waited))


def test_acknowledgments_are_causes_for_turns_too() -> None:
    known = elements()
    known["loop"]["tcp"][THREAD] = Cost(burst_ns=100_000)
    known["portal"]["tcp"][THREAD] = Cost()
    flow = Flow("h1", "h2", 65_160 * 8 * 100, "tcp")  # a hundred of the longest trains
    found = loads(Pair(delay="1us"), flow, on=[computer(elements=known)])
    waited = 100 * 2 * 2 * 1e-4
    assert found["instance m1"] == pytest.approx(waited / (1 + waited))


def test_across_a_cut_link_what_comes_back_wakes_the_near_instance() -> None:
    known = elements()
    for element in ("portal", "peering.udp"):
        known[element]["tcp"][THREAD] = Cost()
    known["loop"]["tcp"][THREAD] = Cost(burst_ns=100_000)
    flow = Flow("h1", "h4", 1448 * 2 * 8 * 100, "tcp")  # a hundred of the shortest trains
    found = loads(TwoTrees(depth=1, delay="50ms"), flow, on=[computer("m1", "m2", elements=known)])
    # A train enters by a portal; an acknowledgment comes from the peer, and then off the link.
    waited = 100 * (1 + 2) * 1e-4
    each = waited / (1 + waited)
    assert (found["instance m1"], found["instance m2"]) == pytest.approx((each, each))


def test_a_cause_that_comes_in_a_pause_ends_it() -> None:
    known = elements()
    known["wake"]["udp"][THREAD] = Cost(burst_ns=50_000)
    found = loads(Pair(delay="1ms"), udp("h1", "h2"), on=[computer(elements=known)])
    work, woken = 2 * PORTAL * KILO, 2 * 1000 * 50e-6
    busy = found["instance m1"]
    assert busy == pytest.approx(work + woken * (1 - busy))


@pytest.mark.parametrize(
    ("wait", "pps", "looks"),
    [("sleep", 1000, 0.0), ("adaptive", 1000, 0.04), ("adaptive", 100, 2 * 100 * 50e-6)],
)
def test_an_adaptive_instance_looks_for_frames_within_its_budget(wait: str, pps: float, looks: float) -> None:
    flow = udp("h1", "h2", pps)
    found = loads(Pair(delay="1ms"), flow, realtime=RealtimeOptions(wait=wait))
    asleep = loads(Pair(delay="1ms"), flow)
    assert found["instance m1"] == asleep["instance m1"]  # it looks only while it has nothing else to do
    assert found["processors of c"] == pytest.approx(asleep["processors of c"] + looks)


def test_a_dedicated_instance_keeps_its_processor_busy_and_is_never_woken() -> None:
    known = elements()
    known["wake"]["udp"][THREAD] = Cost(burst_ns=50_000)
    machines = [MachineSpec("m1", "198.18.0.1", processors=(0, 1, 2, 3))]
    dedicated = RealtimeOptions(wait="dedicated")
    for pps in (1, 1000):
        made = plan(Pair(delay="1ms"), machines, realtime=dedicated)
        on = computer("m1", cpus=4, elements=known)
        busy = {
            str(part): cores
            for part, cores in Work(made, Demand([udp("h1", "h2", pps)]), [on]).loads().busy.items()
        }
        assert busy["instance m1"] == pytest.approx(2 * PORTAL * pps / 1e9)
        programs = (SENDER + RECEIVER + 2 * PORTAL_AROUND) * pps / 1e9
        assert busy["processors of c"] == pytest.approx(1.0 + programs)


@pytest.mark.parametrize("kind", ["switch", "openflow", "router"])
def test_each_simulated_node_adds_its_own(kind: str) -> None:
    found = loads(Pair(kind, kind, kind, delay="1ms"), udp("h1", "h2"))
    assert found["instance m1"] == pytest.approx((2 * PORTAL + 3 * NODE) * KILO)


def test_a_cut_link_takes_both_instances_one_portal_and_one_end_each() -> None:
    found = loads(TwoTrees(depth=1), udp("h1", "h4"), on=[computer("m1", name="a"), computer("m2", name="b")])
    each = (PORTAL + PEERING) * KILO
    assert (found["instance m1"], found["instance m2"]) == pytest.approx((each, each))
    around = (SWITCH + SWITCH_AROUND + PORTAL_AROUND + PEERING_AROUND) * KILO
    assert found["processors of a"] == pytest.approx(SENDER * KILO + around + each)
    assert found["processors of b"] == pytest.approx(RECEIVER * KILO + around + each)


def test_between_computers_peering_is_sealed() -> None:
    known = {name: cost for name, cost in elements().items() if name != "peering.sealed"}
    one = computer("m1", name="a", elements=known)
    apart = [MachineSpec("m1", "198.18.0.1", computer="a"), MachineSpec("m2", "198.18.0.2", computer="b")]
    made = plan(TwoTrees(depth=1), apart, peering_key="0" * 64)
    with pytest.raises(UsageError, match=r"peering\.sealed costs with UDP was not measured on a"):
        Work(made, Demand([udp("h1", "h4")]), [one, computer("m2", name="b")]).loads()


def test_simulated_hosts_are_in_their_instance() -> None:
    class Simulated(Topo):
        def build(self) -> None:
            self.addSimHost("z1")
            self.addSimHost("z2")
            self.addLink("z1", "z2", bw=100)

    found = loads(Simulated(), udp("z1", "z2"))
    assert found["instance m1"] == pytest.approx(2 * SIMHOST * KILO)
    assert found["processors of c"] == pytest.approx(2 * SIMHOST * KILO)


def test_trains_are_single_segments_behind_a_slow_link() -> None:
    flow = Flow("h1", "h2", 1448 * 8 * 1000, "tcp")  # 1000 segments/s
    found = loads(Pair(bw=20), flow)
    trains = 1000 * 1448 / 65_160  # a round trip of less than half a millisecond
    assert found["sender at h1"] == pytest.approx(trains * SENDER / 1e9)
    assert found["receiver at h2"] == pytest.approx(RECEIVER * KILO)
    assert found["instance m1"] == pytest.approx((trains / 1000 + 1) * PORTAL * KILO)


def test_a_full_link_lets_udp_through_in_part_and_holds_tcp_back() -> None:
    wire = 8 * (1000 + 42) * 1000  # bit/s of a thousand datagrams
    topo = Pair(bw=wire / 1e6 / 2)
    found = loads(topo, udp("h1", "h2"))
    assert found["link h1 to h2"] == pytest.approx(2.0)
    assert found["sender at h1"] == pytest.approx(SENDER * KILO)  # it sends all
    assert found["receiver at h2"] == pytest.approx(RECEIVER * KILO / 2)

    tcp = Flow("h1", "h2", 10e6, "tcp")
    half = Pair(bw=10 * (1 + 66 / 1448) / 2)
    held = loads(half, tcp)
    assert held["link h1 to h2"] == pytest.approx(2.0, rel=1e-2)
    assert held["sender at h1"] == pytest.approx(loads(half, tcp.scaled(0.5))["sender at h1"], rel=1e-2)


def test_two_full_links_in_a_row_let_through_what_the_narrower_one_does() -> None:
    class Narrowing(Topo):
        def build(self) -> None:
            for host in ("h1", "h2"):
                self.addHost(host)
            self.addSimSwitch("x")
            self.addLink("h1", "x", bw=8)
            self.addLink("x", "h2", bw=4)

    made = plan(Narrowing())
    flow = Flow("h1", "h2", 16e6, "tcp")
    carried = Work(made, Demand([flow]), [computer()]).loads().carried_bps
    assert carried == pytest.approx(4e6 / (1 + 66 / 1448), rel=1e-2)


def test_what_a_network_does_by_itself_counts_once_for_each_computer() -> None:
    found = loads(TwoTrees(depth=1), udp("h1", "h2"), on=[computer("m1", "m2", idle_cores=0.25)])
    assert found["processors of c"] == pytest.approx(
        0.25 + (SENDER + RECEIVER + SWITCH + SWITCH_AROUND) * KILO
    )


def test_switches_of_other_kinds_are_left_out_and_said_so() -> None:
    class Bridged(Topo):
        def build(self) -> None:
            for host in ("h1", "h2"):
                self.addHost(host)
            self.addSwitch("b1", kind="linux")
            self.addLink("h1", "b1")
            self.addLink("b1", "h2")

    work = Work(plan(Bridged()), Demand([udp("h1", "h2")]), [computer()])
    assert work.notes == ["what other switches cost is not measured, and left out: b1"]


def test_a_machine_without_a_computer_is_refused() -> None:
    with pytest.raises(UsageError, match="machine m2: it is on no computer"):
        Work(plan(TwoTrees(depth=1)), Demand([udp("h1", "h4")]), [computer("m1")])
