# SPDX-License-Identifier: MIT
"""Which ports of switches lead to other switches, from who hears whose probes. Keeps no time and sends nothing.

A port is *undecided* until probes have had time to come and go. Then it is an *edge*, if no switch was heard there, or
part of a *segment*: the ports that hear each other. A plain link is a segment of two ports; where a switch of
somebody else's stands between ours, a segment has more. A port at which a switch was heard never becomes an edge, as
long as it is up: a link that is silent is out of use, and to take it for an edge would close a loop.
"""

from __future__ import annotations

from collections.abc import Iterator

Port = tuple[int, int]  # datapath id, port number
Segment = frozenset[Port]

DECIDE_S = 0.5  # after a port's first probe, or after another switch has come
FAR_BEHIND = 3  # times so long may a whole switch be silent before its links are dead


class Discovery:
    """All switches' ports, and who hears whom. Every method is told the time, in seconds of any one clock."""

    def __init__(self) -> None:
        self._decided_at: dict[Port, float] = {}  # of every port that is up
        self._heard: dict[tuple[Port, Port], float] = {}  # sender, receiver -> when the last probe was sent
        self._between: set[Port] = set()  # where a switch was heard since the port came up
        self._newest: dict[
            int, float
        ] = {}  # receiving switch -> when the newest probe was sent that came there

    def port_up(self, port: Port, now: float) -> bool:
        """A port is there, and is probed now. Returns whether that is new."""
        if port in self._decided_at:
            return False
        self._decided_at[port] = now + DECIDE_S
        return True

    def port_down(self, port: Port) -> bool:
        """A port is gone, and what was heard by it. Returns whether it was there."""
        self._heard = {pair: at for pair, at in self._heard.items() if port not in pair}
        self._between.discard(port)
        return self._decided_at.pop(port, None) is not None

    def switch_comes(self, now: float) -> None:
        """A switch has come: ports that are not decided wait for its probes, too."""
        for port, at in self._decided_at.items():
            if at > now:
                self._decided_at[port] = now + DECIDE_S

    def switch_goes(self, switch: int) -> list[Port]:
        """Forget the ports of a switch. Returns them."""
        gone = [port for port in self._decided_at if port[0] == switch]
        for port in gone:
            self.port_down(port)
        return gone

    def hears(self, sender: Port, receiver: Port, sent: float) -> bool:
        """A probe that `sender` sent at that time came to `receiver`. Returns whether that is new."""
        if sender not in self._decided_at or receiver not in self._decided_at:
            return False  # news of a port that went down meanwhile
        new = (sender, receiver) not in self._heard
        self._heard[sender, receiver] = sent
        self._between |= {sender, receiver}
        self._newest[receiver[0]] = max(sent, self._newest.get(receiver[0], sent))
        return new

    def heard(self, sender: Port, receiver: Port) -> bool:
        """Whether `receiver` hears `sender`."""
        return (sender, receiver) in self._heard

    def expire(self, silence_s: float) -> bool:
        """Forget who was not heard for so long while others were, so that nothing is dead because news come late.
        Returns whether there were any.
        """
        newest = max(self._newest.values(), default=0.0)
        alive = {
            (sender, receiver): at
            for (sender, receiver), at in self._heard.items()
            if self._newest[receiver[0]] - at < silence_s and newest - at < FAR_BEHIND * silence_s
        }
        gone = len(alive) < len(self._heard)
        self._heard = alive
        return gone

    def ports(self) -> list[Port]:
        """The ports that are up."""
        return sorted(self._decided_at)

    def settled(self, now: float) -> bool:
        """Whether every port is decided."""
        return all(at <= now for at in self._decided_at.values())

    def links(self) -> set[Port]:
        """The ports by which a switch was heard, in one direction at least: nothing of hosts comes from there."""
        return set(self._between)

    def edges(self, now: float) -> set[Port]:
        """The ports that are decided and lead to no switch."""
        return {port for port, at in self._decided_at.items() if at <= now and port not in self._between}

    def segments(self) -> list[Segment]:
        """Ports that hear each other, in both directions; in a fixed order."""
        neighbours: dict[Port, set[Port]] = {}
        for one, other in self._heard:
            if (other, one) in self._heard:
                neighbours.setdefault(one, set()).add(other)
        return sorted(_components(neighbours), key=sorted)


def _components(neighbours: dict[Port, set[Port]]) -> Iterator[Segment]:
    left = set(neighbours)
    while left:
        found, edge = set[Port](), {left.pop()}
        while edge:
            found |= edge
            edge = set().union(*(neighbours[port] for port in edge)) - found
        left -= found
        yield frozenset(found)
