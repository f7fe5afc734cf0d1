# SPDX-License-Identifier: MIT
"""How the options of emulated hosts are read: each returns what the plan takes, or raises TopologyError."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.values import flag, shown

__all__ = ["directories", "in_namespace"]


def directories(value: Any, what: str) -> list[str | tuple[str, str]]:
    """Private directories: paths, or pairs of a path and of what shows there, in which %(name)s is the host's name."""
    if value is None:
        return []
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise TopologyError(
            f"{what} {shown(value)} is not a list of directories; write ['/var/run'] or the like"
        )
    return [_directory(each, what) for each in value]


def in_namespace(value: Any, what: str) -> bool:
    """Whether it has namespaces of its own; None means that it has."""
    return True if value is None else flag(value, what, error=TopologyError)


def _directory(value: Any, what: str) -> str | tuple[str, str]:
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise TopologyError(
                f"{what}: {shown(value)} is not a pair; write ('/var/run', '/tmp/%(name)s/var/run')"
            )
        at, source = (_path(part, what) for part in value)
        try:
            source % {"name": "h1"}
        except (KeyError, TypeError, ValueError):
            raise TopologyError(
                f"{what}: {shown(source)} is no template; only %(name)s stands for something, the host's name"
            ) from None
        return at, source
    return _path(value, what)


def _path(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.startswith("/") or "\0" in value:
        raise TopologyError(f"{what}: {shown(value)} is not an absolute path; write one like '/var/run'")
    return value
