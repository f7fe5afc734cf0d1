# SPDX-License-Identifier: MIT
"""What figures 8 to 10 have in common around `three_ways`: options, rounds, table, files and picture."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.table import Table

from hybridnet.describe.quantities import parse_rate
from hybridnet.experiments.common.figure6 import ACCESS_MBPS, CORE_MBPS, FRAME, PAYLOAD
from hybridnet.experiments.common.options import (
    add_arms_argument,
    add_lead_argument,
    add_rounds_argument,
    add_step_argument,
)
from hybridnet.experiments.common.three_ways import MACHINES, Round, Scale, Step, run_arm
from hybridnet.observe.results import Check, Experiment, Verdict, add_experiment_arguments

__all__ = ["Rounds", "add_scale_arguments", "plot", "ratio_check", "run_rounds", "table_of"]

STEPS = (1, 2, 4, 8, 16, 32, 64)
QUICK_STEPS = (2, 4)
CORE_DELAY = "5us"
"""A kilometre of fibre: of the few microseconds that the paper calls a usual lookahead."""
UDP_RATE = "150 Mbit/s"
LEAD_S = 2.0
KIND_LINES = {"tcp": "-.", "udp": ":"}
LABELS = {"peering": "peering portals", "pcap": "pcap portals", "mpi": "conservative MPI"}


class Rounds:
    """All rounds of all arms.

    Args:
        rounds: in the order in which they were run.
    """

    def __init__(self, scale: Scale, rounds: Sequence[Round]) -> None:
        self.scale, self.rounds = scale, rounds
        self.arms = list(dict.fromkeys(each.arm for each in rounds))

    def of(self, arm: str, step: int) -> list[Step]:
        """What an arm did in a step, by its place, in every round."""
        return [each.steps[step] for each in self.rounds if each.arm == arm]

    def bps(self, arm: str, step: int, kind: str | None = None) -> float:
        """The median of an arm's goodput in a step: of one kind of flow, or of all together."""
        return median(
            each.total_bps if kind is None else each.goodput_bps[kind] for each in self.of(arm, step)
        )

    def ratio(self, step: int, other: str) -> float:
        """Peering's goodput in a step, in that of another arm."""
        return self.bps("peering", step) / max(self.bps(other, step), 1.0)

    def verdict(self, arm: str) -> Verdict:
        """The worst verdict of an arm's rounds."""
        order = list(type(self.rounds[0].verdict.word))
        return max(
            (each.verdict for each in self.rounds if each.arm == arm), key=lambda each: order.index(each.word)
        )


def add_scale_arguments(parser: argparse.ArgumentParser, name: str, arms: Sequence[str]) -> None:
    """Add the options of a figure that compares these arms."""
    add_rounds_argument(parser, 3, "rounds of each arm")
    add_step_argument(
        parser, 0.8, "simulated seconds of each step; goodput is that of the second half", published=30
    )
    parser.add_argument(
        "--core-delay",
        default=CORE_DELAY,
        metavar="TIME",
        help="delay of the link that is cut: the lookahead of conservative synchronization (default: %(default)s; "
        "the paper: usually a few microseconds to several milliseconds)",
    )
    parser.add_argument(
        "--udp-rate",
        default=UDP_RATE,
        metavar="RATE",
        help="rate of each UDP flow's payload (default: %(default)s)",
    )
    parser.add_argument(
        "--exact", action="store_true", help="simulate single segments, and not trains of TCP segments"
    )
    add_lead_argument(parser, LEAD_S, "a network in real time")
    add_arms_argument(parser, arms)
    add_experiment_arguments(
        parser, name, quick="2 and 4 flows, steps of 0.4 s, one round; nothing is promised"
    )


def run_rounds(
    arguments: argparse.Namespace, kinds: Sequence[str], arms: Sequence[str]
) -> tuple[Experiment, Rounds]:
    """Run the arms in turns, in every round in another order."""
    scale = Scale(
        steps=QUICK_STEPS if arguments.quick else STEPS,
        kinds=kinds,
        step_s=0.4 if arguments.quick else arguments.seconds_per_step,
        lead_s=arguments.lead,
        udp_rate=arguments.udp_rate,
        core_delay=arguments.core_delay,
        exact=arguments.exact,
    )
    parse_rate(scale.udp_rate, "--udp-rate")
    rounds = 1 if arguments.quick else arguments.rounds
    chosen = [arm for arm in arms if arm in arguments.arms]
    facts = {"scale": asdict(scale), "rounds": rounds, "arms": chosen, "processors": os.cpu_count()}
    experiment = Experiment(arguments, facts)
    done: list[Round] = []
    with experiment.steps(rounds * len(chosen)) as progress, arguments.cluster(MACHINES) as cluster:
        for number in range(rounds):
            for arm in chosen[number % len(chosen) :] + chosen[: number % len(chosen)]:
                with progress.step(f"{LABELS[arm]}, round {number + 1}"):
                    done.append(run_arm(arm, cluster, scale))
    found = Rounds(scale, done)
    _write(experiment, found)
    for arm in found.arms:
        experiment.console.print(f"{LABELS[arm]}: {found.verdict(arm)}", highlight=False)
        for line in _beside(found, arm):
            experiment.console.print(f"  {line}", highlight=False)
    return experiment, found


