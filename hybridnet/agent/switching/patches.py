# SPDX-License-Identifier: MIT
"""Patch ports: how the bridges of a machine are joined where Open vSwitch forwards in user space.

A patch is no device, so it costs nothing to cross. But Open vSwitch takes it to be up for ever, and the kernel does not
count what crosses it. Here a patch gets a link that goes down, and counters.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from hybridnet.agent.counters.port_stats import PortRow, PortStats
from hybridnet.agent.hosts.pairs import delete_each, keep_stack_out, mark
from hybridnet.system.command import ip_batch
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.vswitch import RUN_DIRECTORY

__all__ = ["REFRESHED_SECONDS", "End", "Patches"]

REFRESHED_SECONDS = 0.9
"""So old may be what a watcher is told of Open vSwitch, which counts patches about once a second. Each question costs a
turn of its main loop through all bridges: 3 ms for 63."""

_TAP = ("type=tap", "options={}")

End = tuple[str, str]
"""A switch and the name of its port."""


class _Patch(NamedTuple):
    number: int  # of the port, in OpenFlow
    peer: str  # the port at the other end


class Patches:
    """The patch ports of one machine.

    Args:
        vsctl: runs a command of `ovs-vsctl`; it returns once Open vSwitch has done it.
    """

    def __init__(self, journal: Journal, vsctl: Callable[..., object]) -> None:
        self._journal = journal
        self._vsctl = vsctl
        self._patches: dict[End, _Patch] = {}
        self._down: set[End] = set()
        self._stats = PortStats(RUN_DIRECTORY)
        self._asking = threading.Lock()  # one question to a bridge at a time
        self._asked: list[End] = []
        self._asked_at = 0.0
        self._answers: dict[End, PortRow] = {}
        self._counted: dict[End, PortRow] = {}  # by ports that were replaced since

    def __contains__(self, end: object) -> bool:
        return end in self._patches

    def add(self, numbers: Mapping[End, int], peers: Mapping[End, str]) -> None:
        """Make ports known that Open vSwitch is about to get; their numbers, and the ports at their other ends."""
        self._patches |= {end: _Patch(numbers[end], peer) for end, peer in peers.items()}

    def kind(self, end: End) -> list[str]:
        """The columns of Open vSwitch's interface, as `set_link` last said."""
        if end in self._down:
            return list(_TAP)
        return self._joined(end)

    def _joined(self, end: End) -> list[str]:
        return ["type=patch", f"options:peer={self._patches[end].peer}"]

    def remove(self, ends: Iterable[End]) -> None:
        """Forget ports that Open vSwitch has no more. One that is not known is no error."""
        gone = [end for end in ends if end in self._patches]
        self._forget_taps([end for end in gone if end in self._down])
        for end in gone:
            del self._patches[end]
            self._counted.pop(end, None)

    def set_link(self, end: End, *, up: bool) -> None:
        """Set the link of a port up or down.

        While it is down, a tap that is down stands in its place under the same number. So its controllers hear that the
        port goes and comes back with its link down, fast-failover groups pass it by, and nothing crosses it.
        """
        if up != (end in self._down):
            return
        with self._asking:
            if (row := self._read([end]).get(end)) is not None:
                self._counted[end] = row
            self._asked = []
            if up:
                self._set_interface(end, self._joined(end))
                self._forget_taps([end])
            else:
                self._journal.record("link", name=end[1], network=network_namespace())
                self._down.add(end)
                self._set_interface(end, list(_TAP))
                ip_batch([mark(end[1], self._journal)])
                keep_stack_out([end[1]])

    def counters(self, ends: Iterable[End]) -> dict[End, PortRow]:
        """What `hybridnet.agent.counters.port_stats` says of ports, asked as often as Open vSwitch brings it up to
        date."""
        wanted = [end for end in ends if end in self._patches]
        with self._asking:
            if self._asked != wanted or time.monotonic() >= self._asked_at + REFRESHED_SECONDS:
                self._answers = self._read(wanted)
                self._asked, self._asked_at = wanted, time.monotonic()
            return {end: self._answers[end] for end in wanted if end in self._answers}

    def forget(self) -> None:
        """The Open vSwitch is gone, and all ports with it."""
        self._forget_taps(list(self._down))
        self._patches, self._counted = {}, {}
        self._asked, self._answers = [], {}

    def close(self) -> None:
        """Close the connections to the bridges."""
        self._stats.close()

    def _read(self, ends: Iterable[End]) -> dict[End, PortRow]:
        ends = list(ends)
        ports: dict[str, list[int]] = {}
        for end in ends:
            ports.setdefault(end[0], []).append(self._patches[end].number)
        answers = self._stats.read(ports)
        rows = {end: answers.get(end[0], {}).get(self._patches[end].number) for end in ends}
        return {end: _sum(row, self._counted.get(end)) for end, row in rows.items() if row is not None}

    def _set_interface(self, end: End, columns: list[str]) -> None:
        self._vsctl("set", "Interface", end[1], *columns)

    def _forget_taps(self, ends: list[End]) -> None:
        delete_each([port for _, port in ends], self._journal)
        self._down -= set(ends)


def _sum(row: PortRow, before: PortRow | None) -> PortRow:
    if before is None:
        return row
    a, b, c, d, e = (now + then for now, then in zip(row, before, strict=True))
    return a, b, c, d, e
