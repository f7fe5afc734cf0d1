# SPDX-License-Identifier: MIT
"""Marks and verdicts: what the machines of a network counted at two moments, and what lies between.

    start ─▶ first mark ─▶ mark() ─▶ … ─▶ last mark ─▶ stop
              └──────────── verdict() ──────────┘
                               └── verdict(since) ┘

A mark is one call to each machine that is left. The last one is taken before anything is removed, so that verdicts can
be asked for afterwards. A machine that was lost breaks every verdict from then on; of one that has returned, those that
begin after its return are about its new agent alone. A machine that joins is judged from then on, and one that leaves
until then, and neither breaks anything.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.machines import Loss
from hybridnet.observe.results import open_runs
from hybridnet.observe.results.incidents import incident_lines
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.machines import Counters
from hybridnet.observe.results.verdict import Verdict, Word, judge_marks
from hybridnet.run.controllers.kinds import RemoteController
from hybridnet.system.detached import keeper_of_this_process
from hybridnet.system.incidents import Incident, Incidents
from hybridnet.system.process_watch import Part, ProcessWatch
from hybridnet.system.simulated_time import time_is_simulated

__all__ = ["Absence", "Joined", "Left", "Mark", "Measured", "Measuring"]

IN_SIMULATED_TIME = "in simulated time: the load of the computer does not count, and processor time is free"


def slowness(slow: int) -> str:
    """What a verdict says of a network that is slower than what is described."""
    return f"{slow} times slower than described: rates, delays and times are as described, programs' own timers are not"


@dataclass(frozen=True)
class Mark:
    """What every machine had counted at one moment; made by `Net.mark`.

    Args:
        counters: what the agents' verb `counters` answered, by machine.
        start: of the network, as an identity.
        losses: the machines that were lost by then.
        incidents: what had happened to processes beside the script.
        failed_tests: what is said of the tests that had lost everything.
        at_s: on time.monotonic().
    """

    counters: dict[str, Counters] = field(repr=False)
    start: object = field(repr=False)
    losses: Mapping[str, Loss] = field(repr=False)
    incidents: Sequence[Incident] = field(default=(), repr=False)
    failed_tests: Sequence[str] = field(default=(), repr=False)
    at_s: float = field(default_factory=time.monotonic, repr=False)


@dataclass
class Absence:
    """A machine was lost, and returned.

    Args:
        loss: how it was lost.
        counters: what its new agent had counted when it had been built.
        counted_s: when that was, on time.monotonic().
        until_s: when the others had it back; None: they are about to.
    """

    machine: str
    loss: Loss
    counters: Counters = field(repr=False)
    counted_s: float = field(default_factory=time.monotonic)
    until_s: float | None = None

    def over(self) -> float:
        """The others have it back. Returns for how many seconds it was away."""
        self.until_s = time.monotonic()
        return self.until_s - self.loss.at_s


@dataclass(frozen=True)
class Joined:
    """A machine joined while the others ran.

    Args:
        counters: what its agent had counted when it had been built.
        counted_s: when that was, on time.monotonic().
    """

    machine: str
    counters: Counters = field(repr=False)
    counted_s: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Left:
    """A machine has left, or an instance of one that stays.

    Args:
        counters: what the machine had counted until then.
        instance: None: the machine.
        at_s: when that was, on time.monotonic().
    """

    machine: str
    counters: Counters = field(repr=False)
    instance: str | None = None
    at_s: float = field(default_factory=time.monotonic)


@dataclass
class _History:
    """Which machines came and went between the marks, each in the order of time."""

    absences: list[Absence] = field(default_factory=list)
    joined: list[Joined] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def beginning(self, machine: str, since: Mark, until_s: float = math.inf) -> Counters | None:
        """What the agent that a machine has at `until_s` had counted when what is judged began, or it did; None: it is
        not known.
        """
        starts: list[Absence | Joined] = [*self.absences, *self.joined]
        own = [each for each in starts if each.machine == machine and each.counted_s <= until_s]
        last = max(own, key=lambda each: each.counted_s, default=None)
        if last is not None and (last.counted_s > since.at_s or machine not in since.counters):
            return last.counters
        return since.counters.get(machine)


class Measuring:
    """The marks of one network, from its start to its stop.

    Args:
        stop: ends the network; for who watches this process.
        limits: what is tolerated; None: the defaults.
    """

    def __init__(self, stop: Callable[[], object], limits: Limits | None) -> None:
        self._stop = stop
        self._limits = _checked(limits, "Net") or Limits()
        self._cluster: Machines | None = None
        self._start: object = None
        self._first: Mark | None = None
        self._last: Mark | HybridnetError | None = None
        self._history = _History()
        self._incidents = Incidents()  # of what runs beside the script, and not on a machine
        self._processes: ProcessWatch | None = None
        self._keeper: int | None = None
        self._controllers: Sequence[RemoteController] = ()
        self._slow = 1
        self._losses: list[str] = []  # tests that lost everything

    def begin(self, cluster: Machines, controllers: Sequence[RemoteController], slow: int = 1) -> None:
        """The network has started: the first mark. Raises what the machines do.

        Args:
            controllers: those of ours are watched, as what else the run has on this computer. One that the script
                starts anew is watched from the next mark on.
            slow: wall seconds for a second of what is described.
        """
        self._first = self._last = None
        self._history = _History()
        self._losses = []
        self._slow = slow
        self._start = object()
        self._incidents = Incidents()
        self._end_watch()
        self._processes = ProcessWatch(self._incidents, "the script")
        self._keeper, self._controllers = keeper_of_this_process(), controllers
        self._expect_processes(cluster)
        self._first = self._take(cluster)
        self._cluster = cluster
        open_runs.began(self._stop)

    def end(self) -> None:
        """The network is about to be removed: the last mark. Does nothing before `begin`, nor a second time."""
        if self._cluster is None:
            return
        self._last = self._now()
        self._cluster = None
        self._end_watch()
        open_runs.ended(self._stop, self.verdict(None, None))

    def returned(self, machine: str, loss: Loss, counters: Counters) -> Absence:
        """A lost machine has been built again, and has counted this."""
        self._expect_processes(self._cluster)
        self._history.absences.append(Absence(machine, loss, counters))
        return self._history.absences[-1]

    def joined(self, machine: str, counters: Counters) -> None:
        """A machine has been built that joins, and has counted this."""
        self._expect_processes(self._cluster)
        self._history.joined.append(Joined(machine, counters))

    def left(self, machine: str, counters: Counters, instance: str | None = None) -> None:
        """A machine, or an instance of it, leaves, and the machine has counted this."""
        self._history.left.append(Left(machine, counters, instance))

    def lost_everything(self, test: str) -> None:
        """A test of the network has lost all that it sent, in these words: no verdict on it goes without saying so."""
        self._losses.append(test)

    def check(self) -> None:
        """Raise MachineError if a process beside the script is not as it was."""
        if self._processes is not None:
            self._processes.look()
        for row in self._incidents.open():
            raise MachineError(f"{row['part']} {row['how']}, and not by this run")

    def mark(self) -> Mark:
        """This moment. Raises MachineError if the network does not run, or what the machines do."""
        if self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return self._take(self._cluster)

    def verdict(self, since: Mark | None, limits: Limits | None) -> Verdict:
        """Judge from a mark, or the first one, to now, or the last one. What cannot be asked cannot be trusted."""
        limits = _checked(limits, "verdict") or self._limits
        if self._first is None:
            raise MachineError("the network has not been started; call net.start() first")
        if since is None:
            since = self._first
        elif not isinstance(since, Mark) or since.start is not self._start:
            raise UsageError(
                f"verdict: since {shown(since)} is not a mark of this network since its last start; take one with "
                "net.mark()"
            )
        now = self._last or self._now()
        if isinstance(now, HybridnetError):
            return Verdict.of([f"the counters could not be read: {now}"])
        return self._judge_all(since, now, limits)

    def judge(self, counters: dict[str, Counters]) -> Verdict:
        """Judge from the first mark to what the machines' agents have counted now, which somebody has asked already."""
        if self._first is None or self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        now = self._mark(counters, self._cluster)
        return self._judge_all(self._first, now, self._limits)

    def _judge_all(self, since: Mark, now: Mark, limits: Limits) -> Verdict:
        """What the machines say, and what happened beside the script."""
        verdict = _judged(since, now, limits, self._history)
        span = (int(at_s * 1e9) for at_s in (since.at_s, now.at_s))
        beside = incident_lines("this computer", now.incidents, *span)
        if beside:
            verdict = replace(verdict, word=Word.BROKEN, reasons=[*beside, *verdict.reasons])
        notes = [*verdict.notes, *now.failed_tests[len(since.failed_tests) :]]
        if time_is_simulated():
            notes.append(IN_SIMULATED_TIME)
        if self._slow != 1:
            notes.append(slowness(self._slow))
        return replace(verdict, notes=notes)

    def _expect_processes(self, cluster: Machines | None) -> None:
        """Those that run now are watched from now on."""
        if cluster is None or self._processes is None:
            return
        keeper = {} if self._keeper is None else {"the keeper": Part(self._keeper)}
        controllers = {
            f"controller {each.name}": Part(pid, partial(_is_wanted, each, pid))
            for each in self._controllers
            if (pid := each.pid) is not None
        }
        self._processes.expect({**keeper, **controllers, **cluster.processes()})

    def _end_watch(self) -> None:
        if self._processes is not None:
            self._processes.close()
            self._processes = None

    def _take(self, cluster: Machines) -> Mark:
        counters = cluster.call_left(dict.fromkeys(cluster.machines, ("counters", {})))
        return self._mark(counters, cluster)

    def _mark(self, counters: dict[str, Counters], cluster: Machines) -> Mark:
        if self._processes is not None:
            self._processes.look()
            self._expect_processes(cluster)
        incidents, tests = self._incidents.rows(), tuple(self._losses)
        return Mark(counters, self._start, cluster.lost(), incidents, tests)

    def _now(self) -> Mark | HybridnetError:
        try:
            return self.mark()
        except HybridnetError as error:
            return error


