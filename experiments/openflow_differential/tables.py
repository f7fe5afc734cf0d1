# SPDX-License-Identifier: MIT
"""Random pipelines: flows in several tables, and groups, with what each flow says in words.

A switch has several at once, each in tables of its own: table 0 says by a frame's source which of them it goes through.

What the specification leaves open is left out: equal priorities that overlap, the choice of select groups, what
becomes of a TTL of zero, and a set-field of a tag that the same action set pops. Fields are changed only where the
flow's match says that they are there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hybridnet.experiments.openflow_conformance.fields import BY_NAME, VLAN_PRESENT
from hybridnet.experiments.openflow_differential import wire
from hybridnet.experiments.openflow_differential.frames import POOL

__all__ = [
    "AT_ONCE",
    "IN_PORT",
    "KINDS",
    "OF_A_PIPELINE",
    "PORTS",
    "TABLES",
    "Pipeline",
    "pipeline",
    "source_of",
]

PORTS = 4
NO_PORT = 99
TABLES, GROUPS, FLOWS = 3, 4, 24
"""Of each pipeline."""
AT_ONCE = 40
"""Pipelines that a switch has at the same time, at most: it has 254 tables."""
OF_A_PIPELINE = 0xFFFFFFFF0000
"""Which bits of a source say the pipeline."""
ALL_BUCKETS, INDIRECT, FAILOVER = 0, 2, 3
GROUP_WORDS = {ALL_BUCKETS: "all", INDIRECT: "indirect", FAILOVER: "failover"}
IN_PORT, FLOOD, ALL = 0xFFFFFFF8, 0xFFFFFFFB, 0xFFFFFFFC
KINDS: dict[str, tuple[dict[str, int], tuple[str, ...]]] = {
    "any": ({}, ()),
    "arp": ({"eth_type": 0x0806}, ("arp_op", "arp_spa", "arp_tpa")),
    "ip": ({"eth_type": 0x0800}, ("ipv4_src", "ipv4_dst", "ip_dscp", "ip_ecn")),
    "tcp": ({"eth_type": 0x0800, "ip_proto": 6}, ("ipv4_src", "ipv4_dst", "ip_dscp", "tcp_src", "tcp_dst")),
    "udp": ({"eth_type": 0x0800, "ip_proto": 17}, ("ipv4_src", "ipv4_dst", "ip_ecn", "udp_src", "udp_dst")),
    "icmp": ({"eth_type": 0x0800, "ip_proto": 1}, ("icmpv4_type", "icmpv4_code", "ipv4_dst")),
    "tcp6": (
        {"eth_type": 0x86DD, "ip_proto": 6},
        ("ipv6_src", "ipv6_dst", "ip_dscp", "ipv6_flabel", "tcp_dst"),
    ),
    "udp6": ({"eth_type": 0x86DD, "ip_proto": 17}, ("ipv6_src", "ipv6_dst", "ip_ecn", "udp_dst")),
}
_NOT_SET = ("icmpv4_type", "icmpv4_code", "arp_op")
"""They would change what the rest of the frame means."""


@dataclass
class Pipeline:
    """What a switch is told. `words`: by cookie what a flow is, for people; those of groups have negative numbers."""

    messages: list[bytes] = field(default_factory=list)
    words: dict[int, str] = field(default_factory=dict)
    sets_pop: bool = False
    """Its action sets may pop tags, and then do not set their fields."""


@dataclass(frozen=True)
class Place:
    """Where a pipeline stands among those of a switch: its tables, groups and cookies begin behind these numbers."""

    number: int = 0

    @property
    def table(self) -> int:
        return 1 + self.number * TABLES

    @property
    def group(self) -> int:
        return self.number * GROUPS

    @property
    def cookie(self) -> int:
        return self.number * 100


def source_of(seed: int, number: int) -> int:
    """The Ethernet source of a pipeline's frame: no flow but those of table 0 looks at it, and no two look alike."""
    return 0x02 << 40 | (seed & 0xFFFFFF) << 16 | number


def pipeline(seed: int, number: int = 0) -> Pipeline:
    """A random one, in the place of this number among those of a switch, 0 to `AT_ONCE` - 1.

    It is the same for the same seed but for its place.
    """
    rng, place = random.Random(seed), Place(number)
    made = Pipeline(sets_pop=rng.random() < 0.5)
    for group in range(1, GROUPS + 1):
        _group(rng, made, place, group)
    priorities = rng.sample(range(1, 1000), FLOWS)
    for cookie, priority in enumerate(priorities, 1):
        _flow(rng, made, place, cookie, rng.randrange(TABLES), priority)
    for table in range(TABLES):
        cookie = place.cookie + FLOWS + 1 + table
        actions = [] if rng.random() < 0.3 else [wire.apply([wire.output(rng.choice((1, 2, 3, 4, FLOOD)))])]
        made.messages.append(wire.flow(place.table + table, 0, cookie, {}, actions))
        made.words[cookie] = f"table {table}: what nothing else matches"
    cookie = place.cookie + FLOWS + TABLES + 1
    source = {"eth_src": (source_of(seed, 0), OF_A_PIPELINE)}
    made.messages.append(wire.flow(0, 1, cookie, source, [wire.goto(place.table)]))
    made.words[cookie] = "the way into the pipeline"
    return made


