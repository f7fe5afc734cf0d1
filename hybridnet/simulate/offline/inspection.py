# SPDX-License-Identifier: MIT
"""What can be seen of a simulation between two of its events. Everything is a copy, and has a bound."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, final

from hybridnet.describe.values import shown, text, whole
from hybridnet.errors import UsageError
from hybridnet.observe.recording.frames_text import Ends, line_of
from hybridnet.observe.series.snapshot import ConnectionRow, Snapshot
from hybridnet.plan.network import Plan
from hybridnet.simulate.offline.owner import Owner

__all__ = ["SECTIONS", "Looking"]

MOST_EVENTS = 1000
MOST_PACKETS = 1000  # of a direction of a link
MOST_CONNECTIONS = 1000
MOST_MESSAGES = 1000
MOST_ELEMENTS = 2000  # of a section, in `figures`
MOST_ENDS = 100_000
ANIMATED = 30  # packets of a direction, of those that wait and of those on their way
ANIMATED_TOGETHER = 2000
SECTIONS = ("links", "nodes", "interfaces", "applications", "connections")
_TEXTS = ("state", "recovery", "status")
_LINK = re.compile(r"(?P<link>.+):[^:>]+>[^:>]+")


class ComingEvent(TypedDict):
    """An event to come, as things are."""

    time_ns: int
    what: str
    where: str  # a node, a direction of a link, a connection; empty: it is nobody's
    packet: NotRequired[str | None]  # that arrives, as text


@final
class PacketInLink(TypedDict):
    """A packet in a direction of a link. What is not decided is None."""

    place: str  # waiting, sending, wire, delay: an extra one
    begins_ns: int | None  # its first bit is sent
    departs_ns: int | None  # its last bit is
    arrives_ns: int | None  # its first segment is at the far end
    bytes: int
    segments: int
    text: str


@final
class LinkContents(TypedDict):
    """What is in a direction of a link."""

    link: str
    forward: bool
    waiting: int  # segments
    under_way: int
    in_all: int  # packets: a train is one
    packets: list[PacketInLink]


@final
class SeenDirection(TypedDict):
    """The same for a drawing: of each packet place, first and last instant, bytes, segments and kind."""

    link: str
    forward: bool
    waiting: int
    under_way: int
    in_all: int
    packets: list[list[str | int | None]]


@final
class SeenPackets(TypedDict):
    """Where packets are now."""

    time_ns: int
    capped: bool  # there are others
    directions: list[SeenDirection]


@final
class Message(TypedDict):
    """A packet that left an interface or came to it."""

    number: int
    time_ns: int
    interface: str
    sent: bool
    bytes: int
    segments: int
    text: str


class Looking:
    """The part of a `Stepper` that looks.

    Args:
        simulation: a `_simcore.OfflineSimulation`.
        owner: its thread.
    """

    plan: Plan

    def __init__(self, simulation: Any, owner: Owner) -> None:
        self._simulation = simulation
        self._owner = owner
        self._firsts: dict[Ends, int] = {}  # of TCP's directions, so that the text counts from them

    def next_events(self, most: int = 50) -> list[ComingEvent]:
        """The events to come, as things are.

        Args:
            most: 1 to 1000.
        """
        count = whole(most, "next_events: most", 1, MOST_EVENTS)
        return self._owner.call(lambda: self._next_events(count))

    def queue(self, link: str, most: int = 100) -> list[LinkContents]:
        """What is in both directions of a link, there and back.

        Args:
            link: its name.
            most: packets shown of what waits, and of what is on its way; 1 to 1000.

        Raises:
            UsageError: there is no such link.
        """
        name, count = text(link, "queue: link"), whole(most, "queue: most", 1, MOST_PACKETS)
        seen = self._owner.call(lambda: self._reading(self._simulation.look_at_link(name, count)))
        return [self._contents(direction) for direction in seen]

    def packets(self) -> SeenPackets:
        """Where packets are now, for a drawing: the directions of links that have some, at most 30 of what waits and 30
        of what is on its way in each, 2000 or little more in all.
        """
        time_ns, seen = self._owner.call(
            lambda: (
                self._simulation.now_ns,
                self._simulation.look_at_links(ANIMATED, ANIMATED_TOGETHER),
            )
        )
        shown_packets = sum(len(direction["packets"]) for direction in seen)
        there = sum(direction["in_all"] for direction in seen)
        directions: list[SeenDirection] = seen
        for direction, of_it in zip(directions, [each["packets"] for each in seen], strict=True):
            direction["packets"] = [
                [place, begins, arrives, size, segments, _kind(frame)]
                for place, begins, _, arrives, size, segments, frame in of_it
            ]
        capped = there > shown_packets or shown_packets >= ANIMATED_TOGETHER
        return {"time_ns": time_ns, "capped": capped, "directions": directions}

    def connections(self) -> list[ConnectionRow]:
        """The TCP connections of simulated hosts, at most 1000."""
        rows: list[ConnectionRow] = self._owner.call(lambda: self._simulation.connections(MOST_CONNECTIONS))
        return rows

    def messages(self, first: int = 0, most: int = 200) -> list[Message]:
        """The latest packets that left interfaces or came to them. The simulation keeps 4096.

        Args:
            first: only those of this number and later.
            most: the latest so many, 1 to 1000.
        """
        begin = whole(first, "messages: first", 0, 2**63 - 1)
        count = whole(most, "messages: most", 1, MOST_MESSAGES)
        rows = self._owner.call(lambda: self._reading(self._simulation.messages(begin, count)))
        return [
            {
                "number": each,
                "time_ns": time_ns,
                "interface": interface,
                "sent": sent,
                "bytes": size,
                "segments": segments,
                "text": self._text(frame),
            }
            for each, time_ns, interface, sent, size, segments, frame in rows
        ]

    def follow(self, interfaces: Sequence[str]) -> None:
        """From now on only the packets at these interfaces are kept as messages; of all where none is named.

        Raises:
            UsageError: there is no such interface.
        """
        if isinstance(interfaces, str) or not isinstance(interfaces, Sequence):
            raise UsageError(f"follow: {shown(interfaces)} is not a list of interfaces; write ['a-eth0']")
        names = [text(name, "follow: interface") for name in interfaces]
        there = {row["name"] for row in self.snapshot()["interfaces"]}
        for name in names:
            if name not in there:
                raise UsageError(f"follow: there is no interface {shown(name)}")
        self._owner.call(lambda: self._simulation.follow_messages(names))

    def snapshot(self) -> Snapshot:
        """All counters."""
        snapshot: Snapshot = self._owner.call(self._simulation.snapshot)
        return snapshot

    def figures(self) -> dict[str, dict[str, list[str]]]:
        """What conditions can speak of: by section and element the names of its figures; at most 2000 elements each."""
        snapshot: Mapping[str, Any] = self.snapshot()
        return {
            section: {
                row["name"]: [
                    *(name for name, value in row.items() if isinstance(value, int)),
                    "dropped",
                    *(name for name in _TEXTS if name in row),
                ]
                for row in snapshot[section][:MOST_ELEMENTS]
            }
            for section in SECTIONS
        }

    def _next_events(self, most: int) -> list[ComingEvent]:
        """In the simulation's thread."""
        due = self._reading(self._simulation.next_events(most))
        arriving: dict[str, list[tuple[int, str]]] = {}
        rows: list[ComingEvent] = []
        for time_ns, what, where in due:
            row: ComingEvent = {"time_ns": time_ns, "what": what, "where": where}
            found = _LINK.fullmatch(where) if what == "a packet arrives" else None
            if found is not None:
                if where not in arriving:
                    arriving.update(self._arriving(found["link"]))
                row["packet"] = next((said for at, said in arriving.get(where, ()) if at == time_ns), None)
            rows.append(row)
        return rows

    def _arriving(self, link: str) -> dict[str, list[tuple[int, str]]]:
        """Of both directions of a link what arrives next, with its instant."""
        [link_plan] = [each for each in self.plan.links if each.name == link]
        ends = (link_plan.a.interface, link_plan.b.interface)
        found = {}
        for direction in self._simulation.look_at_link(link, 1):
            near, far = ends if direction["forward"] else ends[::-1]
            found[f"{link}:{near}>{far}"] = [
                (arrives, self._text(frame)) for _, _, _, arrives, _, _, frame in direction["packets"]
            ]
        return found

    def _contents(self, direction: Any) -> LinkContents:
        contents: LinkContents = direction
        contents["packets"] = [
            {
                "place": place,
                "begins_ns": begins_ns,
                "departs_ns": departs_ns,
                "arrives_ns": arrives_ns,
                "bytes": size,
                "segments": segments,
                "text": self._text(frame),
            }
            for place, begins_ns, departs_ns, arrives_ns, size, segments, frame in direction["packets"]
        ]
        return contents

    def _reading(self, what: Any) -> Any:
        """`what`, of which the text is to be made: sequence numbers count from those of the connections' SYNs. In the
        simulation's thread.
        """
        if len(self._firsts) > MOST_ENDS:
            self._firsts.clear()
        for row in self._simulation.connections(MOST_CONNECTIONS):
            local, remote = row["name"].removeprefix(f"{row['node']}:").split(">")
            ends = (*_end(local), *_end(remote))
            self._firsts.setdefault(ends, int(row["initial_sequence"]))
        return what

    def _text(self, frame: bytes) -> str:
        return line_of(frame, self._firsts)


def _end(text: str) -> tuple[str, int]:
    address, _, port = text.rpartition(":")
    return address, int(port)


def _kind(frame: bytes) -> str:
    """What a packet is for a drawing: data, ack, control (of TCP: SYN, FIN, RST), icmp, arp, or other."""
    if len(frame) < 34:
        return "other"
    ether_type = frame[12:14]
    if ether_type == b"\x08\x06":
        return "arp"
    if ether_type == b"\x08\x00":
        start, protocol = 14 + (frame[14] & 15) * 4, frame[23]
        length = int.from_bytes(frame[16:18], "big") - (start - 14)
    elif ether_type == b"\x86\xdd" and len(frame) > 54:
        start, protocol = 54, frame[20]
        length = int.from_bytes(frame[18:20], "big")
    else:
        return "other"
    if protocol in (1, 58):
        return "icmp"
    if protocol != 6 or len(frame) < start + 14:
        return "data"
    if frame[start + 13] & 7:
        return "control"
    return "data" if length > (frame[start + 12] >> 4) * 4 else "ack"
