# SPDX-License-Identifier: MIT
"""What a switch has been told: flows and groups, as read from its own answers (OpenFlow 1.3.5, 7.3.5)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import final

from hybridnet.errors import ExperimentError
from hybridnet.tools.explore.header import BY_CODE, FIELDS, Cube

__all__ = [
    "ALL",
    "CONTROLLER",
    "FLOOD",
    "IN_PORT",
    "LOCAL",
    "NORMAL",
    "Action",
    "Bucket",
    "Group",
    "NotUnderstoodError",
    "Port",
    "Rule",
    "Tables",
    "read_flows",
    "read_groups",
    "read_ports",
    "read_unflooded",
    "uses_normal",
]

IN_PORT, NORMAL, FLOOD, ALL, CONTROLLER, LOCAL = (
    0xFFFFFFF8,
    0xFFFFFFFA,
    0xFFFFFFFB,
    0xFFFFFFFC,
    0xFFFFFFFD,
    0xFFFFFFFE,
)
ANY = 0xFFFFFFFF
_NAMES = {
    IN_PORT: "IN_PORT",
    NORMAL: "NORMAL",
    FLOOD: "FLOOD",
    ALL: "ALL",
    CONTROLLER: "CONTROLLER",
    LOCAL: "LOCAL",
}
_BASIC = 0x8000
_OUTPUT, _PUSH_VLAN, _POP_VLAN, _SET_QUEUE, _GROUP, _SET_NW_TTL, _DEC_NW_TTL, _SET_FIELD = (
    0, 17, 18, 21, 22, 23, 24, 25,
)  # fmt: skip
_GOTO, _METADATA, _WRITE, _APPLY, _CLEAR, _METER = 1, 2, 3, 4, 5, 6
_PORT_DOWN, _NO_RECV, _NO_FWD = 1, 4, 32  # of a port's config
_NO_FLOOD = 16  # of OpenFlow 1.0 alone
_PORT_SIZE, _PORT_SIZE_10 = 64, 48  # bytes of a port's description
_FEATURES_10 = 24  # bytes in front of the ports (OpenFlow 1.0, 5.3.1)
_LINK_DOWN = 1  # of its state
_TYPES = ("all", "select", "indirect", "fast failover")


class NotUnderstoodError(ExperimentError):
    """A table has something that this does not understand, so nothing can be said about the switch."""


@final
@dataclass(frozen=True)
class Action:
    """One action. `kind`: output, group, set_field, push_vlan, pop_vlan, ttl.

    Args:
        number: of a port or a group.
        cube: what set_field sets.
    """

    kind: str
    number: int = 0
    cube: Cube = field(default_factory=Cube)

    def text(self) -> str:
        """As people write it."""
        if self.kind == "output":
            return f"output:{_NAMES.get(self.number, self.number)}"
        if self.kind == "group":
            return f"group:{self.number}"
        return f"set_field:{self.cube.text()}" if self.kind == "set_field" else self.kind


@final
@dataclass(frozen=True)
class Rule:
    """One flow."""

    table: int
    priority: int
    match: Cube  # with in_port and metadata
    apply: tuple[Action, ...] = ()
    clear: bool = False
    write: tuple[Action, ...] = ()
    metadata: Cube = field(default_factory=Cube)
    goto: int | None = None
    cookie: int = 0
    idle_s: int = 0
    hard_s: int = 0

    def text(self) -> str:
        """On one line, without counters: the same rule is the same text."""
        words = [f"table={self.table}", f"priority={self.priority}"]
        if self.cookie:
            words.append(f"cookie={self.cookie:#x}")
        words += [
            f"{name}={value}" for name, value in (("idle", self.idle_s), ("hard", self.hard_s)) if value
        ]
        does = [action.text() for action in self.apply]
        does += ["clear_actions"] if self.clear else []
        does += [f"write({','.join(action.text() for action in self.write)})"] if self.write else []
        does += [f"write_{self.metadata.text()}"] if self.metadata.mask else []
        does += [] if self.goto is None else [f"goto:{self.goto}"]
        match = self.match.text() if self.match.mask else "any"
        return f"{' '.join(words)} {match} -> {','.join(does) or 'drop'}"


@final
@dataclass(frozen=True)
class Bucket:
    """One bucket of a group."""

    actions: tuple[Action, ...]
    watch_port: int = ANY
    watch_group: int = ANY


@final
@dataclass(frozen=True)
class Group:
    """One group. `kind`: all, select, indirect, fast failover."""

    number: int
    kind: str
    buckets: tuple[Bucket, ...]


@final
@dataclass(frozen=True)
class Port:
    """The state of one port."""

    number: int
    sends: bool  # its link is up, and neither is it down nor may it not forward
    receives: bool
    live: bool  # its link is up, and it is not down: what fast failover watches
    floods: bool = (
        True  # FLOOD and NORMAL send there, too; a controller of OpenFlow 1.0 may have said that they do not
    )


@final
@dataclass
class Tables:
    """All that decides what a switch does with a packet.

    Args:
        asks: a packet for which the first table has no flow goes to the controller, as with OpenFlow 1.0; else it is
            dropped, as with 1.3.
    """

    flows: list[Rule] = field(default_factory=list)
    groups: dict[int, Group] = field(default_factory=dict)
    ports: dict[int, Port] = field(default_factory=dict)
    asks: bool = False

    def __post_init__(self) -> None:
        self.by_number: Mapping[int, Sequence[Rule]] = {}
        self.sort()

    def sort(self) -> None:
        """Order the flows as they are looked up; to be called when they have changed."""
        by_number: dict[int, list[Rule]] = {}
        for rule in self.flows:
            by_number.setdefault(rule.table, []).append(rule)
        for rules in by_number.values():
            rules.sort(key=lambda rule: (-rule.priority, rule.text()))
        self.by_number = by_number

    def text(self) -> list[str]:
        """One line for each flow and group, in order."""
        flows = [rule.text() for number in sorted(self.by_number) for rule in self.by_number[number]]
        return flows + [
            f"group={group.number} {group.kind} "
            + " | ".join(",".join(action.text() for action in each.actions) for each in group.buckets)
            for _, group in sorted(self.groups.items())
        ]


def uses_normal(tables: Tables) -> bool:
    """Whether a flow or a group sends packets by what the switch has learned for itself."""
    actions = [action for rule in tables.flows for action in (*rule.apply, *rule.write)]
    actions += [
        action for group in tables.groups.values() for each in group.buckets for action in each.actions
    ]
    return any(action.kind == "output" and action.number == NORMAL for action in actions)


def read_flows(body: bytes) -> Iterator[Rule]:
    """The flows of one answer (OFPMP_FLOW), from behind its multipart header."""
    at = 0
    while at < len(body):
        length, table = struct.unpack_from("!HB", body, at)
        priority, idle_s, hard_s = struct.unpack_from("!HHH", body, at + 12)
        [cookie] = struct.unpack_from("!Q", body, at + 24)
        match, size = _read_match(body, at + 48)
        instructions = body[at + 48 + size : at + length]
        yield _with_instructions(
            instructions,
            {
                "table": table,
                "priority": priority,
                "match": match,
                "cookie": cookie,
                "idle_s": idle_s,
                "hard_s": hard_s,
            },
        )
        at += length


def read_groups(body: bytes) -> Iterator[Group]:
    """The groups of one answer (OFPMP_GROUP_DESC), from behind its multipart header."""
    at = 0
    while at < len(body):
        length, kind, number = struct.unpack_from("!HBxI", body, at)
        buckets, place = [], at + 8
        while place < at + length:
            size, _, port, group = struct.unpack_from("!HHII", body, place)
            buckets.append(Bucket(tuple(_actions(body[place + 16 : place + size])), port, group))
            place += size
        yield Group(number, _TYPES[kind], tuple(buckets))
        at += length


def read_unflooded(features: bytes) -> set[int]:
    """The ports to which FLOOD does not send, by a switch's features in OpenFlow 1.0, from behind the header."""
    return {
        struct.unpack_from("!H", features, at)[0]
        for at in range(_FEATURES_10, len(features), _PORT_SIZE_10)
        if struct.unpack_from("!I", features, at + 24)[0] & _NO_FLOOD
    }


