# SPDX-License-Identifier: MIT
"""What the ports of Open vSwitch's bridges have counted, asked in OpenFlow 1.3 over each bridge's management socket.

Patch ports are no devices, so the kernel does not count what crosses them; Open vSwitch does, and brings its figures up
to date about once a second. One connection for each bridge stays open, because a process for each question would cost
a hundred times as much. Ports are asked for one by one: for those that are devices Open vSwitch asks the kernel, in the
thread that also decides on new flows. The message is OFPMP_PORT_STATS (OpenFlow 1.3.5, section 7.3.5.6).
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping
from pathlib import Path

from hybridnet.agent.counters.management import Management

__all__ = ["PortRow", "PortStats", "parse_ports"]

PortRow = tuple[int, int, int, int, int]
"""Packets and bytes received, packets and bytes sent, packets dropped."""

_PORTS = 4
_PORT = struct.Struct("!I4x12QII")
_WHICH = struct.Struct("!I4x")


class PortStats:
    """Asks the bridges of one machine.

    Args:
        directory: where their sockets are.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open: dict[str, Management] = {}

    def read(self, wanted: Mapping[str, Collection[int]]) -> dict[str, dict[int, PortRow]]:
        """Of each bridge the ports with these numbers that it has; a bridge that does not answer is left out.

        All are asked before the first answer is read, so they answer side by side.
        """
        for gone in self._open.keys() - wanted.keys():
            self._forget(gone)
        asked = [bridge for bridge, ports in wanted.items() if self._ask(bridge, ports)]
        found = {bridge: self._answer(bridge, len(wanted[bridge])) for bridge in asked}
        return {bridge: ports for bridge, ports in found.items() if ports is not None}

    def close(self) -> None:
        """Close all connections."""
        for bridge in list(self._open):
            self._forget(bridge)

    def _ask(self, bridge: str, ports: Collection[int]) -> bool:
        try:
            if bridge not in self._open:
                self._open[bridge] = Management(self._directory, bridge)
            self._open[bridge].ask(_PORTS, [_WHICH.pack(port) for port in ports])
        except OSError:  # it is being removed, or speaks no OpenFlow 1.3
            self._forget(bridge)
            return False
        return True

    def _answer(self, bridge: str, answers: int) -> dict[int, PortRow] | None:
        ports: dict[int, PortRow] = {}
        try:
            while answers:
                kind, last, body = self._open[bridge].reply()
                if kind == _PORTS:
                    ports |= parse_ports(body)
                answers -= last
            return ports
        except OSError:
            self._forget(bridge)
            return None

    def _forget(self, bridge: str) -> None:
        if (opened := self._open.pop(bridge, None)) is not None:
            opened.close()


def parse_ports(data: bytes) -> dict[int, PortRow]:
    """The rows of an answer, by port; those of reserved ports, such as LOCAL, are left out."""
    rows = {}
    for at in range(0, len(data) - _PORT.size + 1, _PORT.size):
        port, rx, tx, rx_bytes, tx_bytes, rx_dropped, tx_dropped, *_ = _PORT.unpack_from(data, at)
        if port < 0xFFFFFF00:
            rows[port] = (rx, rx_bytes, tx, tx_bytes, _known(rx_dropped) + _known(tx_dropped))
    return rows


def _known(count: int) -> int:
    """A counter that the port does not have is all ones."""
    return 0 if count == (1 << 64) - 1 else count
