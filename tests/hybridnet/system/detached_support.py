# SPDX-License-Identifier: MIT
"""What the tests of detached runs share: a state directory of their own, and programs in place of networks."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.system.detached import DetachedRun, detach, detached_runs

__all__ = ["runs_of_our_own", "started"]


@contextlib.contextmanager
def runs_of_our_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Detached runs are kept below a test's folder, and their keepers are gone in the end."""
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    yield
    for run in detached_runs():
        if run.running:
            os.kill(run.facts["keeper"], signal.SIGKILL)


def started(program: str) -> DetachedRun:
    """A run of this Python program."""
    return detach([sys.executable, "-c", program])
