# SPDX-License-Identifier: MIT
"""The streams of a program that runs in a node: input, output, errors.

If the node's agent is in this process, each is an end of a pipe of this process: a file of Python's own, with a
descriptor to select and poll, and what a program prints is in the pipe as soon as it is printed. Elsewhere each asks
the agent, when somebody reads or writes.
"""

from __future__ import annotations

import contextlib
import io
import os
import select
import threading
from collections.abc import Callable, Iterator
from typing import IO, Any, Protocol

from hybridnet.agent.programs.piped_programs import BrokenInputError
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, UsageError

__all__ = [
    "AgentInput",
    "AgentOutput",
    "PipeInput",
    "Reader",
    "copy_output",
    "feed_input",
    "pipe_output",
]

Call = Callable[..., Any]  # call(verb, **arguments): the agent of the node's machine

SLICE_S = 5.0  # how long one call of the agent may wait; many short ones notice that the machine has gone
_PIECE = 1 << 16


class Reader(Protocol):
    """A program's output: text, or bytes."""

    def fileno(self) -> int:
        """A descriptor to wait for, or to give to another program."""

    def read(self, size: int = -1, /) -> Any:
        """Up to so many characters or bytes, or all until the end."""

    def readline(self) -> Any:
        """One line with its newline; empty at the end."""

    def readlines(self) -> list[Any]:
        """All lines until the end."""

    def read_available(self, timeout: float) -> bytes | None:
        """What there is, after at most so many seconds; None at the end."""

    def close(self) -> None:
        """Read no more."""

    def __iter__(self) -> Iterator[Any]:
        """Its lines."""


# Pipes of this process


class _PipeOutput(io.BufferedReader):
    """Bytes that a program prints."""

    def read_available(self, timeout: float) -> bytes | None:
        """Return what has come, after at most `timeout` seconds; None at the end. Not to be mixed with `readline` and
        the like, which take more out of the pipe than they return.
        """
        waiting = select.poll()  # `select.select` takes no descriptor above 1023
        waiting.register(self.fileno(), select.POLLIN)
        if not waiting.poll(max(0.0, timeout) * 1000):
            return b""
        return self.read1(_PIECE) or None


class _PipeText(io.TextIOWrapper):
    """Text that a program prints."""

    def read_available(self, timeout: float) -> bytes | None:
        """See `_PipeOutput.read_available`: bytes, which may end within a character."""
        available: bytes | None = self.buffer.read_available(timeout)  # type: ignore[attr-defined]
        return available


def pipe_output(descriptor: int, text: bool) -> Reader:
    """The end of a pipe at which a program's output is read, as bytes or as text. Closes the descriptor."""
    stream = _PipeOutput(io.FileIO(descriptor, "rb"))
    return _PipeText(stream, encoding="utf-8", errors="replace") if text else stream


class PipeInput(io.BufferedWriter):
    """A program's standard input, which gets at once what is written.

    Args:
        descriptor: of the pipe; is closed with this.
        what: names the program in errors.
    """

    def __init__(self, descriptor: int, what: str) -> None:
        super().__init__(io.FileIO(descriptor, "wb"))
        self._what = what

    def write(self, data: Any) -> int:
        """Send text or bytes. Returns the length.

        Raises:
            UsageError: it is neither.
            BrokenInputError: the program does not read any more.
        """
        try:
            super().write(_payload(data, self._what))
            self.flush()
        except BrokenPipeError:
            self.raw.close()  # what is left in the buffer has no reader
            raise BrokenInputError(f"{self._what} does not read its standard input any more") from None
        return len(data)

    def writelines(self, lines: Any) -> None:
        """`write` each."""
        for line in lines:
            self.write(line)


# By the agent


class AgentOutput:
    """One output stream, read like a file."""

    def __init__(self, call: Call, number: int, name: str, text: bool) -> None:
        self._call, self._number, self._name, self._text = call, number, name, text
        self._buffer = b""
        self._ended = False
        self._pipe: _PipeOutput | None = None  # once somebody has asked for the descriptor

    def fileno(self) -> int:
        """A descriptor to wait for, or to give to another program. From now on what the program prints is fetched as it
        comes.
        """
        if self._pipe is None:
            reading, writing = os.pipe()
            os.write(writing, self._buffer[: select.PIPE_BUF])
            rest, self._buffer = self._buffer[select.PIPE_BUF :], b""
            fetch = AgentOutput(self._call, self._number, self._name, False)
            fetch._buffer, fetch._ended = rest, self._ended
            self._pipe = _PipeOutput(io.FileIO(reading, "rb"))
            into = os.fdopen(writing, "wb", buffering=0)
            threading.Thread(target=copy_output, args=(fetch, into), daemon=True).start()
        return self._pipe.fileno()

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
        if self._pipe is not None:
            self._pipe.close()

    def __iter__(self) -> Iterator[Any]:
        while line := self.readline():
            yield line

    def _fetch(self, timeout: float = SLICE_S) -> None:
        if self._pipe is not None:
            chunk = self._pipe.read_available(timeout)
        else:
            chunk = self._call("read_process", number=self._number, stream=self._name, timeout=timeout)
        if chunk is None:
            self._ended = True
        else:
            self._buffer += chunk

    def _give(self, cut: int) -> Any:
        taken, self._buffer = self._buffer[:cut], self._buffer[cut:]
        return taken.decode(errors="replace") if self._text else taken


class AgentInput:
    """A program's standard input, written like a file.

    Args:
        what: names the program in errors.
    """

    def __init__(self, call: Call, number: int, what: str) -> None:
        self._call, self._number, self._what = call, number, what
        self._open = True

    def write(self, data: str | bytes) -> int:
        """Send `data` at once."""
        self._call("write_process", number=self._number, data=_payload(data, self._what), end=False)
        return len(data)

    def writelines(self, lines: Any) -> None:
        """`write` each."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def close(self) -> None:
        """Let the program see the end of its input."""
        if self._open:
            self._open = False
            self._call("write_process", number=self._number, data=b"", end=True)


# Files in a program's place


def copy_output(stream: Reader, into: contextlib.AbstractContextManager[Any]) -> None:
    """Move a stream into a file until it ends, or its network or machine does, which `Popen.wait` says, or nobody reads
    the file.
    """
    with contextlib.suppress(HybridnetError, BrokenPipeError), into as sink:
        as_text = "b" not in getattr(sink, "mode", "w")
        while (chunk := stream.read_available(SLICE_S)) is not None:
            if chunk:
                sink.write(chunk.decode(errors="replace") if as_text else chunk)
                sink.flush()


def feed_input(source: IO[bytes], stream: AgentInput) -> None:
    """Move what a descriptor of this process has into a program's standard input until either ends."""
    with contextlib.suppress(HybridnetError), source:
        while piece := source.read(_PIECE):
            stream.write(piece)
        stream.close()


def _payload(data: Any, what: str) -> bytes:
    if isinstance(data, str):
        return data.encode()
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UsageError(f"{what}: input {shown(data)} is neither text nor bytes")
    return bytes(data)
