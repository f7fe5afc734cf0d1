# SPDX-License-Identifier: MIT
"""Starting programs of hosts: each in a session of its own, at the hosts' priority from its first instruction on, and
soon, however busy the hosts are.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO

from hybridnet.errors import MachineError
from hybridnet.system.priority import LEAVE_REAL_TIME, starting

Target = int | IO[bytes] | None


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
        MachineError: as `start`; or it did not end within `timeout` seconds and was killed, with all of its session.
    """
    stdin = subprocess.DEVNULL if input is None else subprocess.PIPE
    with start(command, prefix, environment, stdin=stdin) as program:
        try:
            out, err = program.communicate(input, timeout)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
            raise MachineError(
                f"`{' '.join(command)[:200]}` did not end within {timeout:g} s and was killed"
            ) from None
    return subprocess.CompletedProcess(list(command), program.returncode, out, err)
