# SPDX-License-Identifier: MIT
"""The columns of differential: one scenario each, where Linux's TCP and ours could differ.

To watch something else, add one entry to COLUMNS: the link, the two ends, what they do, and what is read from the wire.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hybridnet.experiments.differential.linux_end import SEGMENT
from hybridnet.experiments.differential.wire import FIGURES

Kind = Literal["Linux", "simulated"]
End = Literal["sender", "receiver"]
PORT = 9
RTT_S = 0.04
HOST_DELAY_S = 0.001
"""A real host answers within this, a simulated one at once: figures are not known better than to this part of RTT_S."""
NO_ROUTE = "192.0.2.1"
"""An address of documentation (RFC 5737): no router has a way to it, and says so."""
_LOST_SYN = 2
"""Of what enters the link: before the SYN there are two ARP requests of the router."""


@dataclass(frozen=True)
class Tcp:
    """What both ends' TCP is asked for.

    Args:
        mss: payload of a segment without options, at both ends. Bytes; None: 1460.
        window: that the receiver never exceeds. Bytes; None: as it grows.
        timestamps: whether both ends use them (RFC 7323).
    """

    congestion: str = "cubic"
    ecn: bool = False
    mss: int | None = None
    window: int | None = None
    timestamps: bool = True

    def simulated(self, end: End) -> dict[str, Any]:
        """Options of a simulated end: Linux's, and segments that travel alone."""
        options: dict[str, Any] = {
            "preset": "linux",
            "congestion": self.congestion,
            "ecn": self.ecn,
            "longest_train": 1,
            "timestamps": self.timestamps,
        }
        if self.mss:
            options["mss"] = f"{self.mss} B"
        if self.window and end == "receiver":
            # As linux_end.buffer_of() says: the window is what the buffer holds besides the latest segment.
            buffer = self.window + SEGMENT
            options |= {"receive_buffer": f"{buffer} B", "initial_receive_buffer": f"{buffer * 4 // 5} B"}
        return options

    def linux(self, end: End) -> dict[str, Any]:
        """The same, for linux_end.py."""
        return {
            "congestion": self.congestion,
            "mss": self.mss,
            "window": self.window if end == "receiver" else None,
        }


@dataclass(frozen=True)
class Bulk:
    """The sender connects, and sends as much as it can for ``seconds``.

    Args:
        destination: an address other than the receiver's.
    """

    seconds: float = 12.0
    destination: str | None = None

    client: End = "sender"


@dataclass(frozen=True)
class Requests:
    """The receiver connects, and asks for ``response`` bytes ``count`` times, each ``think_s`` after the last."""

    think_s: float
    count: int
    response: int = 400_000
    request: int = 100

    client: End = "receiver"

    @property
    def seconds(self) -> float:
        """Enough for answers of a second."""
        return self.count * (self.think_s + 1.0)


@dataclass(frozen=True, eq=False)
class Column:
    """One scenario, and what is read from the wire.

    Args:
        shows: what a difference here would mean.
        figures: names in `wire.FIGURES`.
        link: options of the link in both directions, beside a delay of half of RTT_S.
        there: those of the direction of the data alone.
        draws: counts that the link's draws decide, too: how far two may lie apart that are the same.
    """

    name: str
    shows: str
    figures: tuple[str, ...]
    does: Bulk | Requests = field(default_factory=Bulk)
    tcp: Tcp = Tcp()
    link: Mapping[str, Any] = field(default_factory=dict)
    there: Mapping[str, Any] = field(default_factory=dict)
    draws: Mapping[str, float] = field(default_factory=dict)

    @property
    def way(self) -> dict[str, Any]:
        """The link's options, in the words of `Topo.addLink`."""
        return {
            "bw": 10,
            "delay": f"{RTT_S / 2 * 1e3:g}ms",
            "max_queue_size": 100,
            "train_limit": "0",
            **self.link,
        }

    def seen_at(self, figure: str) -> End:
        """Where the capture is from which a figure is read: its clock there is the client's, or the sender's."""
        if isinstance(self.does, Requests) or figure == "throughput_mbps":
            return "receiver"
        return "sender"


_QUICK_LINK = {"bw": 50, "max_queue_size": 1000}
_BUSY = ("throughput_mbps", "resent_percent")
_JITTER = {"max_queue_size": 400}
_MARKED = Bulk(10.5)
"""Reductions over CoDel come each 1.2 s, at 9.9 and 11.1 s, over RED each 3 s, at 9.1 and 12.1 s. The run ends between
them: where it ended with one, a few ms more or less would decide what is counted."""


