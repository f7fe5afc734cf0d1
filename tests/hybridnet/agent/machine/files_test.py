# SPDX-License-Identifier: MIT
"""Files of a machine, read in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.agent.machine.files import PIECE_LIMIT, Files
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.journal import Journal


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    journal = Journal.create()
    yield Files(journal)
    journal.close()


def test_a_file_is_read_in_pieces_to_its_end(files: Files, tmp_path: Path) -> None:
    file = tmp_path / "capture"
    file.write_bytes(b"abcdefg")
    assert [files.read_piece(str(file), offset, 3) for offset in (0, 3, 6, 7, 99)] == [
        b"abc",
        b"def",
        b"g",
        b"",
        b"",
    ]


@pytest.mark.parametrize("size", [0, -1, PIECE_LIMIT + 1])
def test_a_piece_has_a_bound(files: Files, tmp_path: Path, size: int) -> None:
    with pytest.raises(UsageError, match=f"size {size}; a piece has 1 to {PIECE_LIMIT} bytes"):
        files.read_piece(str(tmp_path), 0, size)


def test_what_cannot_be_read_is_named(files: Files, tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"cannot read .*: No such file or directory"):
        files.read_piece(str(tmp_path / "none"), 0, 1)
    (tmp_path / "file").write_bytes(b"a")
    with pytest.raises(MachineError, match=r"cannot read .*: Invalid argument"):
        files.read_piece(str(tmp_path / "file"), -1, 1)
