# SPDX-License-Identifier: MIT
"""The values that a command line sets, and the script that asks for them.

    from hybridnet import value
    bw = value("bw", 10)               # 10, unless `hybridnet run --set bw=100` or `hybridnet sweep --set bw=10,100`

A script asks for what may vary, by name and with a default, whose type the value has. Nothing else in it changes by
itself. A topology's own parameters need not be asked for: `--set` sets those, too, where it has one of that name.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from hybridnet.describe.values import shown
from hybridnet.describe.values import text as checked_text
from hybridnet.errors import UsageError

__all__ = ["SEED", "asks_for_seed", "filled", "given", "parse_settings", "refuse_unasked", "setting", "value"]

Value = TypeVar("Value", bool, int, float, str)

SEED = "seed"
_given: dict[str, str] = {}
_asked: set[str] = set()
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def value(name: str, default: Value) -> Value:
    """The value of a parameter: what ``--set NAME=VALUE`` says, or the default.

    Args:
        name: of the parameter.
        default: a number, text, True or False; a value from the command line becomes of this type.

    Raises:
        UsageError: the value on the command line is not of the type of the default, or the default is something else.

    Example:
        >>> value("bw", 10)
        10
    """
    checked_text(name, "value: name")
    if not isinstance(default, bool | int | float | str):
        raise UsageError(f"value {name}: default {shown(default)} is not a number, a text, True or False")
    text = setting(name)
    if text is None:
        return default
    if isinstance(default, str):
        return text
    try:
        return _FLAGS[text.lower()] if isinstance(default, bool) else type(default)(text)
    except (KeyError, ValueError):
        kind = (
            "yes or no"
            if isinstance(default, bool)
            else "a whole number"
            if isinstance(default, int)
            else "a number"
        )
        raise UsageError(f"--set {name}={text}: it must be {kind}, as the default {default!r} is") from None


def setting(name: str) -> str | None:
    """What the command line sets for a name, as text; None: nothing. It counts as asked for."""
    _asked.add(name)
    return _given.get(name)


def filled(text: str, what: str) -> str:
    """A text of the command line, each ``{NAME}`` in it replaced by what ``--set`` says of that name.

    Args:
        what: the option that has the text.

    Raises:
        UsageError: nothing is set for a name; or it is the seed, which belongs to replications.

    Example:
        >>> with given({"load": "0.5"}):
        ...     filled("web-search,load={load}", "--workload")
        'web-search,load=0.5'
    """

    def said(found: re.Match[str]) -> str:
        name = found[1]
        value_text = None if name == SEED else setting(name)
        if value_text is None:
            cure = (
                "flows differ by seed anyway; leave it out" if name == SEED else f"write --set {name}=VALUE"
            )
            raise UsageError(f"{what} {shown(text)}: nothing is set for {name}; {cure}")
        return value_text

    return re.sub(r"\{(\w+)\}", said, text)


def asks_for_seed() -> bool:
    """Whether ``value("seed", ...)``, or a topology's own parameter of that name, was asked for in this block."""
    return SEED in _asked


@contextlib.contextmanager
def given(settings: Mapping[str, str]) -> Iterator[None]:
    """These values are set in this block."""
    before, asked = dict(_given), set(_asked)
    _given.clear()
    _given.update(settings)
    _asked.clear()
    try:
        yield
    finally:
        _given.clear()
        _given.update(before)
        _asked.clear()
        _asked.update(asked)


def refuse_unasked() -> None:
    """Raise UsageError if a value was set that nobody has asked for. A seed need not be: it numbers replications."""
    unasked = sorted(set(_given) - _asked - {SEED})
    if unasked:
        asked = f"; it asks for {', '.join(sorted(_asked))}" if _asked else ""
        raise UsageError(
            f"--set {unasked[0]}={_given[unasked[0]]}: nothing asks for {unasked[0]}: call hybridnet.value("
            f"{unasked[0]!r}, DEFAULT) in the script, or name a parameter of the topology{asked}"
        )


def parse_settings(texts: list[str]) -> dict[str, str]:
    """``["bw=10", "delay=1ms"]`` as a dictionary.

    Raises:
        UsageError: one is not NAME=VALUE, or a name stands twice.
    """
    settings: dict[str, str] = {}
    for text in texts:
        name, equals, value_text = text.partition("=")
        if not equals or not name.isidentifier() or not value_text:
            raise UsageError(f"--set {text}: write NAME=VALUE, such as bw=10")
        if name in settings:
            raise UsageError(f"--set {text}: {name} is set twice; give it once")
        settings[name] = value_text
    return settings
