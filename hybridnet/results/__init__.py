# SPDX-License-Identifier: MIT
"""What a run leaves behind: its directory, its verdict, its checks."""

from __future__ import annotations

from hybridnet.results.checks import Check, render_checks
from hybridnet.results.run_directory import RunDirectory
from hybridnet.results.verdict import Limits, Verdict, judge

__all__ = ["Check", "Limits", "RunDirectory", "Verdict", "judge", "render_checks"]
