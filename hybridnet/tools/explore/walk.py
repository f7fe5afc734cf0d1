# SPDX-License-Identifier: MIT
"""Where packets go by the tables of all switches: forwarding loops, black holes, and who is reached.

The algorithm. All headers fall into *equivalence classes*: every switch on their way treats the headers of a class the
same (VeriFlow, Khurshid and others, NSDI 2013). They are found in two steps:

1. The values of each field fall into *atoms*: values that satisfy the same of all the matches on that field, whichever
   switch has them. A handful of flows that match exact addresses make one atom more than there are addresses.
2. One header is taken, and followed through tables, groups and ports, copy by copy, to every end. Each look at a flow
   says on which fields of the header that was at the beginning it depended: on all that the match names where it
   matched; on one field that differs where it did not. A field that was set on the way depends on nothing. All headers
   whose values of these fields are in the same atoms go the same way: that is a class. The headers left are those that
   have another atom in the first of these fields, or the same there and another in the second, and so on.

So the classes are disjoint, together they are all headers, and each is followed exactly, also through set-field. A copy
that comes to a switch by the same port, with the same header and the same bits of it set on the way as before, is in a
loop: the tables know no more than that. A copy that comes where another copy has been, on a way of its own, ends there,
because all that follows is known; so a flood costs no more than there are ports.

``NORMAL`` sends by what the switch has learned for itself, which no table tells. It counts as what it does with an
address that it has not learned (yet, or any more): a copy to each other port. For one that it has learned, each of
these may be the one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import final

from hybridnet.tools.explore.header import FIELDS, Cube, Field
from hybridnet.tools.explore.tables import (
    ALL,
    ANY,
    CONTROLLER,
    FLOOD,
    IN_PORT,
    LOCAL,
    NORMAL,
    Action,
    Group,
    NotUnderstoodError,
    Rule,
    Tables,
    uses_normal,
)

__all__ = ["Atom", "Class", "End", "Fabric", "Hop", "Partition", "Place", "Way", "follow"]

_MOST_GROUPS = 64  # one within another
_IN_PORT = FIELDS["in_port"]
_METADATA = FIELDS["metadata"]
_VLAN_VID = FIELDS["vlan_vid"]
_VLAN = _VLAN_VID.mask | FIELDS["vlan_pcp"].mask
_PRESENT = 0x1000  # OFPVID_PRESENT
_INSIDE = _IN_PORT.mask | _METADATA.mask  # what no header has when it comes
_ETH_DST = FIELDS["eth_dst"]
_BRIDGES_ONLY = Cube(0xFFFFFFFFFFF0 << _ETH_DST.shift, 0x0180C2000000 << _ETH_DST.shift)
"""What NORMAL does not forward (IEEE 802.1Q, 8.6.3)."""

Place = tuple[str, int]
"""A switch and one of its ports."""


@final
@dataclass(frozen=True)
class Fabric:
    """All that decides where packets go.

    Args:
        tables: of each switch.
        peers: of each port the port at the other end of its link, or the host there; a port without one is free.
        by_the_book: a packet for which a later table has no flow is dropped (1.3.5, 5.4), and its action set with it.
            Open vSwitch, and the simulated switches as it, do the action set.
    """

    tables: Mapping[str, Tables]
    peers: Mapping[Place, Place | str]
    by_the_book: bool = False


@final
@dataclass(frozen=True)
class Hop:
    """A packet in one switch: where it came in, and the rules that it met."""

    switch: str
    port: int
    rules: tuple[Rule, ...]

    def text(self) -> str:
        """As people read it."""
        met = "; ".join(rule.text() for rule in self.rules) or "no rule"
        return f"{self.switch} port {self.port}: {met}"


@final
@dataclass(frozen=True)
class End:
    """How one copy ends.

    Args:
        kind: host: it came to one; controller: a controller gets it; free: it left by a port where nobody is; down: by
            one that does not send; drop: no rule, or one that does nothing with it; loop: it is where it was before.
        place: the port by which it left the last switch; or the switch, and the port by which it came.
        host: who got it.
        header: as it was then.
        missed: the table that has no flow for a packet that is dropped because of that; None: another reason.
    """

    kind: str
    place: Place
    host: str | None = None
    header: int = 0
    missed: int | None = None


@final
@dataclass(frozen=True)
class Way:
    """One copy of a packet, from where it came in to its end."""

    hops: tuple[Hop, ...]
    end: End


@final
@dataclass(frozen=True)
class Atom:
    """Values of one field that satisfy the same matches.

    Args:
        value: one of them, at the field's bits.
        satisfied: for each match on the field, whether they do.
    """

    field: Field
    value: int
    satisfied: tuple[bool, ...]


@final
@dataclass(frozen=True)
class Class:
    """Headers that go the same ways, from one place.

    Args:
        header: one of them.
        atoms: of the fields on which the ways depend.
    """

    header: int
    atoms: tuple[Atom, ...]
    ways: tuple[Way, ...]

    def text(self) -> str:
        """One of its headers, by the fields that matter."""
        mask = 0
        for atom in self.atoms:
            mask |= atom.field.mask
        return Cube(mask, self.header & mask).text()


class Partition:
    """All headers of a cube, cut into classes.

    Args:
        headers: the cube; default: all headers there are.
    """

    def __init__(self, fabric: Fabric, headers: Cube | None = None) -> None:
        whole = Cube() if headers is None else headers
        self._fabric = fabric
        self.headers = Cube(whole.mask | _INSIDE, whole.value & ~_INSIDE)
        self._matches = {each.name: _matches(fabric, each) for each in FIELDS.values()}
        self._atoms: dict[str, list[Atom]] = {}

    def classes(self, start: Place) -> Iterator[Class]:
        """The classes of what comes in at a port of a switch.

        Raises:
            NotUnderstoodError: a rule that one of them meets does what the checker does not know.
        """
        left: list[tuple[Atom, ...]] = [()]
        while left:
            known = left.pop()
            header = self.headers.value
            for atom in known:
                header = header & ~atom.field.mask | atom.value
            ways, needed = follow(self._fabric, start, header)
            atoms = known
            for each in needed:
                if any(atom.field == each for atom in known):
                    continue
                [first, *others] = self._atoms_of(each)
                left += [(*atoms, other) for other in others]
                atoms = (*atoms, first)
            yield Class(header, atoms, tuple(ways))

    def has(self, found: Class, header: int) -> bool:
        """Whether a header is in a class."""
        return self.headers.has(header) and all(
            atom.satisfied == _satisfied(self._matches[atom.field.name], header & atom.field.mask)
            for atom in found.atoms
        )

    def _atoms_of(self, of: Field) -> list[Atom]:
        """The first has the value that `headers` begins with."""
        if of.name not in self._atoms:
            matches = self._matches[of.name]
            cubes = [Cube(self.headers.mask & of.mask, self.headers.value & of.mask)]
            for match in matches:
                cubes = [part for cube in cubes for part in _cut(cube, match)]
            found: dict[tuple[bool, ...], Atom] = {}
            for cube in cubes:
                satisfied = _satisfied(matches, cube.value)
                found.setdefault(satisfied, Atom(of, cube.value, satisfied))
            self._atoms[of.name] = _first(
                list(found.values()), _satisfied(matches, self.headers.value & of.mask)
            )
        return self._atoms[of.name]


def _matches(fabric: Fabric, of: Field) -> tuple[Cube, ...]:
    """The matches on a field, of all switches."""
    matches = [rule.match for tables in fabric.tables.values() for rule in tables.flows]
    if of == _ETH_DST and any(uses_normal(tables) for tables in fabric.tables.values()):
        matches.append(_BRIDGES_ONLY)
    return tuple(
        dict.fromkeys(
            Cube(each.mask & of.mask, each.value & of.mask) for each in matches if each.mask & of.mask
        )
    )


def _satisfied(matches: tuple[Cube, ...], value: int) -> tuple[bool, ...]:
    return tuple(match.has(value) for match in matches)


def _cut(cube: Cube, match: Cube) -> Iterator[Cube]:
    """A cube in parts, each of which satisfies the match as a whole or has no value that does."""
    inside = cube.both(match)
    if inside is None:
        yield cube
        return
    yield inside
    yield from cube.without(inside)


def _first(atoms: list[Atom], satisfied: tuple[bool, ...]) -> list[Atom]:
    return sorted(atoms, key=lambda atom: atom.satisfied != satisfied)


_State = tuple[Place, int, int]
"""Where a copy is, its header, and the bits of it that are still those of the first header."""


@dataclass
class _Walk:
    """The walk of one header."""

    fabric: Fabric
    needed: dict[Field, None] = field(
        default_factory=dict
    )  # of the first header, on which something depended

    def needs(self, bits: int) -> None:
        """Something depended on these bits of the first header."""
        for each in FIELDS.values():
            if bits & each.mask:
                self.needed[each] = None

    ways: list[Way] = field(default_factory=list)
    been: set[_State] = field(default_factory=set)


@dataclass
class _Copy:
    """A copy within one switch."""

    header: int
    own: int  # bits that are still those of the first header
    left: bool = False  # it, or a copy of it, has gone somewhere


def follow(fabric: Fabric, start: Place, header: int) -> tuple[list[Way], list[Field]]:
    """Where one header goes, and the fields of it on which that depends, in the order in which they are looked at."""
    walk = _Walk(fabric)
    # Depth first, without recursion: loops of many switches are long.
    waiting: list[tuple[_State, tuple[Hop, ...], frozenset[_State]]] = [
        ((start, header & ~_INSIDE, ~_INSIDE), (), frozenset())
    ]
    while waiting:
        state, hops, before = waiting.pop()
        place, now, own = state
        if state in before:
            walk.ways.append(Way(hops, End("loop", place, header=now)))
            continue
        if state in walk.been:
            continue
        walk.been.add(state)
        passed = _Switch(walk, place)
        passed.run(now, own)
        here = (*hops, Hop(place[0], place[1], tuple(passed.met)))
        for end in passed.ends:
            walk.ways.append(Way(here, end))
        for onward, out_header, out_own in passed.out:
            waiting.append(((onward, out_header, out_own), here, before | {state}))
    return walk.ways, list(walk.needed)


class _Switch:
    """A packet's way through one switch."""

    def __init__(self, walk: _Walk, place: Place) -> None:
        self._walk = walk
        self._switch, self._port = place
        self._tables = walk.fabric.tables[self._switch]
        self.met: list[Rule] = []
        self.ends: list[End] = []
        self.out: list[tuple[Place, int, int]] = []

    def run(self, header: int, own: int) -> None:
        came = self._tables.ports.get(self._port)
        if came is not None and not came.receives:
            self.ends.append(End("down", (self._switch, self._port), header=header))
            return
        copy = _Copy(header | self._port << _IN_PORT.shift, own)
        pending: dict[str, list[Action]] = {}
        number: int | None = 0
        missed: int | None = None
        while number is not None:
            rule = self._find(number, copy)
            if rule is None:
                if number == 0 and self._tables.asks:
                    self._leave(CONTROLLER, copy)
                if number == 0:
                    missed = 0
                elif self._walk.fabric.by_the_book:
                    pending.clear()
                    missed = number
                break
            self.met.append(rule)
            self._do(rule.apply, copy, 0)
            if rule.clear:
                pending.clear()
            for action in rule.write:
                if action.kind == "set_field":
                    pending.setdefault(action.kind, []).append(action)
                else:
                    pending[action.kind] = [action]
            copy.header = copy.header & ~rule.metadata.mask | rule.metadata.value
            number = rule.goto
        self._do(_in_order(pending), copy, 0)
        if not copy.left:
            here = (self._switch, self._port)
            self.ends.append(End("drop", here, header=copy.header & ~_INSIDE, missed=missed))

    def _find(self, number: int, copy: _Copy) -> Rule | None:
        """The rule that a packet meets in a table."""
        return next(
            (rule for rule in self._tables.by_number.get(number, ()) if self._has(rule.match, copy)), None
        )

    def _has(self, cube: Cube, copy: _Copy) -> bool:
        """Whether a copy's header is in a cube; the walk keeps why."""
        walk = self._walk
        differs = (copy.header ^ cube.value) & cube.mask
        if not differs:
            walk.needs(cube.mask & copy.own)
            return True
        if not differs & ~copy.own and not any(differs & each.mask for each in walk.needed):
            walk.needs(differs & -differs)  # whichever field it is, one is enough
        return False

    def _do(self, actions: tuple[Action, ...] | list[Action], copy: _Copy, depth: int) -> None:
        for action in actions:
            if action.kind == "output":
                self._leave(action.number, copy)
            elif action.kind == "group":
                self._group(action.number, copy, depth)
            elif action.kind == "set_field":
                _set(copy, action.cube)
            elif action.kind == "push_vlan":
                if copy.header & _VLAN_VID.mask:
                    raise NotUnderstoodError(
                        f"explore: switch {self._switch} pushes a second VLAN tag, which the checker does not follow"
                    )
                self._walk.needs(_VLAN_VID.mask & copy.own)
                _set(copy, Cube(_VLAN, _PRESENT << _VLAN_VID.shift))
            elif action.kind == "pop_vlan":
                _set(copy, Cube(_VLAN, 0))

    def _group(self, number: int, copy: _Copy, depth: int) -> None:
        group = self._tables.groups.get(number)
        if group is None or depth > _MOST_GROUPS:
            return
        buckets = group.buckets
        if group.kind == "fast failover":
            buckets = tuple(
                each for each in buckets if self._alive(each.watch_port, each.watch_group, depth)
            )[:1]
        elif group.kind == "indirect":
            buckets = buckets[:1]
        for bucket in buckets:  # of a group that selects, each may be the one
            own = _Copy(copy.header, copy.own)
            self._do(bucket.actions, own, depth + 1)
            copy.left = copy.left or own.left

    def _alive(self, port: int, number: int, depth: int) -> bool:
        if port != ANY:
            found = self._tables.ports.get(port)
            return found is not None and found.live
        group: Group | None = self._tables.groups.get(number)
        if group is None or depth > _MOST_GROUPS:
            return False
        return any(self._alive(each.watch_port, each.watch_group, depth + 1) for each in group.buckets)

    def _leave(self, number: int, copy: _Copy) -> None:
        here = (self._switch, self._port)
        header = copy.header & ~_INSIDE
        if number == NORMAL and self._has(_BRIDGES_ONLY, copy):
            return
        if number == CONTROLLER:
            copy.left = True
            self.ends.append(End("controller", here, header=header))
            return
        if number == LOCAL:
            copy.left = True
            self.ends.append(End("free", (self._switch, LOCAL), header=header))
            return
        if number in (NORMAL, FLOOD, ALL):
            for port in self._tables.ports.values():
                if port.number not in (self._port, LOCAL) and (number == ALL or port.floods):
                    self._send(port.number, header, copy)
            return
        if number == IN_PORT:
            self._send(self._port, header, copy)
        elif number != self._port:  # 1.3.5, 7.2.5: back only by IN_PORT
            self._send(number, header, copy)

    def _send(self, number: int, header: int, copy: _Copy) -> None:
        copy.left = True
        port = self._tables.ports.get(number)
        place = (self._switch, number)
        if port is None or not port.sends:
            self.ends.append(End("down", place, header=header))
            return
        peer = self._walk.fabric.peers.get(place)
        if peer is None:
            self.ends.append(End("free", place, header=header))
        elif isinstance(peer, str):
            self.ends.append(End("host", place, peer, header))
        else:
            self.out.append((peer, header, copy.own))


def _set(copy: _Copy, cube: Cube) -> None:
    copy.header = copy.header & ~cube.mask | cube.value
    copy.own &= ~cube.mask


def _in_order(pending: dict[str, list[Action]]) -> list[Action]:
    """An action set, in the order in which it is done (1.3.5, 5.10): a group keeps the output from being done."""
    kinds = ["pop_vlan", "push_vlan", "ttl", "set_field", "group" if "group" in pending else "output"]
    return [action for kind in kinds for action in pending.get(kind, [])]
