# SPDX-License-Identifier: MIT
"""A program on a machine that answers JSON lines with JSON lines, started through the machine's agent."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hybridnet.errors import ExperimentError, MachineError
from hybridnet.machines.cluster import Cluster

DEBIAN_PYTHON = "/usr/bin/python3"
"""Sees Debian's packages, Mininet among them, and needs none of ours."""

READ_SLICE_S = 5.0


class RunnerClient:
    """One running program; a context manager that ends it.

    Args:
        cluster: whose agent starts it.
        machine: where.
        script: a file beside this one; it is copied to the machine.
        arguments: of the script.
    """

    def __init__(self, cluster: Cluster, machine: str, script: str, arguments: Sequence[str] = ()) -> None:
        self._cluster = cluster
        self._machine = machine
        self._script = script
        folder = cluster.call(machine, "scratch_directory")
        path = f"{folder}/{script}"
        cluster.call(machine, "upload", path=path, data=(Path(__file__).parent / script).read_bytes())
        started = cluster.call(
            machine, "start_process", node="", command=[DEBIAN_PYTHON, path, *arguments], stdin=True
        )
        self._number: int = started["number"]
        self._buffer = b""

    def __enter__(self) -> RunnerClient:
        return self

    def __exit__(self, *_: object) -> None:
        self._cluster.call(self._machine, "close_process", number=self._number)

    def request(self, content: dict[str, Any], limit_s: float = 300.0) -> dict[str, Any]:
        """Send one line and wait for its answer, at most ``limit_s`` seconds."""
        line = json.dumps(content).encode() + b"\n"
        self._cluster.call(self._machine, "write_process", number=self._number, data=line)
        return self.read_line(limit_s)

    def read_line(self, limit_s: float) -> dict[str, Any]:
        """The next line that the program prints.

        Raises:
            ExperimentError: it ended, or printed nothing in time; the message quotes its last output.
        """
        deadline = time.monotonic() + limit_s
        while b"\n" not in self._buffer:
            if time.monotonic() > deadline:
                raise ExperimentError(f"{self._script} on {self._machine}: no answer within {limit_s:g} s")
            chunk = self._cluster.call(
                self._machine, "read_process", number=self._number, timeout=READ_SLICE_S
            )
            if chunk is None:
                raise ExperimentError(f"{self._script} on {self._machine} ended: {self._last_words()}")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end_input(self) -> None:
        """End the program's standard input, by which it is told to clean up and end."""
        with contextlib.suppress(MachineError):  # it has ended already, and does not read
            self._cluster.call(self._machine, "write_process", number=self._number, data=b"", end=True)

    def finish(self, limit_s: float) -> None:
        """End the program's standard input, and wait until the program has cleaned up and ended.

        Raises:
            ExperimentError: it did not end in time. One that had failed before has been reported before.
        """
        self.end_input()
        if self._cluster.call(self._machine, "wait_process", number=self._number, timeout=limit_s) is None:
            raise ExperimentError(f"{self._script} on {self._machine} did not clean up within {limit_s:g} s")

    def _last_words(self) -> str:
        words = b""
        while chunk := self._cluster.call(
            self._machine, "read_process", number=self._number, stream="stderr", timeout=1.0
        ):
            words += chunk
        return words.decode(errors="replace")[-600:].strip() or "it printed nothing"
