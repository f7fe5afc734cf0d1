# SPDX-License-Identifier: MIT
"""The experiments in ``experiments/``, found by name, and what each says about itself.

What it says is read and not run: what all of them import takes two seconds.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["Declared", "declared", "experiment_names", "load"]

_PACKAGE = "hybridnet.experiments"  # above hybridnet, so found by its name


@dataclass(frozen=True)
class Declared:
    """What the module of an experiment declares, as literals.

    Args:
        summary: SUMMARY, what it shows. One line.
        takes_s: TAKES_S, about how long it takes at full length on two processors that do nothing else. Seconds.
        virtual: VIRTUAL_TIME, the options with which all of it keeps virtual time, so that its figures are the same on
            every computer and beside other work; None, where it has none: it keeps real time.
        virtual_takes_s: VIRTUAL_TAKES_S, about how long it takes with these options; as `takes_s` if they are none.
    """

    name: str
    summary: str
    takes_s: float
    virtual: tuple[str, ...] | None
    virtual_takes_s: float


def experiment_names() -> list[str]:
    """The packages of `hybridnet.experiments` that hold an experiment, with - for _."""
    package = importlib.import_module(_PACKAGE)
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(package.__path__)
        if module.ispkg
        and importlib.util.find_spec(f"{package.__name__}.{module.name}.experiment") is not None
    )


def declared(name: str) -> Declared:
    """What an experiment says about itself."""
    found = importlib.util.find_spec(_module(name))
    assert found is not None
    assert found.origin is not None
    assigned = {
        ast.unparse(target): statement.value
        for statement in ast.parse(Path(found.origin).read_text(encoding="utf-8")).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    }

    def literal(constant: str, default: Any = None) -> Any:
        return ast.literal_eval(assigned[constant]) if constant in assigned else default

    takes_s = float(literal("TAKES_S"))
    return Declared(
        name=name,
        summary=str(literal("SUMMARY")),
        takes_s=takes_s,
        virtual=literal("VIRTUAL_TIME"),
        virtual_takes_s=float(literal("VIRTUAL_TAKES_S", takes_s)),
    )


def load(name: str) -> ModuleType:
    """The module of an experiment."""
    return importlib.import_module(_module(name))


def _module(name: str) -> str:
    return f"{_PACKAGE}.{name.replace('-', '_')}.experiment"
