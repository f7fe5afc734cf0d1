# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.experiments.common.figure6 import Figure6, limit_bps, received
from hybridnet.experiments.fig7.experiment import Arm, checks_of, staircase_of, table_of
from hybridnet.simulate.offline import Replication, simulate


def replication(wall_s: float, trace: str = "aa") -> Replication:
    return Replication(1, {}, wall_s=wall_s, events=5, trace_hash=trace)


def arms(threads_s: float, trace: str = "aa") -> dict[str, Arm]:
    return {
        "one part": Arm(replication(1.0), [replication(2.0)] * 3),
        "two threads": Arm(replication(1.0, trace), [replication(threads_s)] * 3),
        "MPI": Arm(replication(1.0), [replication(4.0)] * 3),
    }


def test_the_promises_are_about_traces_and_speed() -> None:
    assert [check.holds for check in checks_of(arms(1.25), 1.0, judged=True)] == [True, True, True, True]
    assert [check.holds for check in checks_of(arms(1.3, "bb"), 1.0, judged=True)] == [
        False,
        True,
        False,
        True,
    ]
    assert len(checks_of(arms(1.3), 1.0, judged=False)) == 2


def test_the_limit_is_the_access_links_and_then_the_bottleneck() -> None:
    assert limit_bps(2) == 2 * limit_bps(1)
    assert limit_bps(64) == 10 * limit_bps(1) == 10e9 * 1448 / 1538


def test_flows_cross_the_bottleneck_and_start_when_they_are_told() -> None:
    [gone] = simulate(Figure6(starts=(0.0, 0.02)), "60ms", series="20ms", parallel=2).replications
    assert gone.figures[received(0)] > gone.figures[received(1)] > 0
    rates = staircase_of(gone, (2,), 0.1)
    assert [at for at, _ in rates] == [0.02, 0.04, 0.06]
    total = gone.figures[received(0)] + gone.figures[received(1)]
    assert sum(bps for _, bps in rates) * 0.02 / 8 == pytest.approx(total)


def test_the_table_compares_each_arm_with_one_part_and_closes_with_the_paper() -> None:
    bytes_of_each = {received(flow): 1e6 for flow in range(64)}
    quarter = {"parts": [{"waited_ns": 1, "wall_ns": 4}, {"waited_ns": 3, "wall_ns": 12}]}
    found = arms(1.25)
    found["two threads"].rounds = [
        replace(each, figures=bytes_of_each, synchronization=quarter) for each in found["two threads"].rounds
    ]
    for name in ("one part", "MPI"):
        found[name].rounds = [replace(each, figures=bytes_of_each) for each in found[name].rounds]
    cells = {str(column.header): list(column.cells) for column in table_of(found, 1.0).columns}
    assert cells["arm"] == ["one part", "two threads", "MPI", "paper, MPI, two machines"]
    assert cells["beside one part"][:3] == ["1.00", f"{2 / 1.25:.2f}", f"{2 / 4:.2f}"]
    assert cells["waiting"][:3] == ["-", "25.0%", "-"]
    assert cells["goodput in wall time, Mbit/s"][:3] == [
        f"{64 * 8 / wall_s:.0f}" for wall_s in (2.0, 1.25, 4.0)
    ]
