# SPDX-License-Identifier: MIT
"""YAML as plain data, with the line of each value. Text means what JSON would take it for: no dates, no base 60, no
octal numbers, ``yes`` and ``off`` are words; so a MAC address or a dpid stays what was written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hybridnet.describe.values import plain, shown, why_unread
from hybridnet.errors import TopologyError

__all__ = ["Path", "Read", "read_yaml", "where", "write_yaml"]

Path = tuple[str | int, ...]

MOST_VALUES = 2_000_000  # of one file, what its aliases repeat included
DEEPEST = 50


class Read(NamedTuple):
    """What a file says."""

    value: Any
    lines: Mapping[Path, int]  # of each value, and of its key; from 1


def read_yaml(text: str, file: str) -> Read:
    """Raise TopologyError with file and line for what is not YAML, and for a key that is written twice."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
        yaml_implicit_resolvers: dict[str, object] = {}

    _resolve_as_we_do(Loader)
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        lines: dict[Path, int] = {}
        return Read(None if node is None else _value(loader, node, (), lines, file), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{file}:{mark.line + 1}" if mark is not None else file
        raise TopologyError(f"{place}: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise TopologyError(f"{file}: it is not YAML: {why_unread(error)}") from None


def write_yaml(content: Any) -> str:
    """The text that `read_yaml` reads as this content."""
    import yaml

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]  # it has no types
        yaml_implicit_resolvers = dict(yaml.SafeDumper.yaml_implicit_resolvers)

    _resolve_as_we_do(Dumper)  # so that text which we would take for a number is quoted, too
    options: dict[str, object] = {"sort_keys": False, "default_flow_style": None, "width": 120}
    return str(yaml.dump(content, Dumper=Dumper, allow_unicode=True, **options))


def where(path: Path, read: Read, file: str) -> str:
    """``FILE:LINE: links.3.bw``: the place of a value, or of the nearest one around it."""
    place = ".".join(str(part + 1) if isinstance(part, int) else plain(part) for part in path)
    around = path
    while around and around not in read.lines:
        around = around[:-1]
    line = read.lines.get(around)
    return f"{file}{'' if line is None else f':{line}'}{f': {place}' if place else ''}"


def _resolve_as_we_do(of: Any) -> None:
    for tag, pattern, first in (
        ("bool", "true|false", "tf"),
        ("null", "~|null|", ["~", "n", ""]),
        ("int", "[-+]?(0|[1-9][0-9]*)", "-+0123456789"),
        ("float", r"[-+]?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][-+]?[0-9]+)?", "-+0123456789"),
        ("merge", "<<", "<"),
    ):
        of.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))


def _value(loader: Any, node: Any, path: Path, lines: dict[Path, int], file: str) -> Any:
    import yaml

    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if len(lines) > MOST_VALUES or len(path) > DEEPEST:
        raise TopologyError(
            f"{file}:{line}: it is too large: more than {MOST_VALUES} values, or {DEEPEST} levels"
        )
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        made: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or key in made:
                what = (
                    f"{shown(key)} is written twice"
                    if isinstance(key_node, yaml.ScalarNode)
                    else "a key is no text"
                )
                raise TopologyError(f"{file}:{key_node.start_mark.line + 1}: {what}; write it once, as text")
            lines[(*path, key)] = key_node.start_mark.line + 1
            made[key] = _value(loader, value_node, (*path, key), lines, file)
        return made
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, each, (*path, index), lines, file) for index, each in enumerate(node.value)]
    try:
        value = loader.construct_object(node)
    except ValueError as error:
        raise TopologyError(f"{file}:{line}: {why_unread(error)}; correct it") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise TopologyError(f"{file}:{line}: {plain(node.value)} is larger than any number here; correct it")
    return value
