# SPDX-License-Identifier: MIT
"""Connections to the page, which any user of the computer can open, until they have asked for something.

Those that have asked for nothing yet are bounded in number and in time, so that whoever has the token finds room: the
oldest makes room for a new one.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["REQUEST_S", "SILENT_LIMIT", "Caller"]

SILENT_LIMIT = 64
REQUEST_S = 10.0


class Caller(H11Protocol):
    """One connection."""

    is_silent = True
    came_at = 0.0  # on the loop's clock

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It has come."""
        silent = [other for other in self.connections if isinstance(other, Caller) and other.is_silent]
        if len(silent) >= SILENT_LIMIT:
            min(silent, key=lambda other: other.came_at).drop()
        self.came_at = self.loop.time()
        super().connection_made(transport)
        self._late = self.loop.call_later(REQUEST_S, self.drop)

    def data_received(self, data: bytes) -> None:
        """It says something: once that is a whole request, the gate judges it."""
        super().data_received(data)
        if self.cycle is not None:
            self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._late.cancel()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: Any) -> None:
        """It is a terminal's from now on."""
        self._ask()
        super().handle_websocket_upgrade(event)

    def drop(self) -> None:
        """End it, if it has asked for nothing."""
        if self.is_silent:
            self.is_silent = False
            self.transport.abort()

    def _ask(self) -> None:
        self.is_silent = False
        self._late.cancel()
