# SPDX-License-Identifier: MIT
"""What a generator sent and a receiver counted, as figures, a line, and a verdict. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, final

from hybridnet.describe.quantities import format_delay, format_rate
from hybridnet.observe.results import Verdict
from hybridnet.observe.results.verdict import percentile_ns

__all__ = [
    "ReceiverFigures",
    "SenderFigures",
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


@final
class SenderFigures(TypedDict):
    """What a generator has sent.

    Attributes:
        due_packets: by the schedule.
        waiting_packets: for the device, at the end.
        unsent_packets: given up.
        dropped: by reason.
        seconds: from the first to the last that left; the rates are over them.
        lateness_p50_ns, lateness_p99_ns, lateness_p999_ns, lateness_max_ns: from the instant at which a frame was due
            until it had left.
        processor_busy: share of a core that the thread took.
    """

    due_packets: int
    sent_packets: int
    sent_bytes: int
    waiting_packets: int
    unsent_packets: int
    dropped: dict[str, int]
    seconds: float
    rate_pps: float
    rate_bps: float
    lateness_p50_ns: int
    lateness_p99_ns: int
    lateness_p999_ns: int
    lateness_max_ns: int
    processor_busy: float


@final
class ReceiverFigures(TypedDict):
    """What a receiver has counted.

    Attributes:
        received_packets: different ones.
        foreign_packets: no numbered frames.
        damaged_packets: with a wrong checksum; they count as missing.
        capture_drops: which the kernel dropped before they were read.
        dropped: by reason.
        seconds: from the first to the last; the rates are over them.
        delay_least_ns, delay_p50_ns, delay_p99_ns, delay_p999_ns, delay_max_ns: one way.
        processor_busy: share of a core that the thread took.
    """

    received_packets: int
    missing_packets: int
    duplicate_packets: int
    reordered_packets: int
    too_late_packets: int
    foreign_packets: int
    damaged_packets: int
    bytes: int
    senders: int
    capture_drops: int
    dropped: dict[str, int]
    seconds: float
    rate_pps: float
    rate_bps: float
    delay_least_ns: int
    delay_p50_ns: int
    delay_p99_ns: int
    delay_p999_ns: int
    delay_max_ns: int
    processor_busy: float


def sender_figures(report: Report) -> SenderFigures:
    """Return the figures of a generator's report (``_simcore.Generator.report``)."""
    frames = report["frames"]
    seconds = (frames["last_sent_ns"] - frames["first_sent_ns"]) / 1e9
    sent = frames["sent_packets"]
    rate_pps = (sent - 1) / seconds if seconds > 0 else 0.0
    p50, p99, p999, most = _percentiles(report["lateness"])
    return SenderFigures(
        due_packets=frames["due_packets"],
        sent_packets=sent,
        sent_bytes=frames["sent_bytes"],
        waiting_packets=frames["waiting_packets"],
        unsent_packets=frames["unsent_packets"],
        dropped=frames["dropped"],
        seconds=seconds,
        rate_pps=rate_pps,
        rate_bps=rate_pps * 8 * frames["sent_bytes"] / sent if sent else 0.0,
        lateness_p50_ns=p50,
        lateness_p99_ns=p99,
        lateness_p999_ns=p999,
        lateness_max_ns=most,
        processor_busy=_busy(report),
    )


def receiver_figures(report: Report, sent: int | None = None) -> ReceiverFigures:
    """Return the figures of a receiver's report (``_simcore.Receiver.report``).

    Args:
        sent: how many the sender says it sent; without it only numbers below the highest that came are missing.
    """
    frames, portal = report["frames"], report["portal"]
    seconds = (frames["last_ns"] - frames["first_ns"]) / 1e9
    received = frames["distinct_packets"]
    rate_pps = (received - 1) / seconds if seconds > 0 else 0.0
    p50, p99, p999, most = _percentiles(report["delay"])
    return ReceiverFigures(
        received_packets=received,
        missing_packets=frames["missing_packets"] if sent is None else sent - received,
        duplicate_packets=frames["duplicate_packets"],
        reordered_packets=frames["reordered_packets"],
        too_late_packets=frames["too_late_packets"],
        foreign_packets=frames["foreign_packets"],
        damaged_packets=frames["damaged_packets"],
        bytes=frames["bytes"],
        senders=frames["senders"],
        capture_drops=portal["kernel_drops"],
        dropped=portal["dropped"],
        seconds=seconds,
        rate_pps=rate_pps,
        rate_bps=rate_pps * 8 * frames["bytes"] / max(1, frames["numbered_packets"]),
        delay_least_ns=frames["least_delay_ns"],
        delay_p50_ns=p50,
        delay_p99_ns=p99,
        delay_p999_ns=p999,
        delay_max_ns=most,
        processor_busy=_busy(report),
    )


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


def judge_generator(figures: SenderFigures, lateness_limit_ns: int) -> Verdict:
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


def judge_receiver(figures: ReceiverFigures) -> Verdict:
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


def _percentiles(histogram: Report) -> tuple[int, int, int, int]:
    """The 50th, 99th and 99.9th percentile, and the largest."""
    buckets: Sequence[Sequence[int]] = histogram["buckets"]
    most = histogram["max_ns"]
    p50, p99, p999 = (min(percentile_ns(buckets, part), most) for part in (0.5, 0.99, 0.999))
    return p50, p99, p999, most


def _busy(report: Report) -> float:
    loop = report["loop"]
    return loop["cpu_ns"] / loop["wall_ns"] if loop["wall_ns"] else 0.0


def _numbers(figures: Mapping[str, object]) -> dict[str, float]:
    return {key: value for key, value in figures.items() if isinstance(value, (int, float))}
