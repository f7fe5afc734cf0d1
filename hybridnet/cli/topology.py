# SPDX-License-Identifier: MIT
"""Finding the topology that a command line names: ``--topo tree,2,fanout=3``, from a file or from
`topologies`.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import runpy
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.compat.mininet.loading import importing
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.topo import require_built
from hybridnet.describe.values import meant, nearest, shown
from hybridnet.errors import TopologyError, UsageError
from hybridnet.plan.files import READ, CaidaTopo, FileTopo, RocketfuelTopo, Topohub, read_topology
from hybridnet.run.prompt.user_code import require_file, user_code
from hybridnet.tools.sweep.values import setting
from hybridnet.topologies import TOPOS

__all__ = [
    "add_topology_arguments",
    "find_topology",
    "is_description",
    "load_file",
    "notes_of",
    "parse_call",
    "require_script",
]

_NAME = "hybridnet_file"  # of a file that is read, as Python knows it
_SCHEMES: dict[str, Callable[..., Topo]] = {  # --topo SCHEME:WHAT
    "topohub": Topohub,
    "caida": CaidaTopo,
    "rocketfuel": RocketfuelTopo,
}


def add_topology_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.py and --topo."""
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="a script, a file with Topo classes or `topos = {...}`, or a topology in a .yaml or .graphml file, a "
        ".clab.yml of containerlab, a lab.conf of Kathará, an .xml of CORE or a .gns3 of GNS3",
    )
    parser.add_argument(
        "--topo",
        metavar="NAME[,ARGUMENT...]",
        help="a topology of the file, or one of as, dumbbell, fattree, leafspine, linear, minimal, reversed, single, "
        "torus, tree, twotrees, topohub:NAME, caida:FILE, rocketfuel:FILE, or a .yaml or .graphml file; arguments are "
        "values or NAME=VALUE",
    )


def find_topology(file: str | None, text: str | None) -> Topo:
    """The topology that the arguments name.

    Raises:
        UsageError: there is none of that name, or its arguments do not fit.
    """
    known: dict[str, Callable[..., Any]] = {**TOPOS}
    if is_description(file):
        if text is not None:
            raise UsageError(f"--topo {text}: {file} is a topology itself; leave one of them out")
        return read_topology(str(file))
    if file is not None:
        names, started = load_file(file)
        own = topologies_of(names)
        if text is None:
            if started is not None:  # with the arguments that the script gives it
                return started
            if not own and not file.endswith(".py"):
                raise UsageError(
                    f"{file}: it has no topology; the name of a script ends with .py, that of a topology with "
                    f"{', '.join(READ)}"
                )
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
    scheme, colon, rest = name.partition(":")
    if file is None and colon and scheme in _SCHEMES:
        return _of_ours(_SCHEMES[scheme], text, [rest, *positional], named)
    if name.endswith(READ):
        if positional:
            raise UsageError(f"--topo {text}: write NAME=VALUE after a file, such as hosts=2")
        if "beside" in named:
            named["beside"] = str(named["beside"])
        return read_topology(name, **named)  # type: ignore[arg-type]  # it checks them
    if name not in known:
        if name.endswith(".py"):
            raise UsageError(
                f"--topo {text}: a Python file comes before the options, and --topo names a topology in it: "
                f"{name} --topo NAME"
            )
        word = re.match(r"\w*", name)[0]  # type: ignore[index]  # it matches, if only nothing
        if word in known:  # tree(2), tree:2, "tree depth=2"
            raise UsageError(
                f"--topo {text}: there is no topology {shown(name)}; arguments come after commas, without spaces: "
                f"{word},VALUE or {word},NAME=VALUE"
            )
        raise UsageError(
            f"--topo {text}: there is no topology {shown(name)}; {meant(name, known)}there are "
            f"{', '.join(sorted(known))}, topohub:NAME, caida:FILE, rocketfuel:FILE, and files that end with "
            f"{', '.join(READ)}"
        )
    if file is None:
        return _of_ours(known[name], text, positional, named)
    with user_code(file, UsageError):
        made = _make(known[name], text, positional, named)
        if isinstance(made, Topo):
            require_built(made)
            return made
        from hybridnet.compat.mininet.native import as_native

        return as_native(made)


