# SPDX-License-Identifier: MIT
"""Programs in hosts with their own pipes, as behind Mininet's `node.popen`.

Output is bytes. What has not been fetched is kept up to `BUFFER_LIMIT` per stream; then the pipe fills and the program
waits, so nothing is lost and nothing grows without bound.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Sequence

from hybridnet.errors import MachineError, UsageError

BUFFER_LIMIT = 4 << 20


class _Stream:
    """Collects one pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._data = bytearray()
        self._ended = False
        self._change = threading.Condition()
        threading.Thread(target=self._collect, daemon=True).start()

    def take(self, most: int, timeout: float) -> bytes | None:
        """Up to `most` bytes, b"" if none came within `timeout` seconds, None at the end of the stream."""
        with self._change:
            self._change.wait_for(lambda: self._data or self._ended, timeout)
            if not self._data:
                return None if self._ended else b""
            taken = bytes(self._data[:most])
            del self._data[:most]
            self._change.notify_all()
            return taken

    def discard(self) -> None:
        """Lets the collecting thread end: nobody will fetch any more."""
        with self._change:
            self._data.clear()
            self._change.notify_all()

    def _collect(self) -> None:
        while chunk := os.read(self._descriptor, 65536):
            with self._change:
                self._data += chunk
                self._change.notify_all()
                self._change.wait_for(lambda: len(self._data) < BUFFER_LIMIT)
        with self._change:
            self._ended = True
            self._change.notify_all()
        os.close(self._descriptor)


class Process:
    """One program."""

    def __init__(
        self,
        node: str,
        command: Sequence[str] | str,
        prefix: list[str],
        environment: dict[str, str],
        *,
        merge: bool,
        stdin: bool,
    ) -> None:
        argv = [*prefix, "/bin/sh", "-c", command] if isinstance(command, str) else [*prefix, *command]
        if not command:
            raise UsageError(f"node {node}: an empty command cannot be started")
        self.node = node
        try:
            self._popen = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
        except FileNotFoundError:
            raise MachineError(f"node {node}: the command {argv[0]} is not there; install it") from None
        self.pid = self._popen.pid
        self._streams: dict[str, _Stream] = {}
        for name, pipe in (("stdout", self._popen.stdout), ("stderr", self._popen.stderr)):
            if pipe is not None:
                self._streams[name] = _Stream(os.dup(pipe.fileno()))
                pipe.close()

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self._popen.poll()

    def wait(self, timeout: float) -> int | None:
        """The exit status, waited for at most `timeout` seconds; None if it still runs."""
        try:
            return self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def signal(self, number: int, group: bool) -> None:
        """Sends a signal to the program, or to its whole process group; one that has ended ignores it."""
        if self._popen.poll() is None:
            if group:
                os.killpg(self.pid, number)
            else:
                self._popen.send_signal(number)

    def write(self, data: bytes, end: bool) -> None:
        """Writes to its standard input, and closes that at the `end`."""
        pipe = self._popen.stdin
        if pipe is None or pipe.closed:
            raise MachineError(f"node {self.node}: process {self.pid} has no open standard input")
        try:
            view = memoryview(data)
            while view:
                view = view[pipe.write(view) or 0 :]
            if end:
                pipe.close()
        except BrokenPipeError:
            raise MachineError(
                f"node {self.node}: process {self.pid} does not read its standard input any more"
            ) from None

    def read(self, stream: str, most: int, timeout: float) -> bytes | None:
        """Output of one stream: see `_Stream.take`. A merged standard error has no stream of its own."""
        if stream not in self._streams:
            raise UsageError(f"node {self.node}: process {self.pid} has no separate stream {stream}")
        return self._streams[stream].take(most, timeout)

    def close(self) -> None:
        """Ends it, if it still runs, with its process group."""
        if self._popen.poll() is None:
            self.signal(signal.SIGTERM, group=True)
            if self.wait(1) is None:
                self.signal(signal.SIGKILL, group=True)
                self._popen.wait()
        if self._popen.stdin is not None:
            self._popen.stdin.close()
        for stream in self._streams.values():
            stream.discard()
