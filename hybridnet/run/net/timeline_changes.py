# SPDX-License-Identifier: MIT
"""Timelines as people write them: a list in Python, or a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.schema.check import check
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import shown
from hybridnet.errors import PlanError, UsageError
from hybridnet.plan.files.yaml_text import read_yaml

__all__ = ["TimedChange", "read_timeline"]

_WORDS = ("at", "link", "key", "status", "reroute", "routes")


@dataclass(frozen=True)
class TimedChange:
    """One change of a timeline.

    Args:
        at_ns: since the timeline's beginning.
        what: names the entry, for errors.
        change: as it was written, without the instant.
    """

    at_ns: int
    what: str
    change: Mapping[str, Any]

    @property
    def options(self) -> dict[str, object]:
        """Of a link: what is not a word of timelines."""
        return {name: value for name, value in self.change.items() if name not in _WORDS}


def read_timeline(given: Any) -> list[TimedChange]:
    """Read a timeline.

    Args:
        given: pairs of an instant and a change, or the path of a YAML file whose entries have the instant as ``at``.

    Returns:
        The changes, in the order in which they were written.

    Raises:
        PlanError: it does not follow ``schema/timeline.json``; the message says where.
        TopologyError: the file is not YAML; the message says in which line.
        UsageError: it is neither a list nor a path, or the file cannot be read.
        UnitError: an instant is not one.
    """
    if isinstance(given, str | Path):
        what, entries = f"timeline {given}", _loaded(Path(given))
    elif isinstance(given, Sequence):
        what, entries = "timeline", [_entry(number, pair) for number, pair in enumerate(given)]
    else:
        raise UsageError(
            f"timeline {shown(given)}: it is not a list; write [(1.5, {{'link': ('h1', 'r1'), 'delay': '20ms'}})], or "
            "the path of a YAML file"
        )
    check(entries, "timeline", what)
    return [_read(entry, f"{what}, entry {number}") for number, entry in enumerate(entries)]


def _entry(number: int, pair: Any) -> Any:
    if not isinstance(pair, Sequence) or len(pair) != 2 or not isinstance(pair[1], Mapping):
        raise UsageError(
            f"timeline, entry {number}: {shown(pair)} is not a pair of an instant and a change; write "
            "(1.5, {'link': ('h1', 'r1'), 'delay': '20ms'})"
        )
    at, change = pair
    if "at" in change:
        raise UsageError(f"timeline, entry {number}: it has two instants, {shown(at)} and 'at'; give one")
    link = change.get("link")
    pair_of_nodes = isinstance(link, Sequence) and not isinstance(link, str)
    named = {"link": [getattr(node, "name", node) for node in link]} if pair_of_nodes else {}
    return {"at": at, **change, **named}


def _read(entry: Mapping[str, Any], what: str) -> TimedChange:
    at = entry["at"]
    at_ns = round(at * 1e9) if isinstance(at, int | float) else parse_delay(at, f"{what}: at")
    change = {key: value for key, value in entry.items() if key != "at"}
    read = TimedChange(at_ns, what, change)
    if "link" in change and "routes" in change:
        raise PlanError(f"{what}: it has a link and routes; write two entries")
    if "status" in change and read.options:
        raise PlanError(f"{what}: it has a status and options ({', '.join(read.options)}); write two entries")
    return read


def _loaded(path: Path) -> Any:
    try:
        text = user_file(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"timeline {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"timeline {path}: it is not text in UTF-8; give a YAML file") from None
    return read_yaml(text, str(path)).value
