# SPDX-License-Identifier: MIT
"""Exceptions put into a running program: the n-th call of a function raises, before or after its work, and no other.

Pure and small, as it is also sent to the agents of machines.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_undo: list[Callable[[], None]] = []


class Injected(Exception):
    """What a fault raises: no error that anything expects."""


@dataclass(frozen=True)
class Fault:
    """
    Args:
        function: ``"package.module:name"`` or ``"package.module:Class.method"``.
        call: which call raises, from 1.
        after: whether its work is done first.
    """

    function: str
    call: int = 1
    after: bool = False

    def __str__(self) -> str:
        return f"{'after' if self.after else 'in'} {self.function.partition(':')[2]}, call {self.call}"


def inject(fault: Fault) -> None:
    """Puts a fault into this process."""
    module, _, path = fault.function.partition(":")
    *owners, name = path.split(".")
    owner: Any = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    original = getattr(owner, name)
    calls = 0

    @functools.wraps(original)
    def faulty(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls != fault.call:
            return original(*arguments, **options)
        if fault.after:
            original(*arguments, **options)
        raise Injected(f"injected {fault}")

    setattr(owner, name, faulty)
    _undo.append(lambda: setattr(owner, name, original))


def remove_faults() -> None:
    """Takes all faults out of this process again."""
    while _undo:
        _undo.pop()()
