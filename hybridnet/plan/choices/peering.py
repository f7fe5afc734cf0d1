# SPDX-License-Identifier: MIT
"""Peering: what the instances of a network do with what they send each other; see docs/peering.md."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridnet.describe.options import Option, table
from hybridnet.describe.options.capture_filter import capture_filter
from hybridnet.describe.options.read import cure, read_options
from hybridnet.describe.schema.plans import PeerPlan
from hybridnet.describe.topo import natural
from hybridnet.describe.values import flag, shown
from hybridnet.errors import PlanError, TopologyError, UnitError
from hybridnet.plan.choices.crossings import BACKEND
from hybridnet.plan.choices.transports import peer_entry

__all__ = ["Peering", "PeeringOptions", "parse_peering", "peering_notes"]

AUTHENTICATED = "authenticated"


class PeeringOptions:
    """The way between two instances.

    Args:
        authenticated: whether what passes between machines is encrypted and authenticated with a key of the run. None:
            where the machines are not on one computer.
        options: those of the table of peering, with units: ``longest_wait="50us"``; docs/peering.md has them all.
            ``transport`` is that between machines: instances of one machine share memory. Instead of one of the table
            it may be ``"pcap"``: cut links, also within a machine, are crossed as frames by emulation portals, and
            nothing else can be said about them.

    Raises:
        PlanError: an option does not exist, or its value is of another type or out of range.

    Example:
        >>> PeeringOptions(transport="tcp", flush="time", longest_wait="50us").planned["longest_wait_ns"]
        50000
    """

    def __init__(self, *, authenticated: bool | None = None, **options: Any) -> None:
        if authenticated is not None:
            flag(authenticated, f"peering: {AUTHENTICATED}", error=PlanError)
        named = {} if authenticated is None else {AUTHENTICATED: authenticated}
        self.given: Mapping[str, Any] = {**options, **named}  # as it was written
        self.by_portals = options.get("transport") == BACKEND
        if self.by_portals:
            _check_alone(options, authenticated)
            options = {}
        try:
            planned = read_options(options, table("peering"), "peering")
        except (TopologyError, UnitError) as error:
            raise PlanError(str(error)) from None
        if planned.get("transport") == "shm":
            raise PlanError(
                "peering: transport 'shm' does not lead from machine to machine, and within one it is there by itself; "
                "leave it out, or write 'udp' or 'tcp'"
            )
        if (written := planned.get("bulk_filter")) is not None:
            capture_filter(written, "peering: bulk_filter", error=PlanError)
        self.authenticated = authenticated
        self.planned: Mapping[str, Any] = planned

    @classmethod
    def of(cls, given: object) -> PeeringOptions:
        """`given`, or what a transport's name or a dictionary with these options means. Raises PlanError."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str):
            return cls(transport=given)
        if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
            raise PlanError(
                f"peering {shown(given)} is neither hybridnet.PeeringOptions(...) nor a dictionary of its options, nor "
                "the name of a transport"
            )
        return cls(**given)

    @property
    def has_bulk(self) -> bool:
        """Whether some packets are told apart as bulk."""
        return bool(self.planned.get("bulk_dscp") or self.planned.get("bulk_filter"))


@dataclass(frozen=True)
class Peering:
    """How the instances of one run reach each other.

    Args:
        key: the run's, 64 hexadecimal digits; None: nothing can be authenticated.
        computers: by machine, where that is known: those of one computer are told by its name.
    """

    options: PeeringOptions
    key: str | None = field(repr=False)
    first_port: int
    computers: Mapping[str, str]

    @property
    def ports(self) -> int:
        """How many each pair of instances has."""
        return 2 if self.options.has_bulk else 1

    def entry(
        self, instances: tuple[str, str], machines: tuple[str, str], addresses: tuple[str, str], port: int
    ) -> PeerPlan:
        """What an instance plan says of a peer; as `peer_entry`.

        Raises:
            PlanError: there is no such port, or no key.
        """
        if port + self.ports - 1 > 65535:
            raise PlanError(
                f"instance {instances[1]}: no port is left for peering ({port}); start from a lower peer_port"
            )
        made = peer_entry(instances, machines, addresses, port)
        left_out = _BETWEEN_MACHINES if machines[0] == machines[1] else ()
        if instances[0] == min(instances, key=natural):
            left_out += _OF_THE_SECOND
        chosen: Any = {key: value for key, value in self.options.planned.items() if key not in left_out}
        made.update(chosen)
        if machines[0] == machines[1]:
            return made
        if self._is_authenticated(machines):
            if self.key is None:
                raise PlanError(
                    f"instances {instances[0]} and {instances[1]}: peering between machines is authenticated here, and "
                    "the plan has no key; give PlanOptions a peering_key, such as secrets.token_hex(32)"
                )
            made["key"] = self.key
        return made

    def check_open(self, instances: tuple[str, str], machines: tuple[str, str]) -> None:
        """Raise PlanError where what passes between two instances must be authenticated, which portals cannot."""
        if machines[0] != machines[1] and self._is_authenticated(machines):
            raise PlanError(
                f"instances {instances[0]} and {instances[1]} are on two computers, and pcap portals send and take "
                "frames that are neither encrypted nor authenticated; write peering=PeeringOptions(transport='pcap', "
                "authenticated=False) where nobody else reaches that network, or take another transport"
            )

    def _is_authenticated(self, machines: tuple[str, str]) -> bool:
        if self.options.authenticated is not None:
            return self.options.authenticated
        here, there = (self.computers.get(machine, "") for machine in machines)
        return here != there and "" not in (here, there)


