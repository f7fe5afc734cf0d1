# SPDX-License-Identifier: MIT
"""Kinds of switches and hosts: what a node with the role of a switch is made of, and what else a host is.

Two kinds are hybridnet's own ground: bridges of Open vSwitch, and switches that the simulator is. Every other kind is a
`SwitchKind` that a package registers under the entry point `hybridnet.kinds`, as hybridnet's own Linux bridges are. A
description chooses one by ``addSwitch(name, kind="linux")``. Whatever is particular to a kind is said there: its
options, what the plan says of it, what makes it on a machine, its class in a network that runs. The rest of hybridnet
asks the registry.

A host is a namespace, whatever its kind; a `HostKind`, under the entry point `hybridnet.host_kinds`, says which class
of a live node it has, and which options. hybridnet's own are the router with FRR's daemons, and the host whose root is
a container image.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from hybridnet.describe.schema.plans import NodePlan
from hybridnet.describe.values import choice, plain, shown
from hybridnet.errors import EnvironmentLackError, TopologyError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = [
    "ENTRY_POINT",
    "HOST_ENTRY_POINT",
    "IMAGE",
    "OPENVSWITCH",
    "OWN_KINDS",
    "SIMULATED",
    "HostKind",
    "KindOption",
    "Maker",
    "SwitchKind",
    "check_host_kind",
    "check_kind",
    "host_kind",
    "host_kinds",
    "said_host_kind",
    "switch_kind",
    "switch_kinds",
]

ENTRY_POINT = "hybridnet.kinds"
HOST_ENTRY_POINT = "hybridnet.host_kinds"
OPENVSWITCH, SIMULATED = "openvswitch", "simulated"
OWN_KINDS = (OPENVSWITCH, SIMULATED)
IMAGE = "image"
"""The kind of hosts that ``image=`` chooses by itself."""

Reader = Callable[[Any, str], Any]
"""Of an option: from what a user writes, and what it is of, to plain data. Raises TopologyError."""


@dataclass(frozen=True)
class KindOption:
    """What reads an option, and what people are told of it: in the editor, beside its field.

    Args:
        read: the reader.
        help: what the option means, in one line.
        kind: what its value looks like, in the words of `hybridnet.describe.options.Option`.
    """

    read: Reader
    help: str
    kind: str = "text"

    def __call__(self, value: Any, what: str) -> Any:
        """As the reader."""
        return self.read(value, what)


class Maker(Protocol):
    """Makes the switches of one kind on one machine, as root.

    Ports are devices of the machine's own network namespace. Each thing is written into the journal before it is made.
    """

    def create(self, nodes: Sequence[NodePlan]) -> None:
        """Make switches, without ports. Raises MachineError."""

    def add_ports(self, switch: str, devices: Sequence[str]) -> None:
        """Make devices ports of a switch. Raises MachineError."""

    def remove(self, names: Sequence[str]) -> None:
        """Remove switches. One that is not there is no error; their ports are removed by others."""

    def destroy(self) -> None:
        """Remove all that are still there."""


@dataclass(frozen=True, kw_only=True)
class SwitchKind:
    """A kind of switch.

    Args:
        name: what ``kind=`` says; letters, digits and ``_``.
        title: what people read, such as "Linux bridge".
        options: of `Topo.addSwitch` besides those of every switch, each with what reads it: a `KindOption`, or a reader
            alone, of which people are told nothing.
        maker: what makes them on a machine, which it is given the journal of (`hybridnet.system.journal.Journal`).
        live: the class of a live switch: a subclass of `hybridnet.Switch`.
        is_device: a switch of this kind is a network device of its own name: it is watched while the network runs, and
            no other device may have the name.
    """

    name: str
    title: str
    maker: Callable[[Any], Maker]
    live: type
    options: Mapping[str, Reader] = field(default_factory=dict)
    is_device: bool = True


@dataclass(frozen=True, kw_only=True)
class HostKind:
    """A kind of host.

    Args:
        name: what ``kind=`` says; letters, digits and ``_``.
        title: what people read, such as "FRR router".
        live: the class of a live host: a subclass of `hybridnet.Host`, whose `described` may add options, whose
            `config` starts what is to run, once the network has been built, and whose `terminate` ends it.
        options: of `Topo.addHost` besides those of every host, likewise.
    """

    name: str
    title: str
    live: type
    options: Mapping[str, Reader] = field(default_factory=dict)


@cache
def host_kinds() -> tuple[str, ...]:
    """The names of all kinds of hosts that are registered."""
    return tuple(sorted(_registered(HOST_ENTRY_POINT)))


@cache
def host_kind(name: str) -> HostKind:
    """The registered kind of that name. Raises EnvironmentLackError as `switch_kind`."""
    kind = _loaded(name, HOST_ENTRY_POINT, "host", host_kinds())
    if not isinstance(kind, HostKind) or kind.name != name:
        raise EnvironmentLackError(
            f"kind {name}: it is {shown(kind)}, and no HostKind of that name; mend its package"
        )
    return kind


def said_host_kind(options: Mapping[str, Any]) -> Any:
    """The kind that a host's options name, or choose by ``image=``; None: neither."""
    named = options.get("kind")
    return IMAGE if named is None and options.get("image") is not None else named


def check_host_kind(value: Any, what: str) -> str | None:
    """A kind of host of that name; None: a plain one. Raises TopologyError: there is none."""
    return None if value is None else choice(value, what, host_kinds(), error=TopologyError)


@cache
def switch_kinds() -> tuple[str, ...]:
    """The names of all kinds, hybridnet's own ground first."""
    return (*OWN_KINDS, *sorted(_registered(ENTRY_POINT)))


@cache
def switch_kind(name: str) -> SwitchKind:
    """The registered kind of that name.

    Raises:
        EnvironmentLackError: its package is not installed here, or cannot be loaded.
    """
    kind = _loaded(name, ENTRY_POINT, "switch", switch_kinds())
    if not isinstance(kind, SwitchKind) or kind.name != name:
        raise EnvironmentLackError(
            f"kind {name}: {_registered(ENTRY_POINT)[name].value} is {shown(kind)}, and not the SwitchKind of that "
            "name; mend its package"
        )
    return kind


def _loaded(name: str, group: str, of: str, names: Sequence[str]) -> object:
    entry = _registered(group).get(name)
    if entry is None:
        raise EnvironmentLackError(
            f"kind {plain(name)}: no package that is installed here registers such a kind of {of} under "
            f"{group}; install it for this Python, or write one of {', '.join(names) or 'those that there are: none'}"
        )
    try:
        kind: object = entry.load()
    except Exception as error:
        raise EnvironmentLackError(
            f"kind {name}: {entry.value} cannot be loaded: {type(error).__name__}: {error}; mend its package, or "
            "remove it"
        ) from error
    return kind


def check_kind(value: Any, what: str) -> str:
    """A kind of that name, or the default. Raises TopologyError: there is none."""
    if value is None:
        return OPENVSWITCH
    if value in OWN_KINDS:
        return str(value)
    return choice(value, what, switch_kinds(), error=TopologyError)


@cache
def _registered(group: str) -> Mapping[str, EntryPoint]:
    from importlib.metadata import distributions  # takes long, and few networks have such a switch

    # `entry_points` would look into one of several descriptions of a package; beside a checkout may lie an old one.
    found = [entry for each in distributions() for entry in each.entry_points if entry.group == group]
    return {entry.name: entry for entry in reversed(found)}
