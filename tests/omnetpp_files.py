# SPDX-License-Identifier: MIT
"""Reads OMNeT++'s result files by the rules of opp_scavetool, and refuses what it would refuse.

Source: OMNeT++ Simulation Manual, appendix "Result File Formats", and what its loader checks: a version of 2 or 3, each
line's number of words, numbers that are numbers, nothing before a run, strictly ascending bins, and in the .vec only
rows of vectors that were declared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["ResultFile", "Statistic", "Vector", "read_results"]

Name = tuple[str, str]  # module, name
_WORDS = {"version": 2, "run": 2, "attr": 3, "scalar": 4, "vector": 5, "statistic": 3, "field": 3, "bin": 3}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass
class Statistic:
    """A statistic with its fields, and the lower edge and weight of each bin."""

    fields: dict[str, float] = field(default_factory=dict)
    bins: list[tuple[float, float]] = field(default_factory=list)

    @property
    def underflows(self) -> float:
        return self.bins[0][1]

    @property
    def overflows(self) -> float:
        return self.bins[-1][1]

    @property
    def mean(self) -> float:
        """As the tool shows it: from the sum."""
        return self.fields["sum"] / self.fields["count"]

    @property
    def deviation(self) -> float:
        count, total = self.fields["count"], self.fields["sum"]
        return math.sqrt((self.fields["sqrsum"] - total * total / count) / (count - 1))


@dataclass
class Vector:
    """A vector of times and values."""

    columns: str
    times: list[float] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


@dataclass
class ResultFile:
    """One file: it has one run."""

    run: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    scalars: dict[Name, float] = field(default_factory=dict)
    statistics: dict[Name, Statistic] = field(default_factory=dict)
    vectors: dict[Name, Vector] = field(default_factory=dict)


def read_results(path: Path) -> ResultFile:
    """Read a .sca or .vec file. Raises AssertionError, naming the line, for what the tool refuses or would mix up."""
    found = ResultFile()
    statistic: Statistic | None = None
    declared: dict[int, Vector] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        words = _words(line)
        if not words or words[0].startswith("#"):
            continue
        where = f"{path.name}:{number}: {line}"
        kind, *rest = words
        if kind.isdecimal():
            vector = declared[int(kind)]
            assert len(rest) == len(vector.columns) == 2, where
            vector.times.append(float(rest[0]))
            vector.values.append(float(rest[1]))
            continue
        assert kind in _WORDS, where
        assert len(words) == _WORDS[kind], where
        assert kind in ("version", "run") or found.run, where
        if kind == "version":
            assert int(rest[0]) in (2, 3), where
        elif kind == "run":
            assert not found.run, where
            found.run = rest[0]
        elif kind == "attr":
            found.attributes[rest[0]] = rest[1]
        elif kind == "scalar":
            assert (rest[0], rest[1]) not in found.scalars, where
            found.scalars[rest[0], rest[1]] = float(rest[2])
        elif kind == "vector":
            name = (rest[1], rest[2])
            assert int(rest[0]) not in declared, where
            assert name not in found.vectors, where
            assert rest[3] == "TV", where
            declared[int(rest[0])] = found.vectors[name] = Vector(rest[3])
        elif kind == "statistic":
            assert (rest[0], rest[1]) not in found.statistics, where
            statistic = found.statistics[rest[0], rest[1]] = Statistic()
        else:
            assert statistic is not None, where
            if kind == "field":
                statistic.fields[rest[0]] = float(rest[1])
            else:
                edge = float(rest[0])
                assert not statistic.bins or edge > statistic.bins[-1][0], where
                statistic.bins.append((edge, float(rest[1])))
    for name, each in found.statistics.items():
        assert each.bins[0][0] == -math.inf, name  # what lies below the bins; the last one is what lies above
        assert sum(weight for _, weight in each.bins) == each.fields["count"], name
    for name, vector in found.vectors.items():
        assert vector.times == sorted(vector.times), name
    return found


def _words(line: str) -> list[str]:
    """The words of a line: set apart by blanks, in double quotes where they have any, with backslashes in these."""
    words: list[str] = []
    place = 0
    while place < len(line):
        if line[place] in " \t":
            place += 1
            continue
        quoted = line[place] == '"'
        place += quoted
        word = ""
        while place < len(line) and (line[place] != '"' if quoted else line[place] not in " \t"):
            if quoted and line[place] == "\\":
                place += 1
                word += _ESCAPES.get(line[place], line[place])
            else:
                word += line[place]
            place += 1
        assert not quoted or place < len(line), f"a quote without an end: {line}"
        place += quoted
        words.append(word)
    return words
