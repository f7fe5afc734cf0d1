# SPDX-License-Identifier: MIT
"""What a benchmark returns: figures with their units and goals, or the reason why there are none."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """One figure.

    Args:
        name: what was measured: benchmark, case and quantity, separated by slashes.
        value: None if it was skipped.
        unit: of value and goal.
        goal: the value to reach; None: there is none, the figure is for comparison.
        less_is_better: the goal is the most that is good, not the least.
        skipped: why there is no value.
    """

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    less_is_better: bool = False
    skipped: str = ""

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "name": self.name,
            "value": self.value,
            "unit": self.unit,
            "goal": None if self.goal is None else f"{self._sign} {self.goal:g}",
        }
        return {**row, "skipped": self.skipped} if self.skipped else row

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name}: skipped: {self.skipped}"
        text = f"{self.name}: {self.value:.4g} {self.unit}"
        if self.goal is None:
            return text
        reached = self.value <= self.goal if self.less_is_better else self.value >= self.goal
        return f"{text}  (goal {self._sign} {self.goal:g}: {'reached' if reached else 'NOT reached'})"

    @property
    def _sign(self) -> str:
        return "<=" if self.less_is_better else ">="


def machine() -> str:
    """This computer, as far as it matters: processor, how many of them, kernel."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    return f"{model}, {len(os.sched_getaffinity(0))} CPUs, Linux {platform.release()}"
