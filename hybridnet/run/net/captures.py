# SPDX-License-Identifier: MIT
"""Captures at simulated interfaces that begin and end while the network runs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hybridnet.describe.options.capture_filter import capture_filter
from hybridnet.describe.quantities import parse_size
from hybridnet.describe.topo import natural
from hybridnet.describe.values import shown, text
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.plan.network import Plan

__all__ = ["Capture", "CaptureState", "begin_capture"]


@dataclass(frozen=True)
class CaptureState:
    """How a capture is.

    Args:
        running: it goes on.
        frames: that are in its file, the segments of a train one by one; None: not known any more.
        lost_by: frames that are not, by reason: ``file_full``, ``queue_full`` (the disk was slower), ``write_failed``.
        error: why it ended although nobody asked for that, or why its file could not be written; empty: neither.
    """

    running: bool
    frames: int | None = None
    lost_by: Mapping[str, int] = field(default_factory=dict)
    error: str = ""

    @property
    def lost(self) -> int:
        """All of them together."""
        return sum(self.lost_by.values())


class Capture:
    """What `hybridnet.Net.capture` has begun. It ends with its ``with`` block, or `stop`.

    Args:
        machine, instance: where the interface is.
        file: on that machine.
    """

    def __init__(self, cluster: Machines, machine: str, instance: str, interface: str, file: str) -> None:
        self.machine, self.interface, self.file = machine, interface, file
        self._cluster, self._instance = cluster, instance
        self._stopped: CaptureState | None = None

    def state(self) -> CaptureState:
        """How it is now. One that ended with its link, its instance or its machine says so."""
        if self._stopped is not None:
            return self._stopped
        try:
            rows = self._cluster.call(self.machine, "captures", instance=self._instance)
        except HybridnetError as problem:
            return self._ended(str(problem))
        for row in rows:
            if row["file"] == self.file:
                return _state_of(row, asked=False)
        return self._ended("the instance was started again")

    def stop(self) -> CaptureState:
        """End it; its file is complete then. A second call says the same once more."""
        if self._stopped is None:
            before = self.state()
            if before.running:
                row = self._cluster.call(
                    self.machine, "stop_capture", instance=self._instance, file=self.file
                )
                before = _state_of(row, asked=True)
            self._stopped = before
        return self._stopped

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _ended(self, why: str) -> CaptureState:
        return CaptureState(
            False, error=f"the capture at {self.interface} has ended: {why}; its file has what came before"
        )


def begin_capture(
    cluster: Machines, plan: Plan, interface: Any, file: Any, filter: Any, most: Any
) -> Capture:
    """See `hybridnet.Net.capture`."""
    name = text(interface, "capture: interface")
    if not isinstance(file, str | os.PathLike) or not os.path.isabs(os.fspath(file)):
        raise UsageError(
            f"capture at {name}: file {shown(file)} is not an absolute path, which its machine needs; "
            "write os.path.abspath(...)"
        )
    path = text(os.fspath(file), f"capture at {name}: file")
    wanted = capture_filter(filter, f"capture at {name}: filter", error=UsageError) if filter != "" else ""
    most_bytes = parse_size(most, f"capture at {name}: most")
    place = _places(plan).get(name)
    if place is None:
        raise UsageError(f"capture at {name}: {_why_not(plan, name)}")
    instance, machine = place
    cluster.call(
        machine,
        "start_capture",
        instance=instance,
        interface=name,
        file=path,
        filter=wanted,
        most_bytes=most_bytes,
    )
    return Capture(cluster, machine, instance, name, path)


def _places(plan: Plan) -> dict[str, tuple[str, str]]:
    """Of each simulated interface its instance and machine."""
    return {
        interface["name"]: (instance, plan.machine_of_instance[instance])
        for instance, own in plan.instances.items()
        for node in own["nodes"]
        for interface in node["interfaces"]
    }


def _why_not(plan: Plan, name: str) -> str:
    for link in plan.links:
        for end in (link.a, link.b):
            if end.interface == name and end.node in plan.guests:
                return f"it is on the computer of guest {end.node}, which captures there itself"
            if end.interface == name:
                return f"it is emulated; run tcpdump in {end.node}"
    known = ", ".join(sorted(_places(plan), key=natural)[:20]) or "none: nothing is simulated"
    return f"there is no simulated interface of that name; the interfaces are {known}"


def _state_of(row: Mapping[str, Any], *, asked: bool) -> CaptureState:
    error = row["failure"]
    if not row["running"] and not asked and not error:
        error = f"the capture at {row['interface']} has ended: its link is gone"
    return CaptureState(row["running"], row["frames"], row["lost"], error)
