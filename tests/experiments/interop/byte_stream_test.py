# SPDX-License-Identifier: MIT
from __future__ import annotations

import hashlib

from hybridnet.experiments.interop.byte_stream import PIECE, digest, pieces


def test_byte_i_is_the_exclusive_or_of_the_octets_of_i():
    stream = b"".join(pieces(70_000))
    assert len(stream) == 70_000
    assert [stream[i] for i in (0, 255, 256, 0x1_02_03)] == [0, 255, 1, 1 ^ 2 ^ 3]


def test_a_digest_goes_over_all_pieces_and_times():
    stream = b"".join(pieces(PIECE + 5))
    assert digest(PIECE + 5, 2) == hashlib.sha256(stream + stream).hexdigest()
