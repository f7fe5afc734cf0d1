# SPDX-License-Identifier: MIT
"""Where connections come in to a Dask server of a run, which any user of the computer can open.

Until its TLS handshake is done, nobody knows whose a connection is. So those that are not proven are bounded in number
and in time: the oldest makes room for a new one, and none stays for longer than `HANDSHAKE_S`. One of ours is proven
within milliseconds, so it passes however many strangers wait. The listener stays where it is: a filter by address or
user would need nftables, which not every computer has, and TCP does not tell whose a connection is.

Where no descriptor is left, none is accepted for a moment: the listening socket would be readable all the time, and
Tornado's own handler would be called, and would log a traceback, without end.
"""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import Callable
from typing import Any

__all__ = ["AT_ONCE", "HANDSHAKE_S", "UNPROVEN_LIMIT", "Doorway"]

UNPROVEN_LIMIT = 128
HANDSHAKE_S = 10.0
PAUSE_S = 0.5
AT_ONCE = 32  # accepted in a turn of the event loop, which has other things to do


class Doorway:
    """Takes the place of Tornado's handlers at a listener of Dask's (`distributed.comm.tcp.TLSListener`), in its event
    loop.
    """

    def __init__(self, listener: Any) -> None:
        self._unproven: dict[Any, None] = {}  # streams, the oldest first
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        self._limit = UNPROVEN_LIMIT if most < 0 else min(UNPROVEN_LIMIT, most // 4)  # the rest is for work
        self._prepare: Callable[..., Any] = listener._prepare_stream
        listener._prepare_stream = self._prove
        self._loop = asyncio.get_running_loop()
        server = listener.tcp_server
        for descriptor, listening in server._sockets.items():
            server._handlers[descriptor]()  # Tornado's takes its leave
            server._handlers[descriptor] = self._watch(listening, server._handle_connection)

    def _watch(
        self, listening: socket.socket, take: Callable[[socket.socket, Any], object]
    ) -> Callable[[], None]:
        """Accept what comes. Returns what ends that."""
        ended = False

        def begin() -> None:
            if not ended:
                self._loop.add_reader(listening.fileno(), accept)

        def accept() -> None:
            for _ in range(AT_ONCE):
                try:
                    connection, address = listening.accept()
                except (BlockingIOError, ConnectionAbortedError):
                    return
                except OSError:  # EMFILE, ENFILE, ENOBUFS, ENOMEM
                    self._loop.remove_reader(listening.fileno())
                    self._loop.call_later(PAUSE_S, begin)
                    return
                take(connection, address)

        def end() -> None:
            nonlocal ended
            ended = True
            self._loop.remove_reader(listening.fileno())

        begin()
        return end

    async def _prove(self, stream: Any, address: str) -> Any:
        """The stream, once its other end has shown the run's certificate; None: it has not."""
        while len(self._unproven) >= self._limit:
            oldest = next(iter(self._unproven))
            del self._unproven[oldest]
            oldest.close()
        self._unproven[stream] = None
        late = self._loop.call_later(HANDSHAKE_S, stream.close)
        try:
            return await self._prepare(stream, address)
        finally:
            late.cancel()
            self._unproven.pop(stream, None)
