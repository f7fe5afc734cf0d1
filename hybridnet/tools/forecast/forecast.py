# SPDX-License-Identifier: MIT
"""The forecast: how busy each part will be, which is full first, and the largest demand that stays trusted. Pure.

with every flow at `factor` times its rate:   shares of all parts ─▶ the least factor that fills one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hybridnet.plan.network import Plan
from hybridnet.tools.forecast.demand import Demand
from hybridnet.tools.forecast.loads import Computer, Loads, Part, Work

__all__ = ["FULL", "TRUSTED", "Bound", "Core", "Forecast", "make_forecast"]

TRUSTED: Mapping[str, float] = {
    "processors": 0.90,
    "instance": 0.90,
    "switching": 0.90,
    "sender": 0.95,
    "receiver": 0.95,
}
"""How busy a part may be, of its capacity, so that a run is trusted. A verdict allows processors and Open vSwitch 98 %;
below that stays what a forecast may be wrong by. An instance that is busier meets bursts late. A link that is full is
no fault: it drops, as it was asked to.
"""

FULL: Mapping[str, float] = {"instance": 0.95, "switching": 0.95}
"""How busy a part is that is full; 1 where nothing is said. A loop that is asked for more shares its turns out better,
and comes nearer and nearer to 1 while it falls behind.
"""
MOST_FACTOR = 1e6
FACTOR_WITHIN = 1e-4


@dataclass(frozen=True)
class Bound:
    """How far a demand can grow.

    Args:
        part: what stops it; None: nothing does.
        factor: so many times the demand.
        carried_bps: payload that is carried then.
    """

    part: Part | None
    factor: float
    carried_bps: float

    def to_json(self) -> dict[str, object]:
        """As data."""
        named = None if self.part is None else {"kind": self.part.kind, "name": self.part.name}
        return {"part": named, "factor": round(self.factor, 4), "carried_bps": round(self.carried_bps)}


@dataclass(frozen=True)
class Core:
    """One processor.

    Args:
        computer, cpu: which.
        busy: from 0 to 1.
        pinned: the instances that run there and nowhere else.
    """

    computer: str
    cpu: int
    busy: float
    pinned: tuple[str, ...]


@dataclass(frozen=True)
class Forecast:
    """What a demand will do to the computers.

    Args:
        demand: of what.
        loads: of every part; processors of a computer that is asked for more than it has are at more than their number.
        cores: each processor of each computer.
        first: what is full first, links among it, when all rates grow together.
        trusted: the largest demand that stays trusted, and what would spoil a larger one.
        notes: what the reader should know.
    """

    demand: Demand
    loads: Loads
    cores: Sequence[Core]
    first: Bound
    trusted: Bound
    notes: Sequence[str]

    @property
    def parts(self) -> list[Part]:
        """All parts, the fullest first."""
        return sorted(self.loads.busy, key=lambda part: (-self.loads.share(part), part))

    def busy(self, computer: str) -> float:
        """The share of a computer's processors that is busy, from 0 to 1."""
        part = next(each for each in self.loads.busy if (each.kind, each.name) == ("processors", computer))
        return min(1.0, self.loads.share(part))

    @property
    def stays_trusted(self) -> bool:
        """Whether the demand itself does."""
        return self.trusted.factor >= 1

    def to_json(self) -> dict[str, object]:
        """As data: shares from 0 on, rates in bit/s."""
        return {
            "demand": {
                "name": self.demand.name,
                "flows": len(self.demand.flows),
                "offered_bps": round(self.demand.total_bps),
                "carried_bps": round(self.loads.carried_bps),
            },
            "parts": [
                {
                    "kind": part.kind,
                    "name": part.name,
                    "machine": part.machine or None,
                    "share": round(self.loads.share(part), 4),
                    "processors": None if part.kind == "link" else round(self.loads.busy[part], 4),
                    "trusted_up_to": TRUSTED.get(part.kind),
                }
                for part in self.parts
            ],
            "cores": [
                {
                    "computer": core.computer,
                    "cpu": core.cpu,
                    "busy": round(core.busy, 4),
                    "pinned": list(core.pinned),
                }
                for core in self.cores
            ],
            "first": self.first.to_json(),
            "trusted": self.trusted.to_json(),
            "stays_trusted": self.stays_trusted,
            "notes": list(self.notes),
        }


