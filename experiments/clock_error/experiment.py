# SPDX-License-Identifier: MIT
"""What clocks that differ cost: the open question of Obaida and Liu 2017, whose machines have NTP and nothing else.

Two instances on two machines are joined by a link of 5 ms. The second one's clock is shown to the first ahead of what
it is, or gains, on purpose. Where clocks are *told* (once, by the time of day), the instances take them to be right.
Where they are *measured*, which is what peering does, messages compare them all the time. Captures at the sending and
at the receiving host, by the clock that both machines have, say how long packets took, and whether they came in their
order among those of a sender on the sink's own side.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.table import Table

from hybridnet import Net
from hybridnet.errors import UsageError
from hybridnet.experiments.clock_error.network import DELAY_NS, SENDERS, Errors, TwoWays, errors_of, watched
from hybridnet.experiments.clock_error.plot import plot
from hybridnet.experiments.common.options import add_rounds_argument, add_seconds_argument
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments
from hybridnet.plan.choices.waiting import SIMULATED_MODERATION_NS

SUMMARY = "what differing clocks cost in delay and order, with clocks that are told and measured"
TAKES_S = 120
VIRTUAL_TIME = None
MACHINES = 2
NAMES = ("m1", "m2")
AHEAD_US = (0, 100, 300, 1_000, 3_000, 10_000)
DRIFTS_PPM = (20, 50, 200, 500)
QUICK_AHEAD_US, QUICK_DRIFTS_PPM = (1_000,), (500,)
CLOCKS = ("told", "measured")
SETTLE_S = 2.0
"""Until the drift of a clock can be told from noise."""
MOST_ERROR_NS = 50_000
MOST_MISPLACED = 0.05
TOLD_WITHIN_NS = 2 * SIMULATED_MODERATION_NS + 100_000
"""For the transit: nothing comes before it is there, however wrong a clock is. At both ends it may wait for a turn."""


@dataclass(frozen=True)
class Point:
    """One run.

    Args:
        clocks: told or measured.
        ahead_us: how far the second clock is ahead at first.
        drift_ppm: how much it gains.
        injected_ns: how far it was ahead in the middle of what was looked at.
        errors: by the side of the sink.
    """

    clocks: str
    ahead_us: int
    drift_ppm: int
    injected_ns: float
    errors: Mapping[int, Errors]

    @property
    def cause(self) -> tuple[int, int]:
        return self.ahead_us, self.drift_ppm


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seconds_argument(parser, 2.0, "seconds of each run that count")
    add_rounds_argument(parser, 1, "rounds of all runs")
    add_experiment_arguments(parser, "clock-error", quick="one error of each kind, for 1 s")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run all points, told and measured in turns.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    causes = [(ahead, 0) for ahead in (QUICK_AHEAD_US if arguments.quick else AHEAD_US)]
    causes += [(0, drift) for drift in (QUICK_DRIFTS_PPM if arguments.quick else DRIFTS_PPM)]
    seconds = 1.0 if arguments.quick else arguments.seconds
    rounds = 1 if arguments.quick else arguments.rounds
    facts = {"causes": causes, "seconds": seconds, "rounds": rounds, "delay_ns": DELAY_NS}
    experiment = Experiment(arguments, facts)
    points: list[Point] = []
    with (
        experiment.steps(len(causes) * len(CLOCKS) * rounds) as progress,
        arguments.cluster(NAMES) as cluster,
        tempfile.TemporaryDirectory(prefix="hybridnet-clock-error-") as scratch,
    ):
        _check_one_computer(cluster)
        for number in range(rounds):
            for ahead_us, drift_ppm in causes:
                for clocks in CLOCKS:
                    what = f"{clocks}, {ahead_us} us ahead, {drift_ppm} ppm, round {number + 1}"
                    with progress.step(what):
                        points.append(measure(cluster, clocks, ahead_us, drift_ppm, seconds, Path(scratch)))
    _write(experiment, points)
    return experiment.finish(checks_of(points), table_of(points))


def measure(
    cluster: Cluster, clocks: str, ahead_us: int, drift_ppm: int, seconds: float, scratch: Path
) -> Point:
    """Run the network once.

    Args:
        seconds: how much of its end is looked at.
        scratch: for captures.
    """
    net = Net(
        TwoWays(),
        controller=None,
        cluster=cluster,
        captures=watched(scratch),
        peering={"clocks": clocks, "clock_ahead": f"{ahead_us}us", "clock_drift_ppm": drift_ppm},
    )
    with net:
        time.sleep(SETTLE_S + seconds)
        lived_s = net.snapshot(of_elements=False)[NAMES[1]]["time_ns"] / 1e9
        zeros_ns = {
            side: cluster.call(machine, "clock")["epochs_ns"][machine]
            for side, machine in enumerate(NAMES, 1)
        }
    injected_ns = ahead_us * 1e3 + drift_ppm * 1e3 * (lived_s - seconds / 2)
    return Point(
        clocks,
        ahead_us,
        drift_ppm,
        injected_ns,
        {sink: errors_of(scratch, sink, seconds, zeros_ns) for sink in SENDERS},
    )


def _check_one_computer(cluster: Cluster) -> None:
    computers = {cluster.call(machine, "capacity")["computer"] for machine in NAMES}
    if len(computers) > 1:
        raise UsageError(
            "clock-error: the machines are on two computers, and no clock is common to them by which delays could be "
            "measured; take machines of one computer, which in simulated time are those of one kernel: leave "
            "--machines out"
        )


def expected_ns(point: Point, sink: int) -> float:
    """The error of the delay that a wrong clock causes where nobody compares it: what goes to the instance whose clock
    is ahead comes early, but not before it is there, and what comes from it late.
    """
    return max(-point.injected_ns, -float(DELAY_NS)) if sink == 2 else point.injected_ns


def checks_of(points: Sequence[Point]) -> list[Check]:
    """That measured clocks leave no error, and that told ones make theirs the delays'."""
    measured = [point for point in points if point.clocks == "measured"]
    told = [point for point in points if point.clocks == "told"]
    worst = max(abs(errors.delay_ns) for point in measured for errors in point.errors.values())
    misplaced = max(errors.misplaced for point in measured for errors in point.errors.values())
    off = max(
        abs(errors.delay_ns - expected_ns(point, sink))
        for point in told
        for sink, errors in point.errors.items()
    )
    return [
        Check(
            "measured clocks: the largest error of the one-way delay (median of a run)",
            f"{worst / 1e3:.1f} us",
            None,
            f"at most {MOST_ERROR_NS / 1e3:g} us",
            worst <= MOST_ERROR_NS,
        ),
        Check(
            "measured clocks: packets out of their order among those of another sender",
            f"{misplaced:.1%}",
            None,
            f"at most {MOST_MISPLACED:.0%}",
            misplaced <= MOST_MISPLACED,
        ),
        Check(
            "told clocks: how far the error of the delay is from the clock's",
            f"{off / 1e3:.1f} us",
            None,
            f"at most {TOLD_WITHIN_NS / 1e3:g} us",
            off <= TOLD_WITHIN_NS,
        ),
    ]


