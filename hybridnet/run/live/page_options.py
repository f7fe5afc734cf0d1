# SPDX-License-Identifier: MIT
"""Whether every network that starts in this process gets a page, as `hybridnet run --live` asks, also of scripts."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

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


def checked_place(
    host: str, port: int, names: Sequence[str], notebook: str | None = None
) -> tuple[str, int, tuple[str, ...], str | None]:
    """The same as values that have been checked; of `notebook` its origin. Raises UsageError."""
    text(host, "live: host")
    whole(port, "live: port", 0, 65535)
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise UsageError(f"live: names {shown(names)} is not a list of names; write ['lab7']")
    origin = None if notebook is None else _origin(text(notebook, "live: notebook"))
    return host, port, tuple(text(name, "live: names") for name in names), origin


def _origin(address: str) -> str:
    """Of the address of a notebook's server, such as ``http://localhost:8888/lab``, what comes before its path."""
    try:
        parts = urlsplit(address)
        scheme, name, port = parts.scheme, parts.hostname, parts.port
    except ValueError:
        scheme, name, port = "", None, None
    if scheme == "https":
        raise UsageError(
            f"live: notebook {shown(address)} is encrypted, and browsers show no page inside it that is not, as this "
            "one; open the page's `url` beside it"
        )
    if scheme != "http" or not name or not all(each.isalnum() or each in ".-:" for each in name):
        raise UsageError(
            f"live: notebook {shown(address)} is not the address of a notebook's server; write one such as "
            "'http://localhost:8888'"
        )
    written = f"[{name}]" if ":" in name else name
    return f"http://{written}" + (f":{port}" if port is not None else "")


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
