# SPDX-License-Identifier: MIT
"""The checker says of tables what becomes of every packet."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from hybridnet.tools.explore.walk import Partition, follow


def _beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"explore_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


TABLES = 40


def compare(first: int, last: int) -> dict[str, int]:
    """Check the tables of some seeds; returns how much was compared."""
    tables: Any = _beside("random_tables")
    counted = {"tables": 0, "headers": 0, "classes": 0, "loops": 0, "nowhere": 0, "asked": 0}
    for seed in range(first, last + 1):
        sample = tables.Sample(seed)
        fabric = sample.fabric()
        for host, place in tables.HOSTS.items():
            partition = Partition(fabric, tables.space())
            found = list(partition.classes(place))
            counted["classes"] += len(found)
            for header, frame in tables.every_header():
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
