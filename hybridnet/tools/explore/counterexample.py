# SPDX-License-Identifier: MIT
"""What was found, so that a person understands it and can see it again."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from hybridnet.describe.values import counted
from hybridnet.tools.explore.invariants import Finding
from hybridnet.tools.explore.schedule import Schedule, write_schedule
from hybridnet.tools.explore.trial import Observed
from hybridnet.tools.explore.walk import Way

__all__ = ["QUIET", "Counterexample", "end_text", "texts_of"]

_MOST_LINES = 60
QUIET = ("ECHO", "HELLO", "FEATURES", "GET_CONFIG", "SET_CONFIG", "MULTIPART")
"""Words of messages that decide nothing."""


@final
@dataclass(frozen=True)
class Counterexample:
    """A schedule with which an invariant does not hold.

    Args:
        seed: of the trial in which it was found, and of the random numbers of every trial since.
        drawn: how many events that trial had.
        schedule: those that are left.
        runs: trials that it took to leave out the others.
        shown, repeated: in how many of so many repetitions it shows.
        traces: how many different ones they have; more than one: the application is not deterministic.
        found: what does not hold, of the last trial.
        seen: that trial.
        ready_s: it holds with so many seconds to be ready (`Explore`'s `settle_s`); None: it does not, or this is not
            the question.
    """

    seed: int
    drawn: int
    schedule: Schedule
    runs: int
    shown: int
    repeated: int
    traces: int
    found: Sequence[Finding]
    seen: Observed
    ready_s: float | None = None

    def text(self) -> str:
        """All of it, on several lines."""
        first = self.found[0]
        lines = [f"{first.invariant} does not hold: {first.text}"]
        lines += [f"  also {each.invariant}: {each.text}" for each in self.found[1:4]]
        if len(self.found) > 4:
            lines.append(f"  and {len(self.found) - 4} more")
        lines += ["", f"schedule ({self.facts()}):"]
        events = write_schedule(self.schedule).splitlines() if self.schedule else ["nothing need happen"]
        lines += [f"  {line}" for line in events]
        if self.ready_s is not None:
            lines += [
                "",
                f"It holds with --settle {self.ready_s:g}s: the application is slow to be ready. If it may be, explore "
                "it so.",
            ]
        lines += ["", "what happened:"]
        lines += [f"  {line}" for line in self._timeline()]
        way = next((each.way for each in self.found if each.way is not None), None)
        if way is not None:
            lines += ["", "the packet's way:"]
            lines += [f"  {line}" for line in (*(hop.text() for hop in way.hops), end_text(way))]
        changed = self._changed_tables()
        if changed:
            lines += ["", "tables at 1.4 s (-) and in the end (+):"]
            lines += [f"  {line}" for line in changed]
        return "\n".join(lines)

    def facts(self) -> str:
        """How it was found, and how surely it shows, on one line."""
        events = counted(len(self.schedule), "event")
        return (
            f"seed {self.seed}; {events} of {self.drawn}, after {counted(self.runs, 'trial')}; shows in "
            f"{self.shown} of {self.repeated} repetitions{self._alike()}"
        )

    def to_json(self) -> dict[str, Any]:
        """The same as data."""
        return {
            "seed": self.seed,
            "drawn_events": self.drawn,
            "schedule": [event.to_json() for event in self.schedule],
            "trials_to_shrink": self.runs,
            "shown": self.shown,
            "repeated": self.repeated,
            "different_traces": self.traces,
            "trace": self.seen.trace,
            "holds_with_settle_s": self.ready_s,
            "findings": [
                {
                    "invariant": each.invariant,
                    "text": each.text,
                    "way": None
                    if each.way is None
                    else [*(hop.text() for hop in each.way.hops), end_text(each.way)],
                }
                for each in self.found
            ],
            "timeline": [{"at_s": at_ns / 1e9, "what": what} for at_ns, what in self.seen.timeline],
            "tables": {
                "before": {name: tables.text() for name, tables in self.seen.earlier.items()},
                "after": {} if self.seen.fabric is None else texts_of(self.seen),
            },
            "log": self.seen.log,
        }

    def schedule_text(self) -> str:
        """The events that are left, as a file that ``--schedule`` takes."""
        return write_schedule(self.schedule)

    def pytest_file(self, words: Sequence[str]) -> str:
        """A test that fails until the application is mended.

        Args:
            words: the command line that explores it, without a schedule.
        """
        lines = "\n".join(f"    {line!r}" for line in self.schedule_text().splitlines(keepends=True))
        name = re.sub(r"\W", "_", self.found[0].invariant)
        return f'''"""Found by hybridnet explore, seed {self.seed}: it fails until the application is mended."""

import subprocess

COMMAND = {list(words)!r}
SCHEDULE = (
{lines}
)


def test_{name}_holds(tmp_path):
    schedule = tmp_path / "schedule.yaml"
    schedule.write_text(SCHEDULE, encoding="utf-8")
    command = [*COMMAND, "--seeds", "{self.seed}-{self.seed}", "--schedule", str(schedule)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
'''

    def _alike(self) -> str:
        if self.repeated == 1:
            return ""
        if self.traces == 1:
            return ", which are equal byte for byte"
        return f", with {self.traces} different traces: the application is not deterministic"

    def _timeline(self) -> list[str]:
        all_of_it = self.seen.timeline
        for skipped in ((), QUIET, (*QUIET, "PACKET")):
            kept = [each for each in all_of_it if not any(word in each[1] for word in skipped)]
            if len(kept) <= _MOST_LINES:
                break
        more = len(kept) - _MOST_LINES
        lines = [f"{at_ns / 1e9:9.4f} s  {what}" for at_ns, what in kept[:_MOST_LINES]]
        return lines + ([f"... and {more} more; --json has all"] if more > 0 else [])

    def _changed_tables(self) -> list[str]:
        if self.seen.fabric is None:
            return []
        lines = []
        for name, after in texts_of(self.seen).items():
            before = self.seen.earlier[name].text() if name in self.seen.earlier else []
            differs = [line for line in difflib.ndiff(before, after) if line.startswith(("+ ", "- "))]
            lines += [f"{name} {line}" for line in differs]
        return lines[:_MOST_LINES]


def texts_of(seen: Observed) -> dict[str, list[str]]:
    """The tables in the end, as text, by switch."""
    assert seen.fabric is not None
    return {name: tables.text() for name, tables in seen.fabric.tables.items()}


def end_text(way: Way) -> str:
    """How a copy of a packet ends, for people."""
    switch, port = way.end.place
    return {
        "host": f"it comes to {way.end.host}",
        "controller": "a controller gets it",
        "free": f"it leaves {switch} by port {port}, where nobody is",
        "down": f"port {port} of {switch} is down",
        "drop": f"{switch} drops it",
        "loop": f"it is in {switch} again, and goes around for ever",
    }[way.end.kind]
