# SPDX-License-Identifier: MIT
"""Repeats the command of a run directory, and compares the two.

    runs/one ─ manifest.json, files/ ─▶ the same command in a process of its own ─▶ runs/one-again ─▶ compare

A simulation must give the same files, byte for byte. What is emulated need not: there, what the script named as its
results, and what each interface carried, must agree within their intervals or within a tolerance. In simulated time it
is repeated where it was, and differs by microseconds and random numbers at most.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet.describe.user_files import KEPT_VARIABLE
from hybridnet.describe.values import counted, plain
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.observe.recording.capsule import FILES
from hybridnet.observe.recording.comparison import Comparison, Difference, compare_runs
from hybridnet.observe.recording.figures import figures_of_run, manifest_of
from hybridnet.observe.recording.pack import PACKED, unpack
from hybridnet.system.python_command import python_module
from hybridnet.system.simulated_time import SIMULATED, STAGE_VARIABLE

__all__ = ["VERBS", "Rerun", "is_foreign", "opened", "rerun", "what_it_runs"]

VERBS = ("run", "mn", "simulate")
WITHIN = 0.1
_LEAST_SHARE = 0.1
_FILES_SHOWN = 10
_COMMAND_SHOWN = 500  # characters
_JUDGED = (" rx Mbit/s", " tx Mbit/s")
_SAID = ("versions", "kernel", "cores", "processor", "sysctl")


@dataclass(frozen=True)
class Rerun:
    """A run, done again.

    Args:
        path: of the second run directory.
        comparison: of the two.
        judged: the figures that must agree; none of a simulation.
        within: the tolerance, as a share.
        changed: what of the two computers differs, as (what, then, now).
    """

    path: Path
    comparison: Comparison
    judged: list[Difference]
    within: float
    changed: list[tuple[str, str, str]]

    @property
    def disagreeing(self) -> list[Difference]:
        """The judged figures that do not agree."""
        return [each for each in self.judged if not each.agrees(self.within)]

    @property
    def agrees(self) -> bool:
        """Whether a simulation is identical, or what is emulated agrees."""
        if self.comparison.of_simulations:
            return bool(self.comparison.identical)
        return not self.disagreeing

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {
            "path": str(self.path),
            "agrees": self.agrees,
            "within": self.within,
            "judged": [each.name for each in self.judged],
            "disagreeing": [each.name for each in self.disagreeing],
            "changed": [list(each) for each in self.changed],
            **self.comparison.to_json(),
        }


@contextlib.contextmanager
def opened(run: Path) -> Iterator[Path]:
    """A run directory, or a packed one, unpacked for the time of the block.

    Raises:
        UsageError: it is neither.
    """
    if run.is_dir():
        yield run.resolve()
        return
    if not run.is_file():
        raise UsageError(
            f"{run}: there is no such run directory or packed run; `--out` and `hybridnet pack` make them"
        )
    with tempfile.TemporaryDirectory(prefix="hybridnet-rerun-") as folder:
        unpack(run, Path(folder))
        yield Path(folder)


def command_of(run: Path, out: Path) -> list[str]:
    """The command that repeats a run.

    Args:
        out: the run directory of the repetition.

    Raises:
        UsageError: the manifest has no command that can be repeated.
    """
    manifest = manifest_of(run)
    verb, words, files = (manifest.get(key) for key in ("verb", "arguments", "files"))
    in_simulated_time = manifest.get("time") == SIMULATED
    if in_simulated_time:  # as it was typed
        typed = manifest.get("command")
        words = typed[1:] if isinstance(typed, list) and typed[1:2] == [verb] else None
    if verb not in VERBS or not isinstance(words, list) or not isinstance(files, Mapping):
        raise UsageError(
            f"{run}: it does not hold its command; runs of {', '.join(VERBS)} with --out can be repeated"
        )
    missing = [name for name in files if not (run / FILES / name).is_file()]
    if missing:
        raise UsageError(f"{run}: it lacks {FILES}/{missing[0]}; put it there, and try again")
    if in_simulated_time:
        return [*python_module("hybridnet.cli"), *map(str, words)]
    # A script's arguments come last, right after the script.
    return [*python_module("hybridnet.cli"), verb, "--out", str(out), *words]


def stage_of(run: Path, out: Path) -> str | None:
    """Where a run in simulated time was, for `STAGE_VARIABLE`; None: it was in real time.

    Raises:
        UsageError: the manifest does not say it.
    """
    manifest = manifest_of(run)
    if manifest.get("time") != SIMULATED:
        return None
    directory, was, places = (manifest.get(key) for key in ("directory", "out", "places"))
    if not (isinstance(directory, str) and isinstance(was, str) and isinstance(places, Mapping)):
        raise UsageError(f"{run}: its manifest does not say where it was; run it again with --out")
    files = {str(there): str(run / FILES / name) for name, there in places.items()}
    return json.dumps({"directory": directory, "out": [was, str(out)], "files": files})


def what_it_runs(run: Path) -> str:
    """What a repetition runs, as whom and with which files, for whoever is to allow it.

    Raises:
        UsageError: as `command_of`.
    """
    command = shlex.join(["hybridnet", *command_of(run, Path("DIR"))[len(python_module("hybridnet.cli")) :]])
    files = sorted(manifest_of(run)["files"])
    shown_files = ", ".join(map(plain, files[:_FILES_SHOWN])) + (", …" if len(files) > _FILES_SHOWN else "")
    files_in_it = f" with {counted(len(files), 'file')} of it ({shown_files})" if files else ""
    who = "root" if os.geteuid() == 0 else "you"
    return f"it runs `{command[:_COMMAND_SHOWN]}`{files_in_it} as {who}: the Python in it can do whatever {who} can"


def is_foreign(run: Path) -> bool:
    """Whether a run directory was packed, or is another user's: then somebody else may have written what it runs."""
    return (run / PACKED).is_file() or run.stat().st_uid != os.geteuid()


