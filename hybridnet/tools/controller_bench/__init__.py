# SPDX-License-Identifier: MIT
"""How many flows a controller sets up in a second, and how long it takes; see docs/controller_bench.md."""

from __future__ import annotations

from hybridnet.tools.controller_bench.bench import ControllerBench, Load
from hybridnet.tools.controller_bench.controller import controller_of
from hybridnet.tools.controller_bench.report import Repetition, Report

__all__ = ["ControllerBench", "Load", "Repetition", "Report", "controller_of"]
