# SPDX-License-Identifier: MIT
"""What a network needs of its machines, wherever they are: `Cluster` has it, and so has `Here`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.journal import Journal
from hybridnet.system.process_watch import Part

if TYPE_CHECKING:
    from hybridnet.agent.machine.facts import Facts

__all__ = ["Answers", "Arrival", "Call", "Calls", "Loss", "Machines", "VerbCall"]

Call = Callable[..., Any]
"""call(verb, **arguments): runs a verb of one machine's agent, and waits for its result."""
VerbCall = tuple[str, Mapping[str, object]]
"""A verb with its arguments."""
Calls = Mapping[str, VerbCall]
"""By machine."""
Answers = dict[str, Any]
"""What each verb has answered, by machine; the verb says of which type it is."""


@dataclass(frozen=True)
class Loss:
    """A machine was lost.

    Args:
        why: begins with the machine's name.
        at_s: when this was known, on time.monotonic() of the head.
    """

    why: str
    at_s: float


class Arrival(NamedTuple):
    """A machine that joins: what calls its agent, and its IPv4 address toward the others."""

    call: Call
    address: str


class Machines(Protocol):
    """The machines of one run."""

    journal: Journal
    on_progress: Callable[[str, str], object]
    on_lost: Callable[[str], object]
    """Called with a machine that is lost, as soon as that is known, in a thread that must not be held up."""

    @property
    def machines(self) -> list[str]:
        """Their names."""

    def address(self, machine: str) -> str:
        """A machine's IPv4 address toward the others; this computer has a route to it."""

    def facts(self, machine: str) -> Facts:
        """What a machine has: see `hybridnet.agent.machine.facts`."""

    def call(self, machine: str, verb: str, **arguments: Any) -> Any:
        """Run a verb of a machine's agent, and wait for its result."""

    def call_all(self, calls: Calls) -> Answers:
        """Run one verb on each of several machines at the same time, and wait for all."""

    def call_left(self, calls: Calls) -> Answers:
        """The same, but a machine that is lost, before or meanwhile, has no answer."""

    def lost(self) -> dict[str, Loss]:
        """The machines that are lost."""

    def restarting(self, machine: str) -> AbstractContextManager[Call]:
        """Start a lost machine again: see `hybridnet.machines.cluster.Cluster.restarting`."""

    def joining(self, machine: str) -> AbstractContextManager[Arrival]:
        """Start a machine that is none of them so far: see `hybridnet.machines.cluster.Cluster.joining`."""

    def remove(self, machine: str) -> dict[str, Snapshot | None]:
        """Let a machine leave while the others run on: see `hybridnet.machines.cluster.Cluster.remove`."""

    def processes(self) -> dict[str, Part]:
        """The processes beside the script that the run has on this computer, by name. That one of a machine ends is
        told as the machine's loss.
        """

    def close(self) -> None:
        """Remove everything."""
