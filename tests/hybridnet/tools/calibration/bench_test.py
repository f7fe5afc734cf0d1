# SPDX-License-Identifier: MIT
"""The bench finds the costs of a computer whose costs are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hybridnet.errors import ExperimentError
from hybridnet.tools.calibration.bench import Bench
from hybridnet.tools.forecast.costs import POLLS, PROTOCOLS, Cost
from tests.hybridnet.tools.calibration.known_computer import KnownComputer

PROCESSORS = 8
SENDER = {"tcp": Cost(12_000, 3_000, 0.05), "udp": Cost(14_000, 2_000, 0.04)}
RECEIVER = {"tcp": Cost(15_000, 2_500, 0.03), "udp": Cost(16_000, 2_250, 0.06)}
USER_SPACE = {"kernel_datapath": False, "afxdp": False}


def of_both(thread: Cost | None = None, around: Cost | None = None) -> dict[str, dict[str, Cost]]:
    whose = {"thread": thread, "around": around}
    return {
        protocol: {name: cost for name, cost in whose.items() if cost is not None} for protocol in PROTOCOLS
    }


KNOWN = {
    **{
        f"{end}.{on}": {protocol: {"thread": cost} for protocol, cost in costs.items()}
        for end, costs in (("sender", SENDER), ("receiver", RECEIVER))
        for on in ("veth", "portal", "afpacket", "afxdp", "system")
    },
    "veth": of_both(around=Cost(8_000, 0, 0.02)),
    "ovs.afpacket": of_both(Cost(30_000, 1_000, 0.02), Cost(9_000, 0, 0.01)),
    "ovs.bridge": of_both(Cost(5_000)),
    "loop": of_both(Cost(700)),
    "wake": of_both(Cost(2_000)),
    "portal": of_both(Cost(0, 500, 0.02), Cost(4_000, 0, 0.01)),
    "peering.shm": of_both(Cost(0, 100, 0.01), Cost(1_000, 0, 0.01)),
    "simhost": of_both(Cost(0, 200)),
}


def measured(
    computer: KnownComputer, facts: Mapping[str, Any] = USER_SPACE, *, other: str = "", **options: Any
) -> dict[str, Any]:
    bench = Bench(
        computer, "m1", other, together=computer.together, processors=computer.processors, **options
    )
    return bench.measure(facts)


def assert_found(found: Mapping[str, Any], known: Mapping[str, Any], rel: float = 1e-3) -> None:
    for element, of_element in known.items():
        for protocol, costs in of_element.items():
            for whose, cost in costs.items():
                seen = found[element][protocol][whose]
                assert (seen.burst_ns, seen.unit_ns, seen.byte_ns) == pytest.approx(
                    (cost.burst_ns, cost.unit_ns, cost.byte_ns), rel=rel, abs=1e-3
                ), f"{element}, {protocol}, {whose}"


def test_every_cost_of_one_machine_is_found() -> None:
    computer = KnownComputer(KNOWN)
    found = measured(computer)
    known = {name: costs for name, costs in KNOWN.items() if not name.endswith((".afxdp", ".system"))}
    assert_found(found, known)
    assert computer.ran == [("Yardstick", "afpacket"), ("Bridges", "afpacket"), ("SimulatedPair", "afpacket")]
    assert not [name for name in found if name.startswith("peering.") and name != "peering.shm"]


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("way", ["udp", "sealed"])
def test_the_way_between_two_machines_costs_what_each_of_its_ends_takes(way: str, together: bool) -> None:
    ways = {f"peering.{way}": of_both(Cost(0, 200, 0.015), Cost(2_000, 0, 0.005))}
    computer = KnownComputer({**KNOWN, **ways}, way=way, together=together)
    assert_found(measured(computer, other="m2"), {**ways, "portal": KNOWN["portal"]})


def test_simulated_nodes_cost_what_their_instance_takes_more_than_one_with_portals_only() -> None:
    known_ns = 1_000
    found = measured(KnownComputer({**KNOWN, "openflow": of_both(Cost(0, known_ns))}))
    for protocol in PROTOCOLS:
        each = {name: found[name][protocol]["thread"] for name in ("switch", "openflow", "router")}
        assert each["switch"] == each["router"] == Cost()
        # Who has nodes has more turns, so a part of what they do is taken for turns.
        assert known_ns / 2 < each["openflow"].unit_ns <= known_ns


def test_a_thread_that_polls_afxdp_ports_is_known_by_what_it_takes_without_traffic() -> None:
    polling, work = 0.25, Cost(0, 1_000, 0.02)
    computer = KnownComputer({**KNOWN, "ovs.afxdp": of_both(work, Cost(9_000))}, polling=polling)
    found = measured(computer, {"kernel_datapath": False, "afxdp": True})
    assert ("Bridges", "afxdp") in computer.ran
    # While nothing comes, POLLS looks fill `polling` of the time, and the pauses between them the rest.
    look_ns = polling / (1 - polling) / POLLS * 1e9
    assert_found(found, {"ovs.afxdp": of_both(Cost(look_ns, work.unit_ns, work.byte_ns), Cost(9_000))})


def test_the_kernels_datapath_takes_time_around_programs_only() -> None:
    computer = KnownComputer({**KNOWN, "ovs.system": of_both(around=Cost(6_000, 0, 0.015))})
    found = measured(computer, {"kernel_datapath": True, "afxdp": True})
    assert {ports for _, ports in computer.ran} == {"system"}
    assert_found(found, {"ovs.system": of_both(around=Cost(6_000, 0, 0.015))})
    assert set(found["ovs.system"]["tcp"]) == {"around"}


def test_a_computer_that_is_busy_without_traffic_counts_as_disturbed_and_says_so() -> None:
    said: list[str] = []
    most = 0.15 * PROCESSORS
    for busy, disturbed in ((most - 0.01, False), (most + 0.01, True)):
        computer = KnownComputer(KNOWN, processors=PROCESSORS, busy=busy)
        bench = Bench(computer, "m1", "", together=False, processors=PROCESSORS, tell=said.append)
        bench.measure(USER_SPACE)
        assert bench.disturbed is disturbed
        assert bench.idle_cores == busy
        warned = [line for line in said if "something else runs here" in line]
        assert bool(warned) is disturbed
    assert warned[0].startswith(f"{most + 0.01:.2f} of {PROCESSORS} processors are busy")


@pytest.mark.parametrize(("prefix", "what"), [("v", "a veth pair"), ("g", "instances of one machine")])
def test_a_pair_over_which_nothing_goes_is_an_error_that_names_it(prefix: str, what: str) -> None:
    with pytest.raises(ExperimentError, match=f"nothing was sent over {what}"):
        measured(KnownComputer(KNOWN, silent=prefix))
