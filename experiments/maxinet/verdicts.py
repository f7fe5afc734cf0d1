# SPDX-License-Identifier: MIT
"""The verdict on a step of one arm: its instances, how busy the processor was, how evenly traffic arrived. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from hybridnet.experiments.maxinet.staircase import Second, StepResult
from hybridnet.observe.results import Limits, Verdict, Word, judge
from hybridnet.observe.results.verdict import Window

LIMITS = Limits(lateness_p999_ns=1_000_000, late_packets_fraction=1e-4, processor_busy=0.95)
"""The processor's share is the mean of a step: above 95 % some of its seconds had no core to spare."""

WHATEVER_IS_LATE = replace(LIMITS, lateness_p999_ns=10**12, late_packets_fraction=1.0)

MOST_OF_DEMAND = 1.02
"""What may arrive in a counted second, of what is offered in one: more was held up before, and is made up for."""

HOLE = 0.5
"""A counted second with less than this part of its step's mean is a hole: the flows stood still."""


def step_verdict(windows: Sequence[Window] | None, step: StepResult, seconds: Sequence[Second]) -> Verdict:
    """What a step of an arm is worth.

    Args:
        windows: of it; None if nothing is simulated. None of them: its flows were still being started when it ended.
        step: what it delivered.
        seconds: those of it that are counted.
    """
    verdict = judge(
        [] if windows is None else without_stalls(windows), LIMITS, processor_busy=step.processor_busy
    )
    if windows is not None and verdict.word is not Word.BROKEN:
        # A stall excuses what came late in its window, not what was lost there.
        lost = judge(windows, WHATEVER_IS_LATE)
        verdict = lost if lost.word is Word.BROKEN else verdict
    if uneven := uneven_seconds(step, seconds):
        verdict = Verdict(Word.BROKEN, [*verdict.reasons, *uneven], verdict.figures)
    if windows is not None and not windows:
        reason = (
            f"starting the flows of this step ({step.flows} of each kind run in it) took longer than the step: the "
            "processor was busy; take longer steps, or lower the load"
        )
        verdict = Verdict(Word.BROKEN, [*verdict.reasons, reason], verdict.figures)
    return verdict


def uneven_seconds(step: StepResult, seconds: Sequence[Second]) -> list[str]:
    """One reason for each counted second that brought more than was asked for, or hardly anything."""
    reasons = []
    for second in seconds:
        arrived = f"in the second around {second.at_s:.1f} s {second.total_bps / 1e6:.1f} Mbit/s arrived"
        if second.total_bps > MOST_OF_DEMAND * step.demand_bps:
            reasons.append(
                f"{arrived}, and {step.demand_bps / 1e6:.1f} were offered: traffic was held up before; lower the load"
            )
        elif second.total_bps < HOLE * step.total_bps:
            reasons.append(
                f"{arrived}, less than half of the step's mean of {step.total_bps / 1e6:.1f}: the flows stood still; "
                "lower the load"
            )
    return reasons


def without_stalls(windows: Sequence[Window]) -> list[Window]:
    """Those in which the computer kept no instance from running, but at least a quarter: then where it did so least."""
    if not windows:
        return []
    tolerated_ns = sorted(map(stalled_ns, windows))[(len(windows) + 3) // 4 - 1]
    return [window for window in windows if stalled_ns(window) <= tolerated_ns]


def stalled_ns(window: Window) -> int:
    """For how long the computer kept instances from running, all of them together."""
    return _grown(window, "stalled_ns")


def stalls_in(window: Window) -> int:
    """How often it did."""
    return _grown(window, "stalls")


def _grown(window: Window, figure: Literal["stalled_ns", "stalls"]) -> int:
    first, last = window
    before: int = sum(row["loop"][figure] for row in first)
    after: int = sum(row["loop"][figure] for row in last)
    return after - before
