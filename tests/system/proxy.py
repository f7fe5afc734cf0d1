# SPDX-License-Identifier: MIT
"""An HTTP proxy, by which machines without a way out reach a mirror: what `hybridnet deploy --proxy` is given."""

from __future__ import annotations

import contextlib
import selectors
import socket
import socketserver
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

_PATIENCE_S = 120
_HEAD_BYTES = 1 << 16


class _Handler(socketserver.BaseRequestHandler):
    """One connection: a tunnel (CONNECT), or one request that is passed on."""

    def handle(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self.request.recv(_HEAD_BYTES)
            if not piece or len(head) > _HEAD_BYTES:
                return
            head += piece
        line, _, rest = head.partition(b"\r\n")
        method, target, version = line.decode().split()
        if method == "CONNECT":
            host, _, port = target.partition(":")
        else:
            parts = urlsplit(target)
            host, port = parts.hostname or "", str(parts.port or 80)
            path = target.split(parts.netloc, 1)[1] or "/"
            # Each request its own connection: the next may be for somebody else.
            lines = [
                each
                for each in rest.split(b"\r\n")
                if not each.lower().startswith((b"connection:", b"proxy-"))
            ]
            head = f"{method} {path} {version}\r\nConnection: close\r\n".encode() + b"\r\n".join(lines)
        with socket.create_connection((host, int(port)), timeout=_PATIENCE_S) as there:
            if method == "CONNECT":
                self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                there.sendall(head)
            _join(self.request, there)


def _join(one: socket.socket, other: socket.socket) -> None:
    with selectors.DefaultSelector() as ready:
        ready.register(one, selectors.EVENT_READ, other)
        ready.register(other, selectors.EVENT_READ, one)
        while found := ready.select(_PATIENCE_S):
            for key, _ in found:
                piece = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                if not piece:
                    return
                key.data.sendall(piece)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@contextlib.contextmanager
def proxy_at(address: str) -> Iterator[str]:
    """Run one at this address; gives its URL."""
    with _Server((address, 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{address}:{server.server_address[1]}"
        finally:
            server.shutdown()