def _group(rng: random.Random, made: Pipeline, place: Place, number: int) -> None:
    kind = rng.choice((ALL_BUCKETS, INDIRECT, FAILOVER))
    buckets, said = [], []
    for bucket in range(1 if kind == INDIRECT else rng.randint(1, 3)):
        changes, text = _changes(rng, "any")
        port = rng.randint(1, PORTS)
        watched = (NO_PORT if bucket == 0 and rng.random() < 0.5 else port) if kind == FAILOVER else wire.ANY
        buckets.append(wire.bucket([*changes, wire.output(port)], watched))
        said.append(f"{', '.join([*text, f'output {port}'])}{' (dead)' if watched == NO_PORT else ''}")
    made.messages.append(wire.group(place.group + number, kind, buckets))
    made.words[-(place.group + number)] = f"group {number}, {GROUP_WORDS[kind]}: {' | '.join(said)}"


def _flow(rng: random.Random, made: Pipeline, place: Place, number: int, table: int, priority: int) -> None:
    kind = rng.choice(list(KINDS))
    needed, fields = KINDS[kind]
    match: dict[str, int | tuple[int, int]] = {}
    tagged = False
    if rng.random() < 0.3:
        match["in_port"] = rng.randint(1, PORTS)
    if rng.random() < 0.3:
        match["eth_dst"] = _wanted(rng, "eth_dst")
    if rng.random() < 0.25:
        tags: list[int | tuple[int, int]] = [0, (VLAN_PRESENT, VLAN_PRESENT), *POOL["vlan_vid"]]
        match["vlan_vid"] = rng.choice(tags)
        tagged = match["vlan_vid"] != 0
    match |= needed
    for name in rng.sample(fields, min(len(fields), rng.randint(0, 2))):
        match[name] = _wanted(rng, name)
    if table and rng.random() < 0.2:
        match["metadata"] = (rng.randrange(4), 3)
    instructions, said = [], []
    writes = rng.random() < 0.3
    of_tags: tuple[str, ...] = ()
    if tagged:
        of_tags = ("vlan_vid", "vlan_pcp", "pop-vlan")
        if writes:
            of_tags = ("pop-vlan",) if made.sets_pop else ("vlan_vid", "vlan_pcp")
    elif kind != "any":
        of_tags = ("push-vlan",)
    changes, text = _changes(rng, kind, of_tags)
    end, where = _end(rng, place)
    if writes:
        instructions.append(wire.write([*_without_repeats(changes), end]))
        said.append(f"write {', '.join([*text, where])}")
    elif changes or rng.random() < 0.8:
        instructions.append(wire.apply([*changes, end]))
        said.append(f"apply {', '.join([*text, where])}")
    if table < TABLES - 1 and rng.random() < 0.5:
        if rng.random() < 0.4:
            value = rng.randrange(4)
            instructions.append(wire.write_metadata(value, 3))
            said.append(f"metadata {value}/3")
        instructions.append(wire.goto(place.table + rng.randint(table + 1, TABLES - 1)))
        said.append("goto a later table")
    cookie = place.cookie + number
    made.messages.append(wire.flow(place.table + table, priority, cookie, match, instructions))
    made.words[cookie] = f"table {table}, priority {priority}, {match}: {'; '.join(said) or 'drop'}"


def _wanted(rng: random.Random, name: str) -> int | tuple[int, int]:
    value = rng.choice(POOL[name])
    described = BY_NAME[name]
    if not described.maskable or rng.random() < 0.6:
        return value
    mask = rng.choice((described.ones >> 8 << 8, 0xFF, described.ones ^ 1))
    return value & mask, mask


def _changes(rng: random.Random, kind: str, of_tags: tuple[str, ...] = ()) -> tuple[list[bytes], list[str]]:
    """Actions that change a packet of this kind, each of another type or field; of those of tags, these."""
    _, fields = KINDS[kind]
    possible = ["eth_dst", *(name for name in fields if name not in _NOT_SET), *of_tags]
    if kind not in ("any", "arp"):
        possible.append("dec-ttl")
    actions, said = [], []
    for name in rng.sample(possible, min(len(possible), rng.choice((0, 0, 1, 1, 2)))):
        if name == "pop-vlan":
            actions.append(wire.plain(wire.POP_VLAN))
            said.append(name)
            break  # nothing is known of what was within
        if name == "push-vlan":
            vid = rng.choice(POOL["vlan_vid"])
            actions += [wire.push(wire.PUSH_VLAN, 0x8100), wire.set_field("vlan_vid", vid)]
            said.append(f"push-vlan, vlan_vid={vid & 0xFFF}")
        elif name == "dec-ttl":
            actions.append(wire.plain(wire.DEC_NW_TTL))
            said.append(name)
        else:
            value = rng.choice(POOL[name])
            actions.append(wire.set_field(name, value))
            said.append(f"{name}={value:#x}")
    return actions, said


def _without_repeats(actions: list[bytes]) -> list[bytes]:
    return list(dict.fromkeys(actions))


def _end(rng: random.Random, place: Place) -> tuple[bytes, str]:
    if rng.random() < 0.3:
        number = rng.randint(1, GROUPS)
        return wire.to_group(place.group + number), f"group {number}"
    port = rng.choice((1, 2, 3, 4, 1, 2, 3, 4, FLOOD, ALL, IN_PORT))
    return wire.output(port), f"output {port:#x}" if port > PORTS else f"output {port}"
