# SPDX-License-Identifier: MIT
"""The record of one command: its run directory, and the networks that it makes.

with recording(RunRecord("runs/demo", series="100ms")):
    ...                              # each network that starts here is in runs/demo/network-N
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.observe.recording.network_record import NetworkRecord, Take
from hybridnet.observe.recording.outcome import take_results
from hybridnet.observe.results.run_directory import RunDirectory
from hybridnet.observe.results.verdict import Verdict, together
from hybridnet.system.ending import ending_later

__all__ = [
    "RunRecord",
    "checked_elements",
    "default_path",
    "now",
    "series_interval_s",
]

LEAST_INTERVAL_NS = 1_000_000


class RunRecord:
    """What one command leaves behind.

    Args:
        path: the run directory: empty, new, or an earlier run's, which is replaced.
        series: time between samples of a time series, such as ``"100ms"``; None: no series.
        elements: what is sampled: see `checked_elements`.
        trace: the simulated interfaces and hosts that are traced in each network.
        facts: what the manifest says about this command.
        seed: of the networks, for the manifest.

    Raises:
        UsageError, UnitError: an argument makes no sense. Nothing was made then.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        series: str | float | None = None,
        elements: str | Sequence[str] | None = None,
        trace: Sequence[str] = (),
        facts: Mapping[str, Any] | None = None,
        seed: int = 1,
    ) -> None:
        self.interval_s = None if series is None else series_interval_s(series)
        self.elements = checked_elements(elements)
        self._facts = {"began": now(), **(facts or {})}
        self._seed = seed
        self.trace = tuple(trace)
        self._traced = 0  # networks
        self.networks: list[NetworkRecord] = []
        take_results()
        with ending_later():  # no earlier run is replaced by nothing
            self.directory = RunDirectory(path)
            self._write_manifest()

    def network(
        self, plan: Mapping[str, Any], machines: Mapping[str, Any], seed: int, take: Take | None
    ) -> NetworkRecord:
        """A network has started.

        Args:
            plan: `Plan.to_json`.
            machines: facts about each machine.
            take: what takes the samples of all machines; None: there is no series.
        """
        folder = self.directory.path / f"network-{len(self.networks) + 1}"
        self.networks.append(NetworkRecord(folder, plan, machines, seed, take))
        return self.networks[-1]

    def trace_folder(self) -> Path:
        """A new folder for the traces of a network that starts: ``traces``, then ``traces-2`` and so on."""
        self._traced += 1
        folder = self.directory.path / ("traces" if self._traced == 1 else f"traces-{self._traced}")
        folder.mkdir()
        return folder.absolute()

    def note(self, facts: Mapping[str, Any]) -> None:
        """What the manifest says, too, once the command has ended."""
        self._facts |= facts

    def end(self, exit_code: int, verdicts: Sequence[Verdict] = ()) -> None:
        """The command has ended: write the results, the verdict on all, and how it ended."""
        with ending_later():
            self.directory.write_json("results.json", dict(take_results()))
            if verdicts:
                self.directory.write_json("verdict.json", together(list(verdicts)).to_json())
            self._facts |= {"ended": now(), "exit_code": exit_code}
            self._write_manifest()

    def _write_manifest(self) -> None:
        self.directory.write_manifest(self._seed, self._facts)


def series_interval_s(value: Any, what: str = "record_series") -> float:
    """The interval of a series, in seconds. Raises UsageError or UnitError.

    Args:
        value: text with a unit, or seconds.
        what: the option that it belongs to, for the error.

    Example:
        >>> series_interval_s("100ms"), series_interval_s(2)
        (0.1, 2.0)
    """
    given = f"{value}s" if isinstance(value, int | float) and not isinstance(value, bool) else value
    interval_ns = parse_delay(given, what)
    if interval_ns < LEAST_INTERVAL_NS:
        raise UsageError(f"{what} {shown(value)}: write 1 ms or more, such as '100ms'")
    return interval_ns / 1e9


def checked_elements(elements: Any) -> str | list[str] | None:
    """What is sampled: None: the usual elements; ``"all"``: every simulated one, too; or names of nodes, links,
    interfaces and applications. Raises UsageError.
    """
    if elements is None or elements == "all":
        return None if elements is None else "all"
    named = isinstance(elements, Sequence) and not isinstance(elements, str | bytes)
    if not named or not elements or not all(isinstance(name, str) and name for name in elements):
        raise UsageError(
            f"series_of {shown(elements)}: write 'all', or a list of names such as ['r1-r2', 'h1']"
        )
    return list(elements)


def now() -> str:
    """This moment, as manifests have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def default_path(name: str) -> Path:
    """Where a run goes that does not say it.

    Args:
        name: of the script or topology.
    """
    return Path("runs") / f"{name}-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
