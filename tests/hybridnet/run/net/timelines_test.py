# SPDX-License-Identifier: MIT
from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import HybridnetError, MachineError, PlanError, TopologyError, UnitError, UsageError
from tests.hybridnet.run.net.support import FakeCluster


class Detour(Topo):
    """h1 ─ r1 ─ r2 on another machine ─ h2, and r1 ─ r3 ─ r2; h3 ─ h4 is a veth pair."""

    def build(self, **_: object) -> None:
        for name, machine in (("h1", "m1"), ("h2", "m2"), ("h3", "m1"), ("h4", "m1")):
            self.addHost(name, machine=machine)
        for name, machine in (("r1", "m1"), ("r2", "m2"), ("r3", "m2")):
            self.addSimRouter(name, machine=machine)
        self.addLink("h1", "r1")
        self.addLink("h2", "r2")
        self.addLink("r1", "r2", delay="5ms")
        self.addLink("r1", "r3", delay="10ms")
        self.addLink("r3", "r2", delay="10ms")
        self.addLink("h3", "h4")


@pytest.fixture
def cluster() -> FakeCluster:
    """Two machines whose instances know each other: that of m2 is 7 ms ahead, and the kernels' clocks 20 s apart."""
    made = FakeCluster("m1", "m2")
    made.answers["snapshot"] = lambda machine, of_elements: {
        machine: {
            "peers": [
                {
                    "name": {"m1": "m2", "m2": "m1"}[machine],
                    "synchronized": 1,
                    "clock_offset_ns": {"m1": 7_000_000, "m2": -7_000_000}[machine],
                }
            ],
        }
    }
    made.answers["clock"] = lambda machine: {
        "monotonic_ns": {"m1": 0, "m2": 20_000_000_000}[machine],
        "epochs_ns": {machine: {"m1": -1_000_000_000, "m2": 19_000_000_000}[machine]},
    }
    return made


@pytest.fixture
def net(cluster: FakeCluster) -> Iterator[Net]:
    with Net(Detour(), cluster=cluster, controller=None) as net:  # type: ignore[arg-type]
        yield net


def told(cluster: FakeCluster) -> dict[str, dict[str, Any]]:
    """What each machine was told last."""
    return {machine: arguments for machine, verb, arguments in cluster.calls if verb == "schedule"}


def test_both_machines_of_a_cut_link_are_told_their_side_for_the_same_instant(
    net: Net, cluster: FakeCluster
) -> None:
    net.timeline([("250ms", {"link": ("r1", "r2"), "params1": {"delay": "8ms"}})], lead=1)
    calls = told(cluster)
    entries = {machine: call["entries"][machine][0] for machine, call in calls.items()}
    assert {entry["at_ns"] for entry in entries.values()} == {250_000_000}
    assert entries["m1"]["link"]["a_to_b"]["delay_ns"] == 8_000_000
    assert entries["m2"]["link"]["b_to_a"]["delay_ns"] == 8_000_000  # its own end is `a` there
    assert entries["m2"]["link"]["a_to_b"]["delay_ns"] == 5_000_000
    # m1's clock said 0 when asked: simulated time there is 2 s then, on m2 7 ms more, and m2's zero is at 19 s.
    assert calls["m1"]["start_ns"] == pytest.approx(1_000_000_000, abs=500_000_000)
    assert calls["m2"]["start_ns"] - calls["m1"]["start_ns"] == 20_000_000_000 + 7_000_000


def test_options_add_up_in_the_order_of_the_instants(net: Net, cluster: FakeCluster) -> None:
    net.timeline(
        [(2, {"link": ("r3", "r2"), "bw": 5}), (1, {"link": ("r3", "r2"), "delay": "20ms"})], lead=0.1
    )
    late, early = (entry["link"]["a_to_b"] for entry in told(cluster)["m2"]["entries"]["m2"][::-1])
    assert (early["delay_ns"], early["rate_bps"]) == (20_000_000, None)
    assert (late["delay_ns"], late["rate_bps"]) == (20_000_000, 5_000_000)