class Measured:
    """A block that is judged; made by `Net.measured`."""

    def __init__(self, measuring: Measuring, limits: Limits | None) -> None:
        self._measuring = measuring
        self._limits = _checked(limits, "measured")
        self._since: Mark | None = None
        self._verdict: Verdict | None = None

    @property
    def verdict(self) -> Verdict:
        """What the block was worth. Raises UsageError before its end."""
        if self._verdict is None:
            raise UsageError("measured: the block has not ended; ask after it, or ask net.verdict() in it")
        return self._verdict

    def __enter__(self) -> Measured:
        self._verdict, self._since = None, self._measuring.mark()
        return self

    def __exit__(self, *_: object) -> None:
        self._verdict = self._measuring.verdict(self._since, self._limits)


def _judged(since: Mark, now: Mark, limits: Limits, history: _History) -> Verdict:
    absences = history.absences
    parts = [
        _judged_until(left, beginning, limits)
        for left in history.left
        if left.at_s > since.at_s
        and (beginning := history.beginning(left.machine, since, left.at_s)) is not None
    ]
    known = {machine: history.beginning(machine, since) for machine in now.counters}
    before = {machine: counters for machine, counters in known.items() if counters is not None}
    after = {machine: now.counters[machine] for machine in before}
    verdict = _worst([*parts, judge_marks(before, after, limits)])
    lost = [_lost_line(loss, since) for loss in now.losses.values()]
    over = [each for each in absences if each.until_s is not None or each.machine not in now.losses]
    away = [_away_line(each, since) for each in over if (each.until_s or now.at_s) > since.at_s]
    missed = [*lost, *away]
    return replace(verdict, word=Word.BROKEN, reasons=[*missed, *verdict.reasons]) if missed else verdict


