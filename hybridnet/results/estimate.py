# SPDX-License-Identifier: MIT
"""What independent replications say of a figure: its mean, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

__all__ = ["Estimate", "estimate"]


@dataclass(frozen=True)
class Estimate:
    """A mean over replications, and half the width of its 95 % confidence interval (Student's t)."""

    mean: float
    half_width: float
    replications: int

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
