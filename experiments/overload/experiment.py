# SPDX-License-Identifier: MIT
"""A wire that is offered twice what it can do: it keeps its goodput, bounds its memory, and says so.

``hybridnet wire`` runs in a control group that gives it a part of one core, so that a sender on the other cores can
overrun it. First the load rises until the goodput does not, which gives its peak; then twice the peak is offered for
half a minute. Numbered frames of one size, sent and counted by ``hybridnet generate``. See docs/generate.md.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from rich.progress import Progress, SpinnerColumn, TextColumn

from hybridnet.describe.values import whole
from hybridnet.errors import EnvironmentLackError, ExperimentError, UsageError
from hybridnet.experiments.common.options import add_seconds_argument, add_step_argument
from hybridnet.experiments.overload.load import LimitedWire, Load, pass_frames
from hybridnet.experiments.overload.place import joined
from hybridnet.experiments.overload.quota import CpuQuota
from hybridnet.experiments.overload.report import Outcome, checks_of, peak_of, table_of
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments
from hybridnet.system.cleaning import remove_run_directory
from hybridnet.system.journal import Journal
from hybridnet.tools.generate.generate import LEAST_FRAME

SUMMARY = "a wire offered twice what its processor time allows: goodput, memory, drops, verdict"
TAKES_S = 60
VIRTUAL_TIME = None
WITHOUT_MACHINES = "a wire joins two interfaces of this computer"

FIRST_PPS = 5_000
MOST_PPS = 1_000_000
STEP = 1.4
SATURATED = 0.9  # of the rate at which frames were sent: a slower arrival has passed the peak
DELAY = "10ms"
MOST_BYTES = 1514  # of a frame that the interfaces take, whose MTU is 1500


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--quota",
        type=float,
        default=0.15,
        metavar="CORES",
        help="share of a core that the wire gets (default: %(default)s)",
    )
    add_seconds_argument(parser, 30.0, "seconds of overload", least=1)
    add_step_argument(parser, 3.0, "seconds of each load before the overload", least=1)
    parser.add_argument(
        "--size", type=int, default=1400, metavar="BYTES", help="size of the frames (default: %(default)s)"
    )
    add_experiment_arguments(parser, "overload")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: an option is out of its range.
        EnvironmentLackError: not root, or no control group with a quota can be made here.
        ExperimentError: no frame passed, or the wire was never saturated.
    """
    if not 0.01 <= arguments.quota <= 1:
        raise UsageError(f"overload: --quota {arguments.quota:g} is not a share of a core; write 0.01 to 1")
    whole(arguments.size, "overload: --size", LEAST_FRAME, MOST_BYTES)
    if os.geteuid() != 0:
        raise EnvironmentLackError(
            "overload: network namespaces and control groups need root; run it with sudo"
        )
    experiment = Experiment(
        arguments,
        {"quota_cores": arguments.quota, "seconds": arguments.seconds, "bytes": arguments.size},
    )
    journal = Journal.create()
    try:
        with Progress(
            SpinnerColumn(), TextColumn("{task.description}"), console=experiment.console, transient=True
        ) as progress:
            outcome = _measure(arguments, journal, progress)
    finally:
        journal.close()
        remove_run_directory(journal.directory)
    experiment.directory.write_json("overload.json", outcome.to_json())
    experiment.console.print(
        f"the quota held the wire back for {outcome.throttled_s:.1f} s of the overload", highlight=False
    )
    return experiment.finish(checks_of(outcome), table_of(outcome))


def _measure(arguments: argparse.Namespace, journal: Journal, progress: Progress) -> Outcome:
    task = progress.add_task("building")
    with joined(journal) as (a, w, b), CpuQuota(journal, arguments.quota) as quota:
        wire = LimitedWire(w, quota, ["--delay", DELAY])
        try:
            before = wire.memory_bytes()

            def passed(rate: int, seconds: float) -> Load:
                progress.update(task, description=f"{rate:,} frames/s for {seconds:g} s")
                return pass_frames(a, b, rate, seconds, arguments.size)

            ramp = ramp_until_saturated(lambda rate: passed(rate, arguments.seconds_per_step))
            throttled = quota.throttled_ns()
            overload = passed(round(2 * peak_of(ramp)), arguments.seconds)
            throttled = quota.throttled_ns() - throttled
            most = wire.memory_bytes("VmHWM")
            code, figures = wire.end()
        finally:
            wire.kill()
    return Outcome(ramp, overload, figures, code, before, most, throttled / 1e9)


def ramp_until_saturated(passed: Callable[[int], Load]) -> list[Load]:
    """Pass ever more frames a second, until they come more slowly than they are sent.

    Args:
        passed: passes frames at a rate, and says what became of them.

    Raises:
        ExperimentError: they came as fast as they were sent, at every rate.
    """
    ramp: list[Load] = []
    rate = FIRST_PPS
    while rate <= MOST_PPS and not _saturated(ramp):
        ramp.append(passed(rate))
        rate = round(rate * STEP)
    if not _saturated(ramp):
        raise ExperimentError(
            f"overload: {ramp[-1].sent_pps:,.0f} frames/s do not saturate the wire; give it less: --quota"
        )
    return ramp


def _saturated(ramp: list[Load]) -> bool:
    """Whether two loads in a row arrived more slowly than they were sent: a single one may be a hiccup of this
    computer.
    """
    return len(ramp) >= 2 and all(load.received_pps < SATURATED * load.sent_pps for load in ramp[-2:])