def is_description(file: str | None) -> bool:
    """Whether a command line's file is no script but a topology: in YAML or GraphML, or another program's lab."""
    return file is not None and file.endswith(READ)


def require_script(file: str) -> None:
    """Raise UsageError unless there is a file of that name. Who names a topology of ours without --topo is told."""
    if file.partition(",")[0] in TOPOS and not Path(file).exists():
        raise UsageError(f"{file}: there is no such file; the topology of this name is --topo {file}")
    require_file(file)


def _of_ours(make: Callable[..., Any], text: str, positional: list[object], named: dict[str, object]) -> Topo:
    try:
        of_ours: Topo = _make(make, text, positional, named)
        return of_ours
    except TopologyError as error:
        raise TopologyError(f"--topo {text}: {error}") from error


def notes_of(topo: Topo) -> Sequence[str]:
    """What hybridnet does otherwise than the program that a topology's file is for."""
    return topo.notes if isinstance(topo, FileTopo) else ()


def load_file(file: str) -> tuple[dict[str, object], Topo | None]:
    """The names that a file defines; its ``if __name__ == "__main__"`` part does not run. A file that starts a network
    all the same ends there, and nothing starts: see `hybridnet.run.net.dry_run`.

    Returns:
        The names, and the topology of the network that it would have started.
    """
    from hybridnet.run.net.dry_run import StartedError, describing

    require_script(file)
    if importing.imports_mininet(Path(file)):
        importing.take_the_name()
    try:
        with user_code(file, UsageError), describing():
            return runpy.run_path(file, run_name=_NAME), None
    except StartedError as started:
        frames = [frame for frame, _ in traceback.walk_tb(started.__traceback__)]
        own = [frame.f_globals for frame in frames if frame.f_globals.get("__name__") == _NAME]
        return dict(own[0]) if own else {}, started.topo


def topologies_of(names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Mininet's ``topos`` dictionary, or the Topo classes that the file itself defines: ours, or Mininet's."""
    if "topos" in names:
        return dict(names["topos"])
    of_mininet = sys.modules.get("hybridnet.compat.mininet.topo")
    kinds = (Topo,) if of_mininet is None else (Topo, of_mininet.Topo)
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, type) and issubclass(value, kinds) and value.__module__ == names["__name__"]
    }


def parse_call(text: str) -> tuple[str, list[object], dict[str, object]]:
    """``"tree,2,fanout=3"`` as a name, values and named values; anything but a Python literal is text.

    Raises:
        UsageError: a name stands twice.

    Example:
        >>> parse_call("twotrees,depth=6,join=routed,delay=5ms")
        ('twotrees', [], {'depth': 6, 'join': 'routed', 'delay': '5ms'})
    """
    name, *parts = text.split(",")
    positional: list[object] = []
    named: dict[str, object] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if equals:
            if key.strip() in named:
                raise UsageError(f"{text}: {key.strip()} is given twice; give it once")
            named[key.strip()] = _value(value)
        else:
            positional.append(_value(part))
    return name.strip(), positional, named


def _value(text: str) -> object:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def _make(make: Callable[..., Any], text: str, positional: list[object], named: dict[str, object]) -> Any:
    takes = (
        make.build
        if isinstance(make, type) and hasattr(make, "build") and "__init__" not in vars(make)
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
    except TopologyError as error:
        # What it hands on, as tree does with options of its links, may be a slip of one of its own.
        names = [each.name for each in free]
        slips = [(key, nearest(key, names)) for key in named if key not in names]
        for key, near in slips:
            if f"unknown option {key!r}" in str(error):
                cure = f"; did you mean {near}?" if near else ""
                raise TopologyError(
                    f"{key} is none of its arguments, which are {', '.join(names)}, nor an option of links{cure}"
                ) from None
        raise
    except (TypeError, ValueError) as error:  # a value of the wrong kind, such as text for a number
        if not (positional or named):
            raise
        raise UsageError(f"--topo {text}: {error}; it takes {signature}") from error
