# SPDX-License-Identifier: MIT
"""Writes the tables of options into documents: ``python -m hybridnet.describe.options.document docs/*.md [--check]``.

A table stands between ``<!-- options: NAME STYLE -->`` and ``<!-- end of options -->``; NAME is a table or a family,
and STYLE says which names it shows: ``python`` (of a description), ``flags`` (of a command line) or ``plan``.
With ``--check`` nothing is written, and a document that is old is an error.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from hybridnet.describe.options.flags import default_of, flags, meaning_of, metavar_of
from hybridnet.describe.options.tables import Family, Option, Table, tables

__all__ = ["main", "with_tables"]

_MARKED = re.compile(r"(<!-- options: (\w+) (\w+) -->\n).*?(<!-- end of options -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """A document with its tables as they are declared now. Raises KeyError: there is no such table or style."""
    return _MARKED.sub(lambda marked: f"{marked[1]}{_document(marked[2], marked[3])}{marked[4]}", text)


def main(arguments: list[str] | None = None) -> int:
    """The command line. Returns 1 where a document is old and was only checked."""
    parser = argparse.ArgumentParser(
        prog="python -m hybridnet.describe.options.document", description=__doc__
    )
    parser.add_argument("documents", nargs="+", type=Path)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; 1 where something would be written"
    )
    given = parser.parse_args(arguments)
    old = []
    for path in given.documents:
        text = path.read_text(encoding="utf-8")
        new = with_tables(text)
        if new != text:
            old.append(path)
            if not given.check:
                path.write_text(new, encoding="utf-8")
    if given.check and old:
        print(
            f"{', '.join(map(str, old))}: the tables of options are old; run: make generated", file=sys.stderr
        )
        return 1
    return 0


def _document(name: str, style: str) -> str:
    all_tables, families = tables()
    if name in families:
        return _of_family(families[name])
    return _of_table(all_tables[name], style)


def _of_table(of: Table, style: str) -> str:
    styles: dict[str, tuple[Callable[[Option], str], Iterable[Option]]] = {
        "python": (lambda option: f"`{option.said_as}`", of.said.values()),
        "flags": (_flag, flags(of).values()),
        "plan": (lambda option: f"`{option.key}`", of.planned.values()),
    }
    names, shown = styles[style]
    presets = [name for name in of.presets if of.presets[name]]
    others = [f"`{name}`" for name in presets[:1]]  # the first is what people get who say nothing
    head = ["option", "meaning", *others, "`rfc`" if others else "default"]
    rows = []
    for option in shown:
        if style == "flags" and option.kind == "map":
            continue
        values = [default_of(option, of.presets[name].get(option.key)) for name in presets[:1]]
        rows.append([names(option), _cell(meaning_of(option)), *values, default_of(option)])
    return _rows(head, rows)


def _of_family(of: Family) -> str:
    rows = [
        [
            f"`{name}`",
            _cell(model.help),
            " ".join(_parameter(option) for option in model.said.values()),
        ]
        for name, model in of.models.items()
    ]
    return _rows([f"`{of.tag}`", "meaning", "options (required in bold)"], rows)


def _parameter(option: Option) -> str:
    if option.required:
        return f"**`{option.said_as}`**"
    default = default_of(option)
    return f"`{option.said_as}` ({default})" if default and option.kind != "table" else f"`{option.said_as}`"


def _flag(option: Option) -> str:
    return f"`--{option.name.replace('_', '-')} {metavar_of(option).replace('|', '/')}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    sys.exit(main())
