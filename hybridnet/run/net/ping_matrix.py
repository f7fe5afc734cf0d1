# SPDX-License-Identifier: MIT
"""Pings between all ordered pairs of hosts, all side by side, and what they found. `Net.ping_matrix` uses this."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hybridnet.agent.hosts.echo import MOST_REQUESTS
from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results import html
from hybridnet.run.net.matrix_text import csv_text, progress_bar, text_table
from hybridnet.run.node import Host

__all__ = ["PingMatrix", "measure_pings"]

SLICES = 8  # calls of a large matrix, so that its bar moves
LEAST_SLICE = 1024  # pairs
MOST_SHOWN = 16  # hosts of a table that is printed whole
_COLUMNS = ("source", "target", "sent", "received", "rtt_min_ms", "rtt_avg_ms", "rtt_max_ms")


@dataclass(frozen=True)
class PingMatrix:
    """The pings between hosts.

    Attributes:
        hosts: their names; those with an address, in natural order or as they were given.
        count: requests of each ordered pair.
        rtts_ms: by (source, target) the round trips of the requests that were answered, in milliseconds.
        seconds: how long it took.
    """

    hosts: list[str]
    count: int
    rtts_ms: Mapping[tuple[str, str], list[float]]
    seconds: float

    @property
    def sent(self) -> int:
        """All requests."""
        return self.count * len(self.rtts_ms)

    @property
    def received(self) -> int:
        """The requests that were answered."""
        return sum(map(len, self.rtts_ms.values()))

    @property
    def lost_percent(self) -> float:
        """The share of all requests that were not answered; 0 if there were none."""
        return 100.0 * (self.sent - self.received) / self.sent if self.sent else 0.0

    def lost(self, source: str, target: str) -> int:
        """How many requests of a pair were not answered."""
        return self.count - len(self._pair(source, target))

    def rtt_ms(self, source: str, target: str) -> float | None:
        """The mean round trip of a pair in milliseconds; None if nothing was answered."""
        rtts = self._pair(source, target)
        return statistics.fmean(rtts) if rtts else None

    def to_json(self) -> dict[str, object]:
        """The matrix as data: the totals, and a row for each pair."""
        return {
            "hosts": self.hosts,
            "count": self.count,
            "sent": self.sent,
            "received": self.received,
            "lost_percent": self.lost_percent,
            "seconds": round(self.seconds, 3),
            "pairs": self._rows(),
        }

    def dumps(self) -> str:
        """The matrix as JSON text."""
        return json.dumps(self.to_json(), indent=2)

    def csv(self) -> str:
        """A line of CSV for each ordered pair, after one of names: what was sent and received, and the least, mean and
        greatest round trip in milliseconds, empty if nothing was answered.
        """
        return csv_text(_COLUMNS, self._rows())

    def __str__(self) -> str:
        """The mean round trips as a table, for a few hosts; and in any case a line that sums up."""
        line = self._summary()
        if len(self.hosts) > MOST_SHOWN:
            return line
        columns, rows = self._table()
        return f"{text_table(columns, rows)}\n{line}"

    def _repr_html_(self) -> str:
        """As notebooks show it: the same."""
        table = html.table(*self._table()) if len(self.hosts) <= MOST_SHOWN else html.Html("")
        return html.joined(table, html.word(self._summary()))

    def _rows(self) -> list[dict[str, object]]:
        return [
            dict(
                zip(
                    _COLUMNS,
                    (
                        *(source, target, self.count, len(rtts)),
                        min(rtts, default=None),
                        statistics.fmean(rtts) if rtts else None,
                        max(rtts, default=None),
                    ),
                    strict=True,
                )
            )
            for (source, target), rtts in self.rtts_ms.items()
        ]

    def _summary(self) -> str:
        rtts = sorted(rtt for found in self.rtts_ms.values() for rtt in found)
        line = f"{self.lost_percent:.0f}% dropped ({self.received}/{self.sent} received)"
        if rtts:
            line += (
                f"; round trips {rtts[0]:.3f} to {rtts[-1]:.3f} ms, median {statistics.median(rtts):.3f} ms"
            )
        return line

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [source, *("" if source == target else self._cell(source, target) for target in self.hosts)]
            for source in self.hosts
        ]
        return ["ms", *self.hosts], rows

    def _cell(self, source: str, target: str) -> str:
        rtt, lost = self.rtt_ms(source, target), self.lost(source, target)
        text = "X" if rtt is None else f"{rtt:.3f}"
        return f"{text} ({lost} lost)" if lost and rtt is not None else text

    def _pair(self, source: str, target: str) -> list[float]:
        try:
            return self.rtts_ms[source, target]
        except (KeyError, TypeError):
            raise UsageError(
                f"ping matrix: there is no pair {shown(source)}, {shown(target)}; give the names of two of its hosts"
            ) from None


def measure_pings(
    machines: Machines, hosts: Sequence[Host], count: int, interval_s: float, wait_s: float, slow: int = 1
) -> PingMatrix:
    """See `hybridnet.Net.ping_matrix`. A host without an address answers nobody; one without interfaces is left out.

    Args:
        slow: wall seconds for a second of the matrix.
    """
    able = [host for host in hosts if host.intfList()]
    for host in able:
        if host.IP() is None and host.IP6() is not None:
            raise UsageError(
                f"pings side by side: host {host.name} has the address {host.IP6()} only, and they are sent by IPv4; "
                "leave it out of hosts=, or write net.pingAll() without parallel=True"
            )
    begun = time.monotonic()
    # Each host asks its next neighbour, then the one after it: at any time all hosts take part.
    pairs = [
        (able[at], able[(at + step) % len(able)]) for step in range(1, len(able)) for at in range(len(able))
    ]
    size = min(max(LEAST_SLICE, -(-len(pairs) // SLICES)), MOST_REQUESTS // count)
    found: dict[tuple[str, str], list[float]] = {}
    with progress_bar("pings", len(pairs)) as advance:
        for first in range(0, len(pairs), size):
            asked = pairs[first : first + size]
            by_machine: dict[str, list[tuple[Host, Host]]] = {}
            for source, target in asked:
                found[source.name, target.name] = []
                if source.IP() is not None and target.IP() is not None:
                    by_machine.setdefault(source.machine or "", []).append((source, target))
            options = {"count": count, "interval_s": interval_s * slow, "wait_s": wait_s * slow}
            answers = machines.call_all(
                {
                    machine: (
                        "echo_pairs",
                        {"pairs": [(source.name, target.IP()) for source, target in own], **options},
                    )
                    for machine, own in by_machine.items()
                }
            )
            for machine, own in by_machine.items():
                for (source, target), rtts in zip(own, answers[machine], strict=True):
                    found[source.name, target.name] = [rtt / slow for rtt in rtts]
            advance(len(asked))
    names = [host.name for host in able]
    ordered = {
        (source, target): found[source, target] for source in names for target in names if source != target
    }
    return PingMatrix(names, count, ordered, (time.monotonic() - begun) / slow)
