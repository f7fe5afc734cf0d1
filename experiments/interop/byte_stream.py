# SPDX-License-Identifier: MIT
"""A stream of known bytes, and what arrived of it.

``python byte_stream.py write SIZE`` writes SIZE bytes; byte i is the exclusive or of the four octets of i, as in the
file of the simulated HTTP server. ``python byte_stream.py read`` reads to the end and prints a JSON object: how many
bytes, their SHA-256, how long it took, and the longest time in which none came.

It runs in a host of a machine, with the interpreter that has hybridnet.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator

import numpy

PIECE = 1 << 20


def pieces(size: int) -> Iterator[bytes]:
    """The stream's first ``size`` bytes; offsets count modulo 2^32."""
    for begin in range(0, size, PIECE):
        offsets = numpy.arange(begin, min(begin + PIECE, size), dtype=numpy.uint64).astype(numpy.uint32)
        yield (offsets ^ offsets >> 8 ^ offsets >> 16 ^ offsets >> 24).astype(numpy.uint8).tobytes()


def digest(size: int, times: int = 1) -> str:
    """SHA-256 of the first ``size`` bytes, ``times`` over."""
    hashing = hashlib.sha256()
    for _ in range(times):
        for piece in pieces(size):
            hashing.update(piece)
    return hashing.hexdigest()


def write(size: int) -> None:
    """Write the stream to standard output."""
    for piece in pieces(size):
        sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()


def read() -> dict[str, object]:
    """Read standard input to its end."""
    hashing = hashlib.sha256()
    count, longest_gap_s = 0, 0.0
    began = latest = time.monotonic()
    while piece := os.read(sys.stdin.fileno(), PIECE):
        now = time.monotonic()
        longest_gap_s, latest = max(longest_gap_s, now - latest), now
        hashing.update(piece)
        count += len(piece)
    now = time.monotonic()
    return {
        "bytes": count,
        "sha256": hashing.hexdigest(),
        "seconds": now - began,
        "longest_gap_s": max(longest_gap_s, now - latest),
    }


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(int(sys.argv[2]))
    else:
        print(json.dumps(read()))
