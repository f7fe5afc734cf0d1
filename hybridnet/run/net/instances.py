# SPDX-License-Identifier: MIT
"""Verbs of several instances, wherever they run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.machines import Calls, VerbCall

Answer = TypeVar("Answer")

__all__ = ["by_instance", "call_instances"]


def call_instances(cluster: Machines, machine_of: Mapping[str, str], calls: Calls) -> None:
    """Run one verb of each of several instances: at the same time on different machines, one after the other on one.

    Args:
        machine_of: where each instance runs.
        calls: by instance, the agent's verb and its arguments without ``instance``.

    Raises:
        MachineError: the first that failed; later ones were not called.
    """
    waiting = dict(calls)
    while waiting:
        turn: dict[str, VerbCall] = {}
        for instance in list(waiting):
            if machine_of[instance] not in turn:
                verb, arguments = waiting.pop(instance)
                turn[machine_of[instance]] = (verb, {"instance": instance, **arguments})
        cluster.call_all(turn)


def by_instance(answers: Mapping[str, Mapping[str, Answer | None]]) -> dict[str, Answer | None]:
    """What each instance answered, of what the machines did; None by the name of a machine that simulates nothing."""
    found: dict[str, Answer | None] = {}
    for machine, own in answers.items():
        found |= own or {machine: None}
    return found
