# SPDX-License-Identifier: MIT
"""Timelines of what is emulated: interfaces that are set up and down at instants of this machine's clock.

A thread per timeline sleeps until each instant and acts then; what it costs the kernel to set an interface comes upon
that. What fired is written down with the instant at which it began.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypedDict, final

from hybridnet.errors import HybridnetError, MachineError
from hybridnet.system.priority import Priority, raise_thread

__all__ = ["FiredEntry", "InterfaceChange", "InterfaceTimelines"]


@final
class InterfaceChange(TypedDict):
    """An entry of a timeline, by its number: an interface goes down or comes up."""

    entry: int
    at_ns: int
    node: str
    interface: str
    up: bool


@final
class FiredEntry(TypedDict):
    """An entry of a timeline that has fired, so late; "": without an error."""

    entry: int
    late_ns: int
    error: str


class InterfaceTimelines:
    """The timelines of one machine.

    Args:
        set_interface: sets an interface of a node up or down.
    """

    def __init__(self, set_interface: Callable[[str, str, bool], None]) -> None:
        self._set_interface = set_interface
        self._lock = threading.Lock()
        self._cancelled: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._fired: dict[str, list[FiredEntry]] = {}

    def schedule(self, name: str, start_ns: int, entries: Sequence[InterfaceChange], slow: int = 1) -> None:
        """Begin a timeline.

        Args:
            start_ns: CLOCK_MONOTONIC, from which the ``at_ns`` of the entries count.
            slow: wall seconds for a second of theirs.

        Raises:
            MachineError: the first instant has passed.
        """
        ordered = sorted(entries, key=lambda entry: entry["at_ns"])
        late_ns = time.monotonic_ns() - start_ns - slow * ordered[0]["at_ns"]
        if late_ns > 0:
            raise MachineError(
                f"schedule timeline {name}: its first change was due {late_ns / 1e6:.1f} ms ago; let it begin later"
            )
        cancelled = threading.Event()
        thread = threading.Thread(
            target=self._run, args=(name, start_ns, ordered, slow, cancelled), daemon=True
        )
        with self._lock:
            self._cancelled[name] = cancelled
            self._fired[name] = []
            self._threads.append(thread)
        thread.start()

    def cancel(self, name: str) -> None:
        """What has not fired of a timeline will not."""
        with self._lock:
            if name in self._cancelled:
                self._cancelled[name].set()

    def fired(self, name: str) -> list[FiredEntry]:
        """What has fired of a timeline."""
        with self._lock:
            return list(self._fired.get(name, ()))

    def close(self) -> None:
        """Cancel all, and wait until nobody acts any more."""
        with self._lock:
            for cancelled in self._cancelled.values():
                cancelled.set()
            threads, self._threads = self._threads, []
        for thread in threads:
            thread.join()

    def _run(
        self,
        name: str,
        start_ns: int,
        entries: Sequence[InterfaceChange],
        slow: int,
        cancelled: threading.Event,
    ) -> None:
        raise_thread(Priority.AGENT)
        for entry in entries:
            due_ns = start_ns + slow * entry["at_ns"]
            if cancelled.wait(max(due_ns - time.monotonic_ns(), 0) / 1e9):
                return
            late_ns, error = (time.monotonic_ns() - due_ns) // slow, ""
            try:
                self._set_interface(entry["node"], entry["interface"], entry["up"])
            except HybridnetError as refused:
                error = str(refused)
            with self._lock:
                self._fired[name].append({"entry": entry["entry"], "late_ns": late_ns, "error": error})
