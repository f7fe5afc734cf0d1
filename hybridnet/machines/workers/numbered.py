# SPDX-License-Identifier: MIT
"""Dask's connections in the order in which they were made.

Dask keeps idle connections in sets and takes any of them. Which one that is depends on where in memory they are, and so
on whatever the program did before: how many files its directory has is enough. In simulated time the same run takes the
same system calls, so there the connections are told apart by a number instead.
"""

from __future__ import annotations

import itertools
from typing import Any

from distributed.comm.core import Comm

_NUMBER = "_hybridnet_number"
_numbers = itertools.count()


def _made(kind: type[Comm], *_: Any, **__: Any) -> Comm:
    connection: Comm = object.__new__(kind)
    setattr(connection, _NUMBER, next(_numbers))
    return connection


def _hash(connection: Comm) -> int:
    """Those that were made before are in sets by what they had."""
    number = connection.__dict__.get(_NUMBER)
    return object.__hash__(connection) if number is None else hash(number)


def number_connections() -> None:
    """Number those that this process makes from now on."""
    Comm.__new__ = _made  # type: ignore[method-assign,assignment]
    Comm.__hash__ = _hash  # type: ignore[method-assign,assignment]
