# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import PlanError
from hybridnet.plan.placement.parts import partition, partition_as_named


def plan(links: list[tuple[str, str, int]], applications: dict[str, int] | None = None) -> dict[str, Any]:
    """The parts of an instance plan that matter: (node, node, delay in ns), all at 1 Gbit/s."""
    interfaces: dict[str, list[dict[str, str]]] = {}
    described = []
    for number, (a, b, delay_ns) in enumerate(links):
        for node in (a, b):
            interfaces.setdefault(node, []).append({"name": f"{node}-{number}"})
        way = {"rate_bps": 10**9, "delay_ns": delay_ns}
        ends = {"a": {"interface": f"{a}-{number}"}, "b": {"interface": f"{b}-{number}"}}
        described.append({"name": f"{a}-{b}", **ends, "a_to_b": way, "b_to_a": way})
    nodes = [
        {"name": name, "interfaces": own, "applications": [{}] * (applications or {}).get(name, 0)}
        for name, own in interfaces.items()
    ]
    return {"nodes": nodes, "links": described}


def dumbbell(core_ns: int, access_ns: int = 1000) -> dict[str, Any]:
    access = [(f"h{side}x{host}", f"r{side}", access_ns) for side in (1, 2) for host in range(8)]
    return plan([*access, ("r1", "r2", core_ns)])


def test_a_dumbbell_is_cut_in_its_middle() -> None:
    found = partition(dumbbell(core_ns=1000), 2)
    assert found.cut == ("r1-r2",)
    assert (found.balance, found.lookahead_ns) == (1.0, 1000)
    assert found.part_of["h1x0"] == found.part_of["r1"] == 0
    assert str(found) == "2 parts of 9, 9 nodes: 1 cut link, lookahead 1 us, heaviest part 1.00 of the mean"


def test_long_delays_are_cut_before_short_ones() -> None:
    ring = [(f"r{number}", f"r{(number + 1) % 8}", 1000 if number in (1, 5) else 10) for number in range(8)]
    found = partition(plan(ring), 2)
    assert set(found.cut) == {"r1-r2", "r5-r6"}
    assert found.lookahead_ns == 1000


def test_hosts_leave_their_only_neighbour_where_there_is_no_other_way() -> None:
    star = plan([(f"h{number}", "r", 500) for number in range(6)])
    assert partition(star, 2).lookahead_ns == 500


def test_more_pieces_than_parts_are_told_apart_from_too_few() -> None:
    assert str(partition(dumbbell(core_ns=1000), 1)).startswith("1 part of 18 nodes")
    pieces = plan([(f"h{number}", "r", 500) for number in range(3)])
    with pytest.raises(PlanError, match=r"into 9 parts: links with a delay join only 4 parts of it; give"):
        partition(pieces, 9)


def test_what_no_delay_separates_stays_together() -> None:
    with pytest.raises(
        PlanError, match="cannot be cut into 2 parts: links with a delay join only 1 part of it"
    ):
        partition(dumbbell(core_ns=0, access_ns=0), 2)
    found = partition(dumbbell(core_ns=0), 2)
    assert found.part_of["r1"] == found.part_of["r2"]


@pytest.mark.parametrize(
    "model",
    [
        {"plugin": {"file": "model.so"}},
        {"rate_model": {"model": "slots", "slots": [{"duration_ns": 1000, "rate_bps": 1000}]}},
    ],
)
def test_a_link_whose_packets_have_no_decided_instant_is_not_cut(model: dict[str, Any]) -> None:
    described = dumbbell(core_ns=1000, access_ns=0)
    described["links"][-1]["a_to_b"] = {**described["links"][-1]["a_to_b"], **model}
    with pytest.raises(PlanError, match="cannot be cut"):
        partition(described, 2)


def test_applications_weigh() -> None:
    chain = plan([("a", "b", 10), ("b", "c", 10), ("c", "d", 10)], {"a": 3})
    found = partition(chain, 2)
    assert {name for name, part in found.part_of.items() if part == 0} == {"a"}


def test_one_part_has_everything() -> None:
    found = partition(dumbbell(core_ns=1000), 1)
    assert (found.cut, found.lookahead_ns, set(found.part_of.values())) == ((), None, {0})


def test_named_parts_are_taken_as_they_are() -> None:
    described = dumbbell(core_ns=700)
    names = {
        node["name"]: "left" if "1" in node["name"].split("x")[0] else "right" for node in described["nodes"]
    }
    found = partition_as_named(described, names)
    assert (found.parts, found.cut, found.lookahead_ns) == (2, ("r1-r2",), 700)
