# SPDX-License-Identifier: MIT
"""``hybridnet reproduce --all``: experiments one after the other, each alone in a process of its own, and one table.

The table is written anew after each experiment, as ``table.txt`` and ``table.json``, so that a run that is ended leaves
what it has.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.table import Table

from hybridnet.cli.experiments import Declared
from hybridnet.machines.workers.edition import edition
from hybridnet.observe.results.checks import Check, all_hold, tried
from hybridnet.observe.results.commit import commit
from hybridnet.observe.results.console import PlainConsole
from hybridnet.observe.results.run_directory import RunDirectory
from hybridnet.observe.results.steps import Steps
from hybridnet.system.parent import die_with_parent
from hybridnet.system.python_command import python_module

__all__ = ["Plan", "Reproduced", "plan_of", "reproduce_all", "table_of", "write_table"]

_LEAST_LIMIT_S, _LIMIT_TIMES = 1800.0, 5.0
"""An experiment that takes longer than this, and that many times what it says, hangs."""
_GRACE_S = 60.0
"""For an experiment that is ended, to remove what it made."""
_SAID_LINES = 3


@dataclass(frozen=True)
class Plan:
    """One experiment of a run.

    Args:
        name: the experiment's.
        options: its options.
        takes_s: about how long it takes.
    """

    name: str
    options: tuple[str, ...]
    takes_s: float

    @property
    def limit_s(self) -> float:
        """After which it is ended."""
        return max(_LEAST_LIMIT_S, _LIMIT_TIMES * self.takes_s)


@dataclass(frozen=True)
class Reproduced:
    """What became of one experiment.

    Args:
        tries: the checks of each try; the last is what counts.
        seconds: that all tries took.
        failure: what it said when it ended without checks; empty if it has them.
    """

    plan: Plan
    tries: list[Sequence[Check]]
    seconds: float
    failure: str = ""

    @property
    def holds(self) -> bool:
        """It ended, and every promise of its last try is kept."""
        return not self.failure and bool(self.tries) and all_hold(self.tries[-1])

    def to_json(self) -> dict[str, object]:
        return {
            "name": self.plan.name,
            "options": list(self.plan.options),
            "seconds": self.seconds,
            "holds": self.holds,
            "failure": self.failure,
            "tries": [[check.to_json() for check in checks] for checks in self.tries],
        }


def plan_of(
    experiments: Sequence[Declared], *, virtual: bool = False, within_s: float | None = None
) -> list[Plan]:
    """What is to be run.

    Args:
        virtual: only what keeps virtual time, with the options that each experiment declares for it.
        within_s: only what takes no longer than this, as declared. Seconds; None: everything.
    """
    plans = [
        Plan(each.name, each.virtual or (), each.virtual_takes_s)
        if virtual
        else Plan(each.name, (), each.takes_s)
        for each in experiments
        if not virtual or each.virtual is not None
    ]
    return [plan for plan in plans if within_s is None or plan.takes_s <= within_s]


def reproduce_all(plans: Sequence[Plan], out: Path, tries: int, console: PlainConsole) -> list[Reproduced]:
    """Run experiments, one after the other.

    Args:
        out: folder that gets ``NAME/`` of each, or ``NAME-try-N/``, its output ``NAME.txt``, and the table.
        tries: of each, as `hybridnet.observe.results.checks.tried` counts them.

    Returns:
        What became of each, in the same order.

    Raises:
        UsageError: `out` holds something other than a run.
    """
    directory = RunDirectory(out)
    directory.write_manifest(seed=1, facts={"experiments": [asdict(plan) for plan in plans], "tries": tries})
    done: list[Reproduced] = []
    with Steps(console, len(plans)) as steps:
        for plan in plans:
            with steps.step(plan.name):
                done.append(_reproduce(plan, out, tries))
            if not done[-1].holds:
                console.print(f"{plan.name}: {done[-1].failure or 'NOT all checks hold'}", highlight=False)
            write_table(directory, done)
    return done


def _reproduce(plan: Plan, out: Path, tries: int) -> Reproduced:
    began = time.monotonic()
    said = out / f"{plan.name}.txt"
    failure = ""

    def measure(number: int) -> Sequence[Check]:
        nonlocal failure
        folder = out / (plan.name if number == 1 else f"{plan.name}-try-{number}")
        code = _run(plan, folder, said)
        try:
            written = json.loads((folder / "checks.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            failure = _failure(code, said)
            return []
        checks = [Check.from_json(check) for check in written]
        if code != 0 and all_hold(checks):
            failure = _failure(code, said)
        return checks

    done = [checks for checks in tried(measure, tries) if checks]
    return Reproduced(plan, done, time.monotonic() - began, failure)


def _run(plan: Plan, folder: Path, said: Path) -> int | None:
    """Run one to its end. Returns its exit code; None: it was ended, as it took too long."""
    words = ["reproduce", plan.name, *plan.options, "--out", str(folder)]
    with said.open("ab") as output:
        program = subprocess.Popen(
            [*python_module("hybridnet.cli"), *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a ^C is ours, and we end it
            preexec_fn=lambda: die_with_parent(signal.SIGTERM),
        )
        try:
            return program.wait(plan.limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if program.poll() is None:
                program.terminate()
                try:
                    program.wait(_GRACE_S)
                except subprocess.TimeoutExpired:
                    program.kill()
                    program.wait()


def _failure(code: int | None, said: Path) -> str:
    """Why there are no checks, in one line."""
    lines = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-_SAID_LINES:]
    ended = "it did not end in time" if code is None else f"it ended with {code}"
    return f"{ended}: {' / '.join(line.strip() for line in lines) or 'it said nothing'}"


def table_of(done: Sequence[Reproduced], source: str) -> Table:
    """One line for each check of each try, and for each experiment that has none."""
    table = Table(title=f"Reproduced at {source}", title_justify="left")
    for column in ("experiment", "check", "figure", "bound", "holds"):
        table.add_column(column, overflow="fold")
    for each in done:
        for number, checks in enumerate(each.tries, start=1):
            name = each.plan.name + ("" if len(each.tries) == 1 else f", try {number} of {len(each.tries)}")
            for check in checks:
                holds = "yes" if check.holds else "no: disturbed" if check.disturbed else "NO"
                table.add_row(name, check.what, check.measured, check.bound, holds)
        if each.failure:
            table.add_row(each.plan.name, "it runs to its end", each.failure, "checks", "NO")
    return table


def write_table(directory: RunDirectory, done: Sequence[Reproduced]) -> None:
    """Write ``table.txt`` and ``table.json``."""
    source = commit() or edition()
    directory.write_json(
        "table.json",
        {
            "commit": source,
            "hold": all(each.holds for each in done),
            "experiments": [each.to_json() for each in done],
        },
    )
    with (directory.path / "table.txt").open("w", encoding="utf-8") as file:
        PlainConsole(file=file).print(table_of(done, source))
