# SPDX-License-Identifier: MIT
"""LocalWorkers: points of a sweep run on this computer."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from hybridnet.tools.sweep.program import start_program

__all__ = ["LocalWorkers"]


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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
            for program in self._running:
                program.terminate()
