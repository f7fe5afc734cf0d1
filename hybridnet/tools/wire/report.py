# SPDX-License-Identifier: MIT
"""What a wire did between two snapshots of its instance, as figures and as a line. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridnet.describe.quantities import format_rate
from hybridnet.observe.results.verdict import percentile_ns, subtract_buckets
from hybridnet.observe.series.snapshot import Snapshot

__all__ = ["direction_figures", "lateness_p99_ns", "portal_drops", "portal_notes", "status_line"]

_WATCHED = ("queue_sojourn", "queue_others", "queue_most")


def direction_figures(first: Snapshot, last: Snapshot, from_portal: str) -> dict[str, Any]:
    """Return what passed the direction that begins at ``from_portal``.

    Returns:
        seconds, packets and bytes accepted and delivered by the link (segments; wire bytes without overhead),
        goodput_bps of what was delivered, and ``dropped`` by the link: segments by reason. If there were any,
        also duplicated_packets, corrupted_packets and queue_marked_packets (with ECN). With watch_queue also what the
        queue's histograms say, since the link was made.
    """
    seconds = (last["time_ns"] - first["time_ns"]) / 1e9
    before, after = _link(first, from_portal), _link(last, from_portal)
    figures: dict[str, Any] = {"seconds": seconds}
    for key in ("accepted_packets", "accepted_bytes", "delivered_packets", "delivered_bytes"):
        figures[key] = after[key] - before[key]
    for key in ("duplicated_packets", "corrupted_packets", "queue_marked_packets"):
        if count := after.get(key, 0) - before.get(key, 0):
            figures[key] = count
    figures |= {key: value for key, value in after.items() if key.startswith(_WATCHED)}
    figures["goodput_bps"] = figures["delivered_bytes"] * 8 / seconds if seconds > 0 else 0.0
    figures["dropped"] = {
        reason: count - before["dropped"].get(reason, 0)
        for reason, count in after["dropped"].items()
        if count > before["dropped"].get(reason, 0)
    }
    return figures


def portal_drops(first: Snapshot, last: Snapshot) -> dict[str, dict[str, int]]:
    """Return the drops at each portal between the snapshots, by reason; ``capture`` is the kernel's."""
    earlier = {row["name"]: row for row in first["portals"]}
    drops = {}
    for row in last["portals"]:
        before = earlier[row["name"]]
        counts = {
            reason: count - before["dropped"].get(reason, 0) for reason, count in row["dropped"].items()
        }
        counts["capture"] = row["kernel_drops"] - before["kernel_drops"]
        drops[row["name"]] = {reason: count for reason, count in counts.items() if count}
    return drops


def lateness_p99_ns(first: Snapshot, last: Snapshot) -> int:
    """The lateness that 99 % of the events between the snapshots did not exceed."""
    return percentile_ns(subtract_buckets(last["lateness"]["buckets"], first["lateness"]["buckets"]), 0.99)


def portal_notes(snapshot: Snapshot) -> list[str]:
    """Return what the devices refused to the portals."""
    return [row["notes"] for row in snapshot["portals"] if "notes" in row]


def status_line(a: str, b: str, first: Snapshot, last: Snapshot) -> str:
    """Goodput each way, what was dropped and where, and how late events ran, between two snapshots."""
    parts = []
    for source, target in ((a, b), (b, a)):
        figures = direction_figures(first, last, source)
        drops = "".join(f", {count} {reason}" for reason, count in figures["dropped"].items())
        parts.append(f"{source} > {target} {_short_rate(figures['goodput_bps'])}{drops}")
    for portal, drops_there in portal_drops(first, last).items():
        parts.extend(f"{portal}: {count} {reason}" for reason, count in drops_there.items())
    parts.append(f"late p99 {lateness_p99_ns(first, last) / 1e3:.0f} us")
    return "   ".join(parts)


def _link(snapshot: Snapshot, from_portal: str) -> Mapping[str, Any]:
    row: Mapping[str, Any] = next(row for row in snapshot["links"] if row["from"] == from_portal)
    return row


def _short_rate(bits_per_second: float) -> str:
    """Format a rate with three digits, enough to look at.

    Example:
        >>> _short_rate(941_234_567.0), _short_rate(0.0)
        ('941 Mbit/s', '0 bit/s')
    """
    digits = max(len(str(round(bits_per_second))) - 3, 0)
    rounded = round(bits_per_second, -digits)
    return format_rate(int(rounded)) if rounded else "0 bit/s"