def test_what_has_fired_holds_and_the_rest_does_not(net: Net, cluster: FakeCluster) -> None:
    timeline = net.timeline(
        [(1, {"link": ("r3", "r2"), "delay": "20ms"}), (2, {"link": ("r3", "r2"), "delay": "30ms"})]
    )
    row = {"entry": 0, "late_ns": 40_000, "error": ""}
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {machine: [row]}, "interfaces": []}
    (event,) = timeline.events
    assert (event.at_s, event.machine, event.error) == (1.0, "m2", "")
    assert event.late_s == pytest.approx(40e-6)
    timeline.cancel()
    net.set_link("r3", "r2", bw=5)
    assert cluster.calls[-1][2]["a_to_b"]["delay_ns"] == 20_000_000


def test_routes_lead_around_links_that_are_down_then(net: Net, cluster: FakeCluster) -> None:
    net.timeline(
        [
            (1, {"link": ("r1", "r2"), "status": "down", "reroute": True}),
            (2, {"link": ("r1", "r2"), "status": "up", "reroute": True}),
        ]
    )
    entries = told(cluster)["m1"]["entries"]["m1"]
    assert [entry.get("status", {}).get("up") for entry in entries] == [False, None, True, None]
    down, up = entries[1]["routes"]["r1"], entries[3]["routes"]["r1"]
    assert {route["interface"] for route in down} == {"r1-eth3"}
    assert up == net.plan.machines["m1"]["instances"][0]["nodes"][0]["routes"]  # type: ignore[union-attr]
    assert "r1-eth2" in {route["interface"] for route in up}


def test_routers_go_around_what_is_down_at_once_and_in_later_timelines(
    net: Net, cluster: FakeCluster
) -> None:
    def ways(routes: dict[str, list[dict[str, Any]]]) -> set[str]:
        return {route["interface"] for route in routes["r1"]}

    net.configLinkStatus("r1", "r2", "down", reroute=True)
    told_now = {machine: arguments for machine, verb, arguments in cluster.calls if verb == "set_routes"}
    assert told_now.keys() == {"m1", "m2"}
    assert ways(told_now["m1"]["routes"]) == {"r1-eth3"}
    timeline = net.timeline([(1, {"link": ("h3", "h4"), "status": "down", "reroute": True})])
    assert ways(told(cluster)["m1"]["entries"]["m1"][0]["routes"]) == {"r1-eth3"}
    timeline.cancel()
    net.configLinkStatus("r1", "r2", "up", reroute=True)
    assert "r1-eth2" in ways(cluster.calls[-2][2]["routes"])


def test_what_a_timeline_set_down_is_gone_around_afterwards(net: Net, cluster: FakeCluster) -> None:
    net.timeline([(1, {"link": ("r1", "r2"), "status": "down"})])
    row = {"entry": 0, "late_ns": 0, "error": ""}
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {machine: [row]}, "interfaces": []}
    net.configLinkStatus("h3", "h4", "down", reroute=True)
    (routes,) = (call[2]["routes"] for call in cluster.calls if call[:2] == ("m1", "set_routes"))
    assert {route["interface"] for route in routes["r1"]} == {"r1-eth3"}


def test_of_two_timelines_the_second_goes_on_from_what_the_first_will_have_done(
    net: Net, cluster: FakeCluster
) -> None:
    net.timeline(
        [
            (1, {"link": ("r1", "r2"), "status": "down", "reroute": True}),
            (1, {"link": ("r3", "r2"), "delay": "20ms"}),
        ],
        lead=10,
    )
    net.timeline(
        [
            (2, {"link": ("h3", "h4"), "status": "down", "reroute": True}),
            (2, {"link": ("r3", "r2"), "bw": 5}),
        ],
        lead=10,
    )
    calls = told(cluster)
    assert {route["interface"] for route in calls["m1"]["entries"]["m1"][0]["routes"]["r1"]} == {"r1-eth3"}
    (changed,) = (entry["link"]["a_to_b"] for entry in calls["m2"]["entries"]["m2"] if "link" in entry)
    assert (changed["delay_ns"], changed["rate_bps"]) == (20_000_000, 5_000_000)


