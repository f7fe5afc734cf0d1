# SPDX-License-Identifier: MIT
"""What a learning switch decides: which flows to add and remove, given what one OpenFlow switch reports.

Pure: no Ryu, no clock, no socket; instants are given, in seconds. One `MacLearning` per switch, with two flow tables:

    table 0, sources:       known MAC at its port -> table 1;  anything else -> controller, and table 1
    table 1, destinations:  known MAC -> its port;  group (broadcast, multicast) -> flood;  else -> controller

The datapath floods groups by itself, so the controller has only to watch. In a tree every switch sees every broadcast,
yet only those between two talking hosts need flows. So a source first seen through a group frame is only remembered;
it gets flows when it is seen again, when it sends to one host, or when a frame for it arrives. Correct only without
loops, as for any learning switch without a spanning tree.
"""

from __future__ import annotations

from dataclasses import dataclass

AGEING_S = 300.0  # a MAC not heard of for this long is forgotten, as by Linux bridges
FLOOD_S = (
    2  # an unknown destination is flooded by the datapath for so long before the controller is asked again
)
SETTLE_S = 1.0  # packets sent before a new flow took effect arrive for so long, and need no answer
CAPACITY = 4096  # MACs per switch; the one known longest goes first


@dataclass(frozen=True)
class AddSource:
    """Frames from ``mac`` at ``port`` no longer go to the controller."""

    mac: bytes
    port: int


@dataclass(frozen=True)
class RemoveSource:
    """``mac`` is no longer known to be at ``port``."""

    mac: bytes
    port: int


@dataclass(frozen=True)
class AddDestination:
    """Frames to ``mac`` leave by ``port``; replaces what was said of ``mac`` before."""

    mac: bytes
    port: int


@dataclass(frozen=True)
class FloodDestination:
    """Frames to ``mac`` are flooded for `FLOOD_S`; replaces what was said of ``mac`` before."""

    mac: bytes


@dataclass(frozen=True)
class RemoveDestination:
    """Nothing is known of ``mac`` any more."""

    mac: bytes


@dataclass(frozen=True)
class RemovePort:
    """Every flow that takes from or sends to ``port`` goes."""

    port: int


@dataclass(frozen=True)
class Send:
    """The frame that was reported leaves by ``port``, or by all but the one it came by if None."""

    port: int | None


Change = AddSource | RemoveSource | AddDestination | FloodDestination | RemoveDestination | RemovePort


@dataclass
class Host:
    """A MAC that was seen: where, when last, and since when it has a flow in table 0."""

    port: int
    seen_s: float
    source_flow_s: float | None = None


def is_group(mac: bytes) -> bool:
    return bool(mac[0] & 1)


class MacLearning:
    """The MACs one switch knows. Every method returns the changes to make, in order."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._hosts: dict[bytes, Host] = {}  # oldest first
        self._flooded_until_s: dict[bytes, float] = {}
        self._capacity = capacity
        self.moved = 0  # how often a MAC appeared at another port
        self.evicted = 0  # how often one was forgotten for want of room

    def __len__(self) -> int:
        return len(self._hosts)

    def port_of(self, mac: bytes) -> int | None:
        host = self._hosts.get(mac)
        return host.port if host else None

    def source_unknown(self, now_s: float, port: int, source: bytes, destination: bytes) -> list[Change]:
        """A frame came whose source has no flow in table 0. Table 1 forwards it."""
        if is_group(source):
            return []  # no host can be there
        changes: list[Change] = []
        host = self._hosts.get(source)
        if host is None:
            changes += self._make_room()
            host = self._hosts[source] = Host(port, now_s)
            awaited = self._flooded_until_s.pop(source, 0.0) > now_s
            if is_group(destination) and not awaited:
                return changes
        elif host.port != port:
            self.moved += 1
            if host.source_flow_s is not None:
                changes.append(RemoveSource(source, host.port))
            host.port = port
        elif host.source_flow_s is not None and now_s - host.source_flow_s < SETTLE_S:
            return []
        host.seen_s = host.source_flow_s = now_s
        return [*changes, AddSource(source, port), AddDestination(source, port)]

    def destination_unknown(
        self, now_s: float, port: int, destination: bytes
    ) -> tuple[list[Change], Send | None]:
        """A frame for one host came that has no flow in table 1. It waits at the controller: says where it goes."""
        host = self._hosts.get(destination)
        if host is not None and host.source_flow_s is None and now_s - host.seen_s > AGEING_S:
            del self._hosts[destination]
            host = None
        if host is None:
            while len(self._flooded_until_s) >= self._capacity:
                self._flooded_until_s.pop(next(iter(self._flooded_until_s)))
            self._flooded_until_s[destination] = now_s + FLOOD_S
            return [FloodDestination(destination)], Send(None)
        known = AddDestination(destination, host.port)
        # A frame for a host on the side it came from was flooded here by a neighbour; the flow drops what follows.
        return [known], None if host.port == port else Send(host.port)

    def source_expired(self, mac: bytes, port: int) -> list[Change]:
        """The flow of ``mac`` in table 0 was idle for `AGEING_S` and is gone."""
        if self.port_of(mac) != port:
            return []  # it has moved in the meantime
        del self._hosts[mac]
        return [RemoveDestination(mac)]

    def port_gone(self, port: int) -> list[Change]:
        """A port was removed, or its link is down."""
        self._hosts = {mac: host for mac, host in self._hosts.items() if host.port != port}
        return [RemovePort(port)]

    def _make_room(self) -> list[Change]:
        if len(self._hosts) < self._capacity:
            return []
        mac = next(iter(self._hosts))
        host = self._hosts.pop(mac)
        self.evicted += 1
        return [RemoveSource(mac, host.port), RemoveDestination(mac)]
