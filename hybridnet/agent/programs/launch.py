# SPDX-License-Identifier: MIT
"""Starting programs of hosts: each in a session of its own, at the hosts' priority from its first instruction on, and
soon, however busy the hosts are.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from hybridnet.errors import MachineError
from hybridnet.system.priority import LEAVE_REAL_TIME, starting

OUTPUT_LIMIT = 64 << 20  # of what `run` collects, both streams together
_PIECE = 1 << 16

Target = int | IO[bytes] | None


def own_folder() -> str:
    """The folder of this process; the root folder if it has been removed."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return "/"


def in_own_folder() -> list[str]:
    """What goes before a program that has entered a node, so that it runs in `own_folder`, where a private directory of
    the node does not hide it: whoever enters a mount namespace is in its root folder.
    """
    return ["/bin/sh", "-c", 'folder=$0; cd "$folder" 2>/dev/null; exec "$@"', own_folder()]


def start(
    command: Sequence[str],
    prefix: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdin: Target = subprocess.DEVNULL,
    stdout: Target = subprocess.PIPE,
    stderr: Target = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Start a program.

    Args:
        prefix: what puts it into a host; empty: it runs on the machine.
        stdin, stdout, stderr: as of `subprocess.Popen`.

    Raises:
        MachineError: on the machine there is no such program, or a program of the prefix is missing. One that a host
            does not have ends with status 127 and says so itself.
    """
    first = [*prefix, *command][0]
    if shutil.which(first, path=environment.get("PATH")) is None:
        raise MachineError(f"the command {first} is not there; install it")
    with starting():
        return subprocess.Popen(
            [*prefix, *LEAVE_REAL_TIME, *command],
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )


def run(
    command: Sequence[str],
    prefix: Sequence[str],
    environment: Mapping[str, str],
    *,
    input: bytes | None = None,
    timeout: float | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a program to its end, and collect what it prints.

    Raises:
        MachineError: as `start`; or it did not end within `timeout` seconds, or printed more than `OUTPUT_LIMIT` bytes,
            and was killed, with all of its session.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    with start(command, prefix, environment, stdin=stdin) as program:
        try:
            out, err = _collect(program, input or b"", deadline)
            program.wait(_left(deadline))
        except (_TooMuchError, subprocess.TimeoutExpired) as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            why = (
                f"printed more than {OUTPUT_LIMIT >> 20} MB and was killed; send its output to a file"
                if isinstance(error, _TooMuchError)
                else f"did not end within {timeout:g} s and was killed"
            )
            raise MachineError(f"`{' '.join(command)[:200]}` {why}") from None
    return subprocess.CompletedProcess(list(command), program.returncode, out, err)


class _TooMuchError(Exception):
    """A program has printed more than `OUTPUT_LIMIT`."""


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _collect(program: subprocess.Popen[bytes], input: bytes, deadline: float | None) -> tuple[bytes, bytes]:
    """What a program prints to both streams until they end. Raises _TooMuchError, TimeoutExpired."""
    assert program.stdout is not None
    assert program.stderr is not None
    outputs: dict[Any, bytearray] = {program.stdout: bytearray(), program.stderr: bytearray()}
    unsent = memoryview(input)
    with selectors.DefaultSelector() as ready:
        for stream in outputs:
            ready.register(stream, selectors.EVENT_READ)
        if program.stdin is not None:
            os.set_blocking(program.stdin.fileno(), False)
            ready.register(program.stdin, selectors.EVENT_WRITE)
        while ready.get_map():
            if (left := _left(deadline)) == 0.0:
                raise subprocess.TimeoutExpired(program.args, 0.0)
            for key, _ in ready.select(left):
                stream = key.fileobj
                if stream is program.stdin:
                    with contextlib.suppress(BrokenPipeError):  # it does not read, which is no fault of it
                        unsent = unsent[os.write(key.fd, unsent) :] if unsent else unsent
                        if unsent:
                            continue
                    ready.unregister(key.fd)
                    program.stdin.close()
                elif came := os.read(key.fd, _PIECE):
                    outputs[stream] += came
                    if sum(map(len, outputs.values())) > OUTPUT_LIMIT:
                        raise _TooMuchError
                else:
                    ready.unregister(stream)
    out, err = outputs.values()
    return bytes(out), bytes(err)
