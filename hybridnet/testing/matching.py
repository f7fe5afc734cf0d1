# SPDX-License-Identifier: MIT
"""Whether what was found is as expected, where only a part of it is said. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

__all__ = ["match"]

MOST_LINES = 20
SHOWN = 120  # characters of a value


def match(found: Any, expected: Any) -> Literal[True]:
    """Check that something is as expected, as far as that is said.

    Args:
        found: a value, such as `Net.snapshot()` gives.
        expected: of a mapping, the keys that must be there, and what each must be; of a list, what each of its items
            must be; of text, a pattern with ``*`` and ``?``; a function of the value, which is true of it; anything
            else is equal to it, `pytest.approx(1.5)` too.

    Returns:
        True.

    Raises:
        AssertionError: it is not; says where, what was found and what was expected.

    Example:
        >>> match({"h1": {"received": 3, "lost": 0}}, {"h1": {"received": lambda count: count > 2}})
        True
        >>> match({"h1": {"lost": 4}}, {"h1": {"lost": 0}, "h2": {}})
        Traceback (most recent call last):
            ...
        AssertionError: it is not as expected:
          ['h1']['lost']: 4 instead of 0
          ['h2']: is not there; there are 'h1'
    """
    lines = []
    for line in _differences("", found, expected):
        lines.append(line)
        if len(lines) == MOST_LINES:
            lines.append("and more")
            break
    if lines:
        raise AssertionError("it is not as expected:\n  " + "\n  ".join(lines))
    return True


def _differences(where: str, found: Any, expected: Any) -> Iterator[str]:
    if isinstance(expected, Mapping):
        yield from _of_mapping(where, found, expected)
    elif isinstance(expected, list | tuple):
        yield from _of_list(where, found, expected)
    elif isinstance(expected, str) and isinstance(found, str):
        if not fnmatchcase(found, expected):
            yield f"{where or 'it'}: {_shown(found)} does not match {_shown(expected)}"
    elif callable(expected) and not isinstance(expected, type):
        if not expected(found):
            yield f"{where or 'it'}: {_shown(found)}, of which {_name(expected)} is not true"
    elif not found == expected:  # noqa: SIM201 - pytest.approx defines ==
        yield f"{where or 'it'}: {_shown(found)} instead of {_shown(expected)}"


def _of_mapping(where: str, found: Any, expected: Mapping[Any, Any]) -> Iterator[str]:
    if not isinstance(found, Mapping):
        yield f"{where or 'it'}: {_shown(found)} is no mapping"
        return
    for key, value in expected.items():
        if key in found:
            yield from _differences(f"{where}[{key!r}]", found[key], value)
        else:
            yield f"{where}[{key!r}]: is not there; there are {_shown(list(found))[1:-1]}"


def _of_list(where: str, found: Any, expected: Sequence[Any]) -> Iterator[str]:
    if not isinstance(found, list | tuple):
        yield f"{where or 'it'}: {_shown(found)} is no list"
        return
    if len(found) != len(expected):
        yield f"{where or 'it'}: has {len(found)} items instead of {len(expected)}"
        return
    for number, (each, value) in enumerate(zip(found, expected, strict=True)):
        yield from _differences(f"{where}[{number}]", each, value)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", None) or repr(function)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
