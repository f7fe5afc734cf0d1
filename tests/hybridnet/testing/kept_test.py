# SPDX-License-Identifier: MIT
"""Where what is kept of a test goes."""

from __future__ import annotations

from pathlib import Path

from hybridnet.testing.kept import FOLDER, LONGEST, folder_of


def test_tests_whose_long_names_begin_alike_have_folders_of_their_own(tmp_path: Path) -> None:
    long = "tests/test_app.py::test_" + 200 * "x"
    one, other = (folder_of(tmp_path, f"{long}[{number}]") for number in (1, 2))
    assert one != other
    assert one.parent == tmp_path / FOLDER
    assert len(one.name) == len(other.name) == LONGEST
    assert one == folder_of(tmp_path, f"{long}[1]")
