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
        self._names: dict[str, Sequence[str]] = {}  # by address
        self.file: str | None = None
        """Where it is; None: hosts have the computer's names, and its /etc/hosts."""

    def tell(
        self, names: Mapping[str, Sequence[str]] | None, gone: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Write names by address, and leave out those of some. Hosts that have the file see the change at once.

        Args:
            names: beside those that are there; None: nothing changes, and there is no such file yet.
            gone: their addresses are nobody's, or have other names now.
        """
        if names is None or (self.file is not None and not names and not gone):
            return
        kept = {address: own for address, own in self._names.items() if address not in (gone or {})}
        self._names = {**kept, **names}
        lines = ["127.0.0.1\tlocalhost", "::1\tlocalhost ip6-localhost ip6-loopback"]
        lines += [f"{address}\t{' '.join(own)}" for address, own in self._names.items()]
        own_lines = COMPUTERS.read_text(errors="replace") if COMPUTERS.exists() else ""
        self._path.write_text("\n".join(lines) + "\n" + own_lines)  # in place: hosts see this very file
        self.file = str(self._path)

    def forget(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)
        self.file, self._names = None, {}
