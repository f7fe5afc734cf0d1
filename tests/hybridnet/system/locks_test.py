# SPDX-License-Identifier: MIT
"""Locks that somebody else keeps."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from hybridnet.errors import MachineError
from hybridnet.system.interruption import Interruption
from hybridnet.system.locks import lock_what_others_can_open, locked_file


def opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY)


def test_who_keeps_the_lock_of_a_readable_place_holds_nobody_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    theirs, ours = opened(tmp_path), opened(tmp_path)
    fcntl.flock(theirs, fcntl.LOCK_EX)
    lock_what_others_can_open(ours, "a place", patience_s=0.0)
    assert "Warning: a process keeps the lock of a place" in capsys.readouterr().err
    os.close(theirs)
    lock_what_others_can_open(ours, "a place")
    assert capsys.readouterr().err == ""
    another = opened(tmp_path)
    with pytest.raises(BlockingIOError):
        fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(ours)
    fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(another)


def test_the_waiting_can_be_interrupted(tmp_path: Path) -> None:
    theirs, ours = opened(tmp_path), opened(tmp_path)
    fcntl.flock(theirs, fcntl.LOCK_EX)
    interruption = Interruption()
    interruption.ask()
    with interruption.heeded(), pytest.raises(MachineError, match="interrupted"):
        lock_what_others_can_open(ours, "a place")
    for each in (theirs, ours):
        os.close(each)


def test_nobody_else_can_open_a_locked_file(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    file.touch(0o644)
    descriptor = locked_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    with file.open() as another, pytest.raises(BlockingIOError):
        fcntl.flock(another, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(descriptor)
