# SPDX-License-Identifier: MIT
"""Packets of new flows that Open vSwitch has lost on the way to its slow path, as its control socket tells.

The kernel's datapath counts what finds the queue to the slow path full: those packets are lost. The datapath in user
space counts every packet for which it installs no flow, and most of these it has passed on (`handle_packet_upcall` in
lib/dpif-netdev.c, where the error is ENOSPC): a packet that a controller sends through a select group, for one. What
it has really dropped is in its coverage counters. Its packet threads add to these what they have counted once in 1 to
1.25 s (lib/coverage.c), so whoever needs to know waits for that long after the other counter has moved.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

from hybridnet.agent.counters import unixctl
from hybridnet.errors import MachineError

__all__ = ["LostUpcalls"]

COVERAGE_S = 1.5
POLL_S = 0.1
DROPS = ("datapath_drop_upcall_error", "datapath_drop_lock_error")


class LostUpcalls:
    """What one daemon has lost since it started.

    Args:
        control: its control socket.
    """

    def __init__(self, control: Path) -> None:
        self.control = control
        self._passed_on = 0  # of those without a flow, in user space: so many were not dropped

    def most(self) -> int:
        """Packets that may have been lost: none more.

        Raises:
            MachineError: the daemon does not answer.
        """
        return self._without_flow().total()

    def count(self, *, settled: bool) -> int:
        """Packets that were lost.

        Args:
            settled: wait, for at most `COVERAGE_S`, until it is certain. Without it, some of what was lost within the
                last 1.25 s may be missing.

        Raises:
            MachineError: the daemon does not answer.
        """
        failed = self._without_flow()
        deadline = time.monotonic() + COVERAGE_S
        while True:
            dropped = self._dropped() if failed["netdev"] else 0
            if not settled or failed["netdev"] - dropped <= self._passed_on:
                break
            if time.monotonic() >= deadline:
                self._passed_on = failed["netdev"] - dropped
                break
            time.sleep(POLL_S)
        return failed.total() - failed["netdev"] + dropped

    def _without_flow(self) -> Counter[str]:
        """By type of datapath: netdev is the one in user space."""
        try:
            said = unixctl.ask(self.control, "dpctl/show")
        except MachineError:  # it refuses without a word where it has no datapath, before its first bridge
            if unixctl.ask(self.control, "dpif/show"):
                raise
            return Counter()
        found = Counter[str]()
        for kind, lost in re.findall(r"^(\w+)@.*\n\s*lookups:.* lost:(\d+)", said, re.MULTILINE):
            found[kind] += int(lost)
        return found

    def _dropped(self) -> int:
        said = unixctl.ask(self.control, "coverage/show")
        return sum(
            int(total)
            for total in re.findall(rf"^(?:{'|'.join(DROPS)})\s.* total: (\d+)", said, re.MULTILINE)
        )
