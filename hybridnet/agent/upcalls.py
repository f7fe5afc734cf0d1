# SPDX-License-Identifier: MIT
"""Packets of new flows that Open vSwitch has lost on the way to its slow path, as its control socket tells."""

from __future__ import annotations

import re
from pathlib import Path

from hybridnet.agent import unixctl
from hybridnet.errors import MachineError

__all__ = ["lost_upcalls"]


def lost_upcalls(control: Path) -> int:
    """How many the daemon at this control socket has lost since it started.

    Raises:
        MachineError: it does not answer.
    """
    try:
        said = unixctl.ask(control, "dpctl/show")
    except MachineError:  # it refuses without a word where it has no datapath, before its first bridge
        if unixctl.ask(control, "dpif/show"):
            raise
        return 0
    return sum(int(lost) for lost in re.findall(r"^\s*lookups:.* lost:(\d+)", said, re.MULTILINE))
