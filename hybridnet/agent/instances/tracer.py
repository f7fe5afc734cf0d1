# SPDX-License-Identifier: MIT
"""Writes down the state of simulated hosts' TCP connections whenever it has changed, while the network runs.

It asks the instances in a thread of the agent, as the sampler of a time series does. Its times are those of captures:
seconds since 1970.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, final

from hybridnet.errors import MachineError
from hybridnet.observe.series.connection_trace import ConnectionTrace
from hybridnet.observe.series.snapshot import Clock, Snapshot
from hybridnet.system.priority import Priority, raise_thread

__all__ = ["LOOK_SECONDS", "MOST_LINES", "Traced", "Tracer"]

LOOK_SECONDS = 0.01
MOST_LINES = 500_000  # of an instance: some 50 MB


@final
class Traced(TypedDict):
    """What was written down."""

    lines: list[str]
    left_out: int  # lines, after the most


class Tracer:
    """Looks at connections until it is closed.

    Args:
        hosts: of each instance, whose connections.
        ask: sends a verb to an instance.
    """

    def __init__(self, hosts: Mapping[str, Sequence[str]], ask: Callable[..., Any]) -> None:
        self._traces = {name: ConnectionTrace(frozenset(own), MOST_LINES) for name, own in hosts.items()}
        self._ask = ask
        self._at: dict[
            str, tuple[int, int]
        ] = {}  # of each instance: its last time, and when its time was zero
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="trace", daemon=True)
        self._thread.start()

    def close(self) -> Traced:
        """Look once more, and end."""
        self._closed.set()
        self._thread.join()
        return {
            "lines": [line for trace in self._traces.values() for line in trace.lines],
            "left_out": sum(trace.left_out for trace in self._traces.values()),
        }

    def _run(self) -> None:
        raise_thread(Priority.AGENT)
        ended = False
        while not ended:
            ended = self._closed.wait(LOOK_SECONDS)
            for name, trace in self._traces.items():
                try:
                    snapshot: Snapshot = self._ask(name, "sample", links=[], interfaces=[])
                    began_ns = self._began_ns(name, snapshot["time_ns"])
                except (MachineError, OSError):  # it has ended, or is just ending; the others go on
                    continue
                trace.look(began_ns + snapshot["time_ns"], snapshot)

    def _began_ns(self, name: str, time_ns: int) -> int:
        """When an instance's time was zero; one that has been started again has begun anew."""
        last_ns, began_ns = self._at.get(name, (time_ns + 1, 0))
        if time_ns < last_ns:
            since_1970_ns = time.time_ns() - time.monotonic_ns()
            clock: Clock = self._ask(name, "clock")
            began_ns = clock["epoch_ns"] + since_1970_ns
        self._at[name] = time_ns, began_ns
        return began_ns