def _after_idle(idle_s: float, count: int, congestion: str = "cubic") -> Column:
    name = f"{'' if congestion == 'cubic' else congestion + ' '}after {idle_s:g} s idle"
    return Column(
        name,
        "the window with which activity starts again (tcp_cwnd_restart)",
        ("response_ms",),
        Requests(idle_s, count),
        Tcp(congestion),
        _QUICK_LINK,
    )


COLUMNS = (
    Column(
        "ECN over CoDel", "one reduction for each window with a mark (tcp_try_undo_recovery, tcp_ecn_queue_cwr)",
        ("throughput_mbps", "window_reductions"), _MARKED, Tcp(ecn=True), there={"aqm": "codel", "ecn": True},
        draws={"window_reductions": 1.0},  # Linux to Linux 10 to 12 in real time
    ),
    Column(
        "ECN over RED", "the same, where marks come at random",
        ("throughput_mbps", "window_reductions"), _MARKED, Tcp(ecn=True), there={"enable_ecn": True},
        draws={"window_reductions": 1.0},  # whether an episode has a second reduction
    ),
    Column("jitter 5 ms", "reordering within a flight (RACK's window)", _BUSY, link=_JITTER | {"jitter": "5ms"}),
    Column(
        "jitter 20 ms", "reordering over a round trip: D-SACK, undo, PAWS (tcp_validate_incoming)", _BUSY,
        link=_JITTER | {"jitter": "20ms"},
    ),
    Column(
        "jitter 30 ms", "the same over 60 ms, as much as the delay itself", _BUSY,
        link=_JITTER | {"delay": "30ms", "jitter": "30ms"},
    ),
    Column(
        "jitter 30 ms, no timestamps", "the same where only D-SACKs undo what was needless (tcp_try_undo_dsack)", _BUSY,
        tcp=Tcp(timestamps=False), link=_JITTER | {"delay": "30ms", "jitter": "30ms"},
    ),
    Column(
        "jitter 30 ms, no timestamps, 20 Mbit/s", "the same where windows grow larger", _BUSY,
        tcp=Tcp(timestamps=False), link=_JITTER | {"bw": 20, "delay": "30ms", "jitter": "30ms"},
    ),
    Column(
        "jitter 30 ms, 20 Mbit/s", "the same with timestamps", _BUSY,
        link=_JITTER | {"bw": 20, "delay": "30ms", "jitter": "30ms"},
    ),
    Column(
        "reordering", "single segments that overtake a whole flight", _BUSY,
        there=_JITTER | {"reorder": 2.0, "jitter": {"model": "constant", "delay": "8ms"}},
    ),
    Column("loss 1 %", "fast recovery", _BUSY, there={"loss": 1.0}),
    _after_idle(0.15, 8),  # within the timeout: 0.2 s would fall on its edge, which Linux rounds to jiffies
    _after_idle(0.4, 8),
    _after_idle(1.0, 8),
    _after_idle(12.0, 3),
    Column(
        "one lost SYN", "the initial window stays (tcp_init_transfer)",
        ("syns", "first_data_ms", "first_flight"), Bulk(6.0),
        there={"loss": {"model": "scripted", "segments": [_LOST_SYN]}},
    ),
    Column(
        "two lost SYNs", "the initial window is one segment (tcp_init_transfer)",
        ("syns", "first_data_ms", "first_flight"), Bulk(6.0),
        there={"loss": {"model": "scripted", "segments": [_LOST_SYN, _LOST_SYN + 1]}},
    ),
    Column(
        "ICMP error", "an unreachable network ends an attempt to connect (tcp_v4_err)",
        ("syns",), Bulk(8.0, destination=NO_ROUTE),
    ),
    Column("window 8 kB", "the receiver's window limits, in five segments", _BUSY, Bulk(8.0), Tcp(window=8192)),
    Column("window 32 kB", "the receiver's window limits", _BUSY, Bulk(8.0), Tcp(window=32768)),
    Column("BBR", "model of the path, PROBE_RTT after 10 s", _BUSY, Bulk(15.0), Tcp("bbr")),
    _after_idle(1.0, 8, "bbr"),
    _after_idle(12.0, 3, "bbr"),
    Column("MSS 536", "the window in small segments, at 0.5 % loss", _BUSY, tcp=Tcp(mss=536), there={"loss": 0.5}),
    Column("MSS 216", "the same, in very small ones", _BUSY, Bulk(8.0), Tcp(mss=216), {"bw": 4}, {"loss": 0.5}),
)  # fmt: skip

assert all(figure in FIGURES for column in COLUMNS for figure in column.figures)
