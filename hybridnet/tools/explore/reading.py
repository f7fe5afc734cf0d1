# SPDX-License-Identifier: MIT
"""Reads the tables of a simulated switch, by a connection of its own beside those of controllers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from hybridnet.tools.explore.messages import (
    FEATURES_REPLY,
    FLOWS,
    GROUPS,
    PORTS,
    bodies,
    delete_all,
    features_request_10,
    hello,
    hello_10,
    multipart,
    split,
)
from hybridnet.tools.explore.tables import (
    NotUnderstoodError,
    Tables,
    read_flows,
    read_groups,
    read_ports,
    read_unflooded,
)

__all__ = ["Reader"]


class Reader:
    """Of one switch.

    Args:
        bench: a `_simcore.SwitchBench`.
        switch: its name.
        protocols: what it speaks with controllers.
    """

    def __init__(self, bench: Any, switch: str, protocols: Sequence[str]) -> None:
        self._asks = list(protocols) == ["OpenFlow10"]
        self._bench = bench
        self._switch = switch
        self._connection = self._connect(hello())
        self._of_10 = self._connect(hello_10()) if "OpenFlow10" in protocols else None
        self._xid = 0

    def tables(self) -> Tables:
        """What the switch does with packets now. No time passes.

        Raises:
            NotUnderstoodError: it has a flow or group that nothing can be said about.
        """
        try:
            flows = [rule for body in self._ask(FLOWS) for rule in read_flows(body)]
            groups = {group.number: group for body in self._ask(GROUPS) for group in read_groups(body)}
        except NotUnderstoodError as error:
            raise NotUnderstoodError(f"explore: switch {self._switch}: {error}") from None
        unflooded = self._unflooded()
        ports = {
            port.number: replace(port, floods=port.number not in unflooded)
            for body in self._ask(PORTS)
            for port in read_ports(body)
        }
        return Tables(flows, groups, ports, self._asks)

    def forget_all(self) -> None:
        """Make the switch empty, as one that has started again."""
        self.tell(delete_all())

    def tell(self, data: bytes) -> None:
        """Send messages, and wait for no answer."""
        self._bench.hear(self._connection, data)
        self._bench.said(self._connection)

    def _connect(self, greeting: bytes) -> Any:
        connection = self._bench.connect(self._switch, True)
        self._bench.said(connection)
        self._bench.hear(connection, greeting)
        return connection

    def _unflooded(self) -> set[int]:
        """The ports to which FLOOD does not send: only OpenFlow 1.0 can say that of a port, and tells it."""
        if self._of_10 is None:
            return set()
        self._bench.hear(self._of_10, features_request_10(0))
        answered, _ = split(self._bench.said(self._of_10))
        [features] = [each.body for each in answered if each.type == FEATURES_REPLY]
        return read_unflooded(features)

    def _ask(self, kind: int) -> Iterator[bytes]:
        self._xid += 1
        self._bench.hear(self._connection, multipart(kind, self._xid))
        answered, _ = split(self._bench.said(self._connection))
        yield from bodies(answered, self._xid)
