# SPDX-License-Identifier: MIT
"""Where the processors' time goes: how many of them each part of an arm keeps busy, and seconds per gigabyte. Pure.

    flow runner of each machine: samples ──┐
                                           ├─▶ processors of each part in a step ─ / goodput ─▶ seconds per gigabyte
    head: how long the controller ran ─────┘

A process's time is what the scheduler counted for it, with what the kernel did in its name: a frame's way out of a
sending host, and often its way into the receiving one as well. What was busy beside all of them is the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet.experiments.maxinet.staircase import Stay

__all__ = ["PARTS", "ControllerTime", "Sampled", "processors_of", "seconds_per_gb"]

ON_MACHINES = ("hosts", "switches", "instances")
PARTS = (*ON_MACHINES, "controller", "rest")
"""Hosts: their programs. Switches: Open vSwitch. Instances: also simulated switches, which are in them. Controller:
Ryu. Rest: everything else on the computers, such as interrupts and their packets, the agents, and what measures.
"""


@dataclass(frozen=True)
class Sampled:
    """What the flow runner of one machine sampled.

    Args:
        computer: which the machine is on.
        cores: that computer's.
        ticks_per_second: of its processor times.
        samples: as the runner answers them.
        started_s: when the first stay began, by the machine's clock.
    """

    computer: str
    cores: int
    ticks_per_second: int
    samples: Sequence[Mapping[str, Any]]
    started_s: float


@dataclass(frozen=True)
class ControllerTime:
    """How many processors the controller kept busy in a stay, and on which computer it runs."""

    computer: str
    processors: float


def processors_of(machines: Sequence[Sampled], controller: ControllerTime, stay: Stay) -> dict[str, float]:
    """How many processors each of `PARTS` kept busy on average in the seconds of a stay that count.

    A computer with several machines counts once, and the controller's own only for the controller, if no machine is
    there. What a hypervisor took counts as nobody's. Empty if a machine has no sample of them.
    """
    spans = [_span(machine, stay) for machine in machines]
    found = dict.fromkeys(PARTS, 0.0)
    busy: dict[str, float] = {}
    for machine, span in zip(machines, spans, strict=True):
        if span is None:
            return {}
        first, last = span
        lasted_s = last["monotonic_s"] - first["monotonic_s"]
        for part in ON_MACHINES:
            found[part] += (last["ran_ns"][part] - first["ran_ns"][part]) / 1e9 / lasted_s
        _, idle, stolen = (
            (after - before) / machine.ticks_per_second / lasted_s
            for before, after in zip(first["processor"], last["processor"], strict=True)
        )
        busy.setdefault(machine.computer, machine.cores - idle - stolen)
    found["controller"] = controller.processors
    busy.setdefault(controller.computer, controller.processors)
    # Idle times are counted in hundredths of a second, so the rest may come out a little below nothing.
    found["rest"] = max(0.0, sum(busy.values()) - sum(found.values()))
    return found


def seconds_per_gb(processors: Mapping[str, float], goodput_bps: float) -> dict[str, float]:
    """Processor seconds for each gigabyte that arrived, by part; empty if nothing arrived, or nothing is known.

    Example:
        >>> seconds_per_gb({"hosts": 0.5, "rest": 0.25}, 1e9)
        {'hosts': 4.0, 'rest': 2.0}
    """
    if not goodput_bps:
        return {}
    return {part: cores * 8e9 / goodput_bps for part, cores in processors.items()}


def _span(machine: Sampled, stay: Stay) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """The first and the last sample of the seconds that count; see `staircase.counted_seconds`."""
    counted = [
        pair
        for pair in itertools.pairwise(machine.samples)
        if stay.counts((pair[0]["monotonic_s"] + pair[1]["monotonic_s"]) / 2 - machine.started_s)
    ]
    return (counted[0][0], counted[-1][1]) if counted else None
