# SPDX-License-Identifier: MIT
"""How busy the processors and the threads of Open vSwitch are, looked at twice a second.

A mean over minutes hides the seconds in which traffic ran. So each half second is counted by how busy it was: a
histogram that only grows, of which the head takes differences.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hybridnet.agent.counters.counters import processors
from hybridnet.system.priority import Priority, raise_thread

SAMPLE_SECONDS = 0.5

Samples = list[tuple[int, int]]
"""Rows of (busy share in tenths of a percent, how many samples), shares ascending."""


class Busy:
    """Looks until it is closed.

    Args:
        pid_of_switches: the process of Open vSwitch; None: it does not run.
    """

    def __init__(self, pid_of_switches: Callable[[], int | None]) -> None:
        self._pid_of_switches = pid_of_switches
        self._of_processors: Counter[int] = Counter()
        self._of_switching: Counter[int] = Counter()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="busy", daemon=True)
        self._thread.start()

    def samples(self) -> dict[str, Samples]:
        """Of the ``processors`` all together, and of the busiest thread of Open vSwitch (``switching``)."""
        return {
            "processors": sorted(self._of_processors.copy().items()),
            "switching": sorted(self._of_switching.copy().items()),
        }

    def close(self) -> None:
        """End."""
        self._closed.set()
        self._thread.join()

    def _watch(self) -> None:
        raise_thread(Priority.AGENT)
        at_ns, before, threads = self._look()
        while not self._closed.wait(SAMPLE_SECONDS):
            now_ns, after, now_threads = self._look()
            lasted_ns = now_ns - at_ns
            idle_s = (after["idle_ticks"] - before["idle_ticks"]) / after["ticks_per_second"]
            self._of_processors[share_of(1.0 - idle_s * 1e9 / (after["count"] * lasted_ns))] += 1
            ran_ns = [ran - threads[thread] for thread, ran in now_threads.items() if thread in threads]
            if ran_ns:
                self._of_switching[share_of(max(ran_ns) / lasted_ns)] += 1
            at_ns, before, threads = now_ns, after, now_threads

    def _look(self) -> tuple[int, dict[str, int], dict[str, int]]:
        pid = self._pid_of_switches()
        return time.monotonic_ns(), processors(), {} if pid is None else running_ns(pid)


def share_of(part: float) -> int:
    """A share from 0 to 1 in tenths of a percent; what lies outside by an error of measurement counts as the end."""
    return round(1000 * min(1.0, max(0.0, part)))


def running_ns(pid: int) -> dict[str, int]:
    """For how long each thread of a process has run, in nanoseconds; none where the kernel does not count it."""
    ran = {}
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            ran[file.parent.name] = int(file.read_text().split()[0])
        except OSError:  # it has ended
            continue
    return ran
