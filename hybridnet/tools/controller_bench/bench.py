# SPDX-License-Identifier: MIT
"""Simulated switches under a real controller, over real TCP connections, in real time: connects them, lets their hosts
announce themselves, and measures.

The switches are simcore's, and one thread of this process has all of them (simcore/instance/controller_bench.h). What
the controller installs is applied, and moves packets.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import final

from hybridnet.describe.options.tables import extension
from hybridnet.errors import ControllerError, EnvironmentLackError, UsageError
from hybridnet.run.controllers import RemoteController
from hybridnet.system.process_limits import allow_open_files
from hybridnet.tools.controller_bench.report import Repetition, Report

__all__ = ["MODES", "ControllerBench", "Load"]

MODES = ("latency", "throughput")
HERE = "127.0.0.1"
MOST_SWITCHES, MOST_HOSTS, MOST_HOSTS_IN_ALL, MOST_WINDOW = 100_000, 1_000, 400_000, 1_000
POLL_S = 0.02
STANDSTILL_S = 30.0
"""For so long no more switches may come than before, while they connect, or their hosts announce themselves."""
_LOST = (
    "switches connect and are lost again, as it ends connections, or answers no echo request within 10 s; leave the "
    "computer to it, or ask for fewer switches"
)
_FILES = 200  # that a process has open besides connections


@final
@dataclass(frozen=True)
class Load:
    """What a controller is asked.

    Args:
        switches: 1 to 100,000.
        hosts: of each switch, 2 to 1,000, at a port each; of all together at most 400,000.
        mode: ``latency``: one packet of a switch waits for its answer at a time; ``throughput``: `window` of them.
        window: 1 to 1,000.

    Raises:
        UsageError: a figure is out of its range.
    """

    switches: int = 16
    hosts: int = 16
    mode: str = "latency"
    window: int = 16

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UsageError(f"load: mode {self.mode!r}: choose {' or '.join(MODES)}")
        for name, value, least, most in (
            ("switches", self.switches, 1, MOST_SWITCHES),
            ("hosts of a switch", self.hosts, 2, MOST_HOSTS),
            ("hosts in all", self.switches * self.hosts, 2, MOST_HOSTS_IN_ALL),
            ("window", self.window, 1, MOST_WINDOW),
        ):
            if not least <= value <= most:
                raise UsageError(f"load: {name} {value}: choose from {least:,} to {most:,}")

    @property
    def under_way(self) -> int:
        """Packets of a switch that wait for their answer at a time."""
        return 1 if self.mode == "latency" else self.window


class ControllerBench:
    """One controller, and the switches that ask it. A context manager.

    ::

        with ControllerBench(controller_of("ryu.app.simple_switch_13"), Load(switches=16)) as bench:
            print(bench.measure(duration_s=5, repetitions=3).set_ups_per_s())

    Args:
        controller: one that this starts and ends, or a `RemoteController`.
        protocols: what switches speak: ``OpenFlow13``, ``OpenFlow10``.
        on_progress: called some times a second with what is being done, how far it is, and how far it is to go.

    Raises:
        EnvironmentLackError: this process may not open as many connections.
        ControllerError: it does not start, or nothing answers at its address.
    """

    def __init__(
        self,
        controller: RemoteController,
        load: Load,
        *,
        protocols: tuple[str, ...] = ("OpenFlow13",),
        on_progress: Callable[[str, float, float], object] = lambda what, done, total: None,
    ) -> None:
        self._controller = controller
        self._load = load
        self._protocols = protocols
        self._say = on_progress
        self._failure: BaseException | None = None
        self._connected_s = self._ready_s = 0.0
        self._thread: threading.Thread | None = None

    def __enter__(self) -> ControllerBench:
        _allow_connections(self._load.switches)
        try:
            self._controller.begin(HERE)
            self._controller.ready()
            self._make()
            self._connect()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the switches, and the controller, if this has started it. Idempotent."""
        if self._thread is not None:
            self._bench.stop()
            self._thread.join()
            self._thread = None
        self._controller.end()

    def measure(self, duration_s: float = 5.0, repetitions: int = 3, warm_up_s: float = 1.0) -> Report:
        """Keep the controller busy, and measure.

        Args:
            duration_s: of each repetition.
            repetitions: intervals, one right after the other; 0: only connect.
            warm_up_s: before the first one, which does not count.

        Raises:
            ControllerError: it ends, or sets up no flow.
        """
        found = []
        if repetitions:
            self._bench.load(self._load.under_way)
            self._wait("warming up", warm_up_s)
        for number in range(1, repetitions + 1):
            self._bench.take()
            before_ns = self._controller_cpu_ns()
            self._wait(f"{number} of {repetitions}", duration_s)
            taken = self._bench.take()
            after_ns = self._controller_cpu_ns()
            cpu_ns = None if before_ns is None or after_ns is None else after_ns - before_ns
            if not taken["answered"]:
                raise ControllerError(
                    f"controller {self._name()}: in {duration_s:g} s it set up no flow: switches sent "
                    f"{taken['packet_ins']} packet-ins and got {taken['packet_outs']} packet-outs, and no packet "
                    "came to the host it was for; its application must send packets on"
                )
            found.append(Repetition.of(taken, cpu_ns))
        if repetitions:
            self._bench.load(0)
        pid = self._controller.pid
        return Report(
            controller=self._name(),
            mode=self._load.mode,
            switches=self._load.switches,
            hosts=self._load.hosts,
            window=self._load.under_way,
            connected_s=self._connected_s,
            ready_s=self._ready_s,
            switches_bytes=_resident_bytes(os.getpid()) - self._before_bytes,
            controller_bytes=None if pid is None else _resident_bytes(pid),
            repetitions=tuple(found),
        )

    def _make(self) -> None:
        self._before_bytes = _resident_bytes(os.getpid())
        target = self._controller.target(HERE)
        host, _, port = target.removeprefix("tcp:").rpartition(":")
        self._bench = extension().ControllerBench(
            self._load.switches,
            self._load.hosts,
            f"tcp:[{host}]:{port}" if ":" in host else target,
            list(self._protocols),
        )
        self._thread = threading.Thread(target=self._run, name="controller-bench", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._bench.run()
        except BaseException as error:  # the main thread raises it
            self._failure = error

    def _connect(self) -> None:
        began_s = time.monotonic()
        self._await("connected", "connecting", "it greets no more switches; is its application loaded?")
        self._connected_s = time.monotonic() - began_s
        self._bench.announce()
        self._await(
            "announced",
            "hosts announce themselves",
            "no more switches ask it, or hear from it; its application must install a flow that sends packets to it",
        )
        self._ready_s = time.monotonic() - began_s

    def _await(self, figure: str, what: str, cure: str) -> None:
        """Wait until all switches have come so far, as long as it goes on."""
        total = self._load.switches
        best: Counter[str] = Counter()
        moved_s = time.monotonic()
        while True:
            self._check()
            now = self._bench.progress()
            self._say(what, now[figure], total)
            if now[figure] == total:
                return
            if any(value > best[name] for name, value in now.items()):
                best |= Counter(now)
                moved_s = time.monotonic()
            if time.monotonic() - moved_s > STANDSTILL_S:
                lost = now["connected"] < best["connected"] or self._bench.take()["lost"] > 0
                raise ControllerError(
                    f"controller {self._name()}: {what}: {best[figure]} of {total} switches after {STANDSTILL_S:g} s "
                    f"in which no more came; {_LOST if lost else cure}"
                )
            time.sleep(POLL_S)

    def _wait(self, what: str, duration_s: float) -> None:
        end_s = time.monotonic() + duration_s
        while (left_s := end_s - time.monotonic()) > 0:
            self._check()
            self._say(what, duration_s - left_s, duration_s)
            time.sleep(min(left_s, 10 * POLL_S))

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure
        self._controller.check()

    def _name(self) -> str:
        apps = getattr(self._controller, "apps", None)
        return self._controller.target(HERE) if apps is None else ", ".join(map(str, apps))

    def _controller_cpu_ns(self) -> int | None:
        pid = self._controller.pid
        return None if pid is None else _cpu_ns(pid)


def _allow_connections(count: int) -> None:
    allow_open_files()
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and count + _FILES > most:
        raise EnvironmentLackError(
            f"controller-bench: {count:,} switches need {count + _FILES:,} open files, and this process may have "
            f"{most:,} (ulimit -Hn: {hard:,}); raise it as root (ulimit -n {count + _FILES}), or ask for fewer switches"
        )


def _cpu_ns(pid: int) -> int:
    """Processor time of a process, in user and system mode (proc(5), stat)."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def _resident_bytes(pid: int) -> int:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
