# SPDX-License-Identifier: MIT
"""Histograms as snapshots have them: rows of (upper edge in nanoseconds, count), edges ascending."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["percentile_ns", "subtract_buckets"]


def percentile_ns(buckets: Sequence[Sequence[int]], fraction: float) -> int:
    """The upper edge of the bucket that holds the given fraction of a histogram.

    Args:
        buckets: (upper edge in nanoseconds, count), edges ascending.
        fraction: above 0, up to 1.

    Returns:
        Nanoseconds; 0 for an empty histogram.
    """
    total = sum(count for _, count in buckets)
    seen = 0
    for upper, count in buckets:
        seen += count
        if total and seen >= fraction * total:
            return upper
    return 0


def subtract_buckets(
    after: Sequence[Sequence[int]], before: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """The histogram of what was counted between two snapshots of one histogram."""
    earlier = {upper: count for upper, count in before}  # noqa: C416  rows are sequences, not pairs
    return [(upper, count - earlier.get(upper, 0)) for upper, count in after if count > earlier.get(upper, 0)]
