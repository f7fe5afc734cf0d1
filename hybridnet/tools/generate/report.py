# SPDX-License-Identifier: MIT
"""What a generator sent and a receiver counted, as figures, a line, and a verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.quantities import format_delay, format_rate
from hybridnet.observe.results import Verdict
from hybridnet.observe.results.verdict import percentile_ns

__all__ = [
    "file_notes",
    "judge_generator",
    "judge_receiver",
    "receiver_figures",
    "receiver_line",
    "sender_figures",
    "sender_line",
]

ETHERNET_AND_TAG = 14 + 4

Report = Mapping[str, Any]
LATENESS = (("p50", 0.5), ("p99", 0.99), ("p999", 0.999))


def sender_figures(report: Report) -> dict[str, Any]:
    """Return the figures of a generator's report (``_simcore.Generator.report``).

    Returns:
        due_packets (by the schedule), sent_packets and sent_bytes, waiting_packets (for the device, at the end),
        unsent_packets (given up), ``dropped`` by reason; seconds from the first to the last that left, and the rates
        over them; lateness percentiles in nanoseconds, from the instant at which a frame was due until it had left.
    """
    frames = report["frames"]
    seconds = (frames["last_sent_ns"] - frames["first_sent_ns"]) / 1e9
    sent = frames["sent_packets"]
    figures = {
        key: frames[key]
        for key in (
            "due_packets",
            "sent_packets",
            "sent_bytes",
            "waiting_packets",
            "unsent_packets",
            "dropped",
        )
    }
    figures["seconds"] = seconds
    figures["rate_pps"] = (sent - 1) / seconds if seconds > 0 else 0.0
    figures["rate_bps"] = figures["rate_pps"] * 8 * frames["sent_bytes"] / sent if sent else 0.0
    return figures | _percentiles("lateness", report["lateness"]) | _processor(report)


def receiver_figures(report: Report, sent: int | None = None) -> dict[str, Any]:
    """Return the figures of a receiver's report (``_simcore.Receiver.report``).

    Args:
        sent: how many the sender says it sent; without it only numbers below the highest that came are missing.

    Returns:
        received_packets (different ones), missing_packets, duplicate_packets, reordered_packets, too_late_packets,
        foreign_packets (no numbered frames), damaged_packets (a wrong checksum; they count as missing), capture_drops
        (which the kernel dropped before they were read); seconds from the first to the last, and the rates over them;
        percentiles of the one-way delay in nanoseconds.
    """
    frames, portal = report["frames"], report["portal"]
    seconds = (frames["last_ns"] - frames["first_ns"]) / 1e9
    received = frames["distinct_packets"]
    figures: dict[str, Any] = {"received_packets": received}
    figures["missing_packets"] = frames["missing_packets"] if sent is None else sent - received
    for key in (
        "duplicate_packets",
        "reordered_packets",
        "too_late_packets",
        "foreign_packets",
        "damaged_packets",
        "bytes",
        "senders",
    ):
        figures[key] = frames[key]
    figures["capture_drops"] = portal["kernel_drops"]
    figures["dropped"] = portal["dropped"]
    figures["seconds"] = seconds
    figures["rate_pps"] = (received - 1) / seconds if seconds > 0 else 0.0
    figures["rate_bps"] = figures["rate_pps"] * 8 * frames["bytes"] / max(1, frames["numbered_packets"])
    delays = _percentiles("delay", report["delay"])
    return figures | {"delay_least_ns": frames["least_delay_ns"]} | delays | _processor(report)


def file_notes(name: str, known: Mapping[str, int], mtu: int) -> list[str]:
    """Return what is odd about a recorded file, one sentence each.

    Args:
        known: what ``_simcore.replay`` found: how many frames were left_out, cut, out_of_order, and the largest in
            bytes.
        mtu: the interface's, in bytes.
    """
    notes = []
    if known["left_out"]:
        notes.append(f"{name}: {known['left_out']} records are not Ethernet frames and are left out")
    if known["cut"]:
        notes.append(
            f"{name}: {known['cut']} frames were cut when they were recorded; the rest of each is zeros"
        )
    if known["out_of_order"]:
        notes.append(
            f"{name}: {known['out_of_order']} frames have earlier times than those before; they follow at once"
        )
    if known["largest"] > mtu + ETHERNET_AND_TAG:
        notes.append(
            f"{name}: frames have up to {known['largest']} bytes, and the MTU is {mtu}: the interface refuses the "
            "larger ones; raise the MTU, or record without offloads"
        )
    return notes


def judge_generator(figures: Mapping[str, Any], lateness_limit_ns: int) -> Verdict:
    """Whether the schedule was kept: everything that was due left, and 99.9 % of it within the limit."""
    reasons = []
    if figures["lateness_p999_ns"] > lateness_limit_ns:
        reasons.append(
            f"frames left {figures['lateness_p999_ns'] / 1e6:.3f} ms late at the 99.9th percentile (limit "
            f"{lateness_limit_ns / 1e6:g} ms): the sender was too slow for its schedule; lower the rate, gather "
            "frames, or give it a core"
        )
    left_over = figures["unsent_packets"] + figures["waiting_packets"]
    if left_over:
        reasons.append(
            f"{left_over} of {figures['due_packets']} frames were due and never left: lower the rate, or have more "
            "patience"
        )
    if dropped := sum(figures["dropped"].values()):
        named = ", ".join(f"{count} {reason}" for reason, count in figures["dropped"].items())
        reasons.append(f"{dropped} frames were dropped ({named}): the device did not take them")
    return Verdict.of(reasons, {"generator": _numbers(figures)})


def judge_receiver(figures: Mapping[str, Any]) -> Verdict:
    """Whether the count can be trusted: nothing was lost on the last step, in the receiver itself."""
    reasons = []
    if figures["capture_drops"]:
        reasons.append(
            f"the kernel dropped {figures['capture_drops']} frames before the receiver read them: it was too slow; "
            "lower the rate or give it a core"
        )
    if figures["too_late_packets"]:
        reasons.append(
            f"{figures['too_late_packets']} frames came so late that they cannot be told from duplicates; they "
            "count as missing"
        )
    if dropped := sum(figures["dropped"].values()):
        reasons.append(
            f"the receiver dropped {dropped} frames that it had read: they were malformed or memory ran out"
        )
    return Verdict.of(reasons, {"receiver": _numbers(figures)})


def sender_line(before: Report, now: Report) -> str:
    """What left between two reports, as a status line."""
    first, last = before["frames"], now["frames"]
    seconds = max((last["time_ns"] - first["time_ns"]) / 1e9, 1e-9)
    sent = last["sent_packets"] - first["sent_packets"]
    bits = 8 * (last["sent_bytes"] - first["sent_bytes"]) / seconds
    parts = [
        f"sent {last['sent_packets']:,}",
        f"{sent / seconds:,.0f} frames/s",
        format_rate(max(1, round(bits))),
    ]
    parts += [f"{count} {reason}" for reason, count in last["dropped"].items()]
    parts.append(f"late p99 {format_delay(_between(before['lateness'], now['lateness'], 0.99))}")
    return "   ".join(parts)


def receiver_line(before: Report, now: Report) -> str:
    """What came between two reports, as a status line."""
    first, last = before["frames"], now["frames"]
    seconds = max((last["time_ns"] - first["time_ns"]) / 1e9, 1e-9)
    came = last["distinct_packets"] - first["distinct_packets"]
    bits = 8 * (last["bytes"] - first["bytes"]) / seconds
    return "   ".join(
        [
            f"received {last['distinct_packets']:,}",
            f"{came / seconds:,.0f} frames/s",
            format_rate(max(1, round(bits))),
            f"missing {last['missing_packets']:,}",
            f"delay p99 {format_delay(_between(before['delay'], now['delay'], 0.99))}",
        ]
    )


def _between(before: Report, now: Report, fraction: float) -> int:
    earlier = dict(before["buckets"])
    return percentile_ns(
        [(upper, count - earlier.get(upper, 0)) for upper, count in now["buckets"]], fraction
    )


def _percentiles(name: str, histogram: Report) -> dict[str, int]:
    buckets: Sequence[Sequence[int]] = histogram["buckets"]
    named = {
        f"{name}_{key}_ns": min(percentile_ns(buckets, part), histogram["max_ns"]) for key, part in LATENESS
    }
    return named | {f"{name}_max_ns": histogram["max_ns"]}


def _processor(report: Report) -> dict[str, float]:
    loop = report["loop"]
    return {"processor_busy": loop["cpu_ns"] / loop["wall_ns"] if loop["wall_ns"] else 0.0}


def _numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    return {key: value for key, value in figures.items() if isinstance(value, (int, float))}
