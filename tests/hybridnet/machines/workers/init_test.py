# SPDX-License-Identifier: MIT
"""The first process of a machine."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from hybridnet.machines.workers import init


def test_a_namespace_whose_owner_removed_it_meanwhile_needs_no_letting_go(tmp_path: Path) -> None:
    gone = tmp_path / "h1"
    init._let_go(str(gone))
    assert not gone.exists()


def test_a_place_that_is_not_a_mount_any_more_needs_no_letting_go(tmp_path: Path) -> None:
    """As root: the kernel took the mount away, and the file is left for a moment."""
    place = tmp_path / "h1"
    place.touch()
    with contextlib.suppress(PermissionError):  # an unprivileged user may unmount nothing, mounted or not
        init._let_go(str(place))
    assert place.exists()


def test_a_machine_that_ends_removes_its_own_files_only(tmp_path: Path) -> None:
    """Two machines of one run on one computer; and another run."""
    state, run = tmp_path / "state", tmp_path / "state" / "run"
    for directory in (run / "m1" / "dask", run / "m2", state / "another"):
        directory.mkdir(parents=True)
    init.remove_files(run / "m1")
    assert sorted(state.rglob("*")) == [state / "another", run, run / "m2"]
    init.remove_files(run / "m2")
    assert sorted(state.rglob("*")) == [state / "another"]
    (state / "another").rmdir()
    run.mkdir()
    init.remove_files(run / "m2")
    assert not state.exists()


def test_an_init_imports_nothing_for_an_edition_that_nobody_asks_for() -> None:
    program = "import sys, hybridnet.machines.workers.init; print('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
