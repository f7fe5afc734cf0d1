# SPDX-License-Identifier: MIT
"""Time that a simulation leaves out, because all of its flows are steady: what is asked for, what came of it, and the
comparison with the same simulation packet by packet. How it works: `simcore/traffic/fast_forward.h`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from hybridnet.describe.quantities import parse_percent
from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.describe.values import choice, counted, flag, shown
from hybridnet.errors import UsageError
from hybridnet.simulate.flows import FlowRow, Workload

__all__ = ["FastForward", "ForwardCheck", "Forwarded", "check_forward", "forwarded_of", "too_short"]

LEAST_ERROR, MOST_ERROR = 0.0001, 0.2
_HELD = {
    "starting": "too few round trips had been measured",
    "window": "a congestion window was still on its way",
    "timeout": "a flow had a timeout",
    "uncertain": "a rate, or with it a completion time, was too uncertain",
    "drift": "a rate had drifted",
    "near": "the next start or end was too near",
    "short": "a flow is so short that it depends on the instant at which it comes",
}
"""Of each reason of `simcore/traffic/fast_forward.h`, and of `too_short`, what people are told."""
_INITIAL_WINDOW_BYTES = 10 * 1460
_CHANGING_RATES = ("trace", "slots")
_BY_CHANCE = ("loss", "corrupt", "bit_error_rate", "reorder")
"""What of a direction makes a flow slower now and then, perhaps so seldom that no measurement has it."""
_CYCLES_OF_SECONDS = ("bbr", "bbr3")


@dataclass(frozen=True)
class FastForward:
    """Leave out time in which all flows are steady.

    Args:
        error: how much a flow's completion time may be wrong for that, as a share of it: ``"1%"``; 0.01 % to 20 %.
        check: simulate packet by packet as well, and compare.

    Raises:
        UsageError: an argument makes no sense.
        UnitError: the error is no percentage.

    Example:
        >>> FastForward("0.5%").share
        0.005
    """

    error: str | float = "1%"
    check: bool = False

    @classmethod
    def parse(cls, written: str) -> FastForward:
        """As the command line has it: arguments, such as ``error=1%,check=yes``.

        Raises:
            UsageError: there is no such argument, or one makes no sense.

        Example:
            >>> FastForward.parse("error=2%,check=yes")
            FastForward(error='2%', check=True)
        """
        arguments: dict[str, Any] = {}
        for each in written.split(","):
            name, equals, value = each.partition("=")
            choice(name, f"fast-forward {shown(written)}: argument", ("error", "check"))
            if not equals or not value or name in arguments:
                raise UsageError(
                    f"fast-forward {shown(written)}: {shown(each)}: write each argument once, as {name}=VALUE"
                )
            arguments[name] = value
        if "check" in arguments:
            said = choice(arguments["check"], f"fast-forward {shown(written)}: check", ("yes", "no"))
            arguments["check"] = said == "yes"
        return cls(**arguments)

    def __post_init__(self) -> None:
        flag(self.check, "fast-forward: check")
        if not LEAST_ERROR <= self.share <= MOST_ERROR:
            raise UsageError(
                f"fast-forward: error {shown(self.error)} is not from {LEAST_ERROR:.2%} to {MOST_ERROR:.0%}; write for "
                "example '1%'"
            )

    @property
    def share(self) -> float:
        """The error as a share."""
        return parse_percent(self.error, "fast-forward: error")


@dataclass(frozen=True)
class Forwarded:
    """What one replication left out.

    Args:
        skips: how often it left out time.
        left_out_s: how much, of `of_s` that passed.
        forwarded_bytes: of the flows' bytes, those that came in it, of `of_bytes` that came.
        bound: how uncertain its own rate makes a flow's completion time, as a share of it: the most over all that have
            finished.
        held: why nothing was left out at a look at the flows: how often, by reason.
    """

    skips: int
    left_out_s: float
    of_s: float
    forwarded_bytes: int
    of_bytes: int
    bound: float
    held: Mapping[str, int]


@dataclass(frozen=True)
class ForwardCheck:
    """Completion times with time left out, and without: the same flows of the same seeds.

    Args:
        error: what was asked for, as a share.
        compared: how many flows finished in both.
        worst, mean: of the differences of completion time, without their sign, as shares of that packet by packet. A
            flow that finished in one of both lasts at least until the end in the other, and counts with that.
        worst_flow: the flow that differs most, as people write it; empty: none was compared.
        only_one: how many flows finished in one of both.
        speed_up: processor time packet by packet over that with time left out.
    """

    error: float
    compared: int
    worst: float
    mean: float
    worst_flow: str
    only_one: int
    speed_up: float

    @classmethod
    def of(
        cls,
        error: float,
        forwarded: Sequence[FlowRow],
        packets: Sequence[FlowRow],
        until_s: float,
        speed_up: float,
    ) -> ForwardCheck:
        """Compare the rows of both, which end at `until_s`."""
        told, known = _by_key(forwarded), _by_key(packets)
        differences = {
            key: difference
            for key in known.keys() & told.keys()
            if (difference := _least_difference(told[key], known[key], until_s)) is not None
        }
        finished, expected = (
            {key for key, row in rows.items() if row.completion_s is not None} for rows in (told, known)
        )
        worst = max(differences, key=lambda key: (differences[key], key), default=None)
        return cls(
            error=error,
            compared=len(finished & expected),
            worst=0.0 if worst is None else differences[worst],
            mean=fmean(differences.values()) if differences else 0.0,
            worst_flow=""
            if worst is None
            else f"seed {worst[0]}: {worst[1]} to {worst[2]}, number {worst[3] + 1}",
            only_one=len(finished ^ expected),
            speed_up=speed_up,
        )

    @property
    def within(self) -> bool:
        """Whether no flow differs by more than was asked for."""
        return self.worst <= self.error

    def remark(self) -> str:
        """What came of it."""
        outside = "within" if self.within else "NOT within"
        worst = f" ({self.worst_flow})" if self.worst_flow else ""
        only = f"; {counted(self.only_one, 'flow')} finished in one of both" if self.only_one else ""
        return (
            f"checked packet by packet: {counted(self.compared, 'completion time')} differ by {self.worst:.3%} at most"
            f"{worst}, {self.mean:.3%} on average: {outside} {self.error:.2%}{only}; {self.speed_up:.3g} times as fast"
        )


_Key = tuple[int, str, str, int]


def _by_key(rows: Iterable[FlowRow]) -> dict[_Key, FlowRow]:
    """By seed, source, destination, and which it was of those between them."""
    seen: Counter[tuple[int, str, str]] = Counter()
    found: dict[_Key, FlowRow] = {}
    for row in rows:
        between = row.seed, row.source, row.destination
        found[(*between, seen[between])] = row
        seen[between] += 1
    return found


def _least_difference(told: FlowRow, known: FlowRow, until_s: float) -> float | None:
    """Of completion times, as a share of the known one; None: neither has one."""
    if told.completion_s is None and known.completion_s is None:
        return None
    if known.completion_s is None:
        assert told.completion_s is not None
        least_s = max(until_s - known.start_s, told.completion_s)
        return (least_s - told.completion_s) / least_s
    if told.completion_s is None:
        return max(until_s - told.start_s - known.completion_s, 0.0) / known.completion_s
    return abs(told.completion_s - known.completion_s) / known.completion_s


def too_short(least_bytes: int, error: float) -> bool:
    """Whether the smallest flow is so short that nothing can be left out: another instant within the cycles of the
    steady flows is worth a few packets to one that starts among them, up to its initial window, which has to be within
    the error.

    Example:
        >>> too_short(1_400_000, 0.01), too_short(1_500_000, 0.01)
        (True, False)
    """
    return least_bytes * error < _INITIAL_WINDOW_BYTES


def forwarded_of(told: Mapping[str, Any] | None, of_s: float, rows: Mapping[int, FlowRow]) -> Forwarded:
    """What the extension says of a replication.

    Args:
        told: by `_simcore.OfflineSimulation.forwarded`; None: a flow was too short.
        of_s: what has passed.
        rows: of the flows, by their number.
    """
    if told is None:
        of_bytes = sum(row.received_bytes for row in rows.values())
        return Forwarded(0, 0.0, of_s, 0, of_bytes, 0.0, {"short": 1})
    shares = [
        told["bounds_s"][number] / row.completion_s
        for number, row in rows.items()
        if row.completion_s is not None
    ]
    return Forwarded(
        skips=told["skips"],
        left_out_s=told["left_out_s"],
        of_s=of_s,
        forwarded_bytes=told["forwarded_bytes"],
        of_bytes=sum(row.received_bytes for row in rows.values()),
        bound=max(shares, default=0.0),
        held=told["held"],
    )


def remarks(error: float, forwarded: Sequence[Forwarded]) -> Iterator[str]:
    """What people are told of all replications together."""
    skips, left_out_s = sum(each.skips for each in forwarded), sum(each.left_out_s for each in forwarded)
    of_s, bytes_ = sum(each.of_s for each in forwarded), sum(each.forwarded_bytes for each in forwarded)
    of_bytes = max(sum(each.of_bytes for each in forwarded), 1)
    held: Counter[str] = Counter()
    for each in forwarded:
        held.update(each.held)
    looks = ", ".join(f"{_HELD[reason]} ({count})" for reason, count in held.most_common() if count)
    if skips == 0:
        why = f"at each look {looks}" if looks else "no flow lasted long enough to be looked at"
        yield f"fast-forward left nothing out, so all is packet by packet: {why}"
        return
    bound = max(each.bound for each in forwarded)
    yield (
        f"fast-forward left out {left_out_s:.6g} s of {of_s:.6g} s in {counted(skips, 'piece')}, with "
        f"{bytes_ / of_bytes:.1%} of the flows' bytes; a flow's own rate makes its completion time uncertain by "
        f"{bound:.3%} (asked for: {error:.2%}), and what that changes for other flows is not in it: check=yes "
        "compares; other counters are of what was simulated"
    )
    if looks:
        yield f"looks at which fast-forward left nothing out: {looks}"


def check_forward(
    given: Any, plans: Iterable[InstancePlan], workloads: Sequence[Workload], excluded: Mapping[str, bool]
) -> FastForward | None:
    """What was asked for, where everything that the simulation has can be left out.

    Args:
        plans: of the seeds.
        excluded: options that record or pace what is simulated, and whether they were given.

    Raises:
        UsageError: it names what cannot.
    """
    if given is None:
        return None
    if not isinstance(given, FastForward):
        raise UsageError(f"simulate: fast_forward {shown(given)} is no FastForward; write FastForward('1%')")
    if not workloads:
        raise UsageError(
            "simulate: fast-forward leaves out time of workloads' flows, and there is no workload; add one, or leave "
            "fast-forward out"
        )
    for name, is_given in excluded.items():
        if is_given:
            raise UsageError(
                f"simulate: fast-forward and {name}: what is left out has no packets to record or to pace; leave one "
                "of them out"
            )
    for workload in workloads:
        if (control := workload.tcp_plan.get("congestion")) in _CYCLES_OF_SECONDS:
            raise UsageError(
                f"simulate: fast-forward and {control} of workload {workload.label}: its cycles last 5 to 10 s, so no "
                "flow is steady; choose another congestion control, or leave fast-forward out"
            )
    for plan in plans:
        _refuse_of_plan(plan)
    return given


def _refuse_of_plan(plan: InstancePlan) -> None:
    if fluids := plan.get("fluids"):
        raise UsageError(
            f"simulate: fast-forward and the fluid flow {fluids[0]['name']}: what it sends may change while time is "
            "left out; leave one of them out"
        )
    for node in plan["nodes"]:
        applications: Iterable[Mapping[str, Any]] = node.get("applications", [])
        for application in applications:
            if "destination" in application:
                raise UsageError(
                    f"simulate: fast-forward and {application['kind']} of {node['name']}: only flows of workloads can "
                    "be left out; describe it as a workload, or leave one of them out"
                )
        if "openflow" in node:
            raise UsageError(
                f"simulate: fast-forward and the OpenFlow switch {node['name']}: its flows time out; leave "
                "fast-forward out"
            )
    for link in plan["links"]:
        for direction in (link["a_to_b"], link["b_to_a"]):
            models: Mapping[str, Any] = {
                name: (direction.get(name) or {})
                for name in ("rate_model", "extra_delay", "background", "plugin")
            }
            changing = next(
                (each["model"] for each in models.values() if each.get("model") in _CHANGING_RATES),
                next((name for name in ("background", "plugin") if models[name]), None),
            )
            if changing is not None:
                raise UsageError(
                    f"simulate: fast-forward and {changing} of link {link['name']}: what the link does may change "
                    "while time is left out; leave one of them out"
                )
            by_chance = next((name for name in _BY_CHANCE if direction.get(name)), None)
            if by_chance is not None:
                raise UsageError(
                    f"simulate: fast-forward and {by_chance} of link {link['name']}: what it would do in time that "
                    "is left out is missing; leave one of them out"
                )


def to_json(
    forward: FastForward, forwarded: Sequence[Forwarded], check: ForwardCheck | None
) -> dict[str, object]:
    """As data."""
    return {
        "error": forward.share,
        "replications": [asdict(each) for each in forwarded],
        "check": None if check is None else asdict(check),
    }