def test_what_two_timelines_have_made_is_written_down_in_the_order_of_the_instants(
    net: Net, cluster: FakeCluster
) -> None:
    link = ("r1", "r2")
    for changes in ([(80, "down"), (90, "up")], [(85, "down")]):
        net.timeline([(at_s, {"link": link, "status": status}) for at_s, status in changes])
    rows = [{"entry": entry, "late_ns": 0, "error": ""} for entry in (0, 1)]
    cluster.answers["fired"] = lambda machine, timeline: {
        "instances": {machine: rows if timeline == "t1" else rows[:1]},
        "interfaces": [],
    }
    net.configLinkStatus("r1", "r3", "down", reroute=True)
    routes = next(
        arguments["routes"] for _, verb, arguments in reversed(cluster.calls) if verb == "set_routes"
    )
    assert {route["interface"] for route in routes["r2"]} >= {"r2-eth2"}, "over r1-r2, which is up again"


def test_a_change_that_is_just_being_made_is_waited_for(net: Net, cluster: FakeCluster) -> None:
    net.timeline([(0.001, {"link": ("r3", "r2"), "delay": "20ms"})], lead=0)
    asked: list[str] = []

    def fired(machine: str, timeline: str) -> dict[str, Any]:
        asked.append(machine)
        row = {"entry": 0, "late_ns": 50_000_000, "error": ""}
        return {"instances": {machine: [row] if len(asked) > 1 else []}, "interfaces": []}

    cluster.answers["fired"] = fired
    time.sleep(0.002)
    net.set_link("r3", "r2", bw=5)
    assert len(asked) == 2
    assert cluster.calls[-1][2]["a_to_b"]["delay_ns"] == 20_000_000


def test_what_a_timeline_would_undo_later_is_refused_unless_it_is_cancelled(
    net: Net, cluster: FakeCluster
) -> None:
    waiting = net.timeline(
        [
            (5, {"link": ("r3", "r2"), "delay": "20ms"}),
            (5, {"link": ("r1", "r2"), "status": "down", "reroute": True}),
        ],
        lead=10,
    )
    before = len(cluster.calls)
    undone = "would undo this; write both as one timeline, or wait for that one or cancel it"
    with pytest.raises(UsageError, match=rf"timeline t1 changes link r3-r2 [\d.]+ s later.* {undone}"):
        net.set_link("r3", "r2", bw=5)
    with pytest.raises(
        UsageError, match=f"timeline t1 gives routers the routes of another state of r1-r3 .* {undone}"
    ):
        net.configLinkStatus("r1", "r3", "down")
    with pytest.raises(UsageError, match=r"^timeline t1 changes link r3-r2 [\d.]+ s later"):
        net.timeline([(2, {"link": ("r1", "r3"), "bw": 5}), (2, {"link": ("r3", "r2"), "bw": 5})], lead=10)
    with pytest.raises(
        UsageError, match=r"^timeline t1 gives routers the routes of another .* [\d.]+ s later"
    ):
        net.timeline([(1, {"link": ("r1", "r3"), "status": "down"})], lead=10)
    assert not {verb for _, verb, _ in cluster.calls[before:]} & {"set_link", "schedule"}
    net.configLinkStatus("h3", "h4", "down")  # no simulated router has a way over it
    net.configLinkStatus("r1", "r2", "down")  # which it will be then
    net.timeline(
        [(n, {"link": ("r1", "r3"), "status": status}) for n, status in ((1, "down"), (2, "up"))], lead=10
    )
    net.set_link("r1", "r3", bw=5)
    waiting.cancel()
    net.set_link("r3", "r2", bw=5)
    net.configLinkStatus("r1", "r3", "down")


