# SPDX-License-Identifier: MIT
"""Programs in hosts with their own pipes, as behind Mininet's `node.popen`.

Output is bytes. Output that nobody has fetched is kept, up to `BUFFER_LIMIT` per stream. Then the pipe fills and the
program waits, so nothing is lost and nothing grows without bound.

Whoever is in the agent's own process may give the program descriptors of it instead.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Mapping, Sequence

from hybridnet.agent.programs import launch
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.priority import Priority, raise_thread

BUFFER_LIMIT = 4 << 20
_SCHEDULED = 2  # what makes a process's number a clock of its processor time, as in clock_getcpuclockid()


class BrokenInputError(MachineError, BrokenPipeError):
    """A program does not read its standard input any more: a BrokenPipeError for who knows `subprocess`."""


class OwnDescriptors(dict[str, int]):
    """Descriptors for a program's ``stdin``, ``stdout`` and ``stderr``. They mean something in one process: whatever
    carries them to another one delivers None.
    """

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()


class _Stream:
    """Collects one pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._data = bytearray()
        self._ended = False
        self._wanted = True
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
        """Keep nothing from now on: nobody will fetch any more."""
        with self._change:
            self._wanted = False
            self._data.clear()
            self._change.notify_all()

    def _collect(self) -> None:
        raise_thread(Priority.AGENT)
        while chunk := os.read(self._descriptor, 65536):
            with self._change:
                if self._wanted:
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
        prefix: Sequence[str],
        environment: Mapping[str, str],
        *,
        merge: bool,
        stdin: bool,
        discard: Collection[str] = (),
        descriptors: OwnDescriptors | None = None,
    ) -> None:
        """Start it.

        Args:
            command: text goes through ``/bin/sh``.
            merge: standard error goes where standard output does.
            stdin: whether `write` will be used; else standard input is empty.
            discard: of ``stdout`` and ``stderr``, what nobody will read.
            descriptors: what its streams are instead of pipes of the agent; the caller closes them.

        Raises:
            UsageError: the command is empty, or `discard` names something else.
            MachineError: see `hybridnet.agent.programs.launch.start`.
        """
        if not command:
            raise UsageError(f"node {node}: an empty command cannot be started")
        if unknown := set(discard) - {"stdout", "stderr"}:
            raise UsageError(f"node {node}: {min(unknown)!r} cannot be discarded; only stdout and stderr can")
        self.node = node
        self._streams: dict[str, _Stream] = {}
        self._lock = threading.Lock()
        targets = {
            name: subprocess.DEVNULL if name in discard else subprocess.PIPE for name in ("stdout", "stderr")
        }
        targets["stdin"] = subprocess.PIPE if stdin else subprocess.DEVNULL
        targets.update(descriptors or {})
        if merge:
            targets["stderr"] = subprocess.STDOUT
        try:
            self._popen = launch.start(
                ["/bin/sh", "-c", command] if isinstance(command, str) else command,
                prefix,
                environment,
                **targets,
            )
        except MachineError as error:
            raise MachineError(f"node {node}: {error}") from None
        self.pid = self._popen.pid
        self._end = os.pidfd_open(self.pid)  # readable once the program has ended
        for name, pipe in (("stdout", self._popen.stdout), ("stderr", self._popen.stderr)):
            if pipe is not None:
                self._streams[name] = _Stream(os.dup(pipe.fileno()))
                pipe.close()

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self.wait(0)

    def wait(self, timeout: float) -> int | None:
        """The exit status, waited for at most `timeout` seconds; None if it still runs."""
        with self._lock:
            if self._end < 0:
                return self._popen.returncode
            end = os.dup(self._end)
        try:
            ended = select.poll()
            ended.register(end, select.POLLIN)
            return self._popen.wait() if ended.poll(timeout * 1000) else None
        finally:
            os.close(end)

    def times(self) -> tuple[float, float]:
        """An instant, and the processor time that it has taken until then, in seconds.

        Raises:
            MachineError: it has ended.
        """
        if self.poll() is not None:
            raise MachineError(
                f"node {self.node}: program {self.pid} has ended; ask for its times while it runs"
            )
        return time.monotonic(), time.clock_gettime(~self.pid << 3 | _SCHEDULED)

    def signal(self, number: int, group: bool) -> None:
        """Send a signal to the program, or to its whole process group; do nothing if it has ended."""
        if self.poll() is None:
            if group:
                os.killpg(self.pid, number)
            else:
                self._popen.send_signal(number)

    def write(self, data: bytes, end: bool) -> None:
        """Write to its standard input, and close that at the `end`."""
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
            raise BrokenInputError(
                f"node {self.node}: process {self.pid} does not read its standard input any more"
            ) from None

    def read(self, stream: str, most: int, timeout: float) -> bytes | None:
        """Output of one stream: see `_Stream.take`. What is merged or discarded has no stream of its own."""
        if stream not in self._streams:
            raise UsageError(f"node {self.node}: process {self.pid} has no separate stream {stream}")
        return self._streams[stream].take(most, timeout)

    def close(self) -> None:
        """End it, if it still runs, with its process group."""
        if self.poll() is None:
            self.signal(signal.SIGTERM, group=True)
            if self.wait(1) is None:
                self.signal(signal.SIGKILL, group=True)
                self._popen.wait()
        with self._lock:
            if self._end >= 0:
                os.close(self._end)
                self._end = -1
        if self._popen.stdin is not None:
            self._popen.stdin.close()
        for stream in self._streams.values():
            stream.discard()
