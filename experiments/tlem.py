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
from pathlib import Path

from rich.console import Console
from rich.progress import track

from experiments.tlem_parts.latency import measure_accuracy, median_of
from experiments.tlem_parts.report import CASES, Case, Figures, checks_of, plot, plot_errors, table_of
from hybridnet._simcore import LinkPipeline, TwoCopies
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.results import Check, RunDirectory

SUMMARY = "what a packet costs in the simulator's link, as in Rizzo and Lettieri 2016 (TLEM)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--rounds", type=int, default=5, metavar="N", help="of all cases (default: %(default)s)"
    )
    parser.add_argument(
        "--packets",
        type=int,
        default=2_000_000,
        metavar="N",
        help="of 64 bytes in each measurement, and a quarter as many of 1,500 (default: %(default)s)",
    )
    parser.add_argument(
        "--latency",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="also how exact the delay of hybridnet wire is, which needs root",
    )
    parser.add_argument(
        "--latency-seconds", type=float, default=3.0, metavar="S", help="of packets (default: %(default)s)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs/tlem"),
        metavar="DIR",
        help="run directory (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Runs the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: no round, fewer than four packets, or no root for the latency.
        HybridnetError: the link dropped packets, so its figures would be wrong.
    """
    if arguments.rounds < 1 or arguments.packets < 4:
        raise UsageError(
            f"--rounds {arguments.rounds} --packets {arguments.packets}: at least 1 round and 4 packets"
        )
    if arguments.latency and os.geteuid() != 0:
        raise UsageError("measure the delay of hybridnet wire: that needs root; --no-latency leaves it out")
    if not 0.1 <= arguments.latency_seconds <= 60:
        raise UsageError(f"--latency-seconds {arguments.latency_seconds:g}: 0.1 to 60 are possible")
    console = Console(stderr=arguments.json)
    directory = RunDirectory(arguments.out)
    directory.write_manifest(
        seed=1, facts={"rounds": arguments.rounds, "packets_of_64_bytes": arguments.packets}
    )
    figures: Figures = {case: [] for case in CASES}
    for _ in track(range(arguments.rounds), description="rounds", console=console, transient=True):
        for case in CASES:
            figures[case].append(measure_ns(case, arguments.packets))
    checks = checks_of(figures)
    if arguments.latency:
        with console.status("sending packets through hybridnet wire"):
            accuracies = [measure_accuracy(arguments.latency_seconds) for _ in range(arguments.rounds)]
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
        {
            "ns_per_packet": [{**vars(case), "rounds": values} for case, values in figures.items()],
            "checks": [check.to_json() for check in checks],
        },
    )
    plot(directory.path / "tlem.png", figures)
    console.print(table_of(figures))
    console.print(f"run directory: {directory.path}", highlight=False)
    return checks


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
