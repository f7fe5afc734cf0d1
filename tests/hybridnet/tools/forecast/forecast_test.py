# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.plan.network import MachineSpec
from hybridnet.tools.forecast import Demand, Flow, Forecast, make_forecast
from hybridnet.tools.forecast.costs import AROUND, THREAD, Cost
from hybridnet.tools.forecast.forecast import FULL, TRUSTED, _level
from hybridnet.tools.forecast.text import core_rows, cost_rows, part_rows, sentences
from tests.hybridnet.plan.support import plan
from tests.hybridnet.tools.forecast.loads_test import Pair, udp
from tests.hybridnet.tools.forecast.support import (
    PORTAL,
    PORTAL_AROUND,
    RECEIVER,
    SENDER,
    VETH,
    computer,
    costs,
)

FILLS = 1e9 / RECEIVER  # datagrams/s that fill the receiver


def forecast(topo: Topo, *flows: Flow, cpus: int = 2, machines: Any = None, **options: Any) -> Forecast:
    made = plan(topo, machines, **options)
    return make_forecast(made, Demand(list(flows)), [computer(*made.machines, cpus=cpus)])


def test_the_first_part_that_is_full_is_named_with_its_factor() -> None:
    found = forecast(Pair(), udp("h1", "h2", FILLS / 4))
    assert str(found.first.part) == "receiver at h2"
    assert found.first.factor == pytest.approx(4, rel=2e-3)
    assert found.first.carried_bps == pytest.approx(FILLS * 8000, rel=2e-3)
    assert found.trusted.factor == pytest.approx(4 * TRUSTED["receiver"], rel=2e-3)
    assert found.stays_trusted


def test_with_one_processor_the_processors_are_full_first() -> None:
    found = forecast(Pair(), udp("h1", "h2", 100_000), cpus=1)
    assert str(found.first.part) == "processors of c"
    assert found.first.factor == pytest.approx(1e9 / 100_000 / (SENDER + RECEIVER + VETH), rel=2e-3)
    assert found.busy("c") == pytest.approx(0.27)


def test_a_demand_that_is_too_much_is_busy_at_most_wholly() -> None:
    found = forecast(Pair(), udp("h1", "h2", 10e6))
    assert found.busy("c") == 1.0
    assert not found.stays_trusted
    assert found.trusted.factor == pytest.approx(TRUSTED["receiver"] * FILLS / 10e6, rel=2e-2)
    assert all(core.busy == 1.0 for core in found.cores)


def test_a_link_is_full_first_and_spoils_no_trust() -> None:
    found = forecast(Pair(bw=10), udp("h1", "h2", 100))
    assert str(found.first.part) == "link h1 to h2"
    assert found.first.factor == pytest.approx(10e6 / (100 * 8 * 1042), rel=2e-3)
    assert str(found.trusted.part) != "link h1 to h2"
    assert found.trusted.factor > found.first.factor


def test_an_instance_is_not_trusted_as_far_as_it_goes() -> None:
    found = forecast(Pair(delay="1ms"), udp("h1", "h2", 1e5))
    assert str(found.first.part) == "instance m1"
    assert found.first.factor == pytest.approx(FULL["instance"] / 0.4, rel=2e-3)
    assert found.loads.busy[next(p for p in found.parts if p.kind == "instance")] == pytest.approx(
        2 * PORTAL * 1e5 / 1e9
    )
    assert str(found.trusted.part) == "instance m1"
    assert found.trusted.factor == pytest.approx(TRUSTED["instance"] / 0.4, rel=2e-3)


def test_an_instance_with_a_processor_of_its_own_leaves_the_rest_to_the_others() -> None:
    four = [MachineSpec("m1", "198.18.0.1", processors=(0, 1, 2, 3))]

    class Two(Topo):
        def build(self) -> None:
            for number in (1, 2):
                for end in "ab":
                    self.addHost(f"{end}{number}", instance=number)
                self.addLink(f"a{number}", f"b{number}", delay="1ms")

    found = forecast(Two(), udp("a1", "b1", 2e5), cpus=4, machines=four)
    busy = {part.name: cores for part, cores in found.loads.busy.items() if part.kind == "instance"}
    assert busy == pytest.approx({"m1.1": 0.8})
    pinned = {core.pinned: core.busy for core in found.cores if core.pinned}
    assert pinned == pytest.approx({("m1.1",): 1.0, ("m1.2",): 1.0})  # where they do not work, they look
    rest = 2e5 * (SENDER + RECEIVER + 2 * PORTAL_AROUND) / 1e9
    assert [core.busy for core in found.cores if not core.pinned] == pytest.approx([rest / 2] * 2)


@pytest.mark.parametrize(
    ("taken", "more", "level"),
    [([0, 0], 1, 0.5), ([1, 0], 0.5, 0.5), ([0.5, 0], 1.5, 1.0), ([0.4, 0.2], 0.1, 0.3), ([0, 0], 4, 2)],
)
def test_work_rises_like_water(taken: list[float], more: float, level: float) -> None:
    assert _level(taken, more) == pytest.approx(level)


def test_nothing_fills_a_computer_where_nothing_costs() -> None:
    made = plan(Pair())
    free = costs(
        elements={
            element: {"udp": {whose: Cost()}}
            for element, whose in (("veth", AROUND), ("sender.veth", THREAD), ("receiver.veth", THREAD))
        }
    )
    on = computer()
    found = make_forecast(made, Demand([udp("h1", "h2")]), [type(on)(on.name, on.cpus, on.machines, free)])
    assert found.first.part is None
    assert "nothing, at any rate" in sentences(found)[1]


def test_a_forecast_reads_as_a_table_and_as_data() -> None:
    found = forecast(Pair(delay="1ms", bw=100), udp("h1", "h2", 10_000))
    assert part_rows(found)[0][0] == "link h1 to h2"
    assert core_rows(found) == [("c", "0", "6 %", ""), ("c", "1", "6 %", "")]  # 2 % each to look
    said = sentences(found)
    assert said[0] == "1 flow offers 80 Mbit/s; the links let 80 Mbit/s through"
    assert said[1].startswith("full first: link h1 to h2, at 1.20 times this demand (96 Mbit/s carried)")
    assert said[2].startswith("this demand stays trusted; the largest that does: ")
    data = json.loads(json.dumps(found.to_json()))
    assert data["first"]["part"] == {"kind": "link", "name": "link h1 to h2"}
    assert data["parts"][0]["share"] == pytest.approx(10_000 * 8 * 1042 / 100e6, abs=1e-4)
    assert data["stays_trusted"] is True


def test_costs_that_are_coarse_or_disturbed_are_noted() -> None:
    on = computer("m1", "m2", quick=True, disturbed=True)
    found = make_forecast(plan(Pair()), Demand([udp("h1", "h2")]), [on])
    assert found.notes[0] == "the costs of c are of a quick calibration"
    assert found.notes[1].startswith("the costs of c were measured while other programs ran")


def test_costs_read_as_a_table() -> None:
    rows = {(row[0], row[1], row[2]): row for row in cost_rows(costs())}
    assert rows["portal", "udp", "its thread"][3:] == ("–", "2.00 us", "–", "2 %")