def _check_alone(options: Mapping[str, Any], authenticated: bool | None) -> None:
    """Raise PlanError where something is asked of pcap portals that they do not have."""
    other = next((name for name in options if name != "transport"), AUTHENTICATED if authenticated else None)
    if other is not None:
        raise PlanError(
            f"peering: transport '{BACKEND}' sends frames one by one and has no {other}; leave it out, or take "
            "transport 'udp' or 'tcp'"
        )


def peering_notes(
    options: PeeringOptions, joined: Collection[tuple[str, str]], guests: bool, instances: int
) -> list[str]:
    """What of the options has no effect in a network, and why.

    Args:
        joined: the machines of the two ends of each cut link.
        guests: whether a guest may join.
        instances: how many there are.
    """
    said = list(options.given)
    if not said:
        return []
    if not joined and (not guests or options.by_portals):
        if instances < 2:
            there = "there is one instance" if instances else "nothing is simulated"
        else:
            there = f"no link joins two of the {instances} instances"
        return [
            f"peering: {', '.join(said)} {_have(said)} no effect, because {there} and nothing peers; divide what is "
            "simulated (instance=, instances_per_machine=, --instances), or spread the network (machine=, --machines)"
        ]
    idle = _idle(options)
    if options.by_portals or guests or any(a != b for a, b in joined):
        return idle
    between = [name for name in said if name in _SAID_BETWEEN_MACHINES]
    if not between:
        return idle
    return [
        *idle,
        f"peering: {', '.join(between)} {_have(between)} no effect, because instances of one machine share memory; "
        "leave this out, or spread the network (machine=, --machines)",
    ]


def _idle(options: PeeringOptions) -> list[str]:
    """What the other options leave without effect."""
    flush = options.planned.get("flush", "turn")
    needs = {
        "longest_wait": (flush in ("time", "size"), f"flush is {flush!r}", "flush='time' or 'size'"),
        "batch_size": (flush == "size", f"flush is {flush!r}", "flush='size'"),
        "receive_size": (
            bool(options.planned.get("receive_wait_ns")),
            "nothing is gathered without receive_wait",
            "receive_wait, too",
        ),
    }
    return [
        f"peering: {name} has no effect, because {why}; write {cure}, or leave it out"
        for name, (is_met, why, cure) in needs.items()
        if name in options.given and not is_met
    ]


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


_BETWEEN_MACHINES: tuple[str, ...] = ("transport", "datagram_size_bytes")
_SAID_BETWEEN_MACHINES = ("transport", "datagram_size", AUTHENTICATED)
_OF_THE_SECOND = ("clock_ahead_ns", "clock_drift_ppm")


def parse_peering(words: Sequence[str]) -> PeeringOptions:
    """What ``--peering NAME=VALUE`` means, each once.

    Raises:
        PlanError: as PeeringOptions, or a word is not of that form.

    Example:
        >>> parse_peering(["bulk_dscp=8,10", "compression=on"]).planned["bulk_dscp"]
        [8, 10]
    """
    known = table("peering").said
    given: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name in given:
            raise PlanError(f"--peering {word}: write NAME=VALUE, each name once")
        if name == AUTHENTICATED:
            given[name] = _flag(text, word)
            continue
        if name not in known:
            raise PlanError(
                f"--peering {word}: unknown option {name!r}; {cure(name, [*known, AUTHENTICATED])}"
            )
        given[name] = _value(text, known[name])
    return PeeringOptions(**given)


def _flag(text: str, word: str) -> bool:
    if text not in ("yes", "no"):
        raise PlanError(f"--peering {word}: write yes or no")
    return text == "yes"


def _value(text: str, option: Option) -> Any:
    """As it would be written in Python; what is no number stays text, and is refused where one must be."""
    if option.kind == "list":
        return [_number(each) for each in text.split(",")]
    return _number(text) if option.kind == "count" else text


def _number(text: str) -> int | str:
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else text
