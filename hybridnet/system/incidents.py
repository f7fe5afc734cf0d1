# SPDX-License-Identifier: MIT
"""What happened to the parts of a run that nobody in the run did: a daemon ended, a device was removed or changed.

Those who watch the parts write it down here, and the verdict reads it (`hybridnet.observe.results.incidents`).
"""

from __future__ import annotations

import threading
import time
from typing import TypedDict, final

__all__ = ["Incident", "Incidents"]

MOST = 256  # what is written down; of more only the number is known


@final
class Incident(TypedDict):
    """What was harmed, how, and from when to when (CLOCK_MONOTONIC; None: it goes on)."""

    part: str
    how: str
    from_ns: int
    to_ns: int | None


class Incidents:
    """The incidents of one machine, or of the head, in the order of time. Any thread may call it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: list[Incident] = []
        self._more = 0

    def begin(self, part: str, how: str, at_ns: int | None = None) -> None:
        """From now, or from `at_ns`, a part is not as it was made.

        Args:
            part: with its name, such as "ovs-vswitchd" or "port s1-eth1".
            how: a verb and what follows, such as "was stopped (SIGSTOP)". One that goes on is begun once.
            at_ns: CLOCK_MONOTONIC.
        """
        with self._lock:
            if any(row["part"] == part and row["how"] == how and row["to_ns"] is None for row in self._rows):
                return
            if len(self._rows) >= MOST:
                self._more += 1
                return
            from_ns = time.monotonic_ns() if at_ns is None else at_ns
            self._rows.append({"part": part, "how": how, "from_ns": from_ns, "to_ns": None})

    def end(self, part: str, how: str | None = None) -> None:
        """The part is as it was again; `how`: only as far as this goes. Does nothing where nothing was begun."""
        with self._lock:
            for row in self._rows:
                if row["part"] == part and row["to_ns"] is None and how in (None, row["how"]):
                    row["to_ns"] = time.monotonic_ns()

    def rows(self) -> list[Incident]:
        """All of them."""
        with self._lock:
            rows = [row.copy() for row in self._rows]
            if self._more:
                last = rows[-1]["from_ns"]
                rows.append(
                    {"part": f"{self._more} more parts", "how": "were harmed", "from_ns": last, "to_ns": None}
                )
            return rows

    def open(self) -> list[Incident]:
        """Those that go on."""
        return [row for row in self.rows() if row["to_ns"] is None]