def _is_wanted(controller: RemoteController, pid: int) -> bool:
    """Whether the network, or its script, has not ended this process itself."""
    return controller.pid == pid


def _judged_until(left: Left, beginning: Counters, limits: Limits) -> Verdict:
    """What has left, until it did."""
    before, after = {left.machine: beginning}, {left.machine: left.counters}
    return judge_marks(before, after, limits, only=left.instance)


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """Several parts of one network as one; of figures with the same name the last ones."""
    words = [Word.BROKEN, Word.SATURATED, Word.TRUSTED]
    order = sorted(verdicts, key=lambda verdict: words.index(verdict.word))
    reasons = [reason for verdict in order for reason in verdict.reasons]
    figures = {name: row for verdict in verdicts for name, row in verdict.figures.items()}
    notes = list(dict.fromkeys(note for verdict in verdicts for note in verdict.notes))
    return Verdict(order[0].word, list(dict.fromkeys(reasons)), figures, notes)


def _away_line(absence: Absence, since: Mark) -> str:
    from_s = max(absence.loss.at_s - since.at_s, 0.0)
    for_s = (absence.until_s or time.monotonic()) - since.at_s - from_s
    return (
        f"{absence.loss.why}; it was away for {for_s:.2f} s, from {from_s:.2f} s on: what was on it and what the "
        "others sent it was lost; do not use what was measured meanwhile"
    )


def _lost_line(loss: Loss, since: Mark) -> str:
    after_s = loss.at_s - since.at_s
    when = "before this began" if after_s < 0 else f"after {after_s:.2f} s"
    return f"{loss.why}; it was lost {when}, with what was on it and what the others sent it"


def _checked(limits: Any, what: str) -> Limits | None:
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"{what}: limits {shown(limits)} are not hybridnet.Limits; leave them out")
    return limits
