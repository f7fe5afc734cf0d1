# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

from hybridnet.machines.workers.edition import edition


def test_the_same_files_elsewhere_are_the_same_edition_and_others_are_not(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for package in (here, there):
        (package / "room").mkdir(parents=True)
        (package / "room" / "file.py").write_text("x = 1\n")
    (there / "room" / "__pycache__").mkdir()
    (there / "room" / "__pycache__" / "file.py").write_text("compiled")
    same = edition(there)
    assert edition(here) == same
    for name in ("file.py", "_simcore.pyi", "machine.json"):
        edition.cache_clear()
        (there / "room" / name).write_text("x = 2\n")
        assert edition(there) != same
        same = edition(there)
    assert edition().partition("-")[0] == same.partition("-")[0] != ""


def test_folders_that_a_clone_links_to_count(tmp_path: Path) -> None:
    clone, installed = tmp_path / "clone", tmp_path / "installed"
    (installed / "topologies").mkdir(parents=True)
    (installed / "topologies" / "tree.py").write_text("y = 1\n")
    clone.mkdir()
    (clone / "topologies").symlink_to(installed / "topologies")
    assert edition(clone) == edition(installed)
