# SPDX-License-Identifier: MIT
"""Watches every part that a machine has of a network, from when it is built until it is removed.

    processes (ended, stopped)             ─┐
    Open vSwitch (rows gone, no answer)    ─┼─▶ Incidents ─▶ verb `counters` ─▶ the verdict
    devices (removed, set down, other MTU) ─┘

What the run does itself is no incident: see `hybridnet.agent.programs.acts`.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from hybridnet.agent.machine.device_watch import DeviceWatch, devices_of
from hybridnet.agent.machine.vswitch_watch import VSwitchWatch, parts_of
from hybridnet.agent.programs.acts import Acts
from hybridnet.describe.schema.plans import MachinePlan
from hybridnet.system.ending import Endings
from hybridnet.system.incidents import Incident, Incidents
from hybridnet.system.priority import Priority, raise_thread
from hybridnet.system.process_watch import Part, ProcessWatch

__all__ = ["Witnesses"]

ASK_SECONDS = 0.5
SILENT = "did not answer"

Sockets = tuple[Path, Path]


class Witnesses:
    """The witnesses of one machine.

    Args:
        acts: what the run does itself.
        own: what the agent's process is called; None: it is the script's, too, which watches itself.
        init: the first process of a machine that has one: it holds the machine's namespaces, and that it ends is noted
            by the head, as the machine ends with it.
        daemons: the processes of Open vSwitch by name; empty where there is none.
        sockets: those of ovs-vswitchd and ovsdb-server; None where there is no Open vSwitch.
        instances: the processes of the instances by name; that they end is noted by who restarts them.
    """

    def __init__(
        self,
        acts: Acts,
        own: str | None,
        init: int | None,
        daemons: Callable[[], Mapping[str, int]],
        sockets: Callable[[], Sockets | None],
        instances: Callable[[], Mapping[str, int]],
    ) -> None:
        self.incidents = Incidents()
        self._acts, self._own = acts, own
        self._init = {} if init is None else {"the init": Part(init, _noted_elsewhere)}
        self._daemons, self._sockets, self._instances = daemons, sockets, instances
        self._programs: dict[str, dict[str, int]] = {}  # of nodes, by name
        self._processes: ProcessWatch | None = None
        self._lock = threading.Lock()  # guards the watches, which `expect` changes
        self._devices: DeviceWatch | None = None
        self._vswitch: VSwitchWatch | None = None
        self._wake = -1
        self._thread: threading.Thread | None = None

    def begin(self, plan: MachinePlan) -> None:
        """The network is built, as this plan says, and is watched from now on."""
        self.incidents = Incidents()
        self._processes = ProcessWatch(self.incidents, self._own)
        self._devices = DeviceWatch()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.expect(plan)
        self._thread = threading.Thread(target=self._watch, name="witnesses", daemon=True)
        self._thread.start()

    def expect(self, plan: MachinePlan) -> None:
        """The network has changed, by the run itself, and is as this plan says now."""
        if self._devices is None:
            return
        with self._lock:
            self._devices.expect(devices_of(plan))
            if self._vswitch is None and (sockets := self._sockets()) is not None:
                self._vswitch = VSwitchWatch(*sockets)
            if self._vswitch is not None:
                self._vswitch.expect(parts_of(plan))
            there = {row["name"] for row in (*plan["hosts"], *plan["switches"], *plan.get("nodes", ()))}
            self._programs = {node: programs for node, programs in self._programs.items() if node in there}
            self._expect_processes()
        if self._thread is not None:
            os.eventfd_write(self._wake, 1)

    def expect_processes(self) -> None:
        """Instances have begun, or have been ended by the run itself."""
        with self._lock:
            self._expect_processes()

    def expect_programs(self, node: str, programs: Mapping[str, int]) -> None:
        """A node needs these processes, by name, from now on, and no others."""
        with self._lock:
            self._programs[node] = dict(programs)
            self._expect_processes()

    def rows(self) -> list[Incident]:
        """What has happened until now: see `hybridnet.system.incidents.Incidents.rows`."""
        if self._processes is not None:
            self._processes.look()
            with self._lock:
                self._hear()
        return self.incidents.rows()

    def end(self) -> None:
        """The network is about to be removed: nothing is watched any more. A second call does nothing."""
        thread, self._thread = self._thread, None
        self._programs = {}
        if thread is not None:
            os.eventfd_write(self._wake, 1)
            thread.join()
        Endings(self._close_wake, self._close_devices, self._close_vswitch, self._close_processes).close()

    def _expect_processes(self) -> None:
        if self._processes is None:
            return
        # The run ends its daemons when nothing is watched any more.
        daemons = {name: Part(pid) for name, pid in self._daemons().items()}
        instances = {
            f"instance {name}": Part(pid, _noted_elsewhere) for name, pid in self._instances().items()
        }
        programs = {
            f"{name} of {node}": Part(pid)
            for node, own in self._programs.items()
            for name, pid in own.items()
        }
        self._processes.expect({**self._init, **daemons, **instances, **programs})

    def _watch(self) -> None:
        raise_thread(Priority.AGENT)
        asked_s = 0.0
        while self._thread is not None:
            with self._lock:
                watched = [self._wake, *([] if self._devices is None else [self._devices.fileno()])]
                watched += [] if self._vswitch is None else self._vswitch.filenos()
            poll = select.poll()
            for descriptor in watched:
                poll.register(descriptor, select.POLLIN)
            poll.poll(ASK_SECONDS * 1000)
            with self._lock:
                self._drain()
                self._hear()
                if time.monotonic() - asked_s >= ASK_SECONDS and self._vswitch is not None:
                    asked_s = time.monotonic()
                    self._look_for_silence()

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake)

    def _hear(self) -> None:
        news = [] if self._devices is None else list(self._devices.heard())
        news += [] if self._vswitch is None else list(self._vswitch.heard())
        if not news:
            return
        own = self._acts.own()
        for part, how, is_so in news:
            if not is_so:
                self.incidents.end(part, how)
            elif not own:
                self.incidents.begin(part, how)

    def _look_for_silence(self) -> None:
        assert self._vswitch is not None
        stopped = {row["part"]: row["to_ns"] for row in self.incidents.rows() if row["how"] != SILENT}
        silent = self._vswitch.silent(stopped)
        for name in ("ovsdb-server", "ovs-vswitchd"):
            if name not in silent:
                self.incidents.end(name, SILENT)
            elif not self._acts.own():  # a change of many ports takes its time
                self.incidents.begin(name, SILENT, silent[name])
        self._vswitch.ask()

    def _close_wake(self) -> None:
        if self._wake >= 0:
            os.close(self._wake)
            self._wake = -1

    def _close_devices(self) -> None:
        if self._devices is not None:
            self._devices.close()
            self._devices = None

    def _close_vswitch(self) -> None:
        if self._vswitch is not None:
            self._vswitch.close()
            self._vswitch = None

    def _close_processes(self) -> None:
        if self._processes is not None:
            self._processes.close()
            self._processes = None


def _noted_elsewhere() -> bool:
    """Of an instance's process: see `hybridnet.agent.instances.outage_log`; of the init's: the head."""
    return False
