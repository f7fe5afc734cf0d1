# SPDX-License-Identifier: MIT
"""Popen: a program that runs in a node, with the interface of `subprocess.Popen`.

The program is the agent's child; this is a handle. If the agent is in this process, the program's streams are files and
pipes of this process. Elsewhere its output is kept by the agent up to a bound and fetched when it is read; after that
the program waits, so a program that prints much must be read, or be given a file.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from signal import NSIG, SIGKILL, SIGTERM
from typing import IO, Any, Self

from hybridnet.agent.programs.piped_programs import OwnDescriptors
from hybridnet.describe import values
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.node.program_streams import (
    SLICE_S,
    AgentInput,
    AgentOutput,
    Call,
    PipeInput,
    Reader,
    copy_output,
    feed_input,
    pipe_output,
)

__all__ = ["Popen"]

_OUTPUTS = ("stdout", "stderr")
_OWN = {"stdout": 1, "stderr": 2}  # this process's descriptors


class Popen:
    """A started program.

    Args:
        call: the agent of the node's machine.
        node: where it runs.
        command: arguments, or text for the shell.
        stdout, stderr: PIPE (default), DEVNULL, a file open for writing, a descriptor, None for this process's own, or
            for stderr STDOUT.
        stdin: PIPE, DEVNULL, a file open for reading or another program's `stdout`, a descriptor, or None for an empty
            one.
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
        stdin: int | IO[Any] | Reader | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        text: bool = True,
    ) -> None:
        what = f"program {shown(command)} in {node}"
        for name, target in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
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
        with _Descriptors(what) as ends:
            if stdin is not None and stdin != subprocess.DEVNULL:
                ends.take("stdin", stdin)
            for name, target in zip(_OUTPUTS, (stdout, stderr), strict=True):
                if target not in (subprocess.DEVNULL, subprocess.STDOUT):
                    ends.take(name, _OWN[name] if target is None else target)
            started = call(
                "start_process",
                node=node,
                command=command if isinstance(command, str) else list(command),
                env=dict(env) if env else None,
                cwd=cwd,
                merge=merge,
                stdin="stdin" in ends.of_program,
                discard=[
                    name
                    for name, target in zip(_OUTPUTS, (stdout, stderr), strict=True)
                    if target == subprocess.DEVNULL
                ],
                descriptors=ends.of_program,
            )
            self._number: int = started["number"]
            self.pid: int = started["pid"]
            self._closed = False
            self._copies: list[threading.Thread] = []
            self._readers: list[threading.Thread] = []  # of `communicate`
            self._found: dict[str, Any] = {}  # by them
            self.stdin: PipeInput | AgentInput | None = None
            self.stdout: Reader | None = None
            self.stderr: Reader | None = None
            if started.get("given"):
                self._use_pipes(ends, {"stdout": stdout, "stderr": stderr}, text)
            else:
                self._use_agent(ends, {"stdout": stdout, "stderr": stderr}, text, stdin)

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
            left = SLICE_S if deadline is None else min(SLICE_S, deadline - time.monotonic())
            if left < 0:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            self.returncode = self._call("wait_process", number=self._number, timeout=left)
        for copy in self._copies:
            copy.join()
        return self.returncode

    def communicate(self, input: str | bytes | None = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Send `input`, read both streams to their ends, wait, and forget the program. Returns (stdout,
        stderr). Raises subprocess.TimeoutExpired; a later call has all that came until its own end.
        """
        if input is not None and self.stdin is None:
            raise UsageError(f"program {self.pid}: it has no standard input; start it with stdin=PIPE")
        if timeout is not None:
            values.number(timeout, f"program {self.pid}: timeout", 0, 1e9)
        deadline = None if timeout is None else time.monotonic() + timeout
        found = self._found

        def read(name: str, stream: Reader) -> None:
            with contextlib.suppress(HybridnetError):  # the machine is gone: `wait` raises the error
                found[name] = stream.read()

        if not self._readers:  # else an earlier call ran out of time, and they read on
            self._readers = [
                threading.Thread(target=read, args=(name, stream), daemon=True)
                for name, stream in ((name, getattr(self, name)) for name in _OUTPUTS)
                if stream is not None
            ]
            for reader in self._readers:
                reader.start()
        if self.stdin is not None:
            with contextlib.suppress(
                BrokenPipeError
            ):  # it may end without having read all, which is no fault
                if input is not None:
                    self.stdin.write(input)
                self.stdin.close()
        for reader in self._readers:
            reader.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        self.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        if any(reader.is_alive() for reader in self._readers):
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        self.close()
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
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

    def wait_at_end(self) -> None:
        """Close its streams here, wait for its end, and forget it."""
        for stream in (self.stdout, self.stderr, self.stdin):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self.wait()
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _use_pipes(self, ends: _Descriptors, targets: Mapping[str, Any], text: bool) -> None:
        """Its streams are pipes and files of this process."""
        if (descriptor := ends.release("stdin")) is not None:
            self.stdin = PipeInput(descriptor, f"program {self.pid}")
        for name, target in targets.items():
            if (descriptor := ends.release(name)) is None:
                continue
            if target == subprocess.PIPE:
                setattr(self, name, pipe_output(descriptor, text))
            else:
                self._copy(pipe_output(descriptor, False), contextlib.nullcontext(target))

    def _use_agent(
        self, ends: _Descriptors, targets: Mapping[str, Any], text: bool, stdin: int | IO[Any] | Reader | None
    ) -> None:
        """Its streams are at the agent, elsewhere."""
        if stdin is not None and stdin != subprocess.DEVNULL:
            sent = AgentInput(self._call, self._number, f"program {self.pid}")
            if stdin == subprocess.PIPE:
                self.stdin = sent
            else:
                source = os.fdopen(os.dup(ends.of_program["stdin"]), "rb", buffering=0)
                threading.Thread(target=feed_input, args=(source, sent), daemon=True).start()
        for name, target in targets.items():
            if target in (subprocess.DEVNULL, subprocess.STDOUT):
                continue
            stream = AgentOutput(self._call, self._number, name, text)
            if target == subprocess.PIPE:
                setattr(self, name, stream)
            elif ends.release(name) is None:
                self._copy(stream, os.fdopen(os.dup(ends.of_program[name]), "wb"))
            else:
                self._copy(stream, contextlib.nullcontext(target))

    def _copy(self, stream: Reader, into: contextlib.AbstractContextManager[Any]) -> None:
        copy = threading.Thread(target=copy_output, args=(stream, into), daemon=True)
        copy.start()
        self._copies.append(copy)


class _Descriptors:
    """Ends of pipes, and copies of descriptors, for a program that is about to start. What is not released is closed at
    the end.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.of_program = OwnDescriptors()
        self._ours: dict[str, int] = {}

    def __enter__(self) -> _Descriptors:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in (*self.of_program.values(), *self._ours.values()):
            os.close(descriptor)

    def take(self, name: str, target: Any) -> None:
        """Make the descriptor of one stream: of a new pipe, of which the other end is ours, or a copy of a file's."""
        if target != subprocess.PIPE:
            try:
                self.of_program[name] = _copy_of(target)
                return
            except (AttributeError, OSError, ValueError) as error:
                if name == "stdin" or isinstance(target, int):
                    raise UsageError(f"{self._what}: {name}={shown(target)} is not open: {error}") from None
                # a file of Python's only, such as StringIO, into which we copy
        reading, writing = os.pipe()
        theirs, ours = (reading, writing) if name == "stdin" else (writing, reading)
        self.of_program[name], self._ours[name] = theirs, ours

    def release(self, name: str) -> int | None:
        """Our end of a stream's pipe, which the caller closes; None where it has none."""
        return self._ours.pop(name, None)


def _copy_of(target: Any) -> int:
    if isinstance(target, int):
        return os.dup(target)
    with contextlib.suppress(AttributeError, OSError):  # what is open for reading only has nothing to flush
        target.flush()
    return os.dup(target.fileno())


def _check_target(target: Any, name: str, what: str) -> None:
    constants = (subprocess.PIPE, subprocess.DEVNULL, *((subprocess.STDOUT,) if name == "stderr" else ()))
    if target is None or isinstance(target, int):
        if target is None or target in constants or (target >= 0 and not isinstance(target, bool)):
            return
    elif hasattr(target, "fileno" if name == "stdin" else "write"):
        return
    kind = "reading" if name == "stdin" else "writing"
    raise UsageError(
        f"{what}: {name}={shown(target)} is not supported; use PIPE, DEVNULL or a file that is open for {kind}"
    )
