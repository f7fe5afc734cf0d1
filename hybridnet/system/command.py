# SPDX-License-Identifier: MIT
"""Running a system command that must succeed, and batches of them.

Whoever waits for a command waits for the daemons on which it relies as well, and for an interruption of the work that
it is a part of: any of the three ends the waiting, and the command.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from typing import IO

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.daemon import LOOK_S, Daemon, Vigil
from hybridnet.system.interruption import heed

PACKAGES = {
    "ovs-vsctl": "openvswitch-switch",
    "ovs-ofctl": "openvswitch-switch",
    "ovs-appctl": "openvswitch-switch",
    "ovsdb-server": "openvswitch-switch",
    "ovsdb-tool": "openvswitch-switch",
    "ovs-vswitchd": "openvswitch-switch",
    "ethtool": "ethtool",
    "iptables": "iptables",
    "nft": "nftables",
    "ip": "iproute2",
    "ping": "iputils-ping",
    "nsenter": "util-linux",
}


def run(
    argv: Sequence[str],
    *,
    input: str | None = None,
    timeout: float = 60.0,
    relying_on: Sequence[Daemon] = (),
) -> str:
    """Run a command and return what it printed.

    Args:
        timeout: how long it may take, in seconds.
        relying_on: the daemons without which it would wait in vain.

    Raises:
        EnvironmentLackError: the command is not installed; the message names the Debian package.
        MachineError: it failed or took longer than `timeout`, and the message quotes it; a daemon has ended or does
            nothing, and the message names that; or the work was interrupted (`hybridnet.system.interruption`).
    """
    heed()
    pipe = subprocess.PIPE
    stdin = None if input is None else pipe
    try:
        process = subprocess.Popen(argv, stdin=stdin, stdout=pipe, stderr=pipe, text=True)
    except FileNotFoundError:
        raise lacking(argv[0]) from None
    if process.stdin is not None and input is not None:
        threading.Thread(target=_write, args=(process.stdin, input), name="input", daemon=True).start()
        process.stdin = None  # it is the thread's
    vigil = Vigil(relying_on)
    with process:
        try:
            out, err = _outcome(process, argv, timeout, vigil)
            if process.returncode != 0:
                vigil.blame()
        except BaseException:
            process.kill()
            raise
        finally:
            vigil.close()
    if process.returncode != 0:
        words = (err.strip() or out.strip() or f"exit status {process.returncode}").splitlines()
        raise MachineError(f"`{_shown(argv)}` failed: {' / '.join(words[:6])}")
    return out


def _write(stdin: IO[str], text: str) -> None:
    """Write all that a command is to read. `communicate` would not: once its time has run out, it never writes the rest
    (Python 3.11), and the command waits for it.
    """
    with contextlib.suppress(BrokenPipeError), stdin:
        stdin.write(text)


def _outcome(
    process: subprocess.Popen[str], argv: Sequence[str], timeout: float, vigil: Vigil
) -> tuple[str, str]:
    """What a command has printed, once it has ended. Raises MachineError: nobody need wait for that any more."""
    deadline = time.monotonic() + timeout
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=LOOK_S)
        heed()
        vigil.look()
        if time.monotonic() > deadline:
            raise MachineError(
                f"`{_shown(argv)}` did not end within {timeout:g} s; see the agent's log directory"
            )


def lacking(command: str) -> EnvironmentLackError:
    """The error for a command that is not installed."""
    package = PACKAGES.get(command)
    cure = f"apt-get install {package}" if package else "install it"
    return EnvironmentLackError(f"the command {command} is not there; {cure}")


def ip_batch(lines: Iterable[str], *, prefix: Sequence[str] = ()) -> None:
    """Run many lines with one `ip -batch`; `prefix` puts it into a namespace.

    Raises:
        MachineError: a line failed; the message quotes it.
    """
    batch = list(lines)
    if not batch:
        return
    try:
        run([*prefix, "ip", "-batch", "-"], input="\n".join(batch) + "\n")
    except MachineError as error:
        raise MachineError(_with_line(str(error), batch)) from None


def ip_tries(lines: Iterable[str]) -> str:
    """Run many lines with one `ip -batch`, each whether or not others fail. Return what failed, in ip's words."""
    batch = "\n".join(lines) + "\n"
    done = subprocess.run(
        ["ip", "-force", "-batch", "-"], input=batch, text=True, capture_output=True, check=False
    )
    return done.stderr.strip()


def _with_line(text: str, batch: list[str]) -> str:
    """Append the line that `Command failed -:N` means."""
    _, found, rest = text.partition("Command failed -:")
    number = rest.split()[0] if found else ""
    if number.isdigit() and 0 < int(number) <= len(batch):
        return f"{text} (line {number}: ip {batch[int(number) - 1]})"
    return text


def _shown(argv: Sequence[str]) -> str:
    text = " ".join(argv)
    return text if len(text) <= 200 else text[:200] + " …"
