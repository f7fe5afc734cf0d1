# SPDX-License-Identifier: MIT
"""The process that keeps a detached run: it gives the run a terminal of its own, and lets people look at it.

``python -m hybridnet.system.keeper DIRECTORY COMMAND…`` runs the command on a pseudo-terminal and listens at
``DIRECTORY/socket``. Whoever connects gets the end of what the run has said, and from then on everything that it says;
what they send is typed at the run. What it says is also in ``DIRECTORY/output``, of which the last `KEPT_BYTES` are
kept. If the keeper ends first, the run's terminal is gone, and the run ends as with ^C.

From a client come frames: a letter, a length of two bytes, and so many bytes. ``i``: input. ``w``: lines and columns of
the client's terminal, two bytes each. To a client goes plain text; the end of the connection is the end of the run.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import selectors
import signal
import socket
import struct
import sys
import termios
import time
from pathlib import Path
from typing import NotRequired, TypedDict, final

from hybridnet.system.journal import start_time
from hybridnet.system.typing_ahead import prepare, type_into

FRAME = struct.Struct("!cH")
WINDOW = struct.Struct("!HH")
KEPT_BYTES = 4 << 20
SHOWN_BYTES = 16 << 10
MOST_CLIENTS = 8
_PIECE = 1 << 16


@final
class Facts(TypedDict):
    """What a keeper says of its run, in ``run.json``: processes with the times of their start, and instants (UNIX)."""

    command: list[str]
    keeper: int
    keeper_start: int | None
    head: int
    head_start: int | None
    began: float
    ended: NotRequired[float]
    status: NotRequired[int]


class Keeper:
    """One run and its clients."""

    def __init__(self, directory: Path, command: list[str]) -> None:
        self._directory = directory
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(directory / "socket"))
        self._listener.listen(MOST_CLIENTS)
        self._output = (directory / "output").open("wb+", buffering=0)
        self._unread: dict[socket.socket, bytes] = {}
        self._pid, self._master = pty.fork()
        if self._pid == 0:
            # Whoever detached it may ignore them, as under nohup.
            for number in (signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            os.execvp(command[0], command)
        prepare(self._master)
        self._facts: Facts = {
            "command": command,
            "keeper": os.getpid(),
            "keeper_start": start_time(os.getpid()),
            "head": self._pid,
            "head_start": start_time(self._pid),
            "began": time.time(),
        }
        self._write_facts()
        signal.signal(signal.SIGTERM, lambda *_: os.kill(self._pid, signal.SIGTERM))

    def run(self) -> None:
        """Until the run has ended."""
        with selectors.DefaultSelector() as ready:
            ready.register(self._master, selectors.EVENT_READ)
            ready.register(self._listener, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fileobj is self._listener:
                        self._welcome(ready)
                    elif key.fileobj == self._master:
                        if not self._hear():
                            self._end()
                            return
                    elif isinstance(key.fileobj, socket.socket) and not self._obey(key.fileobj):
                        ready.unregister(key.fileobj)
                        self._part(key.fileobj)
                for client in [each for each in self._unread if each.fileno() < 0]:
                    del self._unread[client]

    def _welcome(self, ready: selectors.BaseSelector) -> None:
        client, _ = self._listener.accept()
        if len(self._unread) >= MOST_CLIENTS:
            client.close()
            return
        client.setblocking(False)
        self._unread[client] = b""
        ready.register(client, selectors.EVENT_READ)
        size = os.fstat(self._output.fileno()).st_size
        self._tell(client, os.pread(self._output.fileno(), SHOWN_BYTES, max(0, size - SHOWN_BYTES)))

    def _hear(self) -> bool:
        """Take what the run says; return False at its end."""
        try:
            said = os.read(self._master, _PIECE)
        except BlockingIOError:
            return True
        except OSError:  # EIO: the run has closed its terminal
            return False
        if not said:
            return False
        with contextlib.suppress(OSError):  # no room is left, which is no reason to end the run
            self._keep(said)
        for client in self._unread:
            self._tell(client, said)
        return True

    def _keep(self, said: bytes) -> None:
        if os.fstat(self._output.fileno()).st_size + len(said) > 2 * KEPT_BYTES:
            size = os.fstat(self._output.fileno()).st_size
            last = os.pread(self._output.fileno(), KEPT_BYTES, size - KEPT_BYTES)
            self._output.truncate(0)
            self._output.seek(0)
            self._output.write(last)
        self._output.write(said)

    def _tell(self, client: socket.socket, text: bytes) -> None:
        """Send it; a client that does not read loses what its socket has no room for: the file has it."""
        with contextlib.suppress(OSError):
            client.send(text)

    def _obey(self, client: socket.socket) -> bool:
        """Take frames; return False when the client has gone."""
        try:
            came = client.recv(_PIECE)
        except OSError:
            return False
        if not came:
            return False
        unread = self._unread[client] + came
        while len(unread) >= FRAME.size:
            kind, length = FRAME.unpack_from(unread)
            if len(unread) < FRAME.size + length:
                break
            content, unread = unread[FRAME.size : FRAME.size + length], unread[FRAME.size + length :]
            if kind == b"i":
                type_into(self._master, content)  # waiting for the run, it would not hear what it says
            elif kind == b"w" and length == WINDOW.size:
                size = struct.pack("HHHH", *WINDOW.unpack(content), 0, 0)
                fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)
            else:
                return False
        self._unread[client] = unread
        return True

    def _part(self, client: socket.socket) -> None:
        self._unread.pop(client, None)
        client.close()

    def _end(self) -> None:
        _, status = os.waitpid(self._pid, 0)
        code = os.waitstatus_to_exitcode(status)
        self._facts["ended"], self._facts["status"] = time.time(), code if code >= 0 else 128 - code
        self._write_facts()
        (self._directory / "socket").unlink()
        for client in list(self._unread):
            self._part(client)

    def _write_facts(self) -> None:
        new = self._directory / "run.json.new"
        new.write_text(json.dumps(self._facts))
        new.rename(self._directory / "run.json")


def main() -> None:
    """Keep one run."""
    Keeper(Path(sys.argv[1]), sys.argv[2:]).run()


if __name__ == "__main__":
    main()