def read_ports(body: bytes) -> Iterator[Port]:
    """The ports of one answer (OFPMP_PORT_DESC), from behind its multipart header."""
    for at in range(0, len(body), _PORT_SIZE):
        [number] = struct.unpack_from("!I", body, at)
        config, state = struct.unpack_from("!II", body, at + 32)
        live = not config & _PORT_DOWN and not state & _LINK_DOWN
        yield Port(number, live and not config & _NO_FWD, live and not config & _NO_RECV, live)


def _read_match(body: bytes, at: int) -> tuple[Cube, int]:
    """The match there, and its size with padding."""
    _, length = struct.unpack_from("!HH", body, at)
    mask = value = 0
    place = at + 4
    while place < at + length:
        cube, size = _read_oxm(body, place)
        mask, value = mask | cube.mask, value | cube.value
        place += size
    return Cube(mask, value), (length + 7) // 8 * 8


def _read_oxm(body: bytes, at: int) -> tuple[Cube, int]:
    kind, code, size = struct.unpack_from("!HBB", body, at)
    found = BY_CODE.get(code >> 1) if kind == _BASIC else None
    if found is None:
        raise NotUnderstoodError(
            f"a flow matches or sets field {code >> 1} of OXM class {kind:#06x}, which the checker does not "
            "understand; its tables cannot be checked"
        )
    data = body[at + 4 : at + 4 + size]
    whole = (1 << found.bits) - 1
    if code & 1:
        mask = int.from_bytes(data[size // 2 :], "big") & whole
        value = int.from_bytes(data[: size // 2], "big") & mask
    else:
        mask, value = whole, int.from_bytes(data, "big") & whole
    return Cube(mask << found.shift, value << found.shift), 4 + size


def _actions(body: bytes) -> Iterator[Action]:
    at = 0
    while at < len(body):
        kind, size = struct.unpack_from("!HH", body, at)
        if kind == _OUTPUT:
            yield Action("output", struct.unpack_from("!I", body, at + 4)[0])
        elif kind == _GROUP:
            yield Action("group", struct.unpack_from("!I", body, at + 4)[0])
        elif kind == _SET_FIELD:
            if body[at + 6] & 1:
                raise NotUnderstoodError(
                    "a flow sets a part of a field (set-field with a mask), which the checker does not follow"
                )
            yield Action("set_field", cube=_read_oxm(body, at + 4)[0])
        elif kind in (_PUSH_VLAN, _POP_VLAN):
            yield Action("push_vlan" if kind == _PUSH_VLAN else "pop_vlan")
        elif kind in (_SET_NW_TTL, _DEC_NW_TTL):
            yield Action("ttl")
        elif kind != _SET_QUEUE:
            raise NotUnderstoodError(
                f"a flow has an action of type {kind}, which the checker does not understand; its tables "
                "cannot be checked"
            )
        at += size


def _with_instructions(body: bytes, given: dict[str, object]) -> Rule:
    at = 0
    while at < len(body):
        kind, size = struct.unpack_from("!HH", body, at)
        if kind == _GOTO:
            given["goto"] = body[at + 4]
        elif kind == _METADATA:
            value, mask = struct.unpack_from("!QQ", body, at + 8)
            shift = FIELDS["metadata"].shift
            given["metadata"] = Cube(mask << shift, (value & mask) << shift)
        elif kind == _WRITE:
            given["write"] = tuple(_actions(body[at + 8 : at + size]))
        elif kind == _APPLY:
            given["apply"] = tuple(_actions(body[at + 8 : at + size]))
        elif kind == _CLEAR:
            given["clear"] = True
        elif kind != _METER:  # a meter may drop, which is no decision of the tables
            raise NotUnderstoodError(
                f"a flow has an instruction of type {kind}, which the checker does not understand"
            )
        at += size
    return Rule(**given)  # type: ignore[arg-type]