def table_of(points: Sequence[Point]) -> Table:
    """One line for each error that was put in, with medians over the rounds."""
    table = Table(
        title="Median error of the one-way delay, us, and share of packets out of order", title_justify="left"
    )
    for column in ("second clock", *(f"{clocks}, {way}" for clocks in CLOCKS for _, way in SENDERS.values())):
        table.add_column(column, justify="left" if column == "second clock" else "right")
    for cause in dict.fromkeys(point.cause for point in points):
        cells = [f"{cause[0]} us ahead" if cause[1] == 0 else f"gains {cause[1]} ppm"]
        for clocks in CLOCKS:
            own = [point for point in points if (point.clocks, point.cause) == (clocks, cause)]
            for sink in SENDERS:
                delay_us = median(point.errors[sink].delay_ns for point in own) / 1e3
                misplaced = median(point.errors[sink].misplaced for point in own)
                cells.append(f"{delay_us:+.1f}, {misplaced:.0%}")
        table.add_row(*cells)
    return table


def _write(experiment: Experiment, points: Sequence[Point]) -> None:
    experiment.directory.write_csv(
        "points.csv",
        [
            "clocks",
            "ahead_us",
            "drift_ppm",
            "injected_ns",
            "sink",
            "delay_ns",
            "p1_ns",
            "p99_ns",
            "misplaced",
            "packets",
        ],
        [
            (
                point.clocks,
                point.ahead_us,
                point.drift_ppm,
                round(point.injected_ns),
                sink,
                errors.delay_ns,
                *errors.spread_ns,
                errors.misplaced,
                errors.packets,
            )
            for point in points
            for sink, errors in point.errors.items()
        ],
    )
    plot(experiment.directory.path / "clock_error.png", points)
