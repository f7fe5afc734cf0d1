# SPDX-License-Identifier: MIT
"""The figures that a script names as its results: they are in the run directory, in comparisons and in sweeps."""

from __future__ import annotations

from collections.abc import Mapping

from hybridnet.describe.values import number, text
from hybridnet.errors import UsageError

__all__ = ["result", "take_results"]

RESULTS_LIMIT = 100_000
_results: dict[str, float] = {}


def result(name: str, value: float) -> float:
    """Keep a figure of this run under a name. Put its unit into the name: ``goodput_mbps``.

    Under ``hybridnet run --out DIR`` it is in ``DIR/results.json``, in the figures that ``compare`` and ``rerun`` look
    at, and in the table of ``sweep``. Elsewhere it makes no difference.

    Args:
        name: new in this run.
        value: a finite number.

    Returns:
        The value.

    Raises:
        UsageError: the name was used already, or the value is not a number.

    Example:
        >>> result("goodput_mbps", 93.2)
        93.2
    """
    text(name, "result: name")
    number(value, f"result {name}", float("-inf"), float("inf"))
    if name in _results:
        raise UsageError(
            f"result {name}: it is {_results[name]:g} already; give each result a name of its own"
        )
    if len(_results) >= RESULTS_LIMIT:
        raise UsageError(
            f"result {name}: there are {RESULTS_LIMIT} already; write that many into a file of your own"
        )
    _results[name] = float(value)
    return value


def take_results() -> Mapping[str, float]:
    """The results so far; a new run begins without."""
    taken = dict(_results)
    _results.clear()
    return taken
