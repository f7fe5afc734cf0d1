# SPDX-License-Identifier: MIT
"""What the comparison found: medians over rounds, ratios, checks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from hybridnet.experiments.maxinet.processor_time import PARTS, seconds_per_gb
from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.experiments.maxinet.staircase import Second, Stay, StepResult
from hybridnet.experiments.maxinet.verdicts import MOST_OF_DEMAND
from hybridnet.observe.results import Check, Verdict, Word

PUBLISHED_MAXINET_BPS = 220_000_000
"""Figure 3 of the paper: "the aggregate throughput never exceeds 220 Mbps"."""

PUBLISHED_FACTOR = 6.0
"""Section 5.3 of the paper: the hybrid approach over MaxiNet, at 16 flows."""

LEAST_FACTORS = {4: 8.0, 16: PUBLISHED_FACTOR, 32: PUBLISHED_FACTOR}
"""Of the capacity comparison: flows of each kind, and what hybrid carries there at least, in times of ``maxinet``."""

SIMULATED_ARM = "hybrid-simulated"
LEAST_SIMULATED_FACTORS = {4: 40.0, 32: 30.0}
"""The same of the arm whose switches are simulated."""

PATCH_FACTOR = 2.0
"""What hybrid carries at least, in times of the faster of MaxiNet's arms, where the demand allows it."""

MAXINET_ARMS = ("maxinet", "maxinet-patch")
"""MaxiNet's way as it is, and with the fastest setting of its parts."""

MET_FRACTION = 0.98
"""What meeting a demand means: within 2 %, as much as a second may bring above it."""


@dataclass(frozen=True)
class ArmRound:
    """One climb: one arm in one round at one scale.

    Args:
        arm: ``hybrid``, ``hybrid-simulated``, ``maxinet``, ``maxinet-patch`` or ``tunnel``.
        stays: one per step: when it was measured.
        steps: one result per step.
        seconds: one entry per second.
        verdicts: one per step.
        again: of the steps that were measured again, the first stay and why it was broken.
        processors: per step how many each part kept busy; see `processor_time.processors_of`.
        boot_s: seconds from start to "all switches connected".
        stalls: how often the computer kept an instance from running, while the steps were watched. The verdicts leave
            out the windows with a stall, but not more than three quarters of a step's: then those that had least.
        stalled_s: for how long, all of them together.
        settings: what was set beyond defaults, for the record.
        flows: iperf3's own reports, for the record.
    """

    arm: str
    stays: list[Stay]
    steps: list[StepResult]
    seconds: list[Second]
    verdicts: list[Verdict]
    again: list[tuple[Stay, Verdict]]
    processors: list[dict[str, float]]
    boot_s: float
    stalls: int
    stalled_s: float
    settings: Mapping[str, Any]
    flows: Mapping[str, Any]


@dataclass(frozen=True)
class StepComparison:
    """One step over all rounds: medians of each arm, and the worst verdict among what counts.

    Args:
        flows: of each kind.
        demand_bps: what was offered.
        tcp_bps, udp_bps, total_bps: goodput by arm.
        busy: part of all cores, by arm.
        words: the verdict by arm.
        reasons: of the hybrid arm's verdict, and of every arm's that is broken.
        most_of_demand: the most that a counted second of any arm brought, in parts of the demand.
        seconds_per_gb: processor seconds for each gigabyte that arrived, by arm and part; a part's median is its own.
    """

    flows: int
    demand_bps: int
    tcp_bps: dict[str, float]
    udp_bps: dict[str, float]
    total_bps: dict[str, float]
    busy: dict[str, float]
    words: dict[str, Word]
    reasons: list[str]
    most_of_demand: float
    seconds_per_gb: dict[str, dict[str, float]]

    @property
    def word(self) -> Word:
        """Of the comparison: broken where any arm's step is, else the hybrid arm's."""
        return Word.BROKEN if Word.BROKEN in self.words.values() else self.words["hybrid"]

    def ratio_to(self, arm: str, of: str = "hybrid") -> float:
        """Goodput of an arm over that of another, ``arm``; infinite where the other delivered nothing."""
        other = self.total_bps[arm]
        return self.total_bps[of] / other if other else float("inf")

    def to_json(self) -> dict[str, Any]:
        return {
            **vars(self),
            "ratio": {arm: self.ratio_to(arm) for arm in self.total_bps if arm != "hybrid"},
            "word": self.word,
        }


def compare(scale: Scale, rounds: Sequence[Sequence[ArmRound]]) -> list[StepComparison]:
    """Medians over the rounds, step by step.

    Rounds in which an arm's step is broken are left out of the step's medians, for all arms. Where half of the rounds
    or more are, the step is broken, and its medians are over all of them.
    """
    comparisons = []
    for index, flows in enumerate(scale.steps):
        whole = [arms for arms in rounds if not any(run.verdicts[index].word is Word.BROKEN for run in arms)]
        counted = whole if 2 * len(whole) > len(rounds) else rounds
        runs = {
            run.arm: [each for arms in counted for each in arms if each.arm == run.arm] for run in rounds[0]
        }
        verdicts = {arm: [run.verdicts[index] for run in of_arm] for arm, of_arm in runs.items()}
        words = {arm: worst(verdict.word for verdict in of_arm) for arm, of_arm in verdicts.items()}
        comparisons.append(
            StepComparison(
                flows=flows,
                demand_bps=sum(scale.demand_bps(flows).values()),
                tcp_bps={arm: median(run.steps[index].tcp_bps for run in runs[arm]) for arm in runs},
                udp_bps={arm: median(run.steps[index].udp_bps for run in runs[arm]) for arm in runs},
                total_bps={arm: median(run.steps[index].total_bps for run in runs[arm]) for arm in runs},
                busy={arm: median(run.steps[index].processor_busy for run in runs[arm]) for arm in runs},
                words=words,
                reasons=[
                    f"{arm}: {next(each for each in verdicts[arm] if each.word is word)}"
                    for arm, word in words.items()
                    if word is Word.BROKEN or arm == "hybrid"
                ],
                most_of_demand=max(
                    run.steps[index].most_bps / run.steps[index].demand_bps
                    for of_arm in runs.values()
                    for run in of_arm
                ),
                seconds_per_gb={arm: _median_cost(of_arm, index) for arm, of_arm in runs.items()},
            )
        )
    return comparisons


