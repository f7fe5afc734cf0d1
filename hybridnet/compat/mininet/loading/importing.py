# SPDX-License-Identifier: MIT
"""`import mininet` as `import hybridnet.compat.mininet`, `import MaxiNet` as `import hybridnet.compat.maxinet`: one set
of modules under two names.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from hybridnet.compat.mininet.loading.python2 import needs_python2, python3_source
from hybridnet.compat.mininet.loading.reexported import offer_reexported
from hybridnet.system.journal import network_namespace

__all__ = ["imports_mininet", "once_imported", "path_of_mininet", "path_without_programs", "take_the_name"]

NAMES = ("mininet", "MaxiNet")
OUR_EXAMPLES = {"mininet.examples.cluster": "hybridnet.compat.mininet.cluster"}
"""Of Mininet's examples, those that reach into its processes and are libraries of scripts."""
PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
"""Mininet's programs, for scripts that call them: first on PATH where `mininet` is this package."""


def ours(fullname: str) -> str:
    """The module here that has the name of one of Mininet's or MaxiNet's.

    Example:
        >>> ours("mininet.net"), ours("MaxiNet.Frontend.cli"), ours("MaxiNet.Frontend.maxinet")
        ('hybridnet.compat.mininet.net', 'hybridnet.compat.maxinet.cli', 'hybridnet.compat.maxinet')
    """
    if fullname in OUR_EXAMPLES:
        return OUR_EXAMPLES[fullname]
    top, *below = fullname.split(".")
    if below[:1] == ["Frontend"]:
        below = ["frontend"] if below == ["Frontend"] else [] if below[1:] == ["maxinet"] else below[1:]
    return ".".join(["hybridnet", "compat", top.lower(), *below])


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers every import of `mininet`, `MaxiNet` and their modules with the module of the same name here."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in NAMES:
            return None
        if fullname.startswith("mininet.examples") and fullname not in OUR_EXAMPLES:
            below = _homes_of_mininet() if fullname == "mininet.examples" else path
            return importlib.machinery.PathFinder.find_spec(fullname, below)
        try:
            found = importlib.util.find_spec(ours(fullname))
        except ModuleNotFoundError:
            return None
        return found and importlib.machinery.ModuleSpec(
            fullname, self, is_package=bool(found.submodule_search_locations)
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(ours(spec.name))
        offer_reexported(module, spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has been executed under its own name."""


def _homes_of_mininet() -> list[str]:
    """Where Mininet itself may be installed: its examples are scripts like any other, and run as they are."""
    homes = [Path(folder, "mininet") for folder in (*sys.path, "/usr/lib/python3/dist-packages")]
    return [str(home) for home in homes if (home / "examples").is_dir()]


def take_the_name() -> None:
    """From now on `mininet` is `hybridnet.compat.mininet`, and `MaxiNet` is `hybridnet.compat.maxinet`, whatever else
    of these names is installed; also in the Python scripts that this process starts, and the programs `mn` and
    `controller` that it starts are ours. Idempotent.
    """
    os.environ["HYBRIDNET_PATH"] = (
        path_without_programs()
    )  # for those programs of ours that call what they hide
    os.environ["PATH"] = os.pathsep.join([str(PROGRAMS), path_without_programs()])
    os.environ["HYBRIDNET_PYTHON"] = sys.executable
    os.environ["HYBRIDNET_NETWORK"] = str(network_namespace())  # so that they know whether they are in a host
    above = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    if str(path_of_mininet()) not in above:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(path_of_mininet()), *above])
    if not any(isinstance(finder, _Alias) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Alias())
    sys.modules["mininet"] = importlib.import_module(ours("mininet"))


class _Watch(importlib.abc.MetaPathFinder):
    """Waits for the first import of `mininet` or `MaxiNet`, and leaves it to who is told."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in NAMES:
            return None
        sys.meta_path.remove(self)
        self._tell()
        return next(
            (
                found
                for each in sys.meta_path
                if (found := each.find_spec(fullname, path, target)) is not None
            ),
            None,
        )


@contextlib.contextmanager
def once_imported(tell: Callable[[], object]) -> Iterator[None]:
    """Meanwhile, call `tell` before the first import of `mininet` or `MaxiNet`, by whatever module: a library of the
    script's may do that.
    """
    watch = _Watch(tell)
    sys.meta_path.insert(0, watch)
    try:
        yield
    finally:
        if watch in sys.meta_path:
            sys.meta_path.remove(watch)


def path_without_programs() -> str:
    """PATH as the user has it: where other programs of these names may be."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if folder != str(PROGRAMS))


def path_of_mininet() -> Path:
    """The folder that makes `import mininet` mean this package when it is on PYTHONPATH."""
    return Path(__file__).resolve().parents[1] / "path"


def imports_mininet(script: Path) -> bool:
    """Whether a script, or a module beside it that it imports, imports `mininet` or `MaxiNet`. False if it is not
    Python.
    """
    return _imports_mininet(script, set())


def _imports_mininet(script: Path, seen: set[Path]) -> bool:
    seen.add(script)
    try:
        text: bytes | str = script.read_bytes()
        if needs_python2(script):
            text = python3_source(script) or ""
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):  # whoever runs it says what is wrong
        return False
    for node in ast.walk(tree):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        for name in names:
            first = name.partition(".")[0]
            beside = script.parent / f"{first}.py"
            if first in NAMES or (first and beside not in seen and _imports_mininet(beside, seen)):
                return True
    return False
