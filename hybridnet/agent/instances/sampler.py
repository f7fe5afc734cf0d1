# SPDX-License-Identifier: MIT
"""Samples a machine for a time series: its processors, its instance, its hosts' interfaces and their TCP connections.

    agent ─ Sampler(sources) ─ thread ─ every interval ─▶ SampleBuffer ─ verb take_series ─▶ head

It runs in a thread of the agent, not in the instance: that is asked over its control socket, which reads in slices
between the loop's turns. What is asked in a host's namespace is asked over a socket that stays open there.
A sample that takes longer than the interval makes the next one late; none is made up.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Protocol, TypedDict, final

from hybridnet.agent.counters.counters import processors
from hybridnet.agent.counters.socket_diag import SocketDiagnosis
from hybridnet.agent.hosts.device_counters import Row
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.instances.series_selection import Chosen
from hybridnet.errors import MachineError
from hybridnet.observe.series import Key, SampleBuffer, of_sections
from hybridnet.observe.series.buckets import percentile_ns, subtract_buckets
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.priority import Priority, raise_thread

__all__ = ["HostsSource", "InstancesSource", "ProcessorsSource", "Sampler", "Taken"]

CONNECTIONS_LIMIT = 1000  # of a machine, in one sample
CONNECTIONS_SHARE = 0.01  # of a processor, that looking at connections may take
_READ_BYTES = 1 << 12
_SECTIONS = ("applications", "connections", "fluids", "links", "portals", "interfaces", "nodes")
_LATENESS = (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))

Figures = dict[Key, float]


class Source(Protocol):
    """What is sampled."""

    def figures(self) -> Figures:
        """Its figures now. Raises MachineError or OSError where it cannot be read."""

    def close(self) -> None:
        """Let go of what is open."""


@final
class Taken(TypedDict):
    """What was sampled."""

    blocks: list[tuple[list[Key], bytes, bytes]]  # keys, times, values: see `hybridnet.observe.series`
    lost: int  # instants, because nobody took them
    failed: str | None  # the last reason why something could not be read


class Sampler:
    """Samples until it is closed.

    Args:
        interval_s: between two samples.
        sources: of the figures; closed with the sampler.
        from_s: the time of the first sample: of a series that began on other machines earlier.
        slow: wall seconds for one of all these.
    """

    def __init__(
        self, interval_s: float, sources: Iterable[Source], from_s: float = 0.0, slow: int = 1
    ) -> None:
        self._slow = slow
        self._interval_s, self._from_s = interval_s, from_s
        self._sources = list(sources)
        self._buffer = SampleBuffer()
        self._failed: str | None = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="series", daemon=True)
        self._thread.start()

    def take(self) -> Taken:
        """What was sampled since the last call."""
        blocks, lost = self._buffer.take()
        failed, self._failed = self._failed, None
        return {
            "blocks": [(block.keys, block.times.tobytes(), block.values.tobytes()) for block in blocks],
            "lost": lost,
            "failed": failed,
        }

    def close(self) -> None:
        """Take a last sample, and end."""
        self._closed.set()
        self._thread.join()

    def _run(self) -> None:
        raise_thread(Priority.AGENT)
        began = self._now() - self._from_s
        number = int(self._from_s / self._interval_s)
        try:
            while True:
                self._sample(self._now() - began)
                if self._closed.is_set():
                    return
                number = max(number + 1, int((self._now() - began) / self._interval_s))
                self._closed.wait(max(0.0, began + number * self._interval_s - self._now()) * self._slow)
        finally:
            for source in self._sources:
                source.close()

    def _now(self) -> float:
        return time.monotonic() / self._slow

    def _sample(self, time_s: float) -> None:
        figures: Figures = {}
        for source in self._sources:
            try:
                figures.update(source.figures())
            except (MachineError, OSError) as error:  # it may be just ending; the others go on
                self._failed = str(error)
        self._buffer.add(time_s, figures)


class ProcessorsSource:
    """How busy the machine's processors were since the last sample, from 0 to 1."""

    def __init__(self, machine: str) -> None:
        self._machine = machine
        self._before = time.monotonic(), processors()

    def figures(self) -> Figures:
        (before_s, before), (now_s, now) = self._before, (time.monotonic(), processors())
        self._before = now_s, now
        ticks = (now_s - before_s) * now["ticks_per_second"] * now["count"]
        idle = now["idle_ticks"] - before["idle_ticks"]
        busy = min(1.0, max(0.0, 1.0 - idle / ticks)) if ticks else 0.0
        return {("machines", self._machine, "processor_busy"): busy}

    def close(self) -> None:
        """Nothing is open."""


