# SPDX-License-Identifier: MIT
"""What the comparison found: medians over rounds, ratios, checks, tables. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.experiments.maxinet.staircase import Second, StepResult
from hybridnet.results import Check, Verdict, Word

PUBLISHED_MAXINET_BPS = 220_000_000
"""Figure 3 of the paper: "the aggregate throughput never exceeds 220 Mbps"."""

PUBLISHED_FACTOR = 6.0
"""Section 5.3 of the paper: the hybrid approach over MaxiNet, at 16 flows."""

MAXINET_ARMS = ("maxinet", "maxinet-patch")
"""MaxiNet's way as it is, and with the fastest setting of its parts. At each step the better one is what to beat."""

ALWAYS_FACTOR = 3.0
DEMAND_FRACTION = 0.99
LEAST_WIDE_FLOWS = 16


@dataclass(frozen=True)
class ArmRound:
    """One arm in one round.

    Args:
        arm: ``hybrid``, ``maxinet``, ``maxinet-patch`` or ``tunnel``.
        steps: one result per step.
        seconds: one entry per second.
        verdicts: one per step; empty for arms without a simulator.
        boot_s: seconds from start to "all switches connected".
        stalls: how often the computer kept an instance from running, while the steps were watched. The verdicts leave
            out the windows with a stall, but not more than three quarters of a step's: then those that had least.
        stalled_s: for how long, all of them together.
        settings: what was set beyond defaults, for the record.
        flows: iperf3's own reports, for the record.
    """

    arm: str
    steps: list[StepResult]
    seconds: list[Second]
    verdicts: list[Verdict]
    boot_s: float
    stalls: int
    stalled_s: float
    settings: Mapping[str, Any]
    flows: Mapping[str, Any]


@dataclass(frozen=True)
class StepComparison:
    """One step over all rounds: medians of each arm, and whether the step counts."""

    flows: int
    demand_bps: int
    tcp_bps: dict[str, float]
    udp_bps: dict[str, float]
    total_bps: dict[str, float]
    overloaded: str | None
    source_capacity_bps: int | None

    @property
    def label(self) -> str:
        """What to think of the step: the verdict, and whether this computer could have sourced the demand."""
        verdict = "trusted" if self.overloaded is None else "overloaded"
        if self.source_capacity_bps is not None and self.demand_bps > self.source_capacity_bps:
            return f"{verdict}; demand beyond what this machine sources"
        return verdict

    def ratio_to(self, arm: str) -> float:
        """Goodput of the hybrid arm over that of ``arm``; infinite where the other delivered nothing."""
        other = self.total_bps[arm]
        return self.total_bps["hybrid"] / other if other else float("inf")


def compare(scale: Scale, rounds: Sequence[Sequence[ArmRound]]) -> list[StepComparison]:
    """Medians over the rounds, step by step.

    A step is overloaded when the verdict of half of its rounds or more says so; else the rounds that are not trusted
    are left out of its medians, for all arms.
    """
    names = list(dict.fromkeys(run.arm for arms in rounds for run in arms))
    comparisons = []
    for index, flows in enumerate(scale.steps):
        broken = [_broken(arms, index) for arms in rounds]
        overloaded = 2 * sum(text is not None for text in broken) >= len(rounds)
        counted = [arms for arms, text in zip(rounds, broken, strict=True) if overloaded or text is None]
        steps = {
            name: [run.steps[index] for arms in counted for run in arms if run.arm == name] for name in names
        }
        comparisons.append(
            StepComparison(
                flows=flows,
                demand_bps=sum(scale.demand_bps(flows).values()),
                tcp_bps={name: median(step.tcp_bps for step in steps[name]) for name in names},
                udp_bps={name: median(step.udp_bps for step in steps[name]) for name in names},
                total_bps={name: median(step.total_bps for step in steps[name]) for name in names},
                overloaded=next(text for text in broken if text is not None) if overloaded else None,
                source_capacity_bps=scale.source_capacity_bps,
            )
        )
    return comparisons


def _broken(arms: Sequence[ArmRound], index: int) -> str | None:
    """Why a step of one round is not trusted; None when it is."""
    for run in arms:
        if run.verdicts and run.verdicts[index].word is not Word.TRUSTED:
            return str(run.verdicts[index])
    return None


