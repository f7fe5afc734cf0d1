# SPDX-License-Identifier: MIT
"""A schedule: what happens in a trial and when, as plain data. Drawn from a seed, written by hand, or shrunk."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import yaml

from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.values import meant, shown, why_unread
from hybridnet.errors import UsageError
from hybridnet.tools.explore.disturbances import DISTURBANCES
from hybridnet.tools.explore.site import Site

__all__ = ["BEGIN_NS", "END_NS", "LATEST_NS", "Event", "Schedule", "draw", "read_schedule", "write_schedule"]

BEGIN_NS, END_NS = (
    1_500_000_000,
    4_000_000_000,
)  # of what is drawn; before that switches connect and hosts appear
LATEST_NS = 6_000_000_000  # when all that was disturbed is set right
_GRAIN_NS = 1_000_000
_PINGS, _FLOWS = (3, 10), (1, 3)
_DISTURBANCES = (3, 8)


@final
@dataclass(frozen=True)
class Event:
    """One thing that happens. `do`: the name of a disturbance, in `DISTURBANCES`."""

    at_ns: int
    do: str
    options: Mapping[str, Any]

    def text(self) -> str:
        """As people read it."""
        words = " ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{self.at_ns / 1e9:.3f} s {self.do} {words}"

    def to_json(self) -> dict[str, Any]:
        """As a schedule's file has it."""
        return {"at": f"{self.at_ns / 1e9:.3f}s", "do": self.do, **self.options}


Schedule = tuple[Event, ...]


def draw(site: Site, seed: int, without: Collection[str] = ()) -> Schedule:
    """The schedule of a seed: some pings, some flows if there is a service, and some disturbances.

    The same seed draws the same.

    Args:
        without: disturbances that do not happen; the others are those of the same seed with them.
    """
    chance = random.Random(f"explore {seed}")
    kinds = sorted(
        each.name
        for each in DISTURBANCES.values()
        if each.drawn and len(site.controllers) >= each.least_controllers
    )
    names = ["ping"] * chance.randint(*_PINGS)
    if site.services:
        names += ["flow"] * chance.randint(*_FLOWS)
    names += [chance.choice(kinds) for _ in range(chance.randint(*_DISTURBANCES))]
    events = []
    for name in names:
        options = DISTURBANCES[name].draw(site, chance)
        if options is not None:
            at_ns = chance.randrange(BEGIN_NS, END_NS, _GRAIN_NS)
            events.append(Event(0 if DISTURBANCES[name].from_the_start else at_ns, name, options))
    kept = [event for event in events if event.do not in without]
    return tuple(sorted(kept, key=lambda event: event.at_ns))


def read_schedule(path: Path, site: Site) -> Schedule:
    """A schedule that somebody has written.

    Raises:
        UsageError: it cannot be read, or has an event that makes no sense in this network.
    """
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"schedule {path}: it cannot be read as YAML: {error}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"schedule {path}: it cannot be read as YAML: {why_unread(error)}") from None
    if not isinstance(written, list):
        raise UsageError(
            f"schedule {path}: write a list of events, each as {{at: 2s, do: ping, from: h1, to: h2}}"
        )
    events = []
    for number, each in enumerate(written, 1):
        what = f"schedule {path}: event {number}"
        if not isinstance(each, dict) or not {"at", "do"} <= set(each):
            raise UsageError(
                f"{what}: {shown(each)} lacks at or do; write {{at: 2s, do: ping, from: h1, to: h2}}"
            )
        options = {key: value for key, value in each.items() if key not in ("at", "do")}
        kind = DISTURBANCES.get(each["do"]) if isinstance(each["do"], str) else None
        if kind is None:
            raise UsageError(
                f"{what}: there is no {shown(each['do'])}; {meant(each['do'], DISTURBANCES)}there are "
                f"{', '.join(DISTURBANCES)}"
            )
        at_ns = parse_delay(each["at"], f"{what}: at")
        if at_ns > LATEST_NS:
            raise UsageError(
                f"{what}: at {shown(each['at'])}: disturbances end at {LATEST_NS / 1e9:g} s; write less"
            )
        events.append(Event(at_ns, each["do"], kind.read(options, site, what)))
    return tuple(sorted(events, key=lambda event: event.at_ns))


def write_schedule(schedule: Schedule) -> str:
    """The text of a file that `read_schedule` reads."""
    if not schedule:
        return "[]\n"
    return "".join(
        f"- {yaml.safe_dump(event.to_json(), default_flow_style=True, sort_keys=False, width=1000)}"
        for event in schedule
    )
