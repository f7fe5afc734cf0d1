# SPDX-License-Identifier: MIT
"""The names that hosts know: one file for all hosts of a machine, which each sees as its /etc/hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

COMPUTERS = Path("/etc/hosts")


class HostNames:
    """The file of names of one machine. The computer's own stays as it is; its lines come last, so that a name of the
    network means the network's.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.file: str | None = None
        """Where it is; None: hosts have the computer's names, and its /etc/hosts."""

    def tell(self, names: Mapping[str, Sequence[str]] | None) -> None:
        """Write the names by address. Hosts that have the file see the change at once; None: there is no such file."""
        if names is None:
            return
        lines = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback"]
        lines += [f"{address}\t{' '.join(own)}" for address, own in names.items()]
        own_lines = COMPUTERS.read_text(errors="replace") if COMPUTERS.exists() else ""
        self._path.write_text("\n".join(lines) + "\n" + own_lines)  # in place: hosts see this very file
        self.file = str(self._path)

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)
        self.file = None
