# SPDX-License-Identifier: MIT
"""Plain values as people write them: whole numbers, numbers, yes or no, text, one of several names; and how messages
show values, names and numbers of things.

Each function that checks returns the value if it is of its kind and within its range, and otherwise raises an error
that names the object, the value and the cure. `what` names the object and the option; `error` is the class that is
raised.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import reprlib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.errors import HybridnetError, UsageError

__all__ = [
    "Json",
    "choice",
    "counted",
    "file_path",
    "flag",
    "machine_name",
    "nearest",
    "number",
    "parse_json",
    "plain",
    "printable",
    "shown",
    "speakable",
    "text",
    "whole",
    "why_unread",
]

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""What JSON can express."""

_LONGEST_REASON = 200
# The controls of ISO 6429 (C0 without tab and line feed, DEL, C1), and Unicode's line and paragraph separators,
# embeddings, overrides and isolates (UAX #9).
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_HALF_A_CHARACTER = re.compile(
    r"\\u[dD][89a-fA-F]"
)  # of UTF-16: JSON may have half of a pair, and no text can
_MACHINE = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")
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
    good = isinstance(name, str) and len(name) <= _SHORT.maxstring and not _STEERING.search(name)
    return str(name) if good else shown(name)


def printable(text: str) -> str:
    """Text for a terminal: what would steer it, or turn the direction of writing, is written as an escape sequence.

    Example:
        >>> print(printable("a\\x1b]0;name\\x07b"))
        a\\x1b]0;name\\x07b
    """
    return _STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def parse_json(text: str | bytes) -> Any:
    """What JSON text says, whoever wrote it. Raises ValueError, whose message is a few words, for what is no JSON."""
    try:
        said = json.loads(text)
        if _HALF_A_CHARACTER.search(text if isinstance(text, str) else text.decode()):
            json.dumps(said, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ValueError(why_unread(error)) from None
    return said


def why_unread(error: Exception) -> str:
    """What is wrong with a text that a reader has refused with this error, in a few words."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeError):
        return "it is not text in UTF-8"
    words = str(error).partition("\n")[0] or type(error).__name__
    return (
        "a number in it has too many digits" if "set_int_max_str_digits" in words else words[:_LONGEST_REASON]
    )


def counted(number: int, noun: str) -> str:
    """How many of a thing there are, within a sentence.

    Example:
        >>> counted(1, "switch"), counted(2, "switch"), counted(0, "host")
        ('1 switch', '2 switches', '0 hosts')
    """
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"


def nearest(name: object, names: Collection[str]) -> str | None:
    """Which of the names somebody may have meant who wrote another one; None: it is like none of them.

    Example:
        >>> nearest("rnu", ["run", "plan"]), nearest("ring", ["Ring"]), nearest("x", ["run"])
        ('run', 'Ring', None)
    """
    by_letters = {each.lower().replace("_", ""): each for each in names}
    near = difflib.get_close_matches(str(name).lower().replace("_", ""), by_letters, n=1)
    return by_letters[near[0]] if near else None


def meant(name: object, names: Collection[str]) -> str:
    """A question after the one of the names that is `nearest`, with a space behind it; empty: none is near.

    Example:
        >>> meant("rnu", ["run", "plan"]) + "there are run, plan", meant("x", ["run"])
        ('did you mean run? there are run, plan', '')
    """
    near = nearest(name, names)
    return f"did you mean {near}? " if near else ""


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
        if math.isinf(least) and math.isinf(most):
            raise error(
                f"{what} {shown(value)} is not a finite number; write one without a unit, such as 9.5"
            )
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


def machine_name(value: object, what: str, *, error: type[HybridnetError] = UsageError) -> str:
    """What a machine can be called: its folder and its host name are called so, too."""
    if not isinstance(value, str) or not _MACHINE.fullmatch(value):
        raise error(
            f"{what} {shown(value)}: the name of a machine begins with a letter and has at most 32 letters, "
            "digits, . _ -"
        )
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
        near = nearest(value, names) if isinstance(value, str) else None
        cure = f"did you mean {near!r}?" if near else f"write one of {', '.join(names)}"
        raise error(f"{what} {shown(value)} does not exist; {cure}")
    return value