def test_an_instance_that_begins_anew_keeps_what_it_made_and_loses_the_rest(
    net: Net, cluster: FakeCluster
) -> None:
    timeline = net.timeline(
        [(1, {"link": ("r3", "r2"), "delay": "20ms"}), (99, {"link": ("r3", "r2"), "delay": "30ms"})]
    )
    row = {"entry": 0, "late_ns": 0, "error": ""}
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {machine: [row]}, "interfaces": []}
    cluster.answers["restart_instance"] = lambda machine, plan: None
    net.restart_instance("m2")
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {}, "interfaces": []}
    assert [event.at_s for event in timeline.events] == [1.0]
    net.set_link("r3", "r2", bw=5)  # which nothing undoes any more
    assert cluster.calls[-1][2]["a_to_b"]["delay_ns"] == 20_000_000


def test_all_that_one_change_makes_on_a_machine_are_events(net: Net, cluster: FakeCluster) -> None:
    timeline = net.timeline([(1, {"link": ("h3", "h4"), "status": "down"})])
    rows = [{"entry": 0, "late_ns": 0, "error": ""}] * 2  # both ends
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {}, "interfaces": rows}
    for _ in range(2):  # asking again adds nothing
        assert [event.at_s for event in timeline.events] == [1.0, 1.0]


def test_a_link_that_a_timeline_has_still_to_change_stays(net: Net) -> None:
    status = net.timeline([(99, {"link": ("r1", "r3"), "status": "down"})])
    wired = net.timeline([(99, {"link": ("h3", "h4"), "status": "down"})])
    options = net.timeline([(99, {"link": ("r3", "r2"), "bw": 5})])
    for timeline, ends in ((status, ("r1", "r3")), (wired, ("h3", "h4")), (options, ("r3", "r2"))):
        with pytest.raises(
            UsageError, match=rf"timeline {timeline.name} changes it [\d.]+ s later; wait for that or cancel"
        ):
            net.delLink(*ends)
        timeline.cancel()
        net.delLink(*ends)


def test_routes_are_given_by_their_routers(net: Net, cluster: FakeCluster) -> None:
    assert net.plan is not None
    r1 = net.plan.machines["m1"]["instances"][0]["nodes"][0]
    via = r1["routes"][0]["via"]
    net.timeline([(0, {"routes": {"r1": [{"prefix": "10.9.0.0/16", "via": via}]}})])
    assert told(cluster)["m1"]["entries"]["m1"][0]["routes"]["r1"] == [
        {"prefix": "10.9.0.0/16", "via": via, "interface": "r1-eth2"}
    ]
    with pytest.raises(PlanError, match=r"entry 0: route of r1: via 192\.0\.2\.1 is on the link of none"):
        net.timeline([(0, {"routes": {"r1": [{"prefix": "10.9.0.0/16", "via": "192.0.2.1"}]}})])
    with pytest.raises(PlanError, match="node h1 is not a simulated router or host"):
        net.timeline([(0, {"routes": {"h1": [{"prefix": "10.9.0.0/16", "via": via}]}})])


def test_emulated_links_are_set_by_their_machine(net: Net, cluster: FakeCluster) -> None:
    net.timeline([(1, {"link": ("h3", "h4"), "status": "down"})])
    assert told(cluster)["m1"]["interfaces"] == [
        {"entry": 0, "at_ns": 1_000_000_000, "node": node, "interface": f"{node}-eth0", "up": False}
        for node in ("h3", "h4")
    ]


def test_a_host_on_a_simulated_link_has_its_interface_up_when_the_link_is(
    net: Net, cluster: FakeCluster
) -> None:
    net.configLinkStatus("h1", "r1", "down")  # which sets h1-eth0 down, too
    net.timeline(
        [
            (1, {"link": ("h1", "r1"), "status": "down"}),
            (2, {"link": ("h1", "r1"), "status": "up"}),
            (3, {"link": ("r1", "r2"), "status": "up"}),
        ]
    )
    assert told(cluster)["m1"]["interfaces"] == [
        {"entry": 1, "at_ns": 2_000_000_000, "node": "h1", "interface": "h1-eth0", "up": True}
    ]
    assert told(cluster)["m2"]["interfaces"] == []


