# SPDX-License-Identifier: MIT
"""What a simulation has counted, as the extension says it (`simcore/network/snapshot.h`): a row for each element.

The unit of a figure is part of its name: ``_packets`` counts segments, ``_ns`` nanoseconds.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NotRequired, TypedDict, final

__all__ = [
    "ApplicationRow",
    "CaptureLosses",
    "CaptureRow",
    "CaptureState",
    "Clock",
    "ConnectionRow",
    "Elements",
    "FiredChange",
    "FluidRow",
    "Histogram",
    "InterfaceRow",
    "LinkCounts",
    "LinkRow",
    "LoopRow",
    "NamedRow",
    "PeerRow",
    "PoolRow",
    "PortalRow",
    "RecordRow",
    "RemovedRow",
    "Slices",
    "Snapshot",
    "link_counts_of",
]


@final
class Histogram(TypedDict):
    """How often there was what: (upper edge, count), edges ascending; and the greatest, in its unit."""

    buckets: list[list[int]]
    max_ns: NotRequired[int]
    max_ppm: NotRequired[int]
    max_packets: NotRequired[int]


class NamedRow(TypedDict):
    """Of one element: its name, and what it dropped, by reason. Further figures are of the element's kind."""

    name: str
    dropped: dict[str, int]


@final
class LoopRow(NamedRow):
    """The loop that keeps an instance at the wall clock's pace."""

    wait: str
    turns: int
    sleeps: int
    overruns: int
    moderated: int
    looked_ns: int
    fifo_pauses: int
    stalls: int
    stalled_ns: int
    cpu_ns: int
    wall_ns: int
    fifo_refused: int
    shallow_idle_refused: int


@final
class Slices(NamedRow):
    """Each half second of the loop, judged alone."""

    lateness_p999: Histogram
    longest_stall: Histogram
    late_share: Histogram
    noted: list[
        list[int]
    ]  # when a bad one ended (simulated time), how late events ran in it, its longest stall


@final
class PoolRow(NamedRow):
    """The memory for packets."""

    in_use: int
    reserved_bytes: int
    limit_bytes: int
    exhausted: int
    refused_share: int  # segments that found a link with its share of the pool


@final
class RecordRow(NamedRow):
    """Where what crosses portals is recorded."""

    failure: NotRequired[str]
    recorded_frames: int
    recorded_changes: int
    queue_full: int
    write_failed: int


@final
class CaptureRow(NamedRow):
    """One capture, or all that were begun while the instance ran: these have neither file nor frames."""

    file: NotRequired[str]
    failure: NotRequired[str]
    captured_frames: NotRequired[int]
    queue_full: int
    write_failed: int


LinkRow = TypedDict(
    "LinkRow",
    {
        "name": str,
        "dropped": dict[str, int],
        "from": str,
        "to": str,
        "status": NotRequired[str],
        "accepted_packets": int,
        "accepted_bytes": int,
        "delivered_packets": int,
        "delivered_bytes": int,
        "in_flight": int,
        "duplicated_packets": NotRequired[int],
        "corrupted_packets": NotRequired[int],
        "queue_packets": int,
        "queue_bytes": int,
        "background_offered_bytes": NotRequired[int],
        "background_served_bytes": NotRequired[int],
        "background_lost_bytes": NotRequired[int],
        "background_queue_bytes": NotRequired[int],
        "queue_most_packets": NotRequired[int],
        "queue_marked_packets": NotRequired[int],
        "queue_sojourn_longest_ns": NotRequired[int],
        "queue_sojourn_mean_ns": NotRequired[int],
        "queue_sojourn_p50_ns": NotRequired[int],
        "queue_sojourn_p99_ns": NotRequired[int],
        "queue_others_p50_packets": NotRequired[int],
        "queue_others_p99_packets": NotRequired[int],
        "queue_sojourn": NotRequired[Histogram],
        "queue_others": NotRequired[Histogram],
    },
)
"""One direction of a link."""


class PortalRow(NamedRow):
    """An emulation portal; its backend has figures of its own besides."""

    device: str
    notes: NotRequired[str]  # what the device refused
    captured_frames: int
    captured_segments: int
    captured_bytes: int
    captured_dropped: int
    capture_errors: int
    kernel_drops: int
    offload_kind: int
    oversize: int
    not_ipv4: int
    accepted_segments: int
    written_frames: int
    written_segments: int
    written_bytes: int
    written_dropped: int
    device_busy: int
    in_flight: int


