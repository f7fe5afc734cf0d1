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
_CURES = {  # by what the library says
    "'\\t'": "lines are indented with spaces, not with tabs",
    "expected <block end>": "lines that belong together begin in the same column",
    "another document": "a file holds one network; take the line --- away",
}


class Read(NamedTuple):
    """What a file says."""

    value: Any
    lines: Mapping[Path, int]  # of each value, and of its key; from 1


def read_yaml(text: str, file: str, most_values: int = MOST_VALUES) -> Read:
    """Raise TopologyError with file and line for what is not YAML, and for a key that is written twice.

    Args:
        most_values: how many values a file may have, what its aliases repeat included.
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
        yaml_implicit_resolvers: dict[str, object] = {}

    _resolve_as_we_do(Loader)
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        lines: dict[Path, int] = {}
        reader = _Reader(loader, lines, file, most_values)
        return Read(None if node is None else reader.value(node, ()), lines)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{file}:{mark.line + 1}" if mark is not None else file
        told = str(error.problem or error.context)
        cure = next((f"; {cure}" for part, cure in _CURES.items() if part in told), "")
        raise TopologyError(f"{place}: {told}{cure}") from None
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


def where(path: Path, read: Read, file: str, *, line_of: Path | None = None) -> str:
    """``FILE:LINE: links.3.bw``: the place of a value, or of the nearest one around it.

    Args:
        line_of: the part of the value in whose line the reader looks; default: the value itself.
    """
    place = ".".join(str(part + 1) if isinstance(part, int) else plain(part) for part in path)
    around = path if line_of is None else line_of
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


class _Reader:
    """Turns the nodes of one file into values, and notes their lines."""

    def __init__(self, loader: Any, lines: dict[Path, int], file: str, most_values: int) -> None:
        self._loader = loader
        self._lines = lines
        self._file = file
        self._most = most_values
        self._merged = 0  # pairs that `<<` has repeated

    def value(self, node: Any, path: Path) -> Any:
        """The value of a node, which is at this place."""
        import yaml

        line = node.start_mark.line + 1
        self._lines.setdefault(path, line)
        if len(path) > DEEPEST or len(self._lines) + self._merged > self._most:
            raise self._too_large(line)
        if isinstance(node, yaml.MappingNode):
            made: dict[str, object] = {}
            for key, (key_node, value_node) in self._pairs(node, 0).items():
                self._lines[(*path, key)] = key_node.start_mark.line + 1
                made[key] = self.value(value_node, (*path, key))
            return made
        if isinstance(node, yaml.SequenceNode):
            return [self.value(each, (*path, index)) for index, each in enumerate(node.value)]
        try:
            value = self._loader.construct_object(node)
        except ValueError as error:
            raise TopologyError(f"{self._file}:{line}: {why_unread(error)}; correct it") from None
        if isinstance(value, float) and not math.isfinite(value):
            raise TopologyError(
                f"{self._file}:{line}: {plain(node.value)} is larger than any number here; correct it"
            )
        return value

    def _pairs(self, node: Any, depth: int) -> dict[str, tuple[Any, Any]]:
        """The keys and values of a mapping: what it says itself comes before what it merges (``<<``), and of that the
        first.
        """
        import yaml

        if depth > DEEPEST:
            raise self._too_large(node.start_mark.line + 1)
        own: dict[str, tuple[Any, Any]] = {}
        merged: dict[str, tuple[Any, Any]] = {}
        for key_node, value_node in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                sources = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                for source in sources:
                    if not isinstance(source, yaml.MappingNode):
                        raise TopologyError(
                            f"{self._file}:{key_node.start_mark.line + 1}: << merges mappings only; name one"
                        )
                    pairs = self._pairs(source, depth + 1)
                    self._merged += 1 + len(pairs)
                    if self._merged > self._most:
                        raise self._too_large(key_node.start_mark.line + 1)
                    merged = {**pairs, **merged}
                continue
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode) or key in own:
                what = (
                    f"{shown(key)} is written twice"
                    if isinstance(key_node, yaml.ScalarNode)
                    else "a key is no text"
                )
                raise TopologyError(
                    f"{self._file}:{key_node.start_mark.line + 1}: {what}; write it once, as text"
                )
            own[key] = (key_node, value_node)
        return {**merged, **own}

    def _too_large(self, line: int) -> TopologyError:
        return TopologyError(
            f"{self._file}:{line}: it is too large: more than {self._most} values, or {DEEPEST} levels"
        )
