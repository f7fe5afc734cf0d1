# SPDX-License-Identifier: MIT
"""Plain values as people write them: whole numbers, numbers, yes or no, text, one of several names; and how messages
show values, names and numbers of things.

Each function that checks returns the value if it is of its kind and within its range, and otherwise raises an error
that names the object, the value and the cure. `what` names the object and the option; `error` is the class that is
raised.
"""

from __future__ import annotations

import difflib
import math
import reprlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from hybridnet.errors import HybridnetError, UsageError

__all__ = ["choice", "counted", "file_path", "flag", "number", "plain", "shown", "speakable", "text", "whole"]

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def shown(value: object) -> str:
    """The value as an error quotes it: never longer than a line.

    Example:
        >>> shown("x"), len(shown("x" * 1000))
        ("'x'", 80)
    """
    return _SHORT.repr(value)


def plain(name: object) -> str:
    """A name within a sentence: without quotes, unless it is not a name at all."""
    return name if isinstance(name, str) and len(name) <= _SHORT.maxstring else shown(name)


def counted(number: int, noun: str) -> str:
    """How many of a thing there are, within a sentence.

    Example:
        >>> counted(1, "switch"), counted(2, "switch"), counted(0, "host")
        ('1 switch', '2 switches', '0 hosts')
    """
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"


def whole(
    value: object, what: str, least: int, most: int, *, error: type[HybridnetError] = UsageError
) -> int:
    """A whole number from `least` to `most`.

    Example:
        >>> whole(3, "tree: depth", 1, 20)
        3
    """
    if type(value) is not int or not least <= value <= most:
        raise error(f"{what} {shown(value)} is not a whole number from {least} to {most}")
    return value


def number(
    value: object, what: str, least: float, most: float, *, error: type[HybridnetError] = UsageError
) -> float:
    """A number from `least` to `most`, whole or not."""
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not math.isfinite(value) or not least <= value <= most:  # type: ignore[arg-type, operator]
        raise error(f"{what} {shown(value)} is not a number from {least:g} to {most:g}")
    return value  # type: ignore[return-value]


def flag(value: object, what: str, *, error: type[HybridnetError] = UsageError) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise error(f"{what} {shown(value)} is neither True nor False; write one of them")
    return value


def text(value: object, what: str, *, error: type[HybridnetError] = UsageError) -> str:
    """Text that is not empty, and that programs can be given: without a zero byte, and with a form in UTF-8."""
    if not isinstance(value, str) or not value or not speakable(value):
        raise error(f"{what} {shown(value)} is not text that programs take; write some")
    return value


def speakable(written: str) -> bool:
    """Whether a program of this computer can be given this text."""
    return "\0" not in written and not any("\ud800" <= character <= "\udfff" for character in written)


def file_path(value: object, what: str, *, error: type[HybridnetError] = UsageError) -> Path:
    """The path of a file, as text or as a Path."""
    if isinstance(value, Path):
        return value
    return Path(text(value, what, error=error))


def choice(value: Any, what: str, names: Collection[str], *, error: type[HybridnetError] = UsageError) -> str:
    """One of `names`."""
    if not isinstance(value, str) or value not in names:
        near = difflib.get_close_matches(value, names, n=1) if isinstance(value, str) else []
        cure = f"did you mean {near[0]!r}?" if near else f"write one of {', '.join(names)}"
        raise error(f"{what} {shown(value)} does not exist; {cure}")
    return value
