# SPDX-License-Identifier: MIT
"""Whether a network namespace forwards packets: switched on where addresses are translated, and set back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hybridnet.system.journal import Journal, setting_of_another_run

SETTING = Path("/proc/sys/net/ipv4/ip_forward")


class Forwarding:
    """Of one network namespace. Runs that use the computer's own at the same time leave it on for each other."""

    def __init__(
        self, run_there: Callable[[Callable[[], Any]], Any], journal: Journal, network: int | None
    ) -> None:
        """
        Args:
            run_there: calls a function in the namespace.
            network: its inode, where it outlives the agent, so that the journal has the change; else None.
        """
        self._run_there = run_there
        self._journal = journal
        self._network = network
        self._before: str | None = None

    def enable(self) -> None:
        """Switch it on. A second call does nothing."""
        if self._before is not None:
            return
        before = self._run_there(SETTING.read_text).strip()
        if before == "1" and self._network is not None:
            other = setting_of_another_run(self._journal.run, str(SETTING))
            before = other["before"] if other is not None else before
        if before == "1":
            return
        if self._network is not None:
            self._journal.record(
                "setting", path=str(SETTING), before=before, after="1", network=self._network
            )
        self._before = before
        self._run_there(lambda: SETTING.write_text("1"))

    def restore(self) -> None:
        """Set it back, unless another run needs it. A second call does nothing."""
        if self._before is None:
            return
        if self._network is None or setting_of_another_run(self._journal.run, str(SETTING)) is None:
            before = self._before
            self._run_there(lambda: SETTING.write_text(before))
        if self._network is not None:
            self._journal.gone("setting", path=str(SETTING))
        self._before = None
