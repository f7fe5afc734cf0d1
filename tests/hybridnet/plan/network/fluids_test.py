# SPDX-License-Identifier: MIT
"""The ways of fluid flows in instance plans, and which networks have none."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan

RATE = {"model": "constant_rate", "rate": "1 Mbit/s"}


def planned(topo: Topo, *machines: str) -> Plan:
    specs = [
        MachineSpec(name, f"192.0.2.{number}") for number, name in enumerate(machines or ("m1",), start=1)
    ]
    return make_plan(topo, specs, PlanOptions(token="0" * 16))


def two_routers(**middle: Any) -> Topo:
    """a - r1 - r2 - b, with a switch between r2 and b."""
    topo = Topo()
    topo.addSimHost("a")
    topo.addSimRouter("r1")
    topo.addSimRouter("r2")
    topo.addSimSwitch("s")
    topo.addSimHost("b")
    topo.addLink("a", "r1", bw=10)
    topo.addLink("r1", "r2", **{"bw": 10, "delay": "1ms", **middle})
    topo.addLink("r2", "s", bw=10)
    topo.addLink("s", "b", bw=10)
    return topo


def test_a_fluid_takes_the_way_of_the_routes_through_routers_and_switches() -> None:
    topo = two_routers()
    topo.addFluid("a", "b", RATE)
    [instance] = planned(topo).instances.values()
    assert instance["fluids"] == [
        {
            "name": "a-b",
            "model": {"model": "constant_rate", "rate_bps": 1_000_000},
            "forward": ["a-eth0", "r1-eth2", "r2-eth2", "s-eth2"],
            "back": ["b-eth0", "s-eth1", "r2-eth1", "r1-eth1"],
        }
    ]


def test_a_plan_without_fluids_says_nothing_of_them() -> None:
    [instance] = planned(two_routers()).instances.values()
    assert "fluids" not in instance


def test_a_fluid_may_begin_and_end_at_routers() -> None:
    topo = two_routers()
    topo.addFluid("r1", "r2", RATE)
    [instance] = planned(topo).instances.values()
    assert instance["fluids"][0]["forward"] == ["r1-eth2"]
    assert instance["fluids"][0]["back"] == ["r2-eth1"]


def test_of_two_ways_it_takes_the_one_with_less_delay() -> None:
    topo = Topo()
    for name in ("r1", "r2", "r3"):
        topo.addSimRouter(name)
    topo.addLink("r1", "r2", bw=10, delay="10ms")
    topo.addLink("r1", "r3", bw=10, delay="1ms")
    topo.addLink("r3", "r2", bw=10, delay="1ms")
    for router, host in (("r1", "a"), ("r2", "b")):
        topo.addSimHost(host)
        topo.addLink(host, router, bw=10)
    topo.addFluid("a", "b", RATE)
    [instance] = planned(topo).instances.values()
    assert instance["fluids"][0]["forward"] == ["a-eth0", "r1-eth2", "r3-eth2", "r2-eth3"]


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"bw": None}, "which has no rate, so nothing would wait there; give it bw="),
        ({"aqm": "codel"}, "which has aqm=, and that has no fluid form"),
        ({"loss": 1}, "which has loss="),
        ({"jitter": "1ms"}, "which has jitter="),
        ({"duplicate": 1}, "which has duplicate="),
        ({"corrupt": 1}, "which has corrupt="),
        ({"burst": "20 kB"}, "which has burst="),
    ],
)
def test_a_link_without_a_fluid_form_is_refused_by_name(option: dict[str, Any], says: str) -> None:
    topo = two_routers(**option)
    topo.addFluid("a", "b", RATE)
    with pytest.raises(PlanError, match=f"fluid a-b passes link r1-r2 from r1-eth2 on, {says}"):
        planned(topo)


def test_the_way_back_may_have_anything() -> None:
    topo = two_routers(params2={"aqm": "codel", "loss": 1})
    topo.addFluid("a", "b", RATE)
    assert planned(topo).instances


def test_red_has_a_fluid_form() -> None:
    topo = two_routers(aqm="red", ecn=True)
    topo.addFluid("a", "b", RATE)
    assert planned(topo).instances


def test_slots_have_a_fluid_form() -> None:
    topo = two_routers(bw=None, slots=[("1s", "5 Mbit/s"), ("1s", "10 Mbit/s")])
    topo.addFluid("a", "b", RATE)
    assert planned(topo).instances


def test_an_emulated_end_is_refused() -> None:
    topo = two_routers()
    topo.addHost("h")
    topo.addLink("h", "r1", bw=10)
    topo.addFluid("h", "b", RATE)
    with pytest.raises(PlanError, match="h is an emulated host, and a fluid is only simulated"):
        planned(topo)


def test_a_switch_is_no_end() -> None:
    topo = two_routers()
    topo.addFluid("a", "s", RATE)
    with pytest.raises(PlanError, match="s is a switch, which has no address"):
        planned(topo)


def test_a_fluid_stays_in_one_instance() -> None:
    topo = Topo()
    topo.addSimRouter("r1", machine="m1")
    topo.addSimRouter("r2", machine="m2")
    topo.addLink("r1", "r2", bw=10, delay="5ms")
    topo.addFluid("r1", "r2", RATE)
    with pytest.raises(PlanError, match="a fluid does not cross cut links"):
        planned(topo, "m1", "m2")


def test_a_way_that_leads_through_another_instance_is_refused_with_its_cut_links() -> None:
    topo = Topo()
    topo.addSimRouter("r1", machine="m1")
    topo.addSimRouter("r2", machine="m2")
    topo.addSimRouter("r3", machine="m1")
    topo.addLink("r1", "r2", bw=10, delay="5ms")
    topo.addLink("r2", "r3", bw=10, delay="5ms")
    topo.addFluid("r1", "r3", RATE)
    with pytest.raises(PlanError, match="other than over the cut links r1-r2, r2-r3"):
        planned(topo, "m1", "m2")


def test_no_way_is_told_with_the_node_that_knows_none() -> None:
    topo = two_routers()
    topo.addSimHost("alone", ip="10.99.0.1/24")
    topo.addSimHost("other", ip="10.99.0.2/24")
    topo.addLink("alone", "other", bw=10)
    topo.addFluid("a", "alone", RATE)
    with pytest.raises(PlanError, match="knows no way on to alone"):
        planned(topo)


TCP = {"model": "tcp_flows", "flows": 20}


def forms(topo: Topo, **options: Any) -> list[Any]:
    """What each class of the plan has of packets."""
    machines = [MachineSpec("m1", "192.0.2.1")]
    [instance] = make_plan(topo, machines, PlanOptions(token="0" * 16, **options)).instances.values()
    return [fluid.get("packets") for fluid in instance["fluids"]]


def test_a_class_has_packets_only_where_they_are_asked_for() -> None:
    topo = two_routers()
    topo.addFluid("a", "b", TCP)
    [b] = [node for node in planned(topo).instances["m1"]["nodes"] if node["name"] == "b"]
    address = b["interfaces"][0]["address"].split("/")[0]
    packets = {"source": "a", "destination": "b", "address": address, "port": 62_000}
    assert forms(topo) == [None]
    assert forms(topo, fidelity="packets") == [packets]
    assert forms(topo, fidelity="auto", error="5%") == [{**packets, "allowed_ppm": 50_000}]


def test_each_class_has_a_port_of_its_own_that_no_application_has() -> None:
    topo = Topo()
    topo.addSimHost("a")
    topo.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 62_001}])
    topo.addLink("a", "b", bw=10, delay="1ms")
    for _ in range(3):
        topo.addFluid("a", "b", TCP)
    assert [each["port"] for each in forms(topo, fidelity="auto")] == [62_000, 62_002, 62_003]


@pytest.mark.parametrize(
    ("ends", "model", "says"),
    [
        (("r1", "b"), TCP, "r1 is a router, and connections are between simulated hosts"),
        (("a", "b"), RATE, "constant_rate has no packets, only tcp_flows has"),
        (("a", "b"), {"model": "tcp_flows", "flows": 20_000}, "20000 flows are more than the 10000"),
    ],
)
def test_what_has_no_packets_stays_a_fluid_or_is_refused(
    ends: tuple[str, str], model: dict[str, Any], says: str
) -> None:
    topo = two_routers()
    topo.addFluid(*ends, model)
    assert forms(topo, fidelity="auto") == [None]
    with pytest.raises(PlanError, match=f"fluid .*: {says}"):
        forms(topo, fidelity="packets")


@pytest.mark.parametrize("options", [{"fidelity": "exact"}, {"error": "0.5%"}, {"error": "60%"}])
def test_a_fidelity_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(PlanError):
        PlanOptions(token="0" * 16, **options)
