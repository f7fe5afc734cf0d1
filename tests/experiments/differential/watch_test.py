# SPDX-License-Identifier: MIT
"""Would the columns have shown it? A stack without one of Linux's habits, held against what Linux had."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import pytest

from hybridnet.experiments.differential.columns import COLUMNS, End, Tcp
from hybridnet.experiments.differential.pairings import LINUX, SIMULATED, Pair, simulate
from hybridnet.experiments.differential.ranges import Recorded, cells_of
from hybridnet.experiments.differential.watch import REPETITIONS, dealt

NAMED = {column.name: column for column in COLUMNS}


@dataclass(frozen=True)
class Without(Tcp):
    """A simulated TCP without one option of Linux's."""

    option: str = ""

    def simulated(self, end: End) -> dict[str, Any]:
        return super().simulated(end) | {self.option: False}


@pytest.mark.parametrize(
    ("option", "name", "figure"),
    [
        ("start_of_linux", "after 0.4 s idle", "response_ms"),  # the window begins anew, and is not halved
        ("start_of_linux", "after 1 s idle", "response_ms"),
        ("start_of_linux", "one lost SYN", "first_flight"),  # it costs the initial window
        ("receiver_of_linux", "window 8 kB", "throughput_mbps"),  # what is pushed waits for the next
        ("push_of_linux", "window 8 kB", "throughput_mbps"),  # nothing is pushed
        ("icmp_of_linux", "ICMP error", "syns"),  # the attempt goes on
        ("undo", "jitter 20 ms", "throughput_mbps"),  # reductions that were none stay
        ("rack_tlp", "jitter 5 ms", "resent_percent"),  # three duplicates say loss
    ],
)
def test_a_stack_without_one_of_linuxs_habits_is_outside(option: str, name: str, figure: str) -> None:
    column = replace(NAMED[name], tcp=Without(**asdict(NAMED[name].tcp), option=option))
    found = {(name, SIMULATED): [simulate(Pair(column, SIMULATED), seed) for seed in (1, 2, 3)]}
    holds = {cell.figure: cell.holds for cell in cells_of([column], found, Recorded())}
    assert not holds[figure]


def test_linux_is_repeated_most_for_its_range_is_the_bound() -> None:
    assert REPETITIONS[LINUX] == max(REPETITIONS.values()) >= 5


def test_repetitions_of_a_column_are_in_different_batches_of_about_equal_load() -> None:
    load = {"one lost SYN": 10e6, "ICMP error": 0.0, "loss 1 %": 3e6}
    offered = [(Pair(NAMED[name], LINUX), bps) for name, bps in load.items() for _ in range(6)]
    batches = dealt(offered, 30e6, 24)  # 78 Mbit/s in all
    assert [sorted(pair.column.name for pair in batch) for batch in batches] == [sorted([*load, *load])] * 3
    assert len(dealt(offered, 30e6, 5)) == 4  # 18 pairs