def test_if_one_machine_refuses_nothing_is_scheduled(net: Net, cluster: FakeCluster) -> None:
    def refuse(machine: str, **_: Any) -> None:
        if machine == "m2":
            raise MachineError("no")

    cluster.answers["schedule"] = refuse
    with pytest.raises(MachineError, match="no"):
        net.timeline([(1, {"link": ("r1", "r2"), "delay": "8ms"})])
    assert [machine for machine, verb, _ in cluster.calls if verb == "cancel_timeline"] == ["m1", "m2"]


def test_an_error_of_a_change_is_raised_by_who_waits(net: Net, cluster: FakeCluster) -> None:
    timeline = net.timeline([(0, {"link": ("h3", "h4"), "status": "down"})], lead=0)
    row = {"entry": 0, "late_ns": 0, "error": "it is gone"}
    cluster.answers["fired"] = lambda machine, timeline: {"instances": {}, "interfaces": [row]}
    with pytest.raises(MachineError, match="it is gone"):
        timeline.wait()


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ([], PlanError, "non-empty|less than 1|fewer"),
        (7, UsageError, "it is not a list"),
        ("nowhere.yaml", UsageError, r"timeline nowhere\.yaml: No such file"),
        ([(1, 2)], UsageError, "entry 0: .* is not a pair"),
        ([(1, {"at": 2, "link": ("r1", "r2")})], UsageError, "two instants"),
        ([("1", {"link": ("r1", "r2"), "delay": "9ms"})], UnitError, "entry 0: at"),
        (
            [(-1, {"link": ("r1", "r2"), "delay": "9ms"})],
            PlanError,
            "at 0/at: -1 is less than the minimum of 0",
        ),
        ([(1, {"link": ("r1", "r2"), "status": "sideways"})], PlanError, "at 0/status"),
        ([(1, {"link": ("r1", "r2"), "status": "up", "delay": "9ms"})], PlanError, r"options \(delay\)"),
        (
            [(1, {"link": ("r1", "r2"), "status": "up", "routes": {"r1": []}})],
            PlanError,
            "entry 0: it has a link and routes; write two entries",
        ),
        ([(1, {"link": "r1", "delay": "9ms"})], PlanError, 'at 0/link: "r1" is not of type "array"'),
        ([(1, {"link": ("r1", "r2"), "speed": "9ms"})], TopologyError, "entry 0: .*speed"),
        ([(1, {"link": ("r1", "r2")})], TopologyError, "entry 0: .*nothing is given"),
        ([(1, {"link": ("r1", "h2"), "delay": "9ms"})], TopologyError, "entry 0"),
        ([(1, {"link": ("r1", "h2"), "status": "up"})], UsageError, "entry 0: .*no such link"),
        ([(1, {"link": ("r1", "r2"), "delay": "1us"})], PlanError, "entry 0: .*cannot hide the transit"),
        ([(1, {"link": ("h3", "h4"), "delay": "1ms"})], PlanError, "entry 0: .*it is a veth"),
        ([(1, {"status": "up"})], PlanError, "at 0"),
        ([(1, {"routes": {"r1": [{"via": "10.0.0.1"}]}})], PlanError, "prefix"),
    ],
)
def test_what_is_wrong_is_said_with_its_entry_and_nothing_is_scheduled(
    net: Net, cluster: FakeCluster, changes: Any, kind: type[HybridnetError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        net.timeline(changes)
    assert "schedule" not in cluster.verbs()


def test_a_file_that_is_no_yaml_is_refused_with_its_place(net: Net, tmp_path: Any) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("- {at: 1\n- [")
    with pytest.raises(TopologyError, match=r"t\.yaml:2"):
        net.timeline(file)
