# SPDX-License-Identifier: MIT
"""Limits of the kernel's neighbour table, which all network namespaces of a computer share.

32 hosts that each talk to 32 others use up the default of 1024 entries; then pings fail with "no buffer space".
They exist in the first network namespace only, so whoever runs there sets them: the head for local machines, the agent
on a computer of its own. They are only raised. The last run that needs them sets them back, unless someone else has
changed them in between.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal, setting_of_another_run

_DIRECTORIES = (Path("/proc/sys/net/ipv4/neigh/default"), Path("/proc/sys/net/ipv6/neigh/default"))
_SHARES = {"gc_thresh1": 0.5, "gc_thresh2": 0.75, "gc_thresh3": 1.0}
ENTRIES_FOR_ANY_RUN = 65536  # 256 hosts that all talk to each other; an entry exists only when it is used


class NeighbourLimits:
    """Raises the limits, and sets them back."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._changed: list[tuple[Path, str, str]] = []

    def raise_for(self, hosts: int) -> None:
        """Make room for `hosts` hosts that all talk to each other."""
        entries = max(ENTRIES_FOR_ANY_RUN, hosts * hosts)
        for directory in _DIRECTORIES:
            for name, share in _SHARES.items():
                path = directory / name
                if path.exists():
                    self._raise(path, int(entries * share))

    def restore(self) -> None:
        """Set back what was raised. Whatever one setting raises, all are tried; a second call tries those left."""
        Endings(*(partial(self._set_back, *change) for change in self._changed)).close()

    def _set_back(self, path: Path, before: str, after: str) -> None:
        if path.read_text().strip() == after and setting_of_another_run(self._journal.run, str(path)) is None:
            path.write_text(before)
        self._journal.gone("setting", path=str(path))
        self._changed.remove((path, before, after))

    def _raise(self, path: Path, wanted: int) -> None:
        before = path.read_text().strip()
        if int(before) >= wanted:
            other = setting_of_another_run(self._journal.run, str(path))
            if other is not None and other["after"] == before:  # raised by a run that may end before this one
                self._journal.record("setting", path=str(path), before=other["before"], after=before)
                self._changed.append((path, other["before"], before))
            return
        self._journal.record("setting", path=str(path), before=before, after=str(wanted))
        self._changed.append((path, before, str(wanted)))
        path.write_text(str(wanted))
