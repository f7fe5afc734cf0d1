# SPDX-License-Identifier: MIT
"""JSON Schema (2020-12) of what plans write: each table and each family of models as a schema of its own."""

from __future__ import annotations

from typing import Any

from hybridnet.describe.options.read import bounds_of
from hybridnet.describe.options.tables import Family, Option, Table, family, table

__all__ = ["family_schema", "portal_schema", "table_schema"]

Schema = dict[str, Any]


def table_schema(of: Table, title: str) -> Schema:
    """An object with the options of a table; where it has presets, also the name of one alone."""
    schema = {"title": title, "description": of.help, **_object(of)}
    if not of.presets:
        return schema
    names = {"enum": list(of.presets)}
    schema["properties"]["preset"] = names
    schema["required"] = ["preset"]
    return {"if": {"type": "string"}, "then": names, "else": schema}


def family_schema(of: Family) -> Schema:
    """An object whose tag names a model, with the options of that one."""
    noun = _title(of.name.removeprefix("extra_").removesuffix("_model"))
    return {
        "title": f"{noun}Model",
        "type": "object",
        "required": [of.tag],
        "properties": {of.tag: {"enum": list(of.models)}},
        "allOf": [
            {
                "if": {"properties": {of.tag: {"const": name}}},
                "then": {
                    "title": f"{_title(name)}{noun}",
                    "description": model.help,
                    **_object(model, of.tag),
                },
            }
            for name, model in of.models.items()
        ],
    }


def portal_schema() -> Schema:
    """What a portal's backend says of its options."""
    backends = family("portal").models
    return {
        "properties": {"backend": {"enum": list(backends)}},
        "allOf": [
            {
                "if": {"properties": {"backend": {"const": name}}},
                "then": {"properties": {"options": _object(backend)}},
            }
            for name, backend in backends.items()
        ],
    }


def _title(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _object(of: Table, tag: str | None = None) -> Schema:
    """With a tag: a model, which says there its name."""
    planned = of.planned
    properties = {key: _option(option) for key, option in planned.items()}
    required = [key for key, option in planned.items() if option.required]
    if tag is not None:
        properties = {tag: {"const": of.name}, **properties}
        required = [tag, *required]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _option(option: Option) -> Schema:
    schema = {"description": option.help, **_kind(option)}
    if not option.nullable:
        return schema
    if isinstance(schema.get("type"), str) and option.kind not in ("table", "family"):
        return {**schema, "type": [schema["type"], "null"]}
    return {"if": {"type": "null"}, "else": schema}


def _kind(option: Option) -> Schema:
    if option.kind == "table" and option.table is not None:
        return table_schema(table(option.table), f"{_title(option.table)}Plan")
    if option.kind == "family" and option.family is not None:
        return family_schema(family(option.family))
    if option.kind == "list":
        item = (
            _plain(option.item or "", option)
            if option.table is None
            else table_schema(table(option.table), f"{_title(option.table)}Plan")
        )
        return {"type": "array", "minItems": option.least_items, "items": item}
    return _plain(option.kind, option)


def _plain(kind: str, option: Option) -> Schema:
    if kind == "flag":
        return {"type": "boolean"}
    if kind == "choice":
        return {"enum": list(option.choices)}
    if kind == "map":
        return {"type": "object", "additionalProperties": {"type": "string"}}
    if kind == "text":
        if option.unit == "address":
            return {"$ref": "#/$defs/any_address"}
        return {"type": "string", **({"pattern": option.pattern} if option.pattern else {})}
    if option.power_of_two:
        return {"enum": [1 << n for n in range(64) if bounds_of(option)[0] <= 1 << n <= bounds_of(option)[1]]}
    schema: Schema = {"type": "number" if kind in ("number", "share") else "integer"}
    if option.least is not None:
        schema["exclusiveMinimum" if option.above else "minimum"] = option.least
    if option.most is not None:
        schema["exclusiveMaximum" if option.below else "maximum"] = option.most
    if option.multiple is not None:
        schema["multipleOf"] = option.multiple
    return schema
