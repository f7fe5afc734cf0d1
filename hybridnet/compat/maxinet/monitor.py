# SPDX-License-Identifier: MIT
"""Monitor: once a second, what the workers' processors, memory and interfaces do, in files as MaxiNet writes them.

maxinet_cpu_WID_(HOST).log          time, mpstat's line about all processors
maxinet_mem_WID_(HOST).log          time, free, buffers, cached (kB)
maxinet_intf_INTF_WID_(HOST).log    time, bytes received, sent, packets received, sent, since the second before
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hybridnet.compat.maxinet.worker import Worker
from hybridnet.errors import HybridnetError
from hybridnet.machines.cluster.machines import Answers, Calls
from hybridnet.system.log import warn

__all__ = ["Monitor", "interface_figures", "memory_figures", "processor_figures"]

PERIOD_S = 1.0
_PROBE = "cat /proc/stat; echo; cat /proc/meminfo; echo; cat /proc/net/dev"


class Monitor:
    """Writes until it is stopped.

    Args:
        workers: whom to watch.
        folder: where the files go; made if it is not there.
        call_all: runs one verb on each of several machines: that of a `hybridnet.Cluster`.
        cpu, memory: whether to write of them.
        interfaces: of each worker, by machine, the interfaces to write of.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        folder: Path,
        call_all: Callable[[Calls], Answers],
        *,
        cpu: bool = False,
        memory: bool = False,
        interfaces: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._workers, self._folder, self._call_all = list(workers), folder, call_all
        self._cpu, self._memory, self._interfaces = cpu, memory, dict(interfaces or {})
        self._ending = threading.Event()
        self._before: dict[str, list[str]] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._watch, name="MaxiNet monitor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write no more."""
        self._ending.set()
        self._thread.join()

    def _watch(self) -> None:
        due = time.monotonic()
        while not self._ending.wait(max(0.0, due - time.monotonic())):
            due += PERIOD_S
            try:
                calls = {worker.machine: ("exec", {"argv": _PROBE}) for worker in self._workers}
                answers = self._call_all(calls)
            except HybridnetError as problem:
                warn(f"*** the workers are no longer monitored: {problem}\n")
                return
            now = time.time()
            for worker in self._workers:
                self._write(worker, answers[worker.machine]["stdout"].decode(), now)

    def _write(self, worker: Worker, probe: str, now: float) -> None:
        parts = probe.split("\n\n")
        before, self._before[worker.machine] = self._before.get(worker.machine), parts
        name = f"{worker.wid}_({worker.hn()}).log"
        if self._memory:
            self._append(f"maxinet_mem_{name}", now, ",", memory_figures(parts[1]))
        if before is None:
            return
        if self._cpu:
            shares = processor_figures(before[0], parts[0])
            line = f"    {time.strftime('%I:%M:%S %p', time.gmtime(now))} all " + " ".join(
                f"{x:.2f}" for x in shares
            )
            self._append(f"maxinet_cpu_{name}", now, line, [])
        for interface in self._interfaces.get(worker.machine, ()):
            figures = interface_figures(before[2], parts[2], interface)
            self._append(f"maxinet_intf_{interface}_{name}", now, ",", figures)

    def _append(self, file: str, now: float, text: str, figures: Sequence[int]) -> None:
        with (self._folder / file).open("a") as log:
            log.write(f"{now:.0f}{text}{','.join(map(str, figures))}\n")


def processor_figures(before: str, after: str) -> list[float]:
    """Percentages between two readings of /proc/stat, in mpstat's order: usr nice sys iowait irq soft steal guest idle.

    Example:
        >>> processor_figures("cpu  0 0 0 0 0 0 0 0 0 0", "cpu  50 0 25 25 0 0 0 0 0 0")
        [50.0, 0.0, 25.0, 0.0, 0.0, 0.0, 0.0, 0.0, 25.0]
    """
    counts = [[int(word) for word in text.split("\n")[0].split()[1:10]] for text in (before, after)]
    usr, nice, sys, idle, iowait, irq, soft, steal, guest = (
        b - a for a, b in zip(counts[0], counts[1], strict=True)
    )
    whole = max(usr + nice + sys + idle + iowait + irq + soft + steal, 1)
    ordered = (usr - guest, nice, sys, iowait, irq, soft, steal, guest, idle)
    return [100 * count / whole for count in ordered]


def memory_figures(meminfo: str) -> list[int]:
    """Free memory, buffers and cache in kB, of /proc/meminfo."""
    rows = dict(line.split(":") for line in meminfo.splitlines() if ":" in line)
    return [int(rows[name].split()[0]) for name in ("MemFree", "Buffers", "Cached")]


def interface_figures(before: str, after: str, interface: str) -> list[int]:
    """Bytes received and sent, packets received and sent, between two readings of /proc/net/dev; 0 where the interface
    is not there.
    """
    readings = []
    for text in (before, after):
        rows = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
        found = {name.strip(): row.split() for name, row in rows.items()}.get(interface)
        readings.append([int(found[column]) for column in (0, 8, 1, 9)] if found else [0, 0, 0, 0])
    return [b - a for a, b in zip(*readings, strict=True)]
