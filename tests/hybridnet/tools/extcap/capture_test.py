# SPDX-License-Identifier: MIT
"""What is written to a file goes into a pipe, as long as somebody reads it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from hybridnet.errors import UsageError
from hybridnet.tools.extcap import capture
from hybridnet.tools.extcap.interfaces import Emulated


def test_all_of_a_file_is_copied_though_it_is_larger_than_the_pipe(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)) * 4096)
    read, write = os.pipe()
    got = bytearray()

    def collect() -> None:
        while data := os.read(read, 5000):
            got.extend(data)

    thread = threading.Thread(target=collect)
    thread.start()
    with file.open("rb", buffering=0) as written:
        capture._copy(written, write, lambda: False)
    os.close(write)
    thread.join()
    os.close(read)
    assert got == file.read_bytes()


@pytest.mark.parametrize("content", [b"", b"x" * 1_000_000])
def test_a_reader_that_goes_ends_the_copy(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    read, write = os.pipe()
    os.close(read)
    with file.open("rb", buffering=0) as written, pytest.raises(capture._Ended):
        capture._copy(written, write, lambda: True)
    os.close(write)


def test_a_file_of_a_program_that_runs_is_not_taken_for_one_that_was_left() -> None:
    assert not capture._is_left(Path(f"/scratch/extcap-{os.getpid()}.pcap"))
    assert capture._is_left(Path("/scratch/extcap-999999999.pcap"))
    assert not capture._is_left(Path("/scratch/live-999999999.pcap"))


def test_a_pipe_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory; Wireshark makes it"):
        capture.capture(Emulated("run1", "h1", "h1-eth0", Path("/net")), tmp_path / "none", "", 1)
