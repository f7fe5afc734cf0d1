# SPDX-License-Identifier: MIT
"""Reads the tables of a simulated switch, by a connection of its own beside those of controllers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridnet.tools.explore.messages import FLOWS, GROUPS, PORTS, bodies, delete_all, hello, multipart, split
from hybridnet.tools.explore.tables import Tables, read_flows, read_groups, read_ports

__all__ = ["Reader"]


class Reader:
    """Of one switch.

    Args:
        bench: a `_simcore.SwitchBench`.
        switch: its name.
        asks: see `Tables`.
    """

    def __init__(self, bench: Any, switch: str, *, asks: bool = False) -> None:
        self._asks = asks
        self._bench = bench
        self._connection = bench.connect(switch, True)
        self._xid = 0
        bench.said(self._connection)
        bench.hear(self._connection, hello())

    def tables(self) -> Tables:
        """What the switch does with packets now. No time passes.

        Raises:
            NotUnderstoodError: it has a flow or group that nothing can be said about.
        """
        flows = [rule for body in self._ask(FLOWS) for rule in read_flows(body)]
        groups = {group.number: group for body in self._ask(GROUPS) for group in read_groups(body)}
        ports = {port.number: port for body in self._ask(PORTS) for port in read_ports(body)}
        return Tables(flows, groups, ports, self._asks)

    def forget_all(self) -> None:
        """Make the switch empty, as one that has started again."""
        self.tell(delete_all())

    def tell(self, data: bytes) -> None:
        """Send messages, and wait for no answer."""
        self._bench.hear(self._connection, data)
        self._bench.said(self._connection)

    def _ask(self, kind: int) -> Iterator[bytes]:
        self._xid += 1
        self._bench.hear(self._connection, multipart(kind, self._xid))
        answered, _ = split(self._bench.said(self._connection))
        yield from bodies(answered, self._xid)
