# SPDX-License-Identifier: MIT
"""Which name servers hosts ask that reach the outside (resolv.conf(5)).

A computer with systemd-resolved asks itself, at 127.0.0.53, and a host's 127.0.0.53 is the host. Then hosts ask the
servers that the computer's resolver asks.
"""

from __future__ import annotations

import ipaddress
from pathlib import Path

__all__ = ["COMPUTERS", "files_in", "reachable_servers"]

COMPUTERS = Path("/etc/resolv.conf")
BEHIND = Path("/run/systemd/resolve/resolv.conf")
"""What systemd-resolved asks; see systemd-resolved.service(8)."""


def reachable_servers(computers: Path = COMPUTERS, behind: Path = BEHIND) -> str | None:
    """The text of a resolv.conf for hosts; None: the computer's own is as good as any.

    Args:
        computers: the computer's own.
        behind: that of the resolver which runs on the computer.
    """
    if _names_a_server_elsewhere(computers) or not _names_a_server_elsewhere(behind):
        return None
    return behind.read_text(errors="replace")


def files_in(folder: str) -> dict[Path, str]:
    """What both files say, by where they really are, if that is in this folder: who hides it puts them there again."""
    real = {file.resolve() for file in (COMPUTERS, BEHIND) if file.is_file()}
    return {file: file.read_text(errors="replace") for file in real if file.is_relative_to(folder)}


def _names_a_server_elsewhere(file: Path) -> bool:
    try:
        lines = [line.split() for line in file.read_text(errors="replace").splitlines()]
    except OSError:  # as where a link leads nowhere
        return False
    return any(len(words) > 1 and words[0] == "nameserver" and not _is_own(words[1]) for words in lines)


def _is_own(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:  # no address, and so no server
        return True
