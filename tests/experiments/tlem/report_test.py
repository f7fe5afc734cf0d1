# SPDX-License-Identifier: MIT
from __future__ import annotations

from hybridnet.experiments.tlem.report import BOUND_NS, CASES, IN_FLIGHT_BYTES, Case, Figures, checks_of


def figures_of(ns: float) -> Figures:
    return {case: [ns, ns, 1_000.0] for case in CASES}


def test_the_median_decides_and_not_one_slow_round() -> None:
    assert all(check.holds for check in checks_of(figures_of(30.0)))


def test_too_slow_small_frames_fail_alone() -> None:
    checks = checks_of(figures_of(31.0))
    assert [check.holds for check in checks] == [False, False, True, True]
    assert checks[0].measured == "31.0 ns"
    assert checks[0].published == "44 ns on two cores"


def test_every_bound_is_below_what_was_published() -> None:
    assert set(BOUND_NS) == {Case("link", size, held) for size in (64, 1500) for held in (0, IN_FLIGHT_BYTES)}
    assert sorted(BOUND_NS.values()) == [30, 30, 200, 300]
