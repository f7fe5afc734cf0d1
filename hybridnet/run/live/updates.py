# SPDX-License-Identifier: MIT
"""What is sent to a page twice a second: the verdict, the instances, and the links whose figures have changed."""

from __future__ import annotations

import json

import numpy as np

from hybridnet.run.live.figures import Array, Figures
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.live.watching import Seen

__all__ = ["Updates", "detail", "state"]


class Updates:
    """Makes one listener's updates. Rows of links are [number, rate there, rate back, lost, dropped]: bit/s, or null
    where it is not known yet, and packets of both directions together since the start.
    """

    def __init__(self) -> None:
        self._sent: Array | None = None
        self._version = -1

    def next(self, seen: Seen) -> str:
        """The update after what this listener has got, as JSON."""
        return json.dumps({**state(seen), "links": self._changed(seen)}, separators=(",", ":"))

    def _changed(self, seen: Seen) -> list[list[int | None]]:
        if seen.figures is None:
            return []
        now = _rows(seen.figures)
        if self._sent is None or self._version != seen.version or len(self._sent) != len(now):
            self._sent, self._version = np.full_like(now, -1), seen.version
        numbers = np.flatnonzero((now != self._sent).any(axis=1))
        self._sent = now
        return [
            [number, *(None if value < 0 else value for value in row)]
            for number, row in zip(numbers.tolist(), now[numbers].tolist(), strict=True)
        ]


def _rows(figures: Figures) -> Array:
    """Rates to three digits: what changes less than that is not worth sending. Unknown ones are -1."""
    known = np.where(np.isnan(figures.rate_bps), -1.0, figures.rate_bps)
    step = 10.0 ** np.maximum(np.floor(np.log10(np.maximum(known, 1.0))) - 2, 0)
    rates = np.rint(np.rint(known / step) * step)
    sums = [part.sum(axis=1, keepdims=True) for part in (figures.lost, figures.dropped)]
    return np.hstack([rates, *sums]).astype(np.int64)


def state(seen: Seen) -> Answer:
    """The whole network in a few lines."""
    return {
        "number": seen.number,
        "version": seen.version,
        "time": round(seen.time, 9 if seen.simulation is not None else 3),
        "verdict": {"word": str(seen.verdict.word), "reasons": seen.verdict.reasons},
        "instances": seen.instances,
        **({} if seen.simulation is None else {"simulation": seen.simulation}),
    }


def detail(seen: Seen, number: int) -> Answer:
    """All figures of one link: of each direction; null where one is not known. Empty before the first look."""
    if seen.figures is None or number >= len(seen.figures.rate_bps):
        return {}
    return {
        name: [None if np.isnan(value) else round(float(value), 3) for value in values[number]]
        for name, values in vars(seen.figures).items()
    }
