# SPDX-License-Identifier: MIT
"""What a run leaves behind: its directory, its verdict, its checks."""

from __future__ import annotations

from hybridnet.results.checks import Check, render_checks
from hybridnet.results.experiment import Experiment, add_experiment_arguments
from hybridnet.results.run_directory import RunDirectory
from hybridnet.results.steps import Steps
from hybridnet.results.verdict import Limits, Verdict, Word, judge

__all__ = [
    "Check",
    "Experiment",
    "Limits",
    "RunDirectory",
    "Steps",
    "Verdict",
    "Word",
    "add_experiment_arguments",
    "judge",
    "render_checks",
]
