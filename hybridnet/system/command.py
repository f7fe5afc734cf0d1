# SPDX-License-Identifier: MIT
"""Running a system command that must succeed, and batches of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence

from hybridnet.errors import EnvironmentLackError, MachineError

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


def run(argv: Sequence[str], *, input: str | None = None, timeout: float = 60.0) -> str:
    """Run a command and return what it printed.

    Raises:
        EnvironmentLackError: the command is not installed; the message names the Debian package.
        MachineError: it failed or took longer than `timeout` seconds; the message quotes it.
    """
    try:
        done = subprocess.run(argv, input=input, capture_output=True, text=True, timeout=timeout, check=False)
    except FileNotFoundError:
        raise lacking(argv[0]) from None
    except subprocess.TimeoutExpired:
        raise MachineError(
            f"`{_shown(argv)}` did not end within {timeout:g} s; see the agent's log directory"
        ) from None
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()
        raise MachineError(f"`{_shown(argv)}` failed: {' / '.join(words[:6])}")
    return done.stdout


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
