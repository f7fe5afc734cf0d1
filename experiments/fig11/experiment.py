# SPDX-License-Identifier: MIT
"""Figure 11 of Obaida and Liu 2017 by itself: does the hybrid network carry all that is offered at the paper's rates?

The flows, the network and the measurement are those of the hybrid arm of ``hybridnet reproduce maxinet``. That
experiment tells what a computer carries in real time; this one says with ``--time simulated`` what the network carries.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from rich.table import Table

from hybridnet.errors import UsageError
from hybridnet.experiments.maxinet.arms import RECEIVERS, SENDERS, HybridArm
from hybridnet.experiments.maxinet.datapath import resolve
from hybridnet.experiments.maxinet.measure import climb
from hybridnet.experiments.maxinet.plot import plot_over_time
from hybridnet.experiments.maxinet.report import MET_FRACTION, ArmRound
from hybridnet.experiments.maxinet.scale import PAPER, PAYLOAD_BYTES, Scale
from hybridnet.experiments.maxinet.staircase import TCP_HEADERS, UDP_HEADERS, StepResult
from hybridnet.observe.results import Check, Experiment, Verdict, Word, add_experiment_arguments, count
from hybridnet.run.net.startup import machine_specs
from hybridnet.topologies.tree import switches_in_tree

SUMMARY = "TCP and UDP flows at the paper's rates over two trees, as in figure 11 of Obaida and Liu 2017"
TAKES_S = 120
VIRTUAL_TIME = None
MACHINES = 2

FLOWS = (1, 2, 4, 8, 16)
SECONDS_PER_STEP = 3
QUICK = replace(PAPER, name="quick", depth=2, steps=(1, 2), seconds_per_step=SECONDS_PER_STEP)
TCP_PAYLOAD_BYTES = 1514 - TCP_HEADERS
LEAST_OF_FULL_LINK = 0.9
"""Where more is offered than the link between the roots carries: TCP learns of that by losses, and then sends less."""
PUBLISHED = {
    16: "about 1.3 Gbit/s in all",
    32: "less than with 16: the operating system's limit",
}
"""Section 5.3: almost 6 times the at most 220 Mbit/s of MaxiNet, and the decline with 32 UDP flows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--flows",
        nargs="+",
        type=count,
        default=list(FLOWS),
        metavar="N",
        help="TCP flows, and as many UDP flows, at each step, ascending, at most 32 (default: 1 2 4 8 16)",
    )
    parser.add_argument(
        "--seconds-per-step",
        type=count,
        default=SECONDS_PER_STEP,
        metavar="N",
        help=f"seconds of each step, at least 3 (default: %(default)s; the paper: {PAPER.seconds_per_step})",
    )
    add_experiment_arguments(parser, "fig11", quick="1 + 1 and 2 + 2 flows over trees of 4 hosts")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Climb the staircase once.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    scale = QUICK if arguments.quick else _scale(arguments.flows, arguments.seconds_per_step)
    experiment = Experiment(arguments, {"scale": scale.to_json()})
    experiment.console.print(str(scale), highlight=False)
    with arguments.cluster([SENDERS, RECEIVERS]) as cluster, experiment.console.status("") as status:
        datapath = resolve("auto", machine_specs(cluster), switches_in_tree(scale.depth, 2))
        with HybridArm(cluster, scale, datapath, experiment.directory.path) as arm:
            climbed = climb(arm, scale, lambda what, _: status.update(what))
    directory = experiment.directory
    directory.write_json("iperf3.json", climbed.flows)
    directory.write_json(
        "steps.json",
        [
            {**step.to_json(), "verdict": verdict.to_json()}
            for step, verdict in zip(climbed.steps, climbed.verdicts, strict=True)
        ],
    )
    directory.write_csv(
        "seconds.csv",
        ["at_s", "tcp_bps", "udp_bps"],
        [(second.at_s, second.tcp_bps, second.udp_bps) for second in climbed.seconds],
    )
    plot_over_time(directory.path / "fig11.png", scale, [climbed])
    return experiment.finish(checks_of(scale, climbed), _table(scale, climbed))


def _scale(flows: Sequence[int], seconds_per_step: int) -> Scale:
    if sorted(set(flows)) != list(flows):
        raise UsageError(f"--flows {' '.join(map(str, flows))}: write ascending numbers, as 1 2 4 8 16")
    return replace(PAPER, steps=tuple(flows), seconds_per_step=seconds_per_step)


def offered_bps(scale: Scale, flows: int) -> dict[str, float]:
    """What a step asks the network to carry, by protocol, payload bit/s: the demand, and of TCP's at most what the link
    between the roots has left.

    Example:
        >>> {kind: round(bps / 1e6) for kind, bps in offered_bps(PAPER, 16).items()}
        {'tcp': 7988, 'udp': 1600}
    """
    demand = scale.demand_bps(flows)
    on_link_bps = demand["udp"] * (PAYLOAD_BYTES + UDP_HEADERS) / PAYLOAD_BYTES
    tcp_bps = (scale.link_rate_bps - on_link_bps) * TCP_PAYLOAD_BYTES / (TCP_PAYLOAD_BYTES + TCP_HEADERS)
    return {"tcp": min(demand["tcp"], tcp_bps), "udp": demand["udp"]}


def checks_of(scale: Scale, climbed: ArmRound) -> list[Check]:
    """The promises of this experiment: each step carries what is offered, unless the computer is full. It never is in
    simulated time.
    """
    return [
        _check(scale, step, verdict) for step, verdict in zip(climbed.steps, climbed.verdicts, strict=True)
    ]


def _check(scale: Scale, step: StepResult, verdict: Verdict) -> Check:
    offered = offered_bps(scale, step.flows)
    fits = offered["tcp"] == scale.demand_bps(step.flows)["tcp"]
    tcp, udp = step.tcp_bps / offered["tcp"], step.udp_bps / offered["udp"]
    least = MET_FRACTION if fits else LEAST_OF_FULL_LINK
    carried = tcp >= least and udp >= MET_FRACTION
    return Check(
        f"{step.flows} + {step.flows} flows: "
        + ("all is carried" if fits else "UDP is carried, and TCP fills the link"),
        f"TCP {100 * tcp:.1f} %, UDP {100 * udp:.1f} %: {verdict.word}",
        PUBLISHED.get(step.flows),
        f"TCP >= {100 * least:g} %, UDP >= {100 * MET_FRACTION:g} %, trusted; or saturated",
        verdict.word is Word.SATURATED or (carried and verdict.word is Word.TRUSTED),
        verdict.word is Word.BROKEN,
    )


def _table(scale: Scale, climbed: ArmRound) -> Table:
    table = Table(title="Goodput at the receivers' interfaces, Mbit/s", title_justify="left")
    for column in ("flows", "TCP", "offered", "UDP", "offered", "in all", "verdict"):
        table.add_column(column, justify="left" if column == "verdict" else "right")
    for step, verdict in zip(climbed.steps, climbed.verdicts, strict=True):
        offered = offered_bps(scale, step.flows)
        figures = (step.tcp_bps, offered["tcp"], step.udp_bps, offered["udp"], step.total_bps)
        table.add_row(
            f"{step.flows} + {step.flows}", *(f"{figure / 1e6:.1f}" for figure in figures), verdict.word
        )
    return table
