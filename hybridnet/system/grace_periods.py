# SPDX-License-Identifier: MIT
"""How long the kernel waits for the readers of what it frees (RCU grace periods), while much is made or removed.

It waits for the next tick of every processor, 12 ms where a tick is 4 ms, and does so for each packet socket that is
closed: 200 ports of Open vSwitch take 2.5 s. Told to hurry, it interrupts the processors instead, and waits for some
microseconds. The setting is the whole computer's; it is on only meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from hybridnet.system.journal import Journal

__all__ = ["hurried_grace_periods"]

SETTING = Path("/sys/kernel/rcu_expedited")


@contextlib.contextmanager
def hurried_grace_periods(journal: Journal, setting: Path = SETTING) -> Iterator[None]:
    """Have the kernel hurry meanwhile; where it cannot be told (no such setting, or read only), it does not. Somebody
    else's choice stays.
    """
    if not _set(journal, setting):
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            setting.write_text("0")
        journal.gone("setting", path=str(setting))


def _set(journal: Journal, setting: Path) -> bool:
    try:
        if setting.read_text().strip() != "0":
            return False
        journal.record("setting", path=str(setting), before="0", after="1")
        setting.write_text("1")
    except OSError:
        journal.gone("setting", path=str(setting))
        return False
    return True
