# SPDX-License-Identifier: MIT
"""What a packet costs in the simulator's link, as in the experiments of Rizzo and Lettieri 2016 (TLEM).

The very classes that an instance uses, driven from memory on one core: a frame is copied into a packet, stamped, stored
in the link's delay line, released by its event and copied out. Frames of 64 and 1,500 bytes; nothing in flight, and
25 MB; with the copies and without. Beside it, as the limit, the bare loop that does the same two copies through as much
memory.

Processor time of one thread, median of several rounds. At the end, with real frames, how exact the delay of
`hybridnet wire` is: that needs root, and processors that do nothing else.
"""

from __future__ import annotations

import argparse
import os
import time

from hybridnet._simcore import LinkPipeline, TwoCopies
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.experiments.common.options import add_rounds_argument
from hybridnet.experiments.tlem.latency import MOST_SECONDS, Accuracy, measure_accuracy, median_of
from hybridnet.experiments.tlem.report import CASES, Case, Figures, checks_of, plot, plot_errors, table_of
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments

SUMMARY = "what a packet costs in the simulator's link, as in Rizzo and Lettieri 2016 (TLEM)"
TAKES_S = 90
VIRTUAL_TIME = None
WITHOUT_MACHINES = "it measures this computer's processor and a wire on it"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_rounds_argument(parser, 5, "rounds of all cases")
    parser.add_argument(
        "--packets",
        type=int,
        default=2_000_000,
        metavar="N",
        help="packets of 64 bytes in each measurement, and a quarter as many of 1,500 bytes (default: %(default)s)",
    )
    parser.add_argument(
        "--latency",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="also measure how exact the delay of hybridnet wire is; this needs root",
    )
    parser.add_argument(
        "--latency-seconds",
        type=float,
        default=3.0,
        metavar="S",
        help="seconds of packets for --latency (default: %(default)s)",
    )
    add_experiment_arguments(parser, "tlem")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: fewer than four packets, or no root for the latency.
        HybridnetError: the link dropped packets, so its figures would be wrong.
    """
    if arguments.packets < 4:
        raise UsageError(f"tlem: --packets {arguments.packets}: write at least 4")
    if arguments.latency and os.geteuid() != 0:
        raise UsageError("measure the delay of hybridnet wire: that needs root; --no-latency leaves it out")
    if not 0.1 <= arguments.latency_seconds <= MOST_SECONDS:
        raise UsageError(
            f"--latency-seconds {arguments.latency_seconds:g}: 0.1 to {MOST_SECONDS:g} are possible, as the kernel "
            "keeps what comes"
        )
    facts = {"rounds": arguments.rounds, "packets_of_64_bytes": arguments.packets}
    experiment = Experiment(arguments, facts)
    directory = experiment.directory
    figures: Figures = {case: [] for case in CASES}
    accuracies: list[Accuracy] = []
    with experiment.steps(arguments.rounds * (2 if arguments.latency else 1)) as steps:
        for number in range(1, arguments.rounds + 1):
            with steps.step(f"round {number}: packets through memory"):
                for case in CASES:
                    figures[case].append(measure_ns(case, arguments.packets))
            if arguments.latency:
                with steps.step(f"round {number}: packets through hybridnet wire"):
                    accuracies.append(measure_accuracy(arguments.latency_seconds))
    checks = checks_of(figures)
    if arguments.latency:
        checks.append(median_of(accuracies).check())
        plot_errors(directory.path / "latency.png", accuracies)
    directory.write_csv(
        "rounds.csv",
        ["loop", "frame_bytes", "bytes_in_flight", "round", "ns_per_packet"],
        [
            (case.loop, case.frame_bytes, case.bytes_in_flight, number, ns)
            for case, values in figures.items()
            for number, ns in enumerate(values, 1)
        ],
    )
    directory.write_json(
        "tlem.json",
        {"ns_per_packet": [{**vars(case), "rounds": values} for case, values in figures.items()]},
    )
    plot(directory.path / "tlem.png", figures)
    return experiment.finish(checks, table_of(figures))


def measure_ns(case: Case, packets_of_64_bytes: int) -> float:
    """Nanoseconds of processor time that one packet takes, measured once."""
    packets = packets_of_64_bytes if case.frame_bytes == 64 else packets_of_64_bytes // 4
    if case.loop == "two copies":
        copies = TwoCopies(case.frame_bytes, case.bytes_in_flight)
        copies.run(case.bytes_in_flight // case.frame_bytes + 1)  # so that all the memory is there
        return _time_ns(copies, packets)
    pipeline = LinkPipeline(case.frame_bytes, case.bytes_in_flight, copies=case.loop == "link")
    took = _time_ns(pipeline, packets)
    if pipeline.dropped:
        raise HybridnetError(f"measure {case}: the link dropped {pipeline.dropped} packets; report this")
    return took


def _time_ns(loop: LinkPipeline | TwoCopies, packets: int) -> float:
    began = time.thread_time_ns()
    loop.run(packets)
    return (time.thread_time_ns() - began) / packets