def make_forecast(plan: Plan, demand: Demand, computers: Sequence[Computer]) -> Forecast:
    """Forecast a demand.

    Args:
        plan: of the network.
        demand: its flows.
        computers: where the plan's machines are, with what things cost there.

    Raises:
        UsageError: a flow has no way, a machine no computer, or something on a way no cost.
    """
    work = Work(plan, demand, computers)
    loads = work.loads()
    notes = list(work.notes)
    quick = [computer.name for computer in computers if computer.costs.quick]
    if quick:
        notes.append(f"the costs of {', '.join(quick)} are of a quick calibration")
    disturbed = [computer.name for computer in computers if computer.costs.disturbed]
    if disturbed:
        notes.append(
            f"the costs of {', '.join(disturbed)} were measured while other programs ran, and are too low: calibrate "
            "again when nothing else runs"
        )
    return Forecast(
        demand,
        loads,
        [core for computer in computers for core in _cores(plan, loads, computer)],
        _bound(work, lambda part: FULL.get(part.kind, 1.0)),
        _bound(work, lambda part: TRUSTED.get(part.kind)),
        notes,
    )


def _bound(work: Work, limit: Callable[[Part], float | None]) -> Bound:
    """The least factor at which some part reaches its limit, by bisection: shares only grow with the demand."""

    def fullest(factor: float) -> tuple[float, Part | None, float]:
        loads = work.loads(factor)
        worst: tuple[float, Part | None] = (0.0, None)
        for part in sorted(loads.busy):
            if (allowed := limit(part)) is not None and loads.share(part) / allowed > worst[0]:
                worst = (loads.share(part) / allowed, part)
        return (*worst, loads.carried_bps)

    low, high = 0.0, 1.0
    while fullest(high)[0] < 1:
        if high > MOST_FACTOR:
            return Bound(None, high, fullest(high)[2])
        low, high = high, 2 * high
    while high - low > FACTOR_WITHIN * high:
        middle = (low + high) / 2
        low, high = (low, middle) if fullest(middle)[0] >= 1 else (middle, high)
        if high < 1 / MOST_FACTOR:  # full without any traffic
            break
    return Bound(fullest(high)[1], low, fullest(low)[2])


def _cores(plan: Plan, loads: Loads, computer: Computer) -> list[Core]:
    """How busy each processor is: pinned instances have theirs, and the rest is spread as evenly as it can be."""
    pinned: dict[int, float] = dict.fromkeys(computer.cpus, 0.0)
    names: dict[int, list[str]] = {cpu: [] for cpu in computer.cpus}
    for machine in computer.machines:
        for instance in plan.machines[machine]["instances"]:
            cpu = instance["realtime"]["cpu"]
            if cpu in pinned:
                part = Part("instance", instance["name"], machine)
                own = loads.busy.get(part, 0.0) + loads.looking[part]
                pinned[cpu] = min(1.0, pinned[cpu] + own)
                names[cpu].append(instance["name"])
    whole = next(
        busy for part, busy in loads.busy.items() if (part.kind, part.name) == ("processors", computer.name)
    )
    level = _level(list(pinned.values()), whole - sum(pinned.values()))
    return [
        Core(computer.name, cpu, min(1.0, max(busy, level)), tuple(names[cpu]))
        for cpu, busy in pinned.items()
    ]


def _level(taken: Sequence[float], more: float) -> float:
    """To which level `more` fills up what is taken already, like water.

    Example:
        >>> _level([0.75, 0.25], 0.25), _level([0.75, 0.25], 1.0)
        (0.5, 1.0)
    """
    rising = sorted(taken)
    for number, lowest in enumerate(rising, 1):
        level = (more + sum(rising[:number])) / number
        if number == len(rising) or level <= rising[number]:
            return max(level, lowest)
    return 1.0
