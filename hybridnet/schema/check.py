# SPDX-License-Identifier: MIT
"""Following a JSON schema, fast: what checks the plans of ten thousand hosts within a part of a second.

A schema is compiled into functions once. Of what does not follow it, jsonschema says where and why; it knows every
keyword, and takes ten times as long. Only the keywords of this package's schemas are known here: another one is an
error when the schema is compiled, so nothing is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.jsonschema import DRAFT202012

__all__ = ["SchemaCheck"]

Holds = Callable[[Any], bool]

_SAYS_NOTHING = {"$schema", "$id", "$defs", "title", "description", "default"}


class SchemaCheck:
    """A schema, and the others that it refers to.

    Args:
        schema: JSON Schema 2020-12.
        others: by the name that `$ref` gives them.

    Raises:
        NotImplementedError: a schema has a keyword that is not known here.

    Example:
        >>> check = SchemaCheck({"type": "object", "properties": {"mtu": {"type": "integer", "minimum": 576}}})
        >>> check.errors({"mtu": 1500})
        []
        >>> check.errors({"mtu": 50})[0].message
        '50 is less than the minimum of 576'
    """

    def __init__(
        self, schema: Mapping[str, Any], others: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        self._roots = {"": schema, **(others or {})}
        self._compiled: dict[tuple[str, str], Holds] = {}
        self._schema = schema
        self._holds = self._compile(schema, "")

    def errors(self, value: Any) -> list[ValidationError]:
        """Why `value` does not follow the schema, by place; empty when it does."""
        if self._holds(value):
            return []
        resources = [(name, DRAFT202012.create_resource(root)) for name, root in self._roots.items() if name]
        registry: Registry[Any] = Registry().with_resources(resources)
        found = Draft202012Validator(self._schema, registry=registry).iter_errors(value)
        return sorted(found, key=lambda error: list(map(str, error.absolute_path)))

    def _compile(self, schema: Any, root: str) -> Holds:
        if schema is True or schema is False:
            return lambda value: schema
        tests = [
            test
            for keyword in schema
            if keyword not in _SAYS_NOTHING
            for test in self._tests_of(keyword, schema, root)
        ]
        if len(tests) == 1:
            return tests[0]
        return lambda value: all(test(value) for test in tests)

    def _tests_of(self, keyword: str, schema: Mapping[str, Any], root: str) -> list[Holds]:
        given = schema[keyword]
        if keyword in _PLAIN:
            return [_PLAIN[keyword](given)]
        if keyword == "$ref":
            return [self._reference(given, root)]
        if keyword in ("properties", "additionalProperties"):
            both = "properties" in schema and "additionalProperties" in schema
            return [] if both and keyword == "additionalProperties" else [self._properties(schema, root)]
        if keyword == "items":
            item = self._compile(given, root)
            return [lambda value: not isinstance(value, list) or all(map(item, value))]
        if keyword in ("then", "else"):
            return []  # with "if"
        if keyword == "if":
            condition, then, otherwise = (
                self._compile(schema.get(part, True), root) for part in ("if", "then", "else")
            )
            return [lambda value: then(value) if condition(value) else otherwise(value)]
        if keyword == "not":
            refused = self._compile(given, root)
            return [lambda value: not refused(value)]
        if keyword == "dependentSchemas":
            dependent = {name: self._compile(each, root) for name, each in given.items()}
            return [
                lambda value: (
                    not isinstance(value, dict)
                    or all(holds(value) for name, holds in dependent.items() if name in value)
                )
            ]
        if keyword in ("allOf", "anyOf", "oneOf"):
            return [_combination(keyword, given, [self._compile(each, root) for each in given])]
        raise NotImplementedError(
            f"JSON schema: keyword {keyword!r} is not known here; add it to schema_check"
        )

    def _reference(self, reference: str, root: str) -> Holds:
        """Looked up when it is first used, so a schema may refer to itself."""
        document, _, pointer = reference.partition("#")
        place = (document or root, pointer)

        def holds(value: Any) -> bool:
            if place not in self._compiled:
                schema: Any = self._roots[place[0]]
                for step in pointer.split("/")[1:]:
                    schema = schema[step]
                self._compiled[place] = self._compile(schema, place[0])
            return self._compiled[place](value)

        return holds

    def _properties(self, schema: Mapping[str, Any], root: str) -> Holds:
        known = {name: self._compile(each, root) for name, each in schema.get("properties", {}).items()}
        other = self._compile(schema.get("additionalProperties", True), root)
        return lambda value: (
            not isinstance(value, dict) or all(known.get(name, other)(each) for name, each in value.items())
        )


def _combination(keyword: str, schemas: list[Any], parts: list[Holds]) -> Holds:
    if keyword == "allOf":
        return lambda value: all(part(value) for part in parts)
    if keyword == "anyOf":
        return lambda value: any(part(value) for part in parts)
    if (by_kind := _by_constant(schemas, parts)) is not None:
        return by_kind
    return lambda value: sum(part(value) for part in parts) == 1


def _by_constant(schemas: list[Any], parts: list[Holds]) -> Holds | None:
    """Of alternatives that each require other texts of one property, only one need be tried; None for others."""
    if not all(isinstance(each, dict) and each.get("type") == "object" for each in schemas):
        return None
    for name in schemas[0].get("required", []):
        chosen: dict[str, Holds] = {}
        for each, part in zip(schemas, parts, strict=True):
            of_name = each.get("properties", {}).get(name, {})
            texts = of_name.get("enum", [of_name["const"]] if "const" in of_name else [])
            usable = texts and all(isinstance(text, str) and text not in chosen for text in texts)
            if not usable or name not in each.get("required", []):
                break
            chosen.update(dict.fromkeys(texts, part))
        else:
            return _chosen_by(name, chosen)
    return None


def _chosen_by(name: str, parts: dict[str, Holds]) -> Holds:
    def holds(value: Any) -> bool:
        kind = value.get(name) if isinstance(value, dict) else None
        return isinstance(kind, str) and kind in parts and parts[kind](value)

    return holds


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: dict[str, Holds] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


def _type(given: str | list[str]) -> Holds:
    if isinstance(given, str):
        return _TYPES[given]
    tests = [_TYPES[name] for name in given]
    return lambda value: any(test(value) for test in tests)


def _equal(value: Any, other: Any) -> bool:
    """In JSON true is not 1. Compared are only texts, numbers, booleans and null."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _const(given: Any) -> Holds:
    return lambda value: _equal(value, given)


