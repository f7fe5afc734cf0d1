# SPDX-License-Identifier: MIT
"""What a head and the processes of a machine say to each other while the machine starts, line by line."""

from __future__ import annotations

from typing import NotRequired, TypedDict, final

__all__ = ["AgentSettings", "Cable", "FirstLine", "InitWords", "Meeting", "SecondLine", "Whereabouts"]


class FirstLine(TypedDict):
    """To an init: which machine it is."""

    run: str
    machine: str
    state: str  # directory
    own_network: bool
    worker_name: str  # Dask's
    silence_s: NotRequired[float]  # how long the agent may hear nothing of the head; absent: for ever
    pmd_cpus: NotRequired[list[int]]
    outside: NotRequired[
        int
    ]  # a descriptor of the computer's network namespace, where the machine has its own


@final
class InitWords(TypedDict):
    """From an init, once the namespaces are made."""

    init_pid: int
    ssh: list[str]  # the head's address and port, and the machine's, as sshd sees them
    edition: str


@final
class Cable(TypedDict):
    """A device that the head has moved into a machine's network namespace, and its address with its prefix length."""

    device: str
    address: str


@final
class Meeting(TypedDict):
    """Where an agent meets its head."""

    scheduler: str
    security: dict[str, str]  # see `hybridnet.machines.workers.security.security_of`


class Whereabouts(TypedDict):
    """Where an agent meets its head, and its own address there."""

    scheduler: str
    security: dict[str, str]
    address: str


@final
class SecondLine(TypedDict):
    """To an init: what its agent needs."""

    network: Cable | None
    agent: Whereabouts


@final
class AgentSettings(FirstLine, Whereabouts):
    """To an agent, from its init."""
