# SPDX-License-Identifier: MIT
"""How much memory an instance's packets may take together."""

from __future__ import annotations

from collections.abc import Iterable

from hybridnet.describe.options.tables import family
from hybridnet.describe.schema.plans import EmulationPortal, SimulatedLink

__all__ = ["LEAST_POOL_BYTES", "MOST_POOL_BYTES", "USUAL_POOL_BYTES", "pool_bytes"]

LEAST_POOL_BYTES, MOST_POOL_BYTES = 1 << 24, 1 << 40  # as the schema of instance plans has them
USUAL_POOL_BYTES = 1 << 30
"""Enough for most networks; nothing is taken from the system before it is needed."""

# One link may hold half of the pool (simcore/packet/packet_pool.h), and a frame's block is up to twice as large as the
# frame: so a link needs four times what is on its way.
_BYTES_PER_BYTE = 4
# More than one processor simulates: what all links of a network could carry together says nothing about what they do.
_MOST_RATE_BPS = 100 * 10**9
# What a portal reads into is of the pool, too: for each frame one of its largest blocks. Without a thread of its own a
# portal reads 32 frames at once (simcore/sys/vnet_device.h).
_BLOCK_BYTES = 65_792
_FRAMES_AT_ONCE = 32


def pool_bytes(links: Iterable[SimulatedLink], portals: Iterable[EmulationPortal] = ()) -> int:
    """The bound that fits an instance plan: four times its links' rates by their delays, and what portals read into.

    Without the portals no less than `USUAL_POOL_BYTES`, and no more than 100 Gbit/s with the longest delay would need.
    Links without a rate do not count.
    """
    directions = [link[way] for link in links for way in ("a_to_b", "b_to_a")]
    limited = [(rate, each["delay_ns"]) for each in directions if (rate := each["rate_bps"]) is not None]
    bits = sum(rate_bps * delay_ns for rate_bps, delay_ns in limited) // 10**9
    most_bits = _MOST_RATE_BPS * max((delay_ns for _, delay_ns in limited), default=0) // 10**9
    reading = sum(_BLOCK_BYTES * _frames(portal) for portal in portals)
    return min(max(USUAL_POOL_BYTES, _BYTES_PER_BYTE * min(bits, most_bits) // 8) + reading, MOST_POOL_BYTES)


def _frames(portal: EmulationPortal) -> int:
    options = portal.get("options", {})
    if not options.get("capture_thread"):
        return _FRAMES_AT_ONCE
    declared = family("portal").models[portal["backend"]].planned["capture_ring_frames"]
    frames = options.get(declared.key, declared.default)
    assert isinstance(frames, int)  # as the schema says
    return frames