@final
class PeerRow(NamedRow):
    """A peering portal."""

    synchronized: int
    peer_silent: int
    clock_offset_ns: int
    clock_drift_ppb: int
    least_round_trip_ns: int
    asymmetry_bound_ns: int
    transit_p50_ns: int
    transit_p999_ns: int
    accepted_packets: int
    sent_packets: int
    sent_bytes: int
    sent_batches: int
    sent_datagrams: int
    sent_datagram_bytes: int
    sent_dropped: int
    queued_packets: int
    received_packets: int
    received_bytes: int
    received_batches: int
    received_datagrams: int
    received_datagram_bytes: int
    received_dropped: int
    datagrams_dropped: int
    pending_packets: int
    in_flight: int
    late_packets: int
    lost_packets: int
    kernel_drops: int
    unreachable: int
    syscalls: int
    sessions: int
    bulk_sent_packets: int
    rekeyed: int
    compressed_raw_bytes: int
    compressed_carried_bytes: int


@final
class InterfaceRow(NamedRow):
    """An interface of a simulated node."""

    node: str
    in_packets: int
    in_bytes: int
    out_packets: int
    out_bytes: int


class ApplicationRow(NamedRow):
    """What runs on a simulated host; each kind has figures of its own besides."""

    node: str


class ConnectionRow(NamedRow):
    """One end of a TCP connection of a simulated host."""

    node: str
    state: str
    recovery: str  # open, reduced, recovery, loss
    initial_sequence: str
    cwnd_bytes: int
    in_flight_bytes: int
    acknowledged_bytes: int
    delivered_bytes: int
    received_bytes: int
    sent_bytes: int
    send_window_bytes: int
    retransmitted_segments: int
    timeouts: int
    rto_ns: int
    ssthresh_bytes: NotRequired[int]  # absent: nothing was lost yet
    srtt_ns: NotRequired[int]
    rttvar_ns: NotRequired[int]
    rtt_ns: NotRequired[int]


@final
class FluidRow(NamedRow):
    """A class of fluid flows: offered = delivered + lost + under way. A window and a round trip are TCP's.

    The last seven are of a class that is packets, too; `difference_ppm` is what it carried more as a fluid.
    """

    offered_bytes: int
    delivered_bytes: int
    lost_bytes: int
    under_way_bytes: int
    window_bytes: NotRequired[int]  # the mean of a flow now
    round_trip_ns: NotRequired[int]  # now
    is_fluid: NotRequired[int]  # now: 1, else 0
    changes_of_form: NotRequired[int]
    as_fluid_ns: NotRequired[int]  # for how long it was one
    acknowledged_bytes: NotRequired[int]  # as packets, on the wire
    sent_segments: NotRequired[int]  # as packets
    allowed_ppm: NotRequired[int]  # absent: it becomes no fluid
    difference_ppm: NotRequired[int]  # absent: it was not both for long enough


class RemovedRow(NamedRow):
    """The sums of what was taken out of one section while the simulation ran, which is its name."""

    removed: int
    kernel_drops: NotRequired[int]
    late_packets: NotRequired[int]
    received_packets: NotRequired[int]
    lost_packets: NotRequired[int]


class Elements(TypedDict):
    """What is simulated, element by element."""

    links: list[LinkRow]
    nodes: list[NamedRow]
    interfaces: list[InterfaceRow]
    applications: list[ApplicationRow]
    connections: list[ConnectionRow]
    fluids: list[FluidRow]


@final
class Snapshot(Elements):
    """All counters. In virtual time there is neither lateness nor a loop, nor slices."""

    name: str
    time_ns: int  # simulated
    ready: bool  # every peer answers, and its clock is known
    lateness: NotRequired[Histogram]
    loop: NotRequired[LoopRow]
    slices: NotRequired[Slices]
    pool: PoolRow
    record: NotRequired[RecordRow]
    captures: list[CaptureRow]
    portals: list[PortalRow]
    peers: list[PeerRow]
    removed: list[RemovedRow]
    process: NotRequired[Mapping[str, int]]  # most_memory_bytes


@final
class LinkCounts(TypedDict):
    """Of every direction of every link the counters as numbers: see `simcore/network/link_counts.h`."""

    generation: int
    directions: list[tuple[str, bool]] | None  # link, whether from a to b; None: the reader knows them
    figures: str  # Base64


@final
class CaptureLosses(TypedDict):
    """Frames that are not in a capture: it is as large as it may be, its disk was too slow, or refused them."""

    file_full: int
    queue_full: int
    write_failed: int


@final
class CaptureState(TypedDict):
    """A capture that was begun while the instance ran."""

    interface: str
    file: str
    running: bool
    frames: int
    lost: CaptureLosses
    failure: str


@final
class Clock(TypedDict):
    """Of an instance: simulated time, and CLOCK_MONOTONIC when that was zero."""

    now_ns: int
    epoch_ns: int


@final
class FiredChange(TypedDict):
    """A change of a timeline, by its entry there: the instant at which it was due, and the actual one."""

    number: int
    timeline: str
    entry: int
    at_ns: int
    fired_ns: int
    error: str


def link_counts_of(generation: int, directions: list[tuple[str, bool]] | None, figures: bytes) -> LinkCounts:
    """As the extension says them."""
    return {
        "generation": generation,
        "directions": directions,
        "figures": base64.b64encode(figures).decode("ascii"),
    }
