# SPDX-License-Identifier: MIT
"""The checker says of tables what becomes of every packet."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hybridnet.tools.explore.header import Cube, cube_of
from hybridnet.tools.explore.tables import CONTROLLER, NORMAL, Action, Port, Rule, Tables
from hybridnet.tools.explore.walk import End, Fabric, Partition, follow


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"explore_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLES = 40


def compare(first: int, last: int, *, normal: bool = False) -> dict[str, int]:
    """Check the tables of some seeds; returns how much was compared."""
    tables: Any = _beside("random_tables")
    counted = {"tables": 0, "headers": 0, "classes": 0, "loops": 0, "nowhere": 0, "asked": 0}
    for seed in range(first, last + 1):
        sample = tables.Sample(seed, normal=normal)
        fabric = sample.fabric()
        for host, place in tables.HOSTS.items():
            partition = Partition(fabric, tables.space())
            found = list(partition.classes(place))
            counted["classes"] += len(found)
            for header, frame in tables.every_header(sample.destinations):
                [one] = [each for each in found if partition.has(each, header)]
                ends = [way.end for way in one.ways]
                exact = [way.end for way in follow(fabric, place, header)[0]]
                assert {(e.kind, e.place, e.host) for e in ends} == {
                    (e.kind, e.place, e.host) for e in exact
                }, (seed, host)
                assert all(len(way.hops) <= tables.MOST_HOPS for way in one.ways)
                truth = sample.send(host, frame)
                loops = any(end.kind == "loop" for end in exact)
                assert loops == truth.loops, (seed, host, header)
                if not loops:  # else queues are full, and some copies are lost
                    got = {(end.host, end.header) for end in exact if end.kind == "host"}
                    assert got == truth.hosts, (seed, host, header)
                    asked = {end.place[0] for end in exact if end.kind == "controller"}
                    assert asked == truth.asked, (seed, host, header)
                counted["headers"] += 1
                counted["loops"] += loops
                counted["asked"] += bool(truth.asked)
                counted["nowhere"] += not (loops or truth.hosts or truth.asked)
        counted["tables"] += 1
    return counted


def test_every_header_goes_where_the_simulated_switches_send_it() -> None:
    counted = compare(1, TABLES)
    assert counted["headers"] == TABLES * 3 * 32
    assert all(counted[kind] > 50 for kind in ("loops", "nowhere", "asked"))


def test_normal_sends_what_it_has_not_learned_where_the_simulated_switches_send_it() -> None:
    counted = compare(1, TABLES, normal=True)
    assert counted["headers"] == TABLES * 3 * 32
    assert all(counted[kind] > 40 for kind in ("loops", "nowhere", "asked"))


def test_normal_may_send_a_packet_to_each_other_port_and_never_what_is_for_bridges_only() -> None:
    ports = {number: Port(number, True, True, True) for number in (1, 2, 3)}
    fabric = Fabric(
        {"s1": Tables([Rule(0, 1, Cube(), apply=(Action("output", NORMAL),))], ports=ports)},
        {("s1", number): f"h{number}" for number in ports},
    )
    partition = Partition(fabric)
    usual, reserved = partition.classes(("s1", 1))
    assert {way.end.host for way in usual.ways} == {"h2", "h3"}
    assert [way.end.kind for way in reserved.ways] == ["drop"]
    for address, found in ((0x0180C2000000, reserved), (0x0180C200000F, reserved), (0x0180C2000010, usual)):
        assert [
            each for each in (usual, reserved) if partition.has(each, cube_of(eth_dst=address).value)
        ] == [found]


def _ends(*rules: Rule, by_the_book: bool, asks: bool = False) -> list[End]:
    """Of a packet that comes to port 1 of a switch with a host at port 2."""
    ports = {number: Port(number, True, True, True) for number in (1, 2)}
    fabric = Fabric({"s1": Tables(list(rules), ports=ports, asks=asks)}, {("s1", 2): "h2"}, by_the_book)
    return [way.end for way in follow(fabric, ("s1", 1), 0)[0]]


_TO_H2 = (Action("output", 2),)
_AND_ON = Rule(0, 1, Cube(), write=_TO_H2, goto=1)


def test_a_miss_in_a_later_table_drops_the_packet_by_the_book_and_does_its_action_set_in_open_vswitch() -> (
    None
):
    assert [end.host for end in _ends(_AND_ON, by_the_book=False)] == ["h2"]
    assert _ends(_AND_ON, by_the_book=True) == [End("drop", ("s1", 1), missed=1)]
    # However far the table is, and with OpenFlow 1.0's first table too.
    on = (Rule(0, 1, Cube(), write=_TO_H2, goto=1), Rule(1, 1, Cube(), goto=7))
    assert _ends(*on, by_the_book=True, asks=True) == [End("drop", ("s1", 1), missed=7)]


def test_what_a_packet_did_before_the_miss_is_done() -> None:
    rule = Rule(0, 1, Cube(), apply=_TO_H2, write=(Action("output", 1),), goto=1)
    assert [end.host for end in _ends(rule, by_the_book=True)] == ["h2"]


def test_a_table_miss_flow_decides_itself() -> None:
    to_controller = Rule(1, 0, Cube(), apply=(Action("output", CONTROLLER),))
    assert [end.kind for end in _ends(_AND_ON, to_controller, by_the_book=True)] == ["controller", "host"]
    nothing = Rule(1, 0, Cube())
    assert [end.host for end in _ends(_AND_ON, nothing, by_the_book=True)] == ["h2"]
    asking = Rule(0, 1, Cube())
    assert _ends(asking, by_the_book=True) == [End("drop", ("s1", 1))]  # no miss: a flow that does nothing