def _median_cost(runs: Sequence[ArmRound], index: int) -> dict[str, float]:
    """Of an arm's step; empty if nothing arrived in any round."""
    costs = [seconds_per_gb(run.processors[index], run.steps[index].total_bps) for run in runs]
    known = [cost for cost in costs if cost]
    return {part: median(cost[part] for cost in known) for part in PARTS} if known else {}


def worst(words: Iterable[Word]) -> Word:
    """The worst of them."""
    return max(words, key=list(Word).index)


def checks_of(capacity: Sequence[StepComparison], met: Sequence[StepComparison]) -> list[Check]:
    """The promises of the experiment: of the arms when they are full, and of the hybrid arm when it is not."""
    everything = [*capacity, *met]
    broken = [f"{step.flows} + {step.flows}" for step in everything if step.word is Word.BROKEN]
    most = max(step.most_of_demand for step in everything)
    return [
        Check("steps that are broken", ", ".join(broken) or "none", None, "none", not broken),
        Check(
            "the most that a second brought, of what was asked for",
            f"{100 * most:.1f} %",
            None,
            f"<= {100 * MOST_OF_DEMAND:g} %",
            most <= MOST_OF_DEMAND,
        ),
        *(_factor_check(step, LEAST_FACTORS[step.flows]) for step in capacity if step.flows in LEAST_FACTORS),
        *(
            _factor_check(step, LEAST_SIMULATED_FACTORS[step.flows], SIMULATED_ARM)
            for step in capacity
            if step.flows in LEAST_SIMULATED_FACTORS
        ),
        *map(_patch_check, capacity),
        *map(_met_check, met),
    ]


def _factor_check(step: StepComparison, factor: float, arm: str = "hybrid") -> Check:
    ratio = step.ratio_to("maxinet", arm)
    return Check(
        what=f"{step.flows} + {step.flows} flows, full: {arm} over maxinet",
        measured=f"{ratio:.1f} x ({_mbit(step.total_bps[arm])} : {_mbit(step.total_bps['maxinet'])} Mbit/s)",
        published=f"almost {PUBLISHED_FACTOR:g} x" if (step.flows, arm) == (16, "hybrid") else None,
        bound=f">= {factor:g} x",
        holds=ratio >= factor,
    )


def _patch_check(step: StepComparison) -> Check:
    best = max(MAXINET_ARMS, key=lambda arm: step.total_bps[arm])
    bound_bps = min(PATCH_FACTOR * step.total_bps[best], MET_FRACTION * step.demand_bps)
    hybrid = step.total_bps["hybrid"]
    return Check(
        what=f"{step.flows} + {step.flows} flows, full: hybrid beside the faster of MaxiNet's arms",
        measured=f"{_mbit(hybrid)} Mbit/s ({step.ratio_to(best):.1f} x {best}, "
        f"{100 * hybrid / step.demand_bps:.0f} % of the demand)",
        published=None,
        bound=f">= {_mbit(bound_bps)} Mbit/s (the less of {PATCH_FACTOR:g} x {best} and {100 * MET_FRACTION:g} % of "
        "the demand)",
        holds=hybrid >= bound_bps,
    )


def _met_check(step: StepComparison) -> Check:
    part = step.total_bps["hybrid"] / step.demand_bps
    return Check(
        what=f"{step.flows} + {step.flows} flows, not full: hybrid meets the demand, trusted",
        measured=f"{100 * part:.1f} % of {_mbit(step.demand_bps)} Mbit/s, processor {100 * step.busy['hybrid']:.0f} % "
        f"busy: {step.words['hybrid']}",
        published=None,
        bound=f">= {100 * MET_FRACTION:g} %, trusted",
        holds=part >= MET_FRACTION and step.words["hybrid"] is Word.TRUSTED,
    )


def sentence_of(capacity: Sequence[StepComparison]) -> str:
    """What the comparison found, for somebody who reads nothing else."""
    step = next((step for step in capacity if step.flows == 16), capacity[-1])
    meaning = {
        Word.TRUSTED: "the demand was met and the simulation kept real time",
        Word.SATURATED: "the simulation kept real time, and this computer's processor was the limit of both",
        Word.BROKEN: "something was late, lost or stalled, so do not quote these figures",
    }
    return (
        f"With {step.flows} TCP and {step.flows} UDP flows between two trees of 64 emulated hosts, hybridnet carried "
        f"{_mbit(step.total_bps['hybrid'])} Mbit/s and MaxiNet's way {_mbit(step.total_bps['maxinet'])} Mbit/s on this "
        f"computer: {step.ratio_to('maxinet'):.1f} times as much (in the paper almost {PUBLISHED_FACTOR:g} times). "
        f"With simulated OpenFlow switches it carried {_mbit(step.total_bps[SIMULATED_ARM])} Mbit/s, "
        f"{step.ratio_to('maxinet', SIMULATED_ARM):.0f} times as much. "
        f"Verdict: {step.word} ({meaning[step.word]})."
    )


def _mbit(bps: float) -> str:
    return f"{bps / 1e6:.0f}"
