# SPDX-License-Identifier: MIT
"""Writes the formats of the plans as Python's types: ``python -m hybridnet.describe.schema.typed``.

Each object of a format that has a title becomes a `TypedDict` of that name, and each family of models the union of
those. What the types cannot say (ranges, patterns, what excludes what) is left to `hybridnet.describe.schema.check`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from hybridnet.describe.options.tables import tables
from hybridnet.describe.schema.check import schema

__all__ = ["python_types"]

Schema = Mapping[str, Any]

_HEAD = '''# SPDX-License-Identifier: MIT
"""The plans of machines and instances as types, written by `hybridnet.describe.schema.typed`: run `make generated`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, final

__all__ = [
{names}]
'''
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_INSTANCE = "urn:hybridnet:instance"


def python_types() -> str:
    """The text of a module with all of them."""
    machine = schema("machine")
    whole = {"urn:hybridnet:machine": machine, _INSTANCE: machine["$defs"]["instance"]}
    classes = dict(
        sorted(
            (each["title"], _class(each, at, whole)) for at, of in whole.items() for each in _titled(of, at)
        )
    )
    families = {name: text for name, text in classes.items() if "class" not in text}
    names = "".join(f'    "{name}",\n' for name in classes)
    rest = (text for name, text in classes.items() if name not in families)
    return _HEAD.format(names=names) + "".join([*rest, "\n\n", *families.values()])


def _titled(of: Any, at: str) -> Iterator[Schema]:
    """The objects with a title of one format, without those of another that is in it."""
    if isinstance(of, list):
        for each in of:
            yield from _titled(each, at)
    elif isinstance(of, Mapping) and of.get("$id", at) == at:
        if isinstance(of.get("title"), str):
            yield of
        for each in of.values():
            yield from _titled(each, at)


def _class(of: Schema, at: str, whole: Mapping[str, Schema]) -> str:
    if models := _models(of):
        return f"{of['title']} = {' | '.join(models)}\n"
    forms = of.get("oneOf") if "properties" not in of else None
    properties = {name: each for form in forms or [of] for name, each in form["properties"].items()}
    required = () if forms else of.get("required", ())
    explained = frozenset(properties) in _explained()
    lines = [f"\n\n@final\nclass {of['title']}(TypedDict):\n"]
    if "description" in of:
        lines.append(_text(of["description"]) + "\n")
    for name, each in properties.items():
        kind = _type(each, at, whole)
        lines.append(f"    {name}: {kind if name in required else f'NotRequired[{kind}]'}\n")
        if "description" in each and not explained:
            lines.append(_text(each["description"]))
    return "".join(lines)


@cache
def _explained() -> set[frozenset[str]]:
    """The keys of what comes from a table of options: docs/ has the table, with what each of them means."""
    all_tables, families = tables()
    of_models = {
        frozenset({family.tag, *model.planned})
        for family in families.values()
        for model in family.models.values()
    }
    return of_models | {
        frozenset(each.planned) | ({"preset"} if each.presets else set()) for each in all_tables.values()
    }


def _models(of: Schema) -> list[str]:
    """The titles of the models of a family; none of what is none."""
    return [str(each["then"]["title"]) for each in of.get("allOf", ()) if "title" in each.get("then", {})]


def _text(description: str) -> str:
    """A description as a string of documentation."""
    text = description[0].upper() + description[1:] + "."
    return textwrap.fill(f'"""{text}"""', 110, initial_indent="    ", subsequent_indent="    ") + "\n"


def _type(of: Schema, at: str, whole: Mapping[str, Schema]) -> str:
    if "$ref" in of and "properties" not in of:
        document, _, path = of["$ref"].partition("#")
        found: Any = whole[document or at]
        for part in path.split("/")[1:]:
            found = found[part]
        return _type(found, document or at, whole)
    if "title" in of:
        return str(of["title"])
    if of.get("if") == {"type": "null"}:
        return f"{_type(of['else'], at, whole)} | None"
    forms = of.get("anyOf") or [each for key in ("then", "else") if (each := of.get(key)) is not None]
    if len(forms) > 1:
        return " | ".join(dict.fromkeys(_type(form, at, whole) for form in forms))
    if isinstance(of.get("const"), str):
        return f'Literal["{of["const"]}"]'
    if "const" in of or "enum" in of:
        return " | ".join(dict.fromkeys(type(each).__name__ for each in of.get("enum") or [of["const"]]))
    kinds = of.get("type", "")
    if isinstance(kinds, list):
        return " | ".join(_type({**of, "type": kind}, at, whole) for kind in kinds)
    if kinds == "array":
        return f"list[{_type(of['items'], at, whole)}]"
    if kinds == "object":
        values = of.get("additionalProperties")
        return f"dict[str, {_type(values, at, whole) if isinstance(values, Mapping) else 'object'}]"
    return _PLAIN.get(kinds, "Any")


if __name__ == "__main__":
    print(python_types(), end="")
