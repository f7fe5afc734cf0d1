# SPDX-License-Identifier: MIT
"""LocalWorkers: points of a sweep run on this computer, each a command line of hybridnet in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module

__all__ = ["LocalWorkers", "start_program"]


class LocalWorkers:
    """Programs of this computer; those that still run at the end of the block are told to end.

    Args:
        jobs: how many run at once.
    """

    def __init__(self, jobs: int) -> None:
        self.at_once = jobs
        self._running: set[subprocess.Popen[bytes]] = set()
        self._ended = False
        self._lock = threading.Lock()

    def run(self, words: Sequence[str], out: Path, log: Path) -> int:
        """Run one, to its end. See `Workers.run`."""
        with log.open("wb") as output:
            with self._lock:
                if self._ended:
                    return -signal.SIGTERM
                program = start_program(words, out, output)
                self._running.add(program)
            try:
                return program.wait()
            finally:
                with self._lock:
                    self._running.discard(program)

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            for program in self._running:
                program.terminate()


def start_program(
    words: Sequence[str], out: Path, output: BinaryIO, directory: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start one. It ends, and removes its networks, when the thread that started it does.

    Args:
        words: from the verb on, without --out.
        out: its run directory.
        output: gets what it prints.
        directory: in which it runs; None: the same.
    """
    verb, *rest = words
    return subprocess.Popen(
        [*python_module("hybridnet.cli"), verb, "--out", str(out), *rest],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a ^C is the sweep's, which ends its programs
        preexec_fn=lambda: die_with_parent(signal.SIGTERM),
    )
