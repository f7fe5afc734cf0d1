# SPDX-License-Identifier: MIT
"""Files that a user's code names and hybridnet reads: apps of controllers, topologies, timelines, traces, plug-ins.

Who reads one asks `user_file` where it is. So the record of a command knows of all of them, and in a repetition it is
the copy that the run has kept, whether the file is still where it was or not.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

__all__ = ["KEPT_VARIABLE", "forget_files", "named_files", "told_of_files", "user_file"]

KEPT_VARIABLE = "HYBRIDNET_KEPT_FILES"
"""Names a JSON file: where the copy of each file is, by the names by which it is asked for."""

Told = Callable[[str, Path], object]

_named: dict[str, Path] = {}  # by this command
_told: list[Told] = []


def user_file(named: str | os.PathLike[str]) -> Path:
    """Where a file is that the user names; as named, if there is no copy of it."""
    name = os.fspath(named)
    kept = _kept(os.environ.get(KEPT_VARIABLE))
    path = Path(kept.get(name) or kept.get(os.path.abspath(name)) or name)
    if _named.get(name) != path and _is_file(path):
        _named[name] = path
        for told in _told:
            told(name, path)
    return path


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have, as one that is too long, is told by who reads it."""
    try:
        return path.is_file()
    except OSError:
        return False


@contextlib.contextmanager
def told_of_files(told: Told) -> Iterator[None]:
    """In this block `told` gets the name and the place of each file once: first of those that were named before."""
    for name, path in named_files().items():
        told(name, path)
    _told.append(told)
    try:
        yield
    finally:
        _told.remove(told)


def named_files() -> Mapping[str, Path]:
    """The place of each file that this command has named."""
    return dict(_named)


def forget_files() -> None:
    """Another command begins."""
    _named.clear()


@lru_cache(maxsize=1)
def _kept(places: str | None) -> Mapping[str, str]:
    return {} if places is None else json.loads(Path(places).read_text(encoding="utf-8"))