class InstancesSource:
    """The machine's instances.

    Args:
        names: of those that run.
        ask: sends a verb to one of them.
        chosen: what is sampled.
    """

    def __init__(
        self,
        names: Callable[[], list[str]],
        ask: Callable[..., Any],
        chosen: Callable[[], Chosen],
    ) -> None:
        self._names = names
        self._ask = ask
        self._chosen = chosen
        self._lateness: dict[str, list[list[int]]] = {}

    def figures(self) -> Figures:
        chosen = self._chosen()
        figures: Figures = {}
        for instance in self._names():
            figures |= self._of(instance, chosen)
        return figures

    def _of(self, instance: str, chosen: Chosen) -> Figures:
        if chosen.all:
            snapshot: Snapshot = self._ask(instance, "snapshot", of_elements=True)
        else:
            links, interfaces = (each.get(instance, []) for each in (chosen.links, chosen.interfaces))
            snapshot = self._ask(instance, "sample", links=links, interfaces=interfaces)
        figures: Figures = {
            ("instances", instance, name): value for name, value in self._own(instance, snapshot).items()
        }
        for kind, element, name, value in of_sections(snapshot, _SECTIONS):
            if chosen.takes(kind, element):
                figures[kind, element, name] = value
        for _, peer, name, value in of_sections(snapshot, ("peers",)):
            figures["peers", f"{instance}>{peer}", name] = value
        return figures

    def close(self) -> None:
        """Nothing is open."""

    def _own(self, instance: str, snapshot: Snapshot) -> dict[str, float]:
        now = snapshot["lateness"]["buckets"]
        grown = subtract_buckets(now, self._lateness.get(instance, []))
        self._lateness[instance] = now
        own = {"simulated_ns": float(snapshot["time_ns"]), "cpu_ns": float(snapshot["loop"]["cpu_ns"])}
        own["pool_in_use"] = float(snapshot["pool"]["in_use"])
        own["events"] = float(sum(count for _, count in grown))
        for name, fraction in _LATENESS:
            own[f"lateness_{name}_ns"] = float(percentile_ns(grown, fraction))
        return own


class HostsSource:
    """The interfaces of the machine's hosts, and TCP connections in them."""

    def __init__(self, inside: NamespaceThread, hosts: Hosts, chosen: Callable[[], Chosen]) -> None:
        self._inside = inside
        self._hosts = hosts
        self._chosen = chosen
        self._open: dict[tuple[str, str, int], _Connections] = {}
        self._connections_at = 0.0
        self._of: Chosen | None = None
        self._devices: dict[str, set[str]] = {}  # of that, by namespace

    def figures(self) -> Figures:
        chosen = self._chosen()
        if chosen is not self._of:
            self._of, self._devices = chosen, self._by_namespace(chosen)
        figures: Figures = {}
        for rows in self._hosts.counters(self._devices).values():
            for device, row in rows.items():
                figures.update(zip(_keys(device), row, strict=True))
        if time.monotonic() >= self._connections_at:
            self._follow(chosen)
            figures |= self._look_at_connections()
        return figures

    def close(self) -> None:
        """Close all descriptors: a namespace lasts as long as one is open."""
        for opened in self._open.values():
            opened.close()
        self._open.clear()

    def _by_namespace(self, chosen: Chosen) -> dict[str, set[str]]:
        wanted: dict[str, set[str]] = {}
        for host, devices in chosen.devices.items():
            wanted.setdefault(self._hosts.namespace(host), set()).update(devices)
        return wanted

    def _look_at_connections(self) -> Figures:
        began = time.monotonic()
        figures: Figures = {}
        left = CONNECTIONS_LIMIT
        for (host, _, _), opened in self._open.items():
            if left > 0 and opened.has_tcp():
                for ends, row in opened.diagnosis.connections(left):
                    left -= 1
                    figures |= {("connections", f"{host}:{ends}", name): value for name, value in row.items()}
        took = time.monotonic() - began
        self._connections_at = began + took / CONNECTIONS_SHARE
        return figures

    def _follow(self, chosen: Chosen) -> None:
        """Open what hosts have come, close what those have that are gone."""
        there = {
            (host, namespace, inode)
            for host, (namespace, inode) in self._hosts.namespaces().items()
            if host in chosen.devices
        }
        for gone in set(self._open) - there:
            self._open.pop(gone).close()
        for key in sorted(there - set(self._open)):
            self._open[key] = self._inside.run(key[1], _Connections)


@cache
def _keys(device: str) -> tuple[Key, ...]:
    """The same objects each time, as a thousand times a second they are compared."""
    return tuple(("interfaces", device, name) for name in Row._fields)


class _Connections:
    """What is open in one namespace: made by a thread that is in it, read from anywhere."""

    def __init__(self) -> None:
        self._sockets = os.open("/proc/thread-self/net/sockstat", os.O_RDONLY | os.O_CLOEXEC)
        self.diagnosis = SocketDiagnosis()

    def has_tcp(self) -> bool:
        """Whether a TCP socket is in use here."""
        return b"\nTCP: inuse 0 " not in os.pread(self._sockets, _READ_BYTES, 0)

    def close(self) -> None:
        os.close(self._sockets)
        self.diagnosis.close()
