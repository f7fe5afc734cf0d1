# SPDX-License-Identifier: MIT
"""Terminals in the page: a WebSocket on one side, a pseudo-terminal in a node on the other.

From the browser come keys as binary messages, and as text ``{"rows": 24, "columns": 80}`` when the window changes;
to it goes what the terminal prints, as binary messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from hybridnet.errors import HybridnetError
from hybridnet.run.live.network import Live

__all__ = ["MOST_TERMINALS", "Terminals"]

MOST_TERMINALS = 16
SLICE_S = 5.0  # how long one call may wait for output


class Terminals:
    """Opens a terminal for each WebSocket, at most `MOST_TERMINALS` at once."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._open = 0
        self._threads = ThreadPoolExecutor(2 * MOST_TERMINALS, "terminal")

    def close(self) -> None:
        """No more of them."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def serve(self, websocket: WebSocket) -> None:
        """One terminal, from its first key to its end."""
        await websocket.accept()
        if self._open >= MOST_TERMINALS:
            await websocket.close(4429, f"{MOST_TERMINALS} terminals are open; close one of them")
            return
        self._open += 1
        try:
            await self._serve(websocket, websocket.path_params["node"])
        except HybridnetError as error:
            with contextlib.suppress(RuntimeError):  # it is closed already
                await websocket.close(4400, str(error)[:100])
        finally:
            self._open -= 1
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # that is done
                await websocket.close()

    async def _serve(self, websocket: WebSocket, node: str) -> None:
        self._live.node(node)
        call = partial(self._call, node)
        number = await call("open_terminal", node=node)
        printing = asyncio.create_task(_print(websocket, partial(call, "read_terminal", number=number)))
        typing = asyncio.create_task(self._type(websocket, call, number))
        try:
            await asyncio.wait({printing, typing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            typing.cancel()
            with contextlib.suppress(HybridnetError):  # the network, or the machine, is gone
                await call("close_terminal", number=number)
            printing.cancel()
            for ended in await asyncio.gather(printing, typing, return_exceptions=True):
                if isinstance(ended, HybridnetError):  # what else there is comes of a page that has gone
                    raise ended

    async def _type(self, websocket: WebSocket, call: Any, number: int) -> None:
        while True:
            try:
                message = await websocket.receive()
            except (WebSocketDisconnect, RuntimeError):
                return
            if message["type"] == "websocket.disconnect":
                return
            if (keys := message.get("bytes")) is not None:
                await call("write_terminal", number=number, data=keys)
            elif (size := _size(message.get("text") or "")) is not None:
                await call("resize_terminal", number=number, rows=size[0], columns=size[1])

    async def _call(self, node: str, verb: str, /, **arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(self._live.call, node, verb, **arguments))


async def _print(websocket: WebSocket, read: Any) -> None:
    while (data := await read(timeout=SLICE_S)) is not None:
        if data:
            await websocket.send_bytes(data)
    await websocket.close(1000, "the shell has ended")


def _size(text: str) -> tuple[int, int] | None:
    """Rows and columns that a message asks for; None: it is no such message."""
    try:
        asked = json.loads(text)
        rows, columns = int(asked["rows"]), int(asked["columns"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return min(max(rows, 1), 1000), min(max(columns, 1), 1000)
