# SPDX-License-Identifier: MIT
"""In which time a network is: the script that asks for simulated time runs again, in a kernel of its own."""

from __future__ import annotations

import sys
from os import PathLike
from typing import NoReturn

from hybridnet.describe.values import choice
from hybridnet.errors import UsageError
from hybridnet.plan.network import PlanOptions
from hybridnet.system.log import info
from hybridnet.system.simulated_time import REAL, SIMULATED, TIMES, time_is_simulated

__all__ = ["be_in_time"]


def be_in_time(time: str | None, out: str | PathLike[str] | None, options: PlanOptions) -> None:
    """Return where time is as wanted; else run this process's command again in simulated time, and end with its exit
    code.

    Args:
        time: "real" or "simulated"; None: either.

    Raises:
        UsageError: there is no such time, the command line asks for the other one, or it is simulated and was to
            be slow.
        EnvironmentLackError, ExperimentError: see `hybridnet.kernel.whole_run.run_again`.
    """
    if time is not None:
        choice(time, "Net: time", TIMES)
    if options.slow != 1 and (time == SIMULATED or time_is_simulated()):
        raise UsageError(
            f"Net: slow={options.slow} is for real time, and this run is in simulated time, which is as slow as its "
            "programs need; leave slow out"
        )
    if time == REAL and time_is_simulated():
        raise UsageError(
            f'Net: time "{REAL}", and the command line says --time {SIMULATED}; leave one of them out'
        )
    if time == SIMULATED and not time_is_simulated():
        _again(out, options.seed)


def _again(out: str | PathLike[str] | None, seed: int) -> NoReturn:
    from hybridnet.kernel.whole_run import run_again  # only who asks for it waits for it

    raise SystemExit(
        run_again([sys.executable, *sys.orig_argv[1:]], out, seed, lambda line: info(f"*** {line}\n"))
    )
