# SPDX-License-Identifier: MIT
"""Runs trials until an invariant does not hold, and makes of that a counterexample."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, final

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import counted, meant, shown
from hybridnet.errors import UsageError
from hybridnet.observe.results import html
from hybridnet.run.controllers.frameworks import RYU, Framework
from hybridnet.tools.explore.controller import ControllerFactory
from hybridnet.tools.explore.counterexample import Counterexample
from hybridnet.tools.explore.disturbances import DISTURBANCES
from hybridnet.tools.explore.invariants import INVARIANTS, Finding, Invariant, findings
from hybridnet.tools.explore.schedule import Schedule, draw, read_schedule
from hybridnet.tools.explore.shrink import shrink
from hybridnet.tools.explore.site import site_of
from hybridnet.tools.explore.tables import NotUnderstoodError
from hybridnet.tools.explore.trial import Observed, run_trial

__all__ = ["Explore", "Report"]

REPETITIONS = 5
MOST_SETTLE_S = 600
_LONG_SETTLE_NS = 60_000_000_000  # tried for an application that fails although nothing happens


@final
@dataclass(frozen=True)
class Report:
    """What came of it: how many trials all invariants held in, and the counterexample that ended it.

    Args:
        trace: SHA-256 of the traces of all trials, one for each seed: who explores the same again, and has the same
            trace, has seen the same messages and frames, byte for byte.
    """

    app: str
    held: int
    invariants: tuple[str, ...]
    counterexample: Counterexample | None
    trace: str = ""

    def text(self) -> str:
        """The verdict on one line, and behind it the counterexample."""
        if self.counterexample is None:
            return f"{self.app}: {counted(self.held, 'trial')}, and {', '.join(self.invariants)} always held"
        return f"{self.app}: FOUND after {counted(self.held + 1, 'trial')}\n\n{self.counterexample.text()}"

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        first, *more = self.text().splitlines()
        tone: html.Tone = "good" if self.counterexample is None else "bad"
        return html.joined(html.word(first, tone), html.written("\n".join(more).strip("\n")))

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        found = self.counterexample
        return {
            "app": self.app,
            "held": self.held,
            "invariants": list(self.invariants),
            "trace": self.trace,
            "counterexample": None if found is None else found.to_json(),
        }


class Explore:
    """Looks for what is wrong with an application. A context manager.

    ::

        with Explore("my_app.py", topo=LinearTopo(k=3)) as explore:
            print(explore.run(range(1, 201)).text())

    Args:
        apps: as for `hybridnet.Ryu`: files, names of files in ``controllers/``, modules.
        topo: hosts and switches, at most 64 of them; the switches are simulated whatever their kind is.
        invariants: what must hold.
        framework: what the application runs under.
        arguments: the framework's own options.
        settings: environment variables that the application reads.
        protocols: what switches speak: ``OpenFlow13`` (default) or ``OpenFlow10``.
        settle_s: seconds of simulated time that the application has to be ready, in each trial before hosts send
            anything, and again when nothing is disturbed any more: 0 to 600.
        without: disturbances that do not happen.
        always: a file with events that happen in each trial, beside those that are drawn.
        controllers: how many of them run the application, 1 to 4. Each switch connects to all. The application reads
            which one it is, ``c1`` to ``c4``, from ``HYBRIDNET_CONTROLLER``, and from ``HYBRIDNET_SHARED`` the name of
            a folder that all of them have, which is empty when a trial begins.

    Raises:
        UsageError: there is no such application, the topology has something else, or an invariant names what it has
            not.
        EnvironmentLackError: the framework has no environment.
        ControllerError: the framework cannot be loaded.
    """

    def __init__(
        self,
        *apps: str | Path,
        topo: Topo,
        invariants: Sequence[Invariant] = INVARIANTS,
        framework: Framework = RYU,
        arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
        protocols: Sequence[str] = ("OpenFlow13",),
        settle_s: float = 0.0,
        without: Sequence[str] = (),
        always: Path | None = None,
        controllers: int = 1,
    ) -> None:
        if not 0 <= settle_s <= MOST_SETTLE_S:
            raise UsageError(f"explore: settle {settle_s:g} s: write 0 to {MOST_SETTLE_S} s")
        for name in without:
            if name not in DISTURBANCES:
                raise UsageError(
                    f"explore: without {shown(name)}: {meant(name, DISTURBANCES)}there are "
                    f"{', '.join(DISTURBANCES)}"
                )
        site = site_of(topo, list(protocols), controllers)
        self._app = ", ".join(Path(app).name for app in apps)
        self._invariants = tuple(invariants)
        for each in self._invariants:
            each.check_names(site)
            site.services.update(each.services)
        self.site = site
        self._settle_ns = round(settle_s * 1e9)
        self._without = tuple(without)
        self._always = () if always is None else read_schedule(always, site)
        self._factory = ControllerFactory(apps, framework, arguments, settings)

    def __enter__(self) -> Explore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process that has the framework. Idempotent."""
        self._factory.close()

    def read(self, path: Path) -> Schedule:
        """A schedule that somebody has written. Raises UsageError."""
        return read_schedule(path, self.site)

    def trial(
        self, schedule: Schedule, seed: int = 1, *, settle_ns: int | None = None
    ) -> tuple[list[Finding], Observed]:
        """Run one trial. Returns what does not hold, and what was seen.

        Args:
            schedule: what happens, beside what always does.
            settle_ns: None: as for all trials.
        """
        events = tuple(sorted((*self._always, *schedule), key=lambda event: event.at_ns))
        seen = run_trial(
            self.site, events, self._factory, seed, self._settle_ns if settle_ns is None else settle_ns
        )
        return findings(seen, self._invariants), seen

    def run(
        self,
        seeds: Iterable[int],
        *,
        schedule: Schedule | None = None,
        repetitions: int = REPETITIONS,
        on_trial: Callable[[int], object] = lambda held: None,
    ) -> Report:
        """One trial for each seed, until an invariant does not hold in one.

        Args:
            schedule: what happens in each of them; None: what is drawn from its seed.
            repetitions: how often a counterexample is repeated.
            on_trial: told after each trial in how many all held.
        """
        names = tuple(each.name for each in self._invariants)
        held, trace = 0, hashlib.sha256()
        for seed in seeds:
            drawn = draw(self.site, seed, self._without) if schedule is None else schedule
            found, seen = self.trial(drawn, seed)
            trace.update(seen.trace.encode())
            if found:
                counterexample = self._counterexample(drawn, seed, found[0], repetitions)
                return Report(self._app, held, names, counterexample, trace.hexdigest())
            held += 1
            on_trial(held)
        return Report(self._app, held, names, None, trace.hexdigest())

    def _counterexample(self, drawn: Schedule, seed: int, first: Finding, repetitions: int) -> Counterexample:
        runs = 0

        def shows(events: Sequence[Any]) -> bool:
            nonlocal runs
            runs += 1
            try:
                found, _ = self.trial(tuple(events), seed)
            except NotUnderstoodError:  # with fewer events it comes to tables of which nothing can be said
                return False
            return any(each.invariant == first.invariant for each in found)

        fewest = tuple(shrink(drawn, shows))
        tried = [self.trial(fewest, seed) for _ in range(max(repetitions, 1))]
        shown = [each for each in tried if any(one.invariant == first.invariant for one in each[0])]
        found, seen = shown[-1] if shown else self.trial(drawn, seed)
        ordered = sorted(
            found or [first], key=lambda each: (each.invariant != first.invariant, each.way is None)
        )
        ready_s = None if fewest else self._ready_after(seed, first)
        traces = len({each.trace for _, each in tried})
        return Counterexample(
            seed, len(drawn), fewest, runs, len(shown), len(tried), traces, ordered, seen, ready_s
        )

    def _ready_after(self, seed: int, first: Finding) -> float | None:
        """How long to be ready is enough for what fails although nothing happens; None: it fails all the same."""
        if self._settle_ns >= _LONG_SETTLE_NS:
            return None
        found, _ = self.trial((), seed, settle_ns=_LONG_SETTLE_NS)
        return None if any(each.invariant == first.invariant for each in found) else _LONG_SETTLE_NS / 1e9
