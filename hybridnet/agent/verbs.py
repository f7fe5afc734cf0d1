# SPDX-License-Identifier: MIT
"""The verbs of an agent: the methods that the head may call by name, and no others.

    class Agent:
        @verb
        def facts(self) -> Facts: ...

A method without the mark cannot be called from elsewhere, whatever it is called.

A `waiting_verb` may take as long as a program of the user's does. Such calls have threads of their own, of which there
is a limited number. However many of them wait, all other verbs begin at once, also those that end what is waited for.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hybridnet.errors import HybridnetError, MachineError, UsageError

Method = TypeVar("Method", bound=Callable[..., Any])

_MARK = "is_verb"
_WAITS = "waits_for_programs"


def verb(method: Method) -> Method:
    """Mark a method as a verb."""
    setattr(method, _MARK, True)
    return method


def waiting_verb(method: Method) -> Method:
    """Mark a method as a verb that may wait for a program of the user's."""
    setattr(method, _WAITS, True)
    return verb(method)


def waits(targets: Sequence[object], name: str) -> bool:
    """Whether the verb of this name may wait for a program of the user's."""
    return isinstance(name, str) and any(
        getattr(vars(type(target)).get(name), _WAITS, False) for target in targets
    )


@cache
def verbs_of(kind: type) -> dict[str, inspect.Signature]:
    """The verbs of a class: their names, and the arguments that each takes."""
    return {
        name: inspect.signature(method)
        for name, method in vars(kind).items()
        if getattr(method, _MARK, False)
    }


def perform(targets: Sequence[object], name: str, arguments: Mapping[str, object]) -> Any:
    """Run one verb of one of `targets`, no two of which have a verb of the same name.

    Raises:
        UsageError: there is no such verb, or it does not take these arguments.
        HybridnetError: the verb's own.
        MachineError: the verb raised something else, which is a defect of hybridnet; the message says what and where.
    """
    verbs = {
        known: (target, takes)
        for target in targets
        for known, takes in verbs_of(type(target)).items()  # type: ignore[arg-type]  # a class is hashable
    }
    if not isinstance(name, str) or name not in verbs:
        raise UsageError(f"an agent has no verb {name!r}; there are {', '.join(sorted(verbs))}")
    target, takes = verbs[name]
    try:
        takes.bind(target, **arguments)
    except TypeError as error:
        raise UsageError(f"verb {name}: {error}") from None
    try:
        return getattr(target, name)(**arguments)
    except HybridnetError:
        raise
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        raise MachineError(f"verb {name} failed: {type(error).__name__}: {error} ({where})") from error