def checks_of(scale: Scale, comparisons: Sequence[StepComparison]) -> list[Check]:
    """The promises of the experiment, over the steps that are not overloaded."""
    counted = [step for step in comparisons if step.overloaded is None]
    checks = [_always_check(step) for step in counted]
    checks.append(
        Check(
            what="the widest step that counts",
            measured=f"{counted[-1].flows if counted else 0} flows of each kind",
            published=f"{comparisons[-1].flows}",
            bound=f">= {LEAST_WIDE_FLOWS} flows of each kind",
            holds=bool(counted) and counted[-1].flows >= LEAST_WIDE_FLOWS,
        )
    )
    if scale.name == "auto":
        overloaded = [step.flows for step in comparisons[:-1] if step.overloaded is not None]
        checks.append(
            Check(
                what="overloaded steps before the last",
                measured=", ".join(map(str, overloaded)) or "none",
                published=None,
                bound="none",
                holds=not overloaded,
            )
        )
    wide = [
        step
        for step in counted
        if DEMAND_FRACTION * step.demand_bps >= PUBLISHED_FACTOR * step.total_bps["maxinet"]
    ]
    if wide:
        checks.append(
            Check(
                what=f"hybrid over maxinet, widest step whose demand allows it ({wide[-1].flows} flows)",
                measured=f"{wide[-1].ratio_to('maxinet'):.1f} x",
                published=f"almost {PUBLISHED_FACTOR:g} x at 16 flows",
                bound=f">= {PUBLISHED_FACTOR:g} x",
                holds=wide[-1].ratio_to("maxinet") >= PUBLISHED_FACTOR,
            )
        )
    return checks


def _always_check(step: StepComparison) -> Check:
    hybrid = step.total_bps["hybrid"]
    best = max(MAXINET_ARMS, key=lambda arm: step.total_bps[arm])
    maxinet = step.total_bps[best]
    bound_bps = min(ALWAYS_FACTOR * maxinet, DEMAND_FRACTION * step.demand_bps)
    return Check(
        what=f"{step.flows} + {step.flows} flows: hybrid delivers",
        measured=f"{hybrid / 1e6:.1f} Mbit/s ({step.ratio_to(best):.1f} x {best}, "
        f"{100 * hybrid / step.demand_bps:.1f} % of the demand)",
        published=None,
        bound=f">= {bound_bps / 1e6:.1f} Mbit/s (the less of {ALWAYS_FACTOR:g} x {best} and "
        f"{100 * DEMAND_FRACTION:g} % of the demand)",
        holds=hybrid >= bound_bps,
    )


def table_of(comparisons: Sequence[StepComparison]) -> Table:
    """Goodput per step, in Mbit/s, TCP + UDP, with the ratios."""
    arms = list(comparisons[0].total_bps)
    table = Table(
        title="Goodput at the receivers' interfaces, Mbit/s: total (TCP + UDP)", title_justify="left"
    )
    table.add_column("flows", justify="right")
    table.add_column("demand", justify="right")
    for arm in arms:
        table.add_column(arm, justify="right")
    others = [arm for arm in arms if arm != "hybrid"]
    for arm in others:
        table.add_column(f"hybrid / {arm}", justify="right")
    table.add_column("verdict")
    for step in comparisons:
        table.add_row(
            f"{step.flows} + {step.flows}",
            f"{step.demand_bps / 1e6:.1f}",
            *(
                f"{step.total_bps[arm] / 1e6:.1f} ({step.tcp_bps[arm] / 1e6:.1f} + {step.udp_bps[arm] / 1e6:.1f})"
                for arm in arms
            ),
            *(f"{step.ratio_to(arm):.1f} x" for arm in others),
            f"[{'green' if step.label == 'trusted' else 'yellow'}]{step.label}[/]",
        )
    return table


def to_json(comparisons: Sequence[StepComparison]) -> list[dict[str, Any]]:
    return [
        {
            "flows": step.flows,
            "demand_bps": step.demand_bps,
            "tcp_bps": step.tcp_bps,
            "udp_bps": step.udp_bps,
            "total_bps": step.total_bps,
            "ratio": {arm: step.ratio_to(arm) for arm in step.total_bps if arm != "hybrid"},
            "label": step.label,
            "overloaded": step.overloaded,
        }
        for step in comparisons
    ]
