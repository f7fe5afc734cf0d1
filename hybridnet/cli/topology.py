# SPDX-License-Identifier: MIT
"""Finding the topology that a command line names: ``--topo tree,2,fanout=3``, from a file or from
`topologies`.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import runpy
from collections.abc import Callable, Mapping
from typing import Any

from hybridnet.cli.user_code import require_file, user_code
from hybridnet.errors import TopologyError, UsageError
from hybridnet.files import READ, read_topology
from hybridnet.sweep.values import setting
from hybridnet.topo import Topo

__all__ = ["add_topology_arguments", "find_topology", "load_file", "parse_call"]


def add_topology_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py and --topo."""
    parser.add_argument(
        "file", nargs="?", metavar="FILE.py", help="a script, or a file with Topo classes or `topos = {...}`"
    )
    parser.add_argument(
        "--topo",
        metavar="NAME[,ARGUMENT...]",
        help="a topology of the file, or one of dumbbell, fattree, leafspine, linear, minimal, reversed, single, "
        "torus, tree, twotrees, or a .yaml or .graphml file; arguments are values or NAME=VALUE",
    )


def find_topology(file: str | None, text: str | None) -> Topo:
    """The topology that the arguments name.

    Raises:
        UsageError: there is none of that name, or its arguments do not fit.
    """
    known = dict(importlib.import_module("hybridnet.topologies").TOPOS)
    if file is not None:
        own = topologies_of(load_file(file))
        if text is None:
            if not own:
                raise UsageError(
                    f"{file}: it has no topology; write a class of Topo in it, or name one, such as --topo tree,2"
                )
            if len(own) != 1:
                raise UsageError(f"{file}: choose a topology with --topo; it has {', '.join(sorted(own))}")
            text = next(iter(own))
        known.update(own)
    if text is None:
        raise UsageError("no topology is named; give a FILE.py, or a topology such as --topo tree,2")
    name, positional, named = parse_call(text)
    if name.endswith(READ):
        if positional:
            raise UsageError(f"--topo {text}: write NAME=VALUE after a file, such as hosts=2")
        return read_topology(name, **named)
    if name not in known:
        raise UsageError(
            f"--topo {text}: there is no topology {name!r}; there are {', '.join(sorted(known))}, and files "
            f"that end with {', '.join(READ)}"
        )
    if file is None:
        try:
            return _make(known[name], text, positional, named)
        except TopologyError as error:
            raise TopologyError(f"--topo {text}: {error}") from error
    with user_code(file, UsageError):
        return _make(known[name], text, positional, named)


def load_file(file: str) -> dict[str, Any]:
    """The names that a file defines; its ``if __name__ == "__main__"`` part does not run."""
    require_file(file)
    with user_code(file, UsageError):
        return runpy.run_path(file, run_name="hybridnet_file")


def topologies_of(names: Mapping[str, Any]) -> dict[str, Callable[..., Topo]]:
    """Mininet's ``topos`` dictionary, or the Topo classes that the file itself defines."""
    if "topos" in names:
        return dict(names["topos"])
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, type) and issubclass(value, Topo) and value.__module__ == names["__name__"]
    }


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """``"tree,2,fanout=3"`` as a name, values and named values; anything but a Python literal is text.

    Raises:
        UsageError: a name stands twice.

    Example:
        >>> parse_call("twotrees,depth=6,join=routed,delay=5ms")
        ('twotrees', [], {'depth': 6, 'join': 'routed', 'delay': '5ms'})
    """
    name, *parts = text.split(",")
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if equals:
            if key.strip() in named:
                raise UsageError(f"{text}: {key.strip()} is given twice; give it once")
            named[key.strip()] = _value(value)
        else:
            positional.append(_value(part))
    return name.strip(), positional, named


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def _make(make: Callable[..., Topo], text: str, positional: list[Any], named: dict[str, Any]) -> Topo:
    takes = (
        make.build
        if isinstance(make, type) and issubclass(make, Topo) and "__init__" not in vars(make)
        else make
    )
    signature = inspect.signature(takes)
    if takes is not make:
        signature = signature.replace(parameters=list(signature.parameters.values())[1:])
    free = [
        each
        for each in signature.parameters.values()
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    said = {**dict(zip([each.name for each in free], positional, strict=False)), **named}
    for parameter in free:
        if (set_value := setting(parameter.name)) is None:
            continue
        if parameter.name in said:
            raise UsageError(
                f"--set {parameter.name}={set_value}: --topo {text} says already that {parameter.name} is "
                f"{said[parameter.name]}; say it once"
            )
        named = {**named, parameter.name: _value(set_value)}
    plain = [taken.replace(annotation=inspect.Parameter.empty) for taken in signature.parameters.values()]
    signature = signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    try:
        signature.bind(*positional, **named)
    except TypeError as error:
        raise UsageError(f"--topo {text}: {error}; it takes {signature}") from None
    try:
        return make(*positional, **named)
    except (TypeError, ValueError) as error:  # a value of the wrong kind, such as text for a number
        if not (positional or named):
            raise
        raise UsageError(f"--topo {text}: {error}; it takes {signature}") from error