def _beside(found: Rounds, arm: str) -> list[str]:
    """What the table has no place for."""
    own = [each for each in found.rounds if each.arm == arm]
    transits = [each.transit_ns for each in own if each.transit_ns is not None]
    lines = []
    if transits:
        p50, p999 = (median(each[at] for each in transits) / 1e3 for at in (0, 1))
        lines.append(
            f"packets took {p50:.0f} us over the cut, 99.9 % at most {p999:.0f} us, where the link delays "
            f"{found.scale.core_delay}: the rest is their error"
        )
    waited = [each.waited_share for each in own if each.waited_share is not None]
    if waited:
        lines.append(f"the parts waited for each other in {median(waited):.0%} of the time")
    return lines


def table_of(found: Rounds, published: Mapping[str, str]) -> Table:
    """Goodput of each step and arm: median, least and most; what the paper says of an arm comes last."""
    table = Table(title="Goodput in wall time, Gbit/s: median ± half the range", title_justify="left")
    table.add_column("flows", justify="right")
    for arm in found.arms:
        table.add_column(arm, justify="right")
        if arm == "mpi":
            table.add_column("slowdown", justify="right")
    others = [arm for arm in found.arms if arm != "peering"] if "peering" in found.arms else []
    for other in others:
        table.add_column(f"peering / {other}", justify="right")
    for place, flows in enumerate(found.scale.steps):
        cells = [str(flows)]
        for arm in found.arms:
            cells.append(_cell(found, arm, place))
            if arm == "mpi":
                cells.append(f"{median(step.slowdown for step in found.of(arm, place)):.2f}")
        table.add_row(*cells, *(f"{found.ratio(place, other):.2f}" for other in others))
    if published:
        table.caption = "the paper: " + "; ".join(f"{LABELS[arm]}: {text}" for arm, text in published.items())
        table.caption_justify = "left"
    return table


def _cell(found: Rounds, arm: str, place: int) -> str:
    totals = [step.total_bps / 1e9 for step in found.of(arm, place)]
    total = median(totals)
    text = f"{total:.2f} ± {(max(totals) - min(totals)) / 2:.2f}"
    if len(found.scale.kinds) == 1:
        return text
    kinds = ((kind.upper(), found.bps(arm, place, kind) / 1e9) for kind in found.scale.kinds)
    return "\n".join([text, *(f"{kind} {each:.2f}, {each / max(total, 1e-9):.0%}" for kind, each in kinds)])


def ratio_check(found: Rounds, other: str, least: float, published: str) -> list[Check]:
    """That peering is so many times another arm at the widest step; none where one of the two was not run."""
    if not {"peering", other} <= set(found.arms):
        return []
    flows, ratio = found.scale.steps[-1], found.ratio(-1, other)
    return [
        Check(
            f"{flows} flows: peering portals beside {LABELS[other]}",
            f"{ratio:.2f} times",
            published,
            f"at least {least:g} times",
            ratio >= least,
        )
    ]


def _write(experiment: Experiment, found: Rounds) -> None:
    experiment.directory.write_csv(
        "rounds.csv",
        ["arm", "round", "flows", "kind", "goodput_bps", "wall_s_for_a_simulated_one"],
        [
            (each.arm, number, step.flows, kind, bps, step.slowdown)
            for number, each in enumerate(found.rounds, 1)
            for step in each.steps
            for kind, bps in step.goodput_bps.items()
        ],
    )
    experiment.directory.write_json(
        "verdicts.json",
        [{"arm": each.arm, "verdict": each.verdict.to_json()} for each in found.rounds],
    )


def limit_bps(scale: Scale, flows: int) -> float:
    """What the flows ask for, or the links' framing lets through."""
    asked = {
        "tcp": ACCESS_MBPS * 1e6 * PAYLOAD / FRAME,
        "udp": float(parse_rate(scale.udp_rate, "udp rate") or 0),
    }
    return min(sum(asked[scale.kind(flow)] for flow in range(flows)), CORE_MBPS * 1e6 * PAYLOAD / FRAME)


def plot(path: Path, title: str, found: Rounds) -> None:
    """Draw each arm's goodput over the number of flows, with the range of its rounds."""
    figure, axes = plt.subplots(figsize=(9, 6), constrained_layout=True)
    flows = list(found.scale.steps)
    shown: list[Any] = []  # in this order, those of an arm together
    for arm in found.arms:
        middle = [found.bps(arm, place) / 1e9 for place in range(len(flows))]
        ranges = [[step.total_bps / 1e9 for step in found.of(arm, place)] for place in range(len(flows))]
        below = [at - min(each) for at, each in zip(middle, ranges, strict=True)]
        above = [max(each) - at for at, each in zip(middle, ranges, strict=True)]
        whole = axes.errorbar(flows, middle, yerr=[below, above], marker="o", capsize=3, label=LABELS[arm])
        shown.append(whole)
        for kind in found.scale.kinds if len(found.scale.kinds) > 1 else ():
            share = [found.bps(arm, place, kind) / 1e9 for place in range(len(flows))]
            line = f"{LABELS[arm]}: {kind.upper()}"
            colour = whole.lines[0].get_color()
            shown += axes.plot(flows, share, linestyle=KIND_LINES[kind], color=colour, alpha=0.6, label=line)
    shown += axes.plot(
        flows,
        [limit_bps(found.scale, each) / 1e9 for each in flows],
        color="black",
        linestyle="--",
        label="limit",
    )
    axes.set_xscale("log", base=2)
    axes.set_xticks(flows, [str(each) for each in flows])
    axes.set_title(title)
    axes.set_xlabel("flows")
    axes.set_ylabel("goodput in wall time, Gbit/s")
    axes.grid(alpha=0.3)
    # Inside, it covers curves. The limit comes first, so that each arm has a column.
    handles = [shown[-1], *shown[:-1]]
    figure.legend(handles=handles, loc="outside lower center", ncols=max(len(found.arms), 1), fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
