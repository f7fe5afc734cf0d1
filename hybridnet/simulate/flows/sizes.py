# SPDX-License-Identifier: MIT
"""Sizes of flows: a cumulative distribution, linear between its points, by name, out of a file, or of one size."""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

from hybridnet.describe.quantities import MAX_SIZE_BYTES, parse_size
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import shown
from hybridnet.errors import UnitError, UsageError

__all__ = ["DISTRIBUTIONS", "SizeDistribution"]

DISTRIBUTIONS = ("web-search", "data-mining", "hadoop")
"""Distributions that come with hybridnet; their files in ``distributions/`` name their sources."""
_FOLDER = Path(__file__).parent / "distributions"
_MOST_POINTS = 100_000


@dataclass(frozen=True)
class SizeDistribution:
    """A cumulative distribution of sizes, linear between its points. A size is a whole number of bytes, at least 1.

    Args:
        name: as reports call it.
        points: of each a size in bytes, and which share of the flows is at most as large, 0 to 1. Neither goes down.
            The last share is 1. If the first one is above 0, that share of the flows has the first size.
    """

    name: str
    points: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, given: str | os.PathLike[str] | int) -> SizeDistribution:
        """What a user names: one of `DISTRIBUTIONS`, one size (``"20 kB"``; a number is bytes), or a file whose lines
        have a size in bytes and a cumulative share, 0 to 1 or 0 to 100; what follows a ``#`` is a remark.

        Raises:
            UsageError: it is none of these, or the file cannot be read, or says what is no distribution.

        Example:
            >>> SizeDistribution.of("20 kB").mean_bytes
            20000.0
        """
        if isinstance(given, int) and not isinstance(given, bool):
            return cls._one(given, f"{given} B")
        if isinstance(given, os.PathLike):
            return cls._read(os.fspath(given))
        if not isinstance(given, str) or not given:
            raise UsageError(f"workload: sizes {shown(given)}: {_CURE}")
        if given in DISTRIBUTIONS:
            return cls(given, _points((_FOLDER / f"{given}.txt").read_text("utf-8"), given))
        if given[0].isdigit() and not user_file(given).is_file():
            try:
                return cls._one(parse_size(given, "workload: sizes"), given)
            except UnitError as error:
                raise UsageError(f"{error}; or {_CURE}") from None
        return cls._read(given)

    @classmethod
    def _one(cls, size: int, name: str) -> SizeDistribution:
        if not 1 <= size <= MAX_SIZE_BYTES:
            raise UsageError(f"workload: sizes {name}: a flow has 1 B to 1024 GiB")
        return cls(name, ((float(size), 1.0),))

    @classmethod
    def _read(cls, named: str) -> SizeDistribution:
        path = user_file(named)
        if not path.is_file():
            raise UsageError(f"workload: sizes {shown(named)}: there is no such file; {_CURE}")
        try:
            text = path.read_text("utf-8")
        except UnicodeError:
            raise UsageError(f"workload: sizes {shown(named)}: the file is not text in UTF-8") from None
        except OSError as error:
            raise UsageError(
                f"workload: sizes {shown(named)}: it cannot be read ({error.strerror})"
            ) from None
        found = cls(Path(named).name, _points(text, named))
        if found.mean_bytes < 1:
            raise UsageError(
                f"workload: sizes {shown(named)}: their mean is below 1 byte; write sizes in bytes"
            )
        return found

    @property
    def mean_bytes(self) -> float:
        """The mean of the distribution, before sizes are made whole."""
        (first_size, first_share) = self.points[0]
        return first_size * first_share + math.fsum(
            (share - before) * (size + smaller) / 2
            for (smaller, before), (size, share) in pairwise(self.points)
        )

    def draw(self, random: Random) -> int:
        """A size, by the inverse of the distribution: one random number is used."""
        return max(1, round(self.quantile(random.random())))

    def quantile(self, share: float) -> float:
        """The size that this share of the flows, 0 to 1, does not exceed, bytes.

        Example:
            >>> SizeDistribution.of("web-search").quantile(0.15)
            10000.0
        """
        above = bisect_left(self.points, share, key=lambda point: point[1])
        if above == 0:
            return self.points[0][0]
        (smaller, before), (size, after) = self.points[above - 1], self.points[above]
        return smaller + (size - smaller) * (share - before) / (after - before)


_CURE = f"write one of {', '.join(DISTRIBUTIONS)}, a size such as '20 kB', or a file of lines 'SIZE_BYTES CUMULATIVE'"


def _points(text: str, named: str) -> tuple[tuple[float, float], ...]:
    points: list[tuple[float, float]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        where = f"workload: sizes {shown(named)}, line {number}"
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise UsageError(f"{where}: {shown(line)} is not a size in bytes and a cumulative share")
        size, share = (_value(word, where) for word in words)
        if not 0 <= size <= MAX_SIZE_BYTES:
            raise UsageError(f"{where}: a size of {words[0]} B; write 0 to {MAX_SIZE_BYTES}")
        if points and (size < points[-1][0] or share < points[-1][1]):
            raise UsageError(f"{where}: {shown(line)} is less than the line before; sizes and shares go up")
        points.append((size, share))
    if len(points) > _MOST_POINTS:
        raise UsageError(f"workload: sizes {shown(named)}: more than {_MOST_POINTS} lines; write fewer")
    if not points or points[-1][1] not in (1, 100):
        last = "nothing" if not points else f"{points[-1][1]:g}"
        raise UsageError(
            f"workload: sizes {shown(named)}: the last share is {last}; it must be 1, or 100 in percent"
        )
    all_of_them = points[-1][1]
    return tuple((size, share / all_of_them) for size, share in points)


def _value(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise UsageError(f"{where}: {shown(word)} is not a number") from None
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"{where}: {shown(word)} is not a number from 0")
    return value