def places_of(run: Path, files: Path) -> dict[str, str]:
    """Where the repetition finds what its script names, by every name that it may have there.

    Args:
        files: the copies of the run's files.
    """
    named: Mapping[str, Sequence[str]] = manifest_of(run).get("named", {})
    return {
        known: str(files / name)
        for name, ways in named.items()
        for way in ways
        for known in (way, os.path.normpath(files / way))
    }


def rerun(run: Path, out: Path, within: float = WITHIN) -> Rerun:
    """Repeat a run, and compare.

    Args:
        run: the run directory.
        out: that of the repetition.
        within: the share of a figure within which what is emulated agrees.

    Raises:
        UsageError: it cannot be repeated, or has no figures to compare.
        ExperimentError: the command ended with an error.
    """
    out = out.resolve()
    if out == run.resolve() or out.is_relative_to(run.resolve()):
        raise UsageError(f"rerun {run}: --out {out} is the run itself; give another folder")
    command = command_of(run, out)
    figures_of_run(run)  # without any, the repetition would be for nothing
    with tempfile.TemporaryDirectory(prefix="hybridnet-rerun-") as folder:
        if (run / FILES).is_dir():
            shutil.copytree(run / FILES, Path(folder) / FILES)
        places = Path(folder) / "places.json"
        places.write_text(json.dumps(places_of(run, Path(folder) / FILES)), encoding="utf-8")
        environment = {**os.environ, KEPT_VARIABLE: str(places)}
        if (stage := stage_of(run, out)) is not None:
            environment = {**os.environ, STAGE_VARIABLE: stage}
        done = subprocess.run(command, cwd=folder, check=False, stdout=2, env=environment)
    expected = manifest_of(run).get("exit_code", 0)
    if done.returncode != expected or not (out / "manifest.json").is_file():
        raise ExperimentError(
            f"rerun {run}: the command ended with status {done.returncode}, and the first time with {expected}; see "
            "what it printed"
        )
    comparison = compare_runs(run, out)
    return Rerun(out, comparison, judged_of(comparison), within, _changes(manifest_of(run), manifest_of(out)))


def judged_of(comparison: Comparison) -> list[Difference]:
    """The figures of an emulated run that a repetition must have, too: its results, and what interfaces carried. Those
    that carried less than a tenth of the busiest one are left out: acknowledgements, whose number is chance.
    """
    if comparison.of_simulations:
        return []
    results = [each for each in comparison.differences if each.name.startswith("result ")]
    carried = [each for each in comparison.differences if each.name.endswith(_JUDGED)]
    means = [each.first.mean if each.first is not None else 0.0 for each in carried]
    most = max(means, default=0.0)
    return results + [each for each, mean in zip(carried, means, strict=True) if mean > _LEAST_SHARE * most]


def _changes(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    changes = []
    for key in _SAID:
        before, after = first.get(key), second.get(key)
        if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
            before, after = {key: before}, {key: after}
        changes += [
            (name, str(before.get(name)), str(after.get(name)))
            for name in {**before, **after}
            if before.get(name) != after.get(name)
        ]
    return changes
