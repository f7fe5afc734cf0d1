# SPDX-License-Identifier: MIT
"""The points of a sweep: every combination of its values, with every seed."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hybridnet.errors import UsageError

__all__ = ["Point", "parse_axes", "points_of"]

POINTS_LIMIT = 1_000_000


@dataclass(frozen=True)
class Point:
    """One run of a sweep.

    Args:
        values: what is set, by name, as text.
        seed: of this replication.
    """

    values: Mapping[str, str]
    seed: int

    @property
    def name(self) -> str:
        """A name for its folder: the same in every run of the sweep, and no other point's."""
        text = json.dumps([sorted(self.values.items()), self.seed])
        return f"{hashlib.sha256(text.encode()).hexdigest()[:16]}-seed-{self.seed}"

    def words(self) -> list[str]:
        """The words of a command line that set its values."""
        return [word for name, value in self.values.items() for word in ("--set", f"{name}={value}")]

    def __str__(self) -> str:
        return ", ".join([*(f"{name} {value}" for name, value in self.values.items()), f"seed {self.seed}"])


def parse_axes(texts: Sequence[str]) -> dict[str, list[str]]:
    """``["bw=10,100", "delay=1ms"]`` as the values of each name.

    Raises:
        UsageError: one is not NAME=VALUE,VALUE, or a name or a value stands twice.

    Example:
        >>> parse_axes(["bw=10,100", "delay=1ms"])
        {'bw': ['10', '100'], 'delay': ['1ms']}
    """
    axes: dict[str, list[str]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        values = rest.split(",")
        if not equals or not name.isidentifier() or not all(values):
            raise UsageError(f"--set {text}: write NAME=VALUE,VALUE, such as bw=10,100")
        if name in axes or len(set(values)) != len(values):
            raise UsageError(
                f"--set {text}: {name if name in axes else 'a value'} is given twice; give it once"
            )
        axes[name] = values
    return axes


def points_of(axes: Mapping[str, Sequence[str]], seeds: Sequence[int]) -> list[Point]:
    """Every combination, the last name varying fastest, and its seeds side by side.

    Raises:
        UsageError: they are too many.

    Example:
        >>> [str(point) for point in points_of({"bw": ["1", "2"]}, [1, 2])]
        ['bw 1, seed 1', 'bw 1, seed 2', 'bw 2, seed 1', 'bw 2, seed 2']
    """
    combinations = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    if len(combinations) * len(seeds) > POINTS_LIMIT:
        raise UsageError(
            f"sweep: {len(combinations)} combinations with {len(seeds)} seeds are more than {POINTS_LIMIT} runs"
        )
    return [Point(values, seed) for values in combinations for seed in seeds]
