# SPDX-License-Identifier: MIT
"""What independent replications say of a figure: its mean, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from hybridnet.observe.results import html

__all__ = ["Estimate", "estimate", "estimate_of_figure", "is_narrow", "is_zero_without_event", "uncounted"]

_APPEARING = ("duplicated_packets", "corrupted_packets")
_DROPPED = "dropped."


@dataclass(frozen=True)
class Estimate:
    """A mean over replications, and half the width of its 95 % confidence interval (Student's t)."""

    mean: float
    half_width: float
    replications: int

    def __str__(self) -> str:
        """The mean to five digits, and half the width of the interval, if there is one."""
        return f"{self.mean:.5g}" + (f" ± {self.half_width:.2g}" if self.replications > 1 else "")

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        return html.joined(html.word(str(self)))

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.mean + self.half_width


def estimate(values: Sequence[float]) -> Estimate:
    """The mean of independent replications. With one, nothing is known of its spread: the interval is empty.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("estimate a mean: there are no values")
    if len(values) == 1:
        return Estimate(values[0], 0.0, 1)
    from hybridnet._simcore import confidence_interval

    low, high = confidence_interval(list(values))
    return Estimate(fmean(values), (high - low) / 2, len(values))


def is_narrow(over: Estimate | None, share: float) -> bool:
    """Whether the interval of a mean is within ± `share` of it. None, and one replication, say nothing of it.

    Example:
        >>> is_narrow(Estimate(2.0, 0.1, 5), 0.05), is_narrow(Estimate(2.0, 0.1, 5), 0.04)
        (True, False)
    """
    return over is not None and over.replications > 1 and over.half_width <= share * abs(over.mean)


def is_zero_without_event(name: str) -> bool:
    """Whether a run that lacks this figure counted 0. Drops by reason, and what impairments did, are in a snapshot only
    once they have happened; a round trip that a run lacks was never measured, which is something else.

    Example:
        >>> is_zero_without_event("r1-r2 dropped.queue_full"), is_zero_without_event("a:ping:0 mean_rtt_ns")
        (True, False)
    """
    last = name.rpartition(" ")[2]
    return last.startswith(_DROPPED) or last in _APPEARING


def estimate_of_figure(name: str, values: Sequence[float | None]) -> Estimate:
    """The mean of one figure over runs, of which some may lack it: None. Such a run counts as 0 if it counted 0;
    otherwise the mean is that of the others.

    Raises:
        ValueError: no run has it.
    """
    if is_zero_without_event(name):
        return estimate([0.0 if value is None else value for value in values])
    return estimate([value for value in values if value is not None])


def uncounted(own: Collection[str], others: Iterable[str]) -> list[str]:
    """The figures of other runs that a run lacks because it counted 0: it has the element, and nothing happened there.

    Args:
        own: the names of its figures, ``ELEMENT FIGURE``.
        others: those of other runs.

    Example:
        >>> uncounted(["r1-r2 delivered_packets"], ["r1-r2 dropped.lost", "r1-r2 queue_packets", "r9 dropped.lost"])
        ['r1-r2 dropped.lost']
    """
    elements = {name.rpartition(" ")[0] for name in own}
    return [
        name
        for name in others
        if is_zero_without_event(name) and name not in own and name.rpartition(" ")[0] in elements
    ]
