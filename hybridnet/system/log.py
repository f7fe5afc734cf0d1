# SPDX-License-Identifier: MIT
"""Messages for the user: Mininet's `info`, `output`, `error` ... on standard error, without added
newlines.

`output` is for results that were asked for, such as pingAll's table, and is shown by default; `info` says
what is being built, and is shown after ``setLogLevel('info')``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from hybridnet.errors import UsageError

__all__ = ["LEVELS", "debug", "error", "info", "log_level", "output", "setLogLevel", "show_by", "warn"]

LEVELS = {"debug": 10, "info": 20, "output": 25, "warning": 30, "warn": 30, "error": 40, "critical": 50}

_level = LEVELS["output"]


def setLogLevel(level: str | None = None) -> None:
    """Show messages from this level on. Raises UsageError for a name that is not in `LEVELS`."""
    global _level
    if level is None:
        level = "output"
    if level not in LEVELS:
        raise UsageError(f"log level {level!r} does not exist; write one of {', '.join(LEVELS)}")
    _level = LEVELS[level]


def log_level() -> int:
    """The level from which messages are shown."""
    return _level


def debug(*parts: object) -> None:
    """Log details for finding faults."""
    _show("debug", parts)


def info(*parts: object) -> None:
    """Log what is being done."""
    _show("info", parts)


def output(*parts: object) -> None:
    """Print results that were asked for."""
    _show("output", parts)


def warn(*parts: object) -> None:
    """Log what the user should check before trusting the results."""
    _show("warning", parts)


def error(*parts: object) -> None:
    """Log what went wrong."""
    _show("error", parts)


def show_by(show: Callable[[int, str], object]) -> None:
    """From now on, have a function show messages: it gets the level and the text of each."""
    global _show_text
    _show_text = show


def _to_standard_error(_level: int, text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


_show_text: Callable[[int, str], object] = _to_standard_error


def _show(level: str, parts: tuple[object, ...]) -> None:
    if LEVELS[level] >= _level:
        _show_text(LEVELS[level], " ".join(str(part) for part in parts))
