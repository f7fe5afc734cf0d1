# SPDX-License-Identifier: MIT
"""The options of a table as flags of a command line, and as people read them."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.options.tables import Option, Table, family, table
from hybridnet.describe.quantities import format_delay, format_rate

__all__ = ["accepts", "default_of", "flags", "meaning_of", "metavar_of"]

_METAVARS = {
    "flag": "yes|no",
    "count": "N",
    "number": "NUMBER",
    "share": "SHARE",
    "duration": "TIME",
    "rate": "RATE",
    "size": "SIZE",
    "text": "FILE",
    "choice": "NAME",
    "list": "LIST",
    "family": "MODEL",
    "map": "LIST",
}
_MININETS = ("enable_red", "enable_ecn")


def flags(of: Table) -> dict[str, Option]:
    """The options that a command line has, by their names: all but Mininet's other words for some."""
    return {option.name: option for option in of.said.values() if option.name not in _MININETS}


def metavar_of(option: Option) -> str:
    """What the value of a flag looks like."""
    return _METAVARS[option.kind]


def default_of(option: Option, value: Any = None) -> str:
    """The default as people write it, or of a preset `value`; empty where there is none to tell."""
    value = option.default if value is None else value
    if value is None:
        return "" if option.required or not (option.nullable or option.kind == "family") else "none"
    if option.kind == "flag":
        return "yes" if value else "no"
    if option.kind == "duration":
        return format_delay(value)
    if option.kind == "rate":
        return format_rate(value)
    if option.kind == "size":
        return _size(value)
    if option.kind == "share":
        return f"{100 * value:g} %"
    return "" if value in ("", [], {}) else str(value)


def accepts(option: Option) -> str:
    """The values of a choice, or the models that there are; empty for everything else."""
    if option.kind == "family" and option.family is not None:
        return ", ".join(family(option.family).models)
    if option.kind == "table" and option.table is not None:
        return ", ".join(table(option.table).presets)
    return ", ".join(option.choices)


def meaning_of(option: Option) -> str:
    """What an option means, with the unit of a bare number and the values of a choice."""
    unit = f"in {option.unit}" if option.unit and option.unit not in ("%", "bytes", "address") else ""
    return "; ".join(filter(None, (option.help, unit, accepts(option))))


def _size(value: int) -> str:
    if value >= 1 << 60:
        return "no limit"
    for unit, factor in (("MiB", 1 << 20), ("MB", 10**6), ("KiB", 1 << 10), ("kB", 10**3)):
        if value and value % factor == 0:
            return f"{value // factor} {unit}"
    return f"{value} B"
