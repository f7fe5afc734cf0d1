# SPDX-License-Identifier: MIT
"""JSON Schema (2020-12) of what people write of a table's options: quantities with their units, models by name."""

from __future__ import annotations

from hybridnet.describe.options.flags import accepts
from hybridnet.describe.options.tables import Option, Table

__all__ = ["said_schema"]

# What the value of each kind of option may look like; its reader then says whether it makes sense.
_TYPES: dict[str, str | list[str]] = {
    "flag": "boolean",
    "count": ["integer", "string"],
    "number": "number",
    "share": ["number", "string"],
    "duration": ["number", "string"],
    "rate": ["number", "string"],
    "size": ["integer", "string"],
    "text": "string",
    "choice": "string",
    "list": "array",
    "map": "object",
    "table": ["string", "object"],
    "family": ["number", "string", "object"],
}


def said_schema(of: Table) -> dict[str, object]:
    """The properties of an object with the options of a table, by the names of a description."""
    return {name: _property(option) for name, option in of.said.items()}


def _property(option: Option) -> dict[str, object]:
    types = _TYPES[option.kind]
    described = option.help + (f"; {accepts(option)}" if accepts(option) else "")
    return {"description": described, "type": [*([types] if isinstance(types, str) else types), "null"]}
