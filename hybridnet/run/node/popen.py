# SPDX-License-Identifier: MIT
"""Popen: a program that runs in a node, with the interface of `subprocess.Popen`.

The program is the agent's child; this is a handle. Its output is kept by the agent up to a bound and fetched
when it is read; after that the program waits, so a program that prints much must be read, or be given a file.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from signal import NSIG, SIGKILL, SIGTERM
from typing import IO, Any

from hybridnet.describe import values
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, UsageError

__all__ = ["Popen"]

Call = Callable[..., Any]  # call(verb, **arguments): the agent of the node's machine

_SLICE_S = 5.0  # how long one call of the agent may wait; many short ones notice that the machine has gone


class Popen:
    """A started program.

    Args:
        call: the agent of the node's machine.
        node: where it runs.
        command: arguments, or text for the shell.
        stdout, stderr: PIPE (default), DEVNULL, a file open for writing, or for stderr STDOUT.
        stdin: PIPE, or None for an empty one.
        env: added to the environment.
        cwd: directory it starts in.
        text: whether output is str (default, as scripts expect) or bytes.
    """

    def __init__(
        self,
        call: Call,
        node: str,
        command: Sequence[str] | str,
        *,
        stdout: int | IO[Any] | None = subprocess.PIPE,
        stderr: int | IO[Any] | None = subprocess.PIPE,
        stdin: int | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        text: bool = True,
    ) -> None:
        what = f"program {shown(command)} in {node}"
        if stdin not in (None, subprocess.PIPE, subprocess.DEVNULL):
            raise UsageError(f"{what}: stdin={shown(stdin)} is not supported; use PIPE, DEVNULL or None")
        for name, target in (("stdout", stdout), ("stderr", stderr)):
            _check_target(target, name, what)
        if env is not None and not (
            isinstance(env, Mapping) and all(isinstance(word, str) for pair in env.items() for word in pair)
        ):
            raise UsageError(
                f"{what}: env={shown(env)} is not a dictionary of texts; write {{'NAME': 'value'}}"
            )
        if cwd is not None:
            values.text(cwd, f"{what}: cwd")
        self._call = call
        self.args = command
        self.returncode: int | None = None
        merge = stderr == subprocess.STDOUT
        started = call(
            "start_process",
            node=node,
            command=command if isinstance(command, str) else list(command),
            env=dict(env) if env else None,
            cwd=cwd,
            merge=merge,
            stdin=stdin == subprocess.PIPE,
            discard=[
                name
                for name, target in (("stdout", stdout), ("stderr", stderr))
                if target == subprocess.DEVNULL
            ],
        )
        self._number: int = started["number"]
        self.pid: int = started["pid"]
        self._closed = False
        self._copies: list[threading.Thread] = []
        self._readers: list[threading.Thread] = []  # of `communicate`
        self._found: dict[str, Any] = {}  # by them
        self.stdin = _Input(self) if stdin == subprocess.PIPE else None
        self.stdout = self._stream("stdout", stdout, text)
        self.stderr = None if merge else self._stream("stderr", stderr, text)

    def poll(self) -> int | None:
        """The exit status (negative for a signal), or None while it runs."""
        if self.returncode is None:
            self.returncode = self._call("poll_process", number=self._number)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        if timeout is not None:
            values.number(timeout, f"program {self.pid}: timeout", 0, 1e9)
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = _SLICE_S if deadline is None else min(_SLICE_S, deadline - time.monotonic())
            if left < 0:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = self._call("wait_process", number=self._number, timeout=left)
        for copy in self._copies:
            copy.join()
        return self.returncode

    def communicate(self, input: str | bytes | None = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Send `input`, read both streams to their ends, wait, and forget the program. Returns (stdout,
        stderr).
        """
        if input is not None:
            if self.stdin is None:
                raise UsageError(f"program {self.pid}: it has no standard input; start it with stdin=PIPE")
            self.stdin.write(input)
        if self.stdin is not None:
            self.stdin.close()
        found = self._found

        def read(name: str, stream: _Output) -> None:
            with contextlib.suppress(HybridnetError):  # the machine is gone: `wait` raises the error
                found[name] = stream.read()

        if not self._readers:  # else an earlier call ran out of time, and they read on
            self._readers = [
                threading.Thread(target=read, args=(name, stream), daemon=True)
                for name, stream in (("stdout", self.stdout), ("stderr", self.stderr))
                if stream is not None
            ]
            for reader in self._readers:
                reader.start()
        self.wait(timeout)
        for reader in self._readers:
            reader.join()
        self.close()
        return found.get("stdout"), found.get("stderr")

    def send_signal(self, signal: int) -> None:
        """Send a signal to it; one that has ended gets none."""
        if not isinstance(signal, int) or not 0 < signal < NSIG:
            raise UsageError(
                f"program {self.pid}: {shown(signal)} is not a signal; write signal.SIGTERM or the like"
            )
        if self.returncode is None:
            self._call("signal_process", number=self._number, signal=int(signal))

    def times(self) -> tuple[float, float]:
        """An instant of its machine's clock, and the processor time that it has taken until then; both in seconds."""
        at_s, took_s = self._call("process_times", number=self._number)
        return at_s, took_s

    def terminate(self) -> None:
        """Send SIGTERM to it."""
        self.send_signal(SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL to it."""
        self.send_signal(SIGKILL)

    def close(self) -> None:
        """End it if it runs, and let the agent forget it."""
        if not self._closed:
            self._closed = True
            self._call("close_process", number=self._number)

    def __enter__(self) -> Popen:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stream(self, name: str, target: int | IO[Any] | None, text: bool) -> _Output | None:
        stream = _Output(self._call, self._number, name, text)
        if target is None or target == subprocess.PIPE:
            return stream
        if target == subprocess.DEVNULL:
            return None
        copy = threading.Thread(target=_copy, args=(stream, _kept_open(target)), daemon=True)
        copy.start()
        self._copies.append(copy)
        return None


def _check_target(target: Any, name: str, what: str) -> None:
    known = (None, subprocess.PIPE, subprocess.DEVNULL, *((subprocess.STDOUT,) if name == "stderr" else ()))
    if not hasattr(target, "write") and not (isinstance(target, int | None) and target in known):
        raise UsageError(
            f"{what}: {name}={shown(target)} is not supported; use PIPE, DEVNULL or an open file"
        )


class _Output:
    """One output stream, read like a file."""

    def __init__(self, call: Call, number: int, name: str, text: bool) -> None:
        self._call, self._number, self._name, self._text = call, number, name, text
        self._buffer = b""
        self._ended = False

    def read(self, size: int = -1) -> Any:
        """Up to `size` bytes or characters' worth of bytes, or all until the end."""
        while not self._ended and (size < 0 or len(self._buffer) < size):
            self._fetch()
        cut = len(self._buffer) if size < 0 else size
        return self._give(cut)

    def readline(self) -> Any:
        """One line with its newline; empty at the end."""
        while not self._ended and b"\n" not in self._buffer:
            self._fetch()
        at = self._buffer.find(b"\n")
        return self._give(len(self._buffer) if at < 0 else at + 1)

    def readlines(self) -> list[Any]:
        """All lines until the end."""
        return list(self)

    def read_available(self, timeout: float) -> bytes | None:
        """Return what there is, after at most `timeout` seconds; None at the end."""
        if not self._buffer and not self._ended:
            self._fetch(timeout)
        if not self._buffer and self._ended:
            return None
        taken, self._buffer = self._buffer, b""
        return taken

    def close(self) -> None:
        """Read no more."""
        self._ended, self._buffer = True, b""

    def __iter__(self) -> Iterator[Any]:
        while line := self.readline():
            yield line

    def _fetch(self, timeout: float = _SLICE_S) -> None:
        chunk = self._call("read_process", number=self._number, stream=self._name, timeout=timeout)
        if chunk is None:
            self._ended = True
        else:
            self._buffer += chunk

    def _give(self, cut: int) -> Any:
        taken, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return taken.decode(errors="replace") if self._text else taken


class _Input:
    """The standard input, written like a file."""

    def __init__(self, program: Popen) -> None:
        self._program = program
        self._open = True

    def write(self, data: str | bytes) -> int:
        """Send `data` at once."""
        if not isinstance(data, str | bytes):
            raise UsageError(f"program {self._program.pid}: input {shown(data)} is neither text nor bytes")
        payload = data.encode() if isinstance(data, str) else data
        self._program._call("write_process", number=self._program._number, data=payload, end=False)
        return len(data)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def close(self) -> None:
        """Let the program see the end of its input."""
        if self._open:
            self._open = False
            self._program._call("write_process", number=self._program._number, data=b"", end=True)


def _kept_open(file: Any) -> contextlib.AbstractContextManager[Any]:
    """A file to write to until the program ends: the caller may close its own at once, as with `subprocess`."""
    try:
        file.flush()
        return os.fdopen(os.dup(file.fileno()), "wb")
    except (AttributeError, OSError, ValueError):  # a file of Python's only, such as StringIO
        return contextlib.nullcontext(file)


def _copy(stream: _Output, into: contextlib.AbstractContextManager[Any]) -> None:
    """Move a stream into a file until it ends, or its network or machine does, which `Popen.wait` says."""
    with into as sink, contextlib.suppress(HybridnetError):
        as_text = "b" not in getattr(sink, "mode", "w")
        while (chunk := stream.read_available(_SLICE_S)) is not None:
            if chunk:
                sink.write(chunk.decode(errors="replace") if as_text else chunk)
                sink.flush()
