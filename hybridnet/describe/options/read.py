# SPDX-License-Identifier: MIT
"""What people write, as plans write it: units become whole numbers, and what no table has is refused."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.describe.options.tables import Family, Option, Table, family, table
from hybridnet.describe.quantities import (
    format_delay,
    parse_bandwidth,
    parse_delay,
    parse_percent,
    parse_size,
)
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import choice, nearest
from hybridnet.errors import HybridnetError, TopologyError

__all__ = [
    "bounds_of",
    "cure",
    "read_kind",
    "read_model",
    "read_options",
    "read_value",
    "refuse_unknown",
]

MOST = 1 << 40


def cure(name: object, known: Collection[str]) -> str:
    """How an error about an unknown name ends."""
    near = nearest(name, known)
    return f"did you mean {near!r}?" if near else f"the options are {', '.join(sorted(known))}"


def refuse_unknown(given: Collection[str], of: Table, what: str, error: type[HybridnetError]) -> None:
    """Refuse keys that plans do not have, among them those that they had once.

    Raises:
        error: a key is none of the table's; the message says what to write instead.
    """
    for key in given:
        if key in of.retired:
            raise error(f"{what}: there is no option {key} any more; {of.retired[key]}")
        if key not in of.planned:
            raise error(f"{what}: unknown option {key!r}; {cure(key, of.planned)}")


def read_options(given: Mapping[str, Any], of: Table, what: str, named: str = "") -> Any:
    """The options of a table, as the plan writes them: a dictionary of the table's type in `describe.schema.plans`.

    Args:
        what: the object, for errors.
        named: of which model or kind, for errors.

    Raises:
        TopologyError: an option does not exist or is missing, or a value is of another type or out of range.
        UnitError: a quantity has no unit.

    Example:
        >>> read_options({"target": "5ms"}, table("codel"), "link a-b: aqm")
        {'target_ns': 5000000}
    """
    place = f"{what} ({named})" if named else what
    said = of.said
    resolved: dict[str, object] = {}
    for name, value in given.items():
        if name not in said:
            raise TopologyError(f"{place}: unknown option {name!r}; {cure(name, said)}")
        resolved[said[name].key] = read_value(value, said[name], f"{place}: {name}")
    for name, option in said.items():
        if option.required and option.key not in resolved:
            raise TopologyError(f"{place}: {name} is missing; add it")
    return resolved


def read_model(given: Any, of: Family, what: str, noun: str) -> Any:
    """A model by its name, or a dictionary with its name and its options, as the plan writes it; raises as above.

    Args:
        noun: what it is, for errors.
    """
    return read_kind({of.tag: given} if isinstance(given, str) else given, of, what, noun)


def read_kind(given: Any, of: Family, what: str, noun: str) -> Any:
    """A dictionary whose `tag` names one of the family, as the plan writes it; raises as above."""
    if not isinstance(given, Mapping) or of.tag not in given:
        raise TopologyError(f"{what}: {given!r} is not {_a(noun)}; write a dictionary with {of.tag!r}")
    name = choice(given[of.tag], f"{what}: {of.tag}:", of.models, error=TopologyError)
    options = {key: value for key, value in given.items() if key != of.tag}
    return {of.tag: name, **read_options(options, of.models[name], what, name)}


def read_value(value: Any, option: Option, what: str) -> Any:
    """The value of one option, as the plan writes it; None stands for none, if it may have none. `what` names object
    and option. Raises as above.
    """
    if value is None and option.nullable:
        return None
    if option.kind == "list":
        return _list(value, option, what)
    if option.kind == "table" and option.table is not None:
        return _nested(value, table(option.table), what)
    if option.kind == "family" and option.family is not None:
        return read_model(value, family(option.family), what, "model")
    return _READERS[option.kind](value, option, what)


def bounds_of(option: Option) -> tuple[int | float, int | float]:
    """The least and the most that an option may be."""
    return option.least if option.least is not None else 0, option.most if option.most is not None else MOST


def _nested(value: Any, of: Table, what: str) -> Any:
    if not of.presets:
        if not isinstance(value, Mapping):
            raise TopologyError(f"{what}: {value!r} is not a dictionary of options; write one")
        return read_options(value, of, what)
    if not isinstance(value, Mapping):
        return choice(value, f"{what}:", of.presets, error=TopologyError)
    first = next(iter(of.presets))
    preset = choice(value.get("preset", first), f"{what}: preset:", of.presets, error=TopologyError)
    return {"preset": preset, **read_options({k: v for k, v in value.items() if k != "preset"}, of, what)}


def _list(value: Any, option: Option, what: str) -> list[Any]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) < option.least_items:
        raise TopologyError(f"{what}: {value!r} is not a list of {option.least_items} or more; write one")
    if option.table is not None:
        return [_row(each, table(option.table), what) for each in value]
    assert option.item is not None
    return [_READERS[option.item](each, option, what) for each in value]


def _row(value: Any, of: Table, what: str) -> Any:
    """A row of a list: a dictionary, or a tuple of its options in their order."""
    if isinstance(value, Mapping):
        return read_options(value, of, what)
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != len(of.said):
        names = ", ".join(of.said)
        raise TopologyError(f"{what}: {value!r} is not {_a(of.name)}; write one as ({names})")
    return read_options(dict(zip(of.said, value, strict=True)), of, what)


def _flag(value: Any, _: Option, what: str) -> bool:
    if not isinstance(value, bool):
        raise TopologyError(f"{what}: {value!r} is neither True nor False")
    return value


def _count(value: Any, option: Option, what: str) -> int:
    least, most = bounds_of(option)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise TopologyError(f"{what}: {value!r} is not a whole number from {least} to {most}")
    return value


def _number(value: Any, option: Option, what: str) -> float:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    least, most = bounds_of(option)
    inside = numeric and (value > least if option.above else value >= least)
    if not inside or not (value < most if option.below else value <= most):
        low = f"above {least}" if option.above else f"from {least}"
        high = f"to below {most}" if option.below else f"to {most}"
        raise TopologyError(f"{what}: {value!r} is out of range; write a number {low} {high}")
    return float(value)


def _share(value: Any, _: Option, what: str) -> float:
    return parse_percent(value, what)


def _duration(value: Any, option: Option, what: str) -> int:
    duration = parse_delay(value, what)
    if option.least and duration < option.least and duration == 0:
        raise TopologyError(f"{what}: {value!r} is 0; write a time above it")
    low, high = option.least or 0, option.most
    if option.multiple is not None and duration % option.multiple:
        raise TopologyError(f"{what}: {value!r} is not a whole number of {_unit(int(option.multiple))}")
    if duration < low or (high is not None and duration > high):
        limit = f" to {format_delay(int(high))}" if high is not None else " or more"
        raise TopologyError(f"{what}: {value!r} is out of range; write {format_delay(int(low))}{limit}")
    return duration


def _unit(nanoseconds: int) -> str:
    return {10**9: "seconds", 10**6: "milliseconds"}.get(nanoseconds, f"{nanoseconds} ns")


def _rate(value: Any, _: Option, what: str) -> int:
    return parse_bandwidth(value, what)


def _size(value: Any, option: Option, what: str) -> int:
    bare = isinstance(value, int) and not isinstance(value, bool)
    size = parse_size(f"{value} B" if bare else value, what)
    least, most = bounds_of(option)
    if not least <= size <= most:
        raise TopologyError(f"{what}: {value!r} is {size} bytes; write {least} to {most}")
    return size


def _text(value: Any, option: Option, what: str) -> str:
    if option.key == "file":
        return _file(value, option, what)
    if not isinstance(value, str) or not value:
        raise TopologyError(f"{what}: {value!r} is not text, and must be {option.help}")
    if option.pattern and re.search(option.pattern, value) is None:
        raise TopologyError(f"{what}: {value!r} is not {option.help}")
    return value


def _file(value: Any, option: Option, what: str) -> str:
    """A path, made absolute: who reads it may be in another folder. A plug-in may be a name without a folder."""
    if not isinstance(value, str | os.PathLike) or not os.fspath(value):
        raise TopologyError(f"{what}: {value!r} is not a file; write its path")
    path = os.fspath(value)
    bare = option.name == "model" and "/" not in path
    return path if bare else str(user_file(Path(path).expanduser()).absolute())


def _choice(value: Any, option: Option, what: str) -> str:
    return choice(value, f"{what}:", option.choices, error=TopologyError)


def _map(value: Any, option: Option, what: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise TopologyError(
            f"{what}: {value!r} are not {option.help}; write a dictionary, such as {{'burst': 5}}"
        )
    return {str(name): _argument(each) for name, each in value.items()}


def _argument(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


_READERS: Mapping[str, Callable[[Any, Option, str], Any]] = {
    "flag": _flag,
    "count": _count,
    "number": _number,
    "share": _share,
    "duration": _duration,
    "rate": _rate,
    "size": _size,
    "text": _text,
    "choice": _choice,
    "map": _map,
}


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
