# SPDX-License-Identifier: MIT
"""What a run leaves behind: its directory, its verdict, its checks.

What only experiments need is loaded when it is first used: every network has a verdict, and tables take their time.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.verdict import Verdict, Word, judge

if TYPE_CHECKING:
    from hybridnet.observe.results.checks import Check, render_checks
    from hybridnet.observe.results.experiment import Experiment, add_experiment_arguments, count, positive
    from hybridnet.observe.results.run_directory import RunDirectory
    from hybridnet.observe.results.steps import Steps

__all__ = [
    "Check",
    "Experiment",
    "Limits",
    "RunDirectory",
    "Steps",
    "Verdict",
    "Word",
    "add_experiment_arguments",
    "count",
    "judge",
    "positive",
    "render_checks",
]

_HOMES = {
    "checks": ["Check", "render_checks"],
    "experiment": ["Experiment", "add_experiment_arguments", "count", "positive"],
    "run_directory": ["RunDirectory"],
    "steps": ["Steps"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'hybridnet.observe.results' has no attribute {name!r}")
    return getattr(importlib.import_module(f"hybridnet.observe.results.{_HOME_OF[name]}"), name)
