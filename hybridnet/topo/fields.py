# SPDX-License-Identifier: MIT
"""How the options of a description are read where they are written: each is a key in the plan and a parser.

What has kinds, such as the applications of a simulated host or the models of a link, is a dictionary that names its
kind, and that kind's options beside it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_delay, parse_size

__all__ = [
    "Kinds",
    "Option",
    "Parser",
    "above_zero",
    "one_of",
    "resolve_kind",
    "size_between",
    "whole_between",
]

Parser = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Option:
    """An option of a kind: its key in the instance plan, how it is read, and whether it must be there."""

    key: str
    parse: Parser
    required: bool = False


Kinds = Mapping[str, Mapping[str, Option]]


def whole_between(least: int, most: int) -> Parser:
    """A whole number from `least` to `most`."""

    def parse(value: Any, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise TopologyError(f"{what}: {value!r} is no whole number from {least} to {most}")
        return value

    return parse


def one_of(*names: str) -> Parser:
    """One of these names."""

    def parse(value: Any, what: str) -> str:
        if value not in names:
            near = difflib.get_close_matches(str(value), names, n=1)
            cure = f"did you mean {near[0]!r}?" if near else f"write one of {', '.join(names)}"
            raise TopologyError(f"{what}: {value!r} is unknown; {cure}")
        return str(value)

    return parse


def size_between(least: int, most: int) -> Parser:
    """A size: a bare number is bytes, text carries its unit."""

    def parse(value: Any, what: str) -> int:
        bare = isinstance(value, int) and not isinstance(value, bool)
        size = parse_size(f"{value} B" if bare else value, what)
        if not least <= size <= most:
            raise TopologyError(f"{what}: {value!r} is {size} bytes; write {least} to {most}")
        return size

    return parse


def above_zero(value: Any, what: str) -> int:
    """A duration that is not 0."""
    duration = parse_delay(value, what)
    if duration == 0:
        raise TopologyError(f"{what}: {value!r} is 0; write a time above it")
    return duration


def resolve_kind(given: Any, kinds: Kinds, tag: str, what: str, noun: str) -> dict[str, Any]:
    """The dictionary `given`, whose `tag` names one of `kinds`, as the plan writes it.

    Args:
        noun: what it is, for errors.

    Raises:
        TopologyError: the kind or an option does not exist, one is missing, or a value is out of range.
        UnitError: a quantity has no unit.
    """
    if not isinstance(given, Mapping) or tag not in given:
        raise TopologyError(f"{what}: {given!r} is no {noun}; write a dictionary with {tag!r}")
    kind = one_of(*kinds)(given[tag], f"{what}: {tag}")
    options = kinds[kind]
    resolved: dict[str, Any] = {tag: kind}
    for name, value in given.items():
        if name == tag:
            continue
        if name not in options:
            near = difflib.get_close_matches(str(name), options, n=1)
            cure = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(sorted(options))}"
            raise TopologyError(f"{what} ({kind}): unknown option {name!r}; {cure}")
        resolved[options[name].key] = options[name].parse(value, f"{what} ({kind}): {name}")
    for name, option in options.items():
        if option.required and option.key not in resolved:
            raise TopologyError(f"{what} ({kind}): {name} is missing; add it")
    return resolved
