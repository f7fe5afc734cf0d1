# SPDX-License-Identifier: MIT
"""Detached runs of this user: starting one, finding it again, looking at it, ending it.

Each has a directory beside the state directory, which `hybridnet.system.keeper` fills; it stays after the run's end,
until it is forgotten.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.system.journal import require_own, start_time, state_directory
from hybridnet.system.python_command import python_module

if TYPE_CHECKING:
    from hybridnet.system.keeper import Facts

__all__ = ["DetachedRun", "detach", "detached_runs", "find_detached", "keeper_of_this_process"]

BEGIN_S = 20.0
_POLL_S = 0.05


@dataclass(frozen=True)
class DetachedRun:
    """One of them, as it was when it was looked at.

    Args:
        name: such as d1.
        directory: where its keeper writes.
        facts: what the keeper has said about it.
    """

    name: str
    directory: Path
    facts: Facts

    @property
    def running(self) -> bool:
        """Whether its keeper lives."""
        return start_time(self.facts["keeper"]) == self.facts["keeper_start"]

    @property
    def status(self) -> int | None:
        """The exit status of the run; None while it runs, and where its keeper was killed."""
        return self.facts.get("status")

    @property
    def seconds(self) -> float:
        """How long it has run."""
        return self.facts.get("ended", time.time()) - self.facts["began"]

    def connect(self) -> socket.socket:
        """A connection to its keeper.

        Raises:
            UsageError: it has ended.
        """
        there = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            there.connect(str(self.directory / "socket"))
        except OSError:
            there.close()
            raise UsageError(
                f"run {self.name} has ended; what it said is in {self.directory / 'output'}"
            ) from None
        return there

    def ask_to_end(self) -> None:
        """Tell it to end as ^C does."""
        with contextlib.suppress(ProcessLookupError):  # it has ended
            descriptor = os.pidfd_open(self.facts["head"])
            try:
                # We look after opening the descriptor: another process may have the number by now.
                if start_time(self.facts["head"]) == self.facts["head_start"]:
                    signal.pidfd_send_signal(descriptor, signal.SIGTERM)
            finally:
                os.close(descriptor)

    def forget(self) -> None:
        """Remove its directory. It must have ended."""
        shutil.rmtree(self.directory)


def detach(command: Sequence[str]) -> DetachedRun:
    """Run a command under a keeper.

    Raises:
        EnvironmentLackError: the keeper does not begin, or somebody else could change the directory.
    """
    above = _directory()
    above.mkdir(parents=True, exist_ok=True, mode=0o755)
    require_own(above)
    number = 1
    while True:  # the directory is the name's lock
        try:
            (directory := above / f"d{number}").mkdir(mode=0o700)
            break
        except FileExistsError:
            number += 1
    keeper = subprocess.Popen(
        [*python_module("hybridnet.system.keeper"), str(directory), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=(directory / "keeper.log").open("wb"),
        start_new_session=True,
    )
    deadline = time.monotonic() + BEGIN_S
    while (run := _read(directory)) is None:
        if keeper.poll() is not None or time.monotonic() > deadline:
            said = (directory / "keeper.log").read_text(errors="replace").strip()[-300:]
            shutil.rmtree(directory)
            raise EnvironmentLackError(
                f"the run could not be detached: {said or 'its keeper does not start'}"
            )
        time.sleep(_POLL_S)
    return run


def detached_runs() -> list[DetachedRun]:
    """All, by name."""
    above = _directory()
    if not above.is_dir():
        return []
    require_own(above)
    found = [_read(directory) for directory in above.iterdir()]
    return sorted((run for run in found if run is not None), key=lambda run: int(run.name[1:]))


def keeper_of_this_process() -> int | None:
    """The keeper of the detached run that this process is; None: it is none."""
    born = start_time(os.getpid())
    for run in detached_runs():
        if (run.facts["head"], run.facts["head_start"]) == (os.getpid(), born):
            return int(run.facts["keeper"])
    return None


def find_detached(name: str | None) -> DetachedRun:
    """One by its name; without a name the one that runs.

    Raises:
        UsageError: there is none, or several.
    """
    runs = detached_runs()
    names = ", ".join(run.name for run in runs) or "none"
    if name is None:
        running = [run for run in runs if run.running]
        if len(running) != 1:
            what = "no detached run of yours is" if not running else f"{len(running)} detached runs are"
            raise UsageError(f"{what} running{'; name one' if running else ''}; there are: {names}")
        return running[0]
    for run in runs:
        if run.name == name:
            return run
    raise UsageError(f"there is no detached run {name} of yours; there are: {names}")


def _directory() -> Path:
    state = state_directory()
    return state.with_name(f"{state.name}-detached")


def _read(directory: Path) -> DetachedRun | None:
    try:
        return DetachedRun(directory.name, directory, json.loads((directory / "run.json").read_text()))
    except (OSError, ValueError):
        return None
