# SPDX-License-Identifier: MIT
"""``hybridnet wire`` whose instance is scheduled like any process: ``python -m
hybridnet.experiments.overload.limited_wire A B …``.

An instance runs in real time where it may, and no kernel's quota of ordinary processor time holds such a process.
The command line does everything else.
"""

from __future__ import annotations

import functools
import sys

from hybridnet.cli import wire
from hybridnet.cli.main import main

if __name__ == "__main__":
    wire.Wire = functools.partial(wire.Wire, realtime={"fifo_priority": None})  # type: ignore[assignment,attr-defined]
    sys.exit(main(["wire", *sys.argv[1:]]))
