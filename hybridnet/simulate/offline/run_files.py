# SPDX-License-Identifier: MIT
"""The run directory of a simulation that a script runs; `hybridnet simulate --out` adds what repeats it."""

from __future__ import annotations

from os import PathLike

from hybridnet.describe.topo import Topo
from hybridnet.observe.recording.network_record import without_secrets
from hybridnet.observe.recording.run_record import now
from hybridnet.observe.results.run_directory import PLAN, RunDirectory, check_run_directory
from hybridnet.plan.network import PlanOptions
from hybridnet.simulate.offline.report import SimulationReport
from hybridnet.simulate.offline.simulate import offline_plan

__all__ = ["Keeper"]


class Keeper:
    """Writes a simulation that begins now into a run directory once it is done.

    Args:
        path: empty, new, or an earlier run's, which is replaced then; None: nothing is written.

    Raises:
        UsageError: the folder holds something else, or cannot be written to.
    """

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self._path = None if path is None else check_run_directory(path)
        self._began = now()

    def keep(self, report: SimulationReport, topo: Topo, options: PlanOptions) -> None:
        """Write what it was and what came of it. Raises UsageError as the constructor."""
        if self._path is None:
            return
        directory = RunDirectory(self._path)
        seeds = [each.seed for each in report.replications]
        directory.write_json(PLAN, without_secrets(offline_plan(topo, options)))
        report.write(directory)
        facts = {"began": self._began, "ended": now(), "until": f"{report.until_ns}ns", "seeds": seeds}
        directory.write_manifest(seeds[0], {"verb": "Net.simulate", **facts})
