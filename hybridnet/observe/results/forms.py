# SPDX-License-Identifier: MIT
"""What a verdict says of classes of background flows that were fluid for a while, so that an instance was in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hybridnet.observe.series.snapshot import Snapshot

__all__ = ["FluidTime", "fluid_times"]


@dataclass(frozen=True)
class FluidTime:
    """That a class was a fluid for a while.

    Args:
        share: of the time that is judged.
        changes: between packets and fluid.
        difference: what it carried more as a fluid, as a share, over the whole run; None: not measured.
        allowed: how large that may be.
    """

    name: str
    share: float
    changes: int
    difference: float | None
    allowed: float

    @property
    def within(self) -> bool:
        return self.difference is None or abs(self.difference) <= self.allowed

    def __str__(self) -> str:
        often = f"{self.changes} change" + ("" if self.changes == 1 else "s")
        was = (
            f"fluid {self.name} was one for {100 * self.share:.0f} % of the time ({often}), and packets else"
        )
        if self.difference is None:
            return f"{was}; how much it carried more or less was not measured, as it was not both for long enough"
        more = "more" if self.difference >= 0 else "less"
        apart = f"{100 * abs(self.difference):.2g} % {more} (allowed: {100 * self.allowed:g} %)"
        return f"{was}; as a fluid it carried {apart}"


def fluid_times(windows: Sequence[tuple[Snapshot, Snapshot]]) -> Iterator[FluidTime]:
    """Of an instance: the classes that were a fluid in these windows and may be packets."""
    for last in windows[-1][1].get("fluids", []):
        name = last["name"]
        fluid_ns = _grown(windows, name, "as_fluid_ns")
        if fluid_ns <= 0 or "allowed_ppm" not in last:
            continue
        judged_ns = sum(after["time_ns"] - before["time_ns"] for before, after in windows)
        difference = last.get("difference_ppm")
        yield FluidTime(
            name,
            min(1.0, fluid_ns / max(1, judged_ns)),
            _grown(windows, name, "changes_of_form"),
            None if difference is None else difference / 1e6,
            last["allowed_ppm"] / 1e6,
        )


_Grows = Literal["as_fluid_ns", "changes_of_form"]


def _grown(windows: Sequence[tuple[Snapshot, Snapshot]], name: str, key: _Grows) -> int:
    return sum(_figure(last, name, key) - _figure(first, name, key) for first, last in windows)


def _figure(snapshot: Snapshot, name: str, key: _Grows) -> int:
    rows = [row for row in snapshot.get("fluids", []) if row["name"] == name]
    return rows[0].get(key, 0) if rows else 0
