# SPDX-License-Identifier: MIT
from __future__ import annotations

import hashlib
import json
import subprocess
import sys

from hybridnet.experiments.interop import byte_stream
from hybridnet.experiments.interop.byte_stream import PIECE, digest, pieces


def test_byte_i_is_the_exclusive_or_of_the_octets_of_i():
    stream = b"".join(pieces(70_000))
    assert len(stream) == 70_000
    assert [stream[i] for i in (0, 255, 256, 0x1_02_03)] == [0, 255, 1, 1 ^ 2 ^ 3]


def test_a_digest_goes_over_all_pieces_and_times():
    stream = b"".join(pieces(PIECE + 5))
    assert digest(PIECE + 5, 2) == hashlib.sha256(stream + stream).hexdigest()


def test_the_program_reads_what_it_writes():
    size = PIECE + 5
    writing = subprocess.Popen(
        [sys.executable, byte_stream.__file__, "write", str(size)], stdout=subprocess.PIPE
    )
    with writing:
        told = subprocess.run(
            [sys.executable, byte_stream.__file__, "read"],
            stdin=writing.stdout,
            capture_output=True,
            check=True,
        )
    said = json.loads(told.stdout)
    assert (said["bytes"], said["sha256"]) == (size, digest(size))
    assert 0 <= said["longest_gap_s"] <= said["seconds"]
