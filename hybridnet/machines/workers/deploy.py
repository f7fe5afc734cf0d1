# SPDX-License-Identifier: MIT
"""Puts this hybridnet on hosts over SSH: one host at a time here, any number at once by threads.

A host needs an sshd, and a user who is root or has sudo; nothing else. The bundle (`hybridnet.machines.workers.bundle`)
goes through the connection, and the script in it runs there.
"""

from __future__ import annotations

import shlex
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.machines.workers.bundle import SCRIPT
from hybridnet.machines.workers.ssh import SshMachine

__all__ = ["Deployed", "deploy"]

_QUOTED_CHARACTERS = 600
_SSH_FAILED = 255


@dataclass(frozen=True)
class Deployed:
    """What became of one host.

    Args:
        host: as it was named.
        changed: whether anything was installed there.
        seconds: how long it took.
    """

    host: str
    changed: bool
    seconds: float


def deploy(
    host: SshMachine, bundle: bytes, say: Callable[[str], object], proxy: str | None = None
) -> Deployed:
    """Install the bundle on a host, unless it is there.

    Args:
        say: called with each step, as it begins.
        proxy: by which the host reaches its mirror and the package index, ``http://HOST:PORT``; None: directly.

    Raises:
        MachineError: the host cannot be reached, or its user cannot become root; quotes ssh.
        EnvironmentLackError: a step failed; quotes it.
    """
    began = time.monotonic()
    say("connecting")
    process = subprocess.Popen(
        host.command(_remote(proxy)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    errors = process.stderr
    words: list[bytes] = []
    reader = threading.Thread(target=lambda: words.append(errors.read()), daemon=True)
    reader.start()
    try:
        process.stdin.write(bundle)
        process.stdin.close()
    except BrokenPipeError:
        pass  # its last words say why
    last = ""
    for line in process.stdout:
        last = line.decode(errors="replace").strip()
        say(last)
    status = process.wait()
    reader.join()
    said = b"".join(words).decode(errors="replace").strip()[-_QUOTED_CHARACTERS:]
    if status == _SSH_FAILED or (status and not last):
        raise MachineError(
            f"host {host.target}: {said or f'ssh ended with status {status}'}; it must be reached without a "
            "password, and its user must be root or have sudo without one"
        )
    if status:
        raise EnvironmentLackError(f"host {host.target}: {last}: {said or f'it ended with status {status}'}")
    return Deployed(host.target, last == "done", time.monotonic() - began)


def _remote(proxy: str | None) -> str:
    """The shell command that unpacks the bundle from its standard input and runs the script, as root."""
    variables = (
        " ".join(f"{name}={shlex.quote(proxy)}" for name in ("http_proxy", "https_proxy")) if proxy else ""
    )
    script = (
        'folder=$(mktemp -d) && trap "rm -rf $folder" EXIT && cd "$folder" && echo unpacking && tar xzf - && '
        f"sh ./{SCRIPT} </dev/null"
    )
    program = f"env {variables} sh -c {shlex.quote(script)}"
    return f"if [ $(id -u) = 0 ]; then exec {program}; else exec sudo -n {program}; fi"
