# SPDX-License-Identifier: MIT
"""Whether every network that starts in this process gets a page, as `hybridnet run --live` asks, also of scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hybridnet.describe.values import shown, text, whole
from hybridnet.errors import UsageError

__all__ = ["LOOPBACK", "Where", "checked_place", "read_where", "wanted", "where"]

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Where:
    """Where a page listens; port 0: one that is free. `names`: further names of that address."""

    host: str = LOOPBACK
    port: int = 0
    names: tuple[str, ...] = ()


def checked_place(host: str, port: int, names: Sequence[str]) -> tuple[str, int, tuple[str, ...]]:
    """The same as values that have been checked. Raises UsageError."""
    text(host, "live: host")
    whole(port, "live: port", 0, 65535)
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise UsageError(f"live: names {shown(names)} is not a list of names; write ['lab7']")
    return host, port, tuple(text(name, "live: names") for name in names)


_wanted: Where | None = None


def wanted() -> Where | None:
    """Where the page of a network that starts now is wanted; None: nowhere."""
    return _wanted


@contextlib.contextmanager
def where(place: Where | None) -> Iterator[None]:
    """Networks that start within have a page."""
    global _wanted
    before, _wanted = _wanted, place
    try:
        yield
    finally:
        _wanted = before


def read_where(text: str, option: str = "--live-address") -> Where:
    """What an option such as --live-address means.

    Raises:
        UsageError: it is no address.

    Example:
        >>> read_where("8080"), read_where("0.0.0.0:8080")
        (Where(host='127.0.0.1', port=8080, names=()), Where(host='0.0.0.0', port=8080, names=()))
    """
    host, colon, port = text.rpartition(":")
    if not port.isascii() or not port.isdecimal() or int(port[:6]) > 65535 or (colon and not host):
        raise UsageError(f"{option} {text}: write PORT or ADDRESS:PORT, such as 8080 or 192.168.1.7:8080")
    return Where(host.strip("[]") or LOOPBACK, int(port))