def _enum(given: list[Any]) -> Holds:
    return lambda value: any(_equal(value, each) for each in given)


def _pattern(given: str) -> Holds:
    search = re.compile(given).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _required(given: list[str]) -> Holds:
    return lambda value: not isinstance(value, dict) or all(name in value for name in given)


def _limit(applies: Holds, test: Callable[[Any, Any], bool]) -> Callable[[Any], Holds]:
    return lambda given: lambda value: not applies(value) or test(value, given)


_PLAIN: dict[str, Callable[[Any], Holds]] = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "required": _required,
    "minimum": _limit(_is_number, lambda value, least: value >= least),
    "maximum": _limit(_is_number, lambda value, most: value <= most),
    "multipleOf": _limit(_is_number, lambda value, unit: value % unit == 0),
    "exclusiveMinimum": _limit(_is_number, lambda value, below: value > below),
    "exclusiveMaximum": _limit(_is_number, lambda value, above: value < above),
    "minLength": _limit(_TYPES["string"], lambda value, least: len(value) >= least),
    "maxLength": _limit(_TYPES["string"], lambda value, most: len(value) <= most),
    "minItems": _limit(_TYPES["array"], lambda value, least: len(value) >= least),
    "maxItems": _limit(_TYPES["array"], lambda value, most: len(value) <= most),
}
