# SPDX-License-Identifier: MIT
"""One program of a sweep: a command line of hybridnet in a process of its own, here or on a Dask worker."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module

__all__ = ["start_program"]


def start_program(
    words: Sequence[str], out: Path, output: BinaryIO, directory: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start one. It ends, and removes its networks, when the thread that started it does.

    Args:
        words: from the verb on, without --out.
        out: its run directory.
        output: gets what it prints.
        directory: in which it runs; None: the same.
    """
    verb, *rest = words
    return subprocess.Popen(
        [*python_module("hybridnet.cli"), verb, "--out", str(out), *rest],
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a ^C is the sweep's, which ends its programs
        preexec_fn=lambda: die_with_parent(signal.SIGTERM),
    )
