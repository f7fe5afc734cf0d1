# SPDX-License-Identifier: MIT
"""What was measured of a controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, final

from hybridnet.observe.results import html

__all__ = ["COLUMNS", "Repetition", "Report"]

COLUMNS = ("", "set-ups per s", "p50, ms", "p95, ms", "p99, ms", "unanswered", "of a switch", "CPU")

BUSY = 0.9
"""From this share of a processor on, the switches themselves may be what limits."""


@final
@dataclass(frozen=True)
class Repetition:
    """One interval.

    Args:
        set_ups: flows whose first packet came to its host.
        set_ups_per_s: the same per second.
        p50_ms, p95_ms, p99_ms, max_ms: from a packet's sending to its arrival; within 1/64.
        unanswered: packets that were given up after 10 s.
        packet_ins, packet_outs: that switches sent and got.
        errors: that switches answered with.
        lost_connections: between switches and controller.
        least_of_a_switch, most_of_a_switch: set-ups.
        switches_cpu: share of a processor that the switches took.
        controller_cpu: that the controller took; None: it runs elsewhere.
    """

    set_ups: int
    set_ups_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float
    unanswered: int
    packet_ins: int
    packet_outs: int
    errors: int
    lost_connections: int
    least_of_a_switch: int
    most_of_a_switch: int
    switches_cpu: float
    controller_cpu: float | None

    @classmethod
    def of(cls, taken: Mapping[str, Any], controller_cpu_ns: int | None) -> Repetition:
        """From what `_simcore.ControllerBench.take` gives."""
        seconds = taken["wall_ns"] / 1e9
        response = taken["response_ns"]
        return cls(
            set_ups=taken["answered"],
            set_ups_per_s=taken["answered"] / seconds,
            p50_ms=response["p50"] / 1e6,
            p95_ms=response["p95"] / 1e6,
            p99_ms=response["p99"] / 1e6,
            max_ms=response["max"] / 1e6,
            unanswered=taken["unanswered"],
            packet_ins=taken["packet_ins"],
            packet_outs=taken["packet_outs"],
            errors=taken["errors"],
            lost_connections=taken["lost"],
            least_of_a_switch=taken["least_of_a_switch"],
            most_of_a_switch=taken["most_of_a_switch"],
            switches_cpu=taken["cpu_ns"] / taken["wall_ns"],
            controller_cpu=None if controller_cpu_ns is None else controller_cpu_ns / taken["wall_ns"],
        )


@final
@dataclass(frozen=True)
class Report:
    """All of it.

    Args:
        connected_s: from when switches began to connect until the controller had greeted all of them.
        ready_s: until it had heard of all hosts besides.
        switches_bytes: memory that the switches took, of all that this process has.
        controller_bytes: the controller's, at the end; None: it runs elsewhere.
    """

    controller: str
    mode: str
    switches: int
    hosts: int
    window: int
    connected_s: float
    ready_s: float
    switches_bytes: int
    controller_bytes: int | None
    repetitions: tuple[Repetition, ...]

    def set_ups_per_s(self) -> float:
        """The median of the repetitions; 0: there are none."""
        return median(each.set_ups_per_s for each in self.repetitions) if self.repetitions else 0.0

    def heads(self) -> list[str]:
        """What was measured, and how long the controller took until it could be."""
        waits = "1 packet" if self.window == 1 else f"{self.window} packets"
        owns = "" if self.controller_bytes is None else f", controller {self.controller_bytes / 1e6:.0f} MB"
        return [
            f"{self.controller}: {self.mode}, {self.switches:,} switches of {self.hosts:,} hosts, "
            f"{waits} of each under way",
            f"all switches connected after {self.connected_s:.2f} s, all hosts known after {self.ready_s:.2f} s; "
            f"switches {self.switches_bytes / 1e6:.0f} MB{owns}",
        ]

    def rows(self) -> list[list[str]]:
        """The repetitions as texts under `COLUMNS`."""
        return [
            [
                str(number),
                f"{each.set_ups_per_s:,.0f}",
                f"{each.p50_ms:.3g}",
                f"{each.p95_ms:.3g}",
                f"{each.p99_ms:.3g}",
                f"{each.unanswered:,}",
                f"{each.least_of_a_switch:,} to {each.most_of_a_switch:,}",
                f"switches {each.switches_cpu:.0%}"
                + ("" if each.controller_cpu is None else f", controller {each.controller_cpu:.0%}"),
            ]
            for number, each in enumerate(self.repetitions, 1)
        ]

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        return html.joined(
            html.lines(self.heads()),
            html.table(COLUMNS, self.rows()),
            html.word(f"median: {self.set_ups_per_s():,.0f} set-ups per second"),
            html.lines(self.remarks()),
        )

    def remarks(self) -> list[str]:
        """What one must know to trust the figures."""
        said = []
        if any(each.switches_cpu >= BUSY for each in self.repetitions):
            said.append(
                f"the switches took {BUSY:.0%} of a processor or more: the controller may be able to do more than this"
            )
        unanswered = sum(each.unanswered for each in self.repetitions)
        if unanswered:
            said.append(f"{unanswered} packets got no answer within 10 s")
        lost = sum(each.lost_connections for each in self.repetitions)
        if lost:
            said.append(f"{lost} connections were lost while it was measured")
        errors = sum(each.errors for each in self.repetitions)
        if errors:
            said.append(f"switches refused {errors} messages of the controller")
        return said

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {**asdict(self), "set_ups_per_s": self.set_ups_per_s(), "remarks": self.remarks()}
