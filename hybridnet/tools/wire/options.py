# SPDX-License-Identifier: MIT
"""What a wire does with packets, as people write it: the options of a topology's links, under the wire's names.

Where a description says ``bw`` and ``max_queue_size``, as Mininet does, a wire says ``rate`` and ``queue``. All else
has the same name and the same meaning, and is read by the same code, `hybridnet.describe.topo.direction`. Here is only
what a command line needs besides: numbers and yes or no are text there, and a model with parameters, which Python
writes as a dictionary, is ``NAME:key=value:key=value``; so is a plug-in with its arguments. The items of a list have a
``+`` between them, and the parts of one item an ``@``: ``500ms@12 Mbit/s+200ms@1 Mbit/s``.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from typing import Any

from hybridnet.describe.options import Option, family, table
from hybridnet.describe.options.flags import flags
from hybridnet.describe.topo.direction import Direction, resolve_direction
from hybridnet.errors import UsageError

__all__ = ["Options", "given_options", "keys", "parse_list", "parse_model", "resolve_options"]

Options = dict[str, Any]
"""The options of one direction that were given, as JSON. What is not there has its default."""

NONE = "none"  # an option that is given again as this has its default from then on
_NUMBER = re.compile(r"\d+(\.\d*)?([eE][+-]?\d+)?|\.\d+")


def keys() -> tuple[str, ...]:
    """The options of a wire."""
    return tuple(sorted(flags(table("direction"))))


def given_options(options: Mapping[str, object], what: str) -> Options:
    """Those of the options that say something: None stands for "not said".

    Args:
        options: some of keys().
        what: the object, for errors, for example ``"wire eth1-eth2, forward"``.

    Raises:
        UsageError: an option that does not exist, or text that is not a model.

    Example:
        >>> given_options({"rate": "10 Mbit/s", "delay": None, "aqm": "codel:target=5ms"}, "wire a-b")
        {'rate': '10 Mbit/s', 'aqm': {'model': 'codel', 'target': '5ms'}}
    """
    given: Options = {}
    known = flags(table("direction"))
    for key, value in options.items():
        if key not in known:
            raise UsageError(f"{what}: there is no option {key!r}; {_cure(key)}")
        if value is not None:
            given[key] = value if value == NONE else _read(known[key], value, f"{what}: {key}")
    if isinstance(options.get("model"), str) and given["model"] != NONE:
        file, arguments = parse_model(given["model"], f"{what}: model")
        if arguments and given.get("model_args"):
            raise UsageError(f"{what}: arguments are in model and in model_args; write them in one of them")
        given["model"] = os.path.abspath(file) if "/" in file else file
        given.setdefault("model_args", arguments)
    return given


def resolve_options(options: Mapping[str, object], what: str) -> Direction:
    """The direction that the options describe.

    Raises:
        UnitError: a quantity has no unit, or is out of range.
        UsageError: options contradict each other, or name something that does not exist.

    Example:
        >>> resolve_options({"rate": "10 Mbit/s", "queue": 50}, "wire a-b").queue_packets
        50
    """
    known = flags(table("direction"))
    topologys = {known[key].said_as: None if value == NONE else value for key, value in options.items()}
    if topologys.get("model") is None:
        topologys.pop("model_args", None)
    try:
        return resolve_direction(topologys, what)
    except UsageError as error:
        others = {option.mininet: option.name for option in known.values() if option.mininet}
        words = re.sub(rf"\b({'|'.join(others)})\b", lambda word: others[word[0]], str(error))
        raise type(error)(words) from None


def parse_list(text: str, what: str) -> dict[str, object]:
    """The options in a text such as ``"rate=10 Mbit/s,delay=5ms"``.

    Raises:
        UsageError: a part is no ``key=value``, or a key comes twice.

    Example:
        >>> parse_list("rate=10 Mbit/s,train-limit=0", "wire a-b")
        {'rate': '10 Mbit/s', 'train_limit': '0'}
    """
    options: dict[str, object] = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not value.strip():
            raise UsageError(
                f'{what}: "{part.strip()}" is not an option with its value; write for example delay=5ms'
            )
        if key in options:
            raise UsageError(f'{what}: {key} comes twice in "{text}"')
        options[key] = value.strip()
    return options


def parse_model(text: str, what: str) -> tuple[str, dict[str, str]]:
    """The name and the parameters in ``NAME:key=value:key=value``.

    Raises:
        UsageError: there is no name, a part is no ``key=value``, or a key comes twice.

    Example:
        >>> parse_model("codel:target=5ms", "wire a-b: aqm")
        ('codel', {'target': '5ms'})
    """
    name, *parts = (part.strip() for part in text.split(":"))
    parameters: dict[str, str] = {}
    for part in parts:
        key, _, value = (piece.strip() for piece in part.partition("="))
        if not key or not value:
            raise UsageError(
                f'{what}: "{part}" in "{text}" is not a parameter; write NAME:key=value, for example codel:target=5ms'
            )
        if key in parameters:
            raise UsageError(f'{what}: {key} comes twice in "{text}"')
        parameters[key] = value
    if not name:
        raise UsageError(f'{what}: "{text}" names no model; write NAME:key=value')
    return name, parameters


def _cure(key: str) -> str:
    near = difflib.get_close_matches(key, keys(), n=1)
    said = ", ".join(near or keys()).replace("_", "-")
    return f"did you mean {said}?" if near else f"there are {said}"


def _read(option: Option, value: object, what: str) -> Any:
    if option.kind == "flag":
        return _flag(value, what)
    if option.name == "trace":
        return os.path.abspath(str(value))  # who changes another option may be in another folder
    if option.kind == "rate" or option.name == "model":
        return str(value)  # a bare number would be Mininet's Mbit/s; here rates have their unit
    if not isinstance(value, str):
        return value
    if option.kind == "family" and option.family is not None and value.lstrip()[:1].isalpha():
        name, parameters = parse_model(value, what)
        models = family(option.family).models
        known = models[name].said if name in models else {}
        return {
            "model": name,
            **{key: _parameter(known.get(key), each, f"{what}: {key}") for key, each in parameters.items()},
        }
    return _listed(option, value) if option.kind == "list" else _number_or_text(value)


def _parameter(option: Option | None, text: str, what: str) -> Any:
    """The value of a model's parameter; None: the model has no such parameter, which is refused later."""
    if option is not None and option.kind == "list":
        return _listed(option, text)
    if option is not None and option.kind == "flag":
        return _flag(text, what)
    return _number_or_text(text)


def _listed(option: Option, text: str) -> list[Any]:
    """The items of a list: ``3+7+9``; those that are rows: ``500ms@12 Mbit/s+200ms@1 Mbit/s``."""
    items = text.split("+")
    if option.item == "table":
        return [[part.strip() for part in item.split("@")] for item in items]
    return [_number_or_text(item) for item in items]


def _flag(value: object, what: str) -> bool:
    known: Mapping[object, bool] = {True: True, False: False, "yes": True, "no": False}
    if not isinstance(value, bool | str) or value not in known:
        raise UsageError(f"{what}: {value!r} is neither yes nor no; write one of them")
    return known[value]


def _number_or_text(text: str) -> int | float | str:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.isdecimal() else float(text)
