# SPDX-License-Identifier: MIT
"""A relay for OpenFlow: through it, machines reach a controller that only this computer can reach.

A controller at 127.0.0.1, or at an address that machines have no route to, is offered at this computer's address toward
them. Each switch's connection is one connection to the controller, opened when the switch comes, so a controller that
starts later is found then. Nothing is read into what passes.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading

__all__ = ["Relay"]

_PIECE_BYTES = 65536


class Relay:
    """Passes connections on until it is closed.

    Args:
        address: where switches come; the port is free and chosen here.
        controllers: addresses and ports at which the controller may be; each switch gets the first that answers.

    Raises:
        OSError: the address is not this computer's.
    """

    def __init__(self, address: str, *controllers: tuple[str, int]) -> None:
        self._controllers = controllers
        self._listener = socket.create_server((address, 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._accept, name=f"relay {self.port}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End every connection, and listen no more. A second call does nothing."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for end in self._open:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                switch, _ = self._listener.accept()
            except OSError:  # closed
                return
            controller = self._reach()
            if controller is None:  # the switch tries again, as after any refusal
                switch.close()
                continue
            with self._lock:
                self._open |= {switch, controller}
            threading.Thread(target=self._pass, args=(switch, controller), daemon=True).start()

    def _reach(self) -> socket.socket | None:
        for place in self._controllers:
            with contextlib.suppress(OSError):
                reached = socket.create_connection(place, timeout=5)
                reached.settimeout(None)
                return reached
        return None

    def _pass(self, switch: socket.socket, controller: socket.socket) -> None:
        with selectors.DefaultSelector() as ready, switch, controller:
            ready.register(switch, selectors.EVENT_READ, controller)
            ready.register(controller, selectors.EVENT_READ, switch)
            with contextlib.suppress(OSError):  # either end has gone: so does the other
                while True:
                    for key, _ in ready.select():
                        piece = key.fileobj.recv(_PIECE_BYTES)  # type: ignore[union-attr]
                        if not piece:
                            raise ConnectionResetError
                        key.data.sendall(piece)
        with self._lock:
            self._open -= {switch, controller}
