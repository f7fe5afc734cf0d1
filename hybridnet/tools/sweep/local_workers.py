# SPDX-License-Identifier: MIT
"""LocalWorkers: points of a sweep run on this computer, each a command line of hybridnet in a process of its own.

Simulations are forked from processes that have imported what they need (`hybridnet.cli.warm`), one for each that runs
at a time. Networks in real time are programs from their beginning.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module

__all__ = ["LocalWorkers", "start_program"]


class _Running(Protocol):
    """What runs a point, and can be told to end."""

    def terminate(self) -> None: ...


class LocalWorkers:
    """Programs of this computer; those that still run at the end of the block are told to end.

    Args:
        jobs: how many run at once.
    """

    def __init__(self, jobs: int) -> None:
        self.at_once = jobs
        self._running: set[_Running] = set()
        self._idle: list[_Warm] = []
        self._ended = False
        self._lock = threading.Lock()

    def run(self, words: Sequence[str], out: Path, log: Path) -> int:
        """Run one, to its end. See `Workers.run`."""
        return (
            self._run_warm(words, out, log) if words[0] == "simulate" else self._run_program(words, out, log)
        )

    def _run_program(self, words: Sequence[str], out: Path, log: Path) -> int:
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

    def _run_warm(self, words: Sequence[str], out: Path, log: Path) -> int:
        with self._lock:
            if self._ended:
                return -signal.SIGTERM
            warm = self._idle.pop() if self._idle else _Warm()
            self._running.add(warm)
        try:
            status = warm.run(_with_out(words, out), log)
        finally:
            with self._lock:
                self._running.discard(warm)
                more = not self._ended
                if more:
                    self._idle.append(warm)
            if not more:
                warm.close()
        return status

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._ended = True
            for each in self._running:
                each.terminate()
        for warm in self._idle:
            warm.close()


class _Warm:
    """A process that forks simulations. It ends when the thread that made it does."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._program = subprocess.Popen(
                [*python_module("hybridnet.cli.warm"), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                preexec_fn=lambda: die_with_parent(signal.SIGTERM),
            )
        self._line = ours
        self._answers = ours.makefile("rb")

    def run(self, words: Sequence[str], log: Path) -> int:
        """Run a command line, to its end. Returns its status; that of this process, if it has ended, too."""
        try:
            self._line.sendall(json.dumps({"words": words, "log": str(log)}).encode() + b"\n")
            answer = self._answers.readline()
        except ConnectionError:
            answer = b""
        return int(json.loads(answer)["status"]) if answer else self._program.wait()

    def terminate(self) -> None:
        """End what runs, and then this."""
        self._program.terminate()

    def close(self) -> None:
        """End it, once nothing runs."""
        self._answers.close()
        self._line.close()
        self._program.wait()


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
    return subprocess.Popen(
        [*python_module("hybridnet.cli"), *_with_out(words, out)],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a ^C is the sweep's, which ends its programs
        preexec_fn=lambda: die_with_parent(signal.SIGTERM),
    )


def _with_out(words: Sequence[str], out: Path) -> list[str]:
    verb, *rest = words
    return [verb, "--out", str(out), *rest]
