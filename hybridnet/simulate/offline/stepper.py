# SPDX-License-Identifier: MIT
"""Stepper: one simulation in virtual time, gone through event by event, or as fast or as slowly as somebody watches it.

    simulation = Net(Pair()).stepping()
    simulation.step()
    simulation.run_until("20ms")
    print(simulation.next_events(5), simulation.queue("a-b"), simulation.connections())

However it is gone through, it comes to the same: the trace is that of a run straight through.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.topo import Topo
from hybridnet.describe.values import number, shown, text, whole
from hybridnet.errors import UsageError
from hybridnet.observe.series.snapshot import LinkCounts, link_counts_of
from hybridnet.plan.network import Plan, PlanOptions
from hybridnet.simulate.offline.engine import Whole
from hybridnet.simulate.offline.inspection import SECTIONS, Looking
from hybridnet.simulate.offline.owner import Owner
from hybridnet.simulate.offline.simulate import offline, span_ns

__all__ = ["COMPARISONS", "Condition", "Progress", "Stepper"]

COMPARISONS = ("<", "<=", "==", "!=", ">=", ">", "changes")
MOST_EVENTS = 10_000_000  # of one step
SLOWEST, FASTEST = 1e-9, 1e9
_MESSAGES = 4096
_PIECE_S = 0.01  # of work between two looks at what others ask
_TICK_S = 0.02  # between two pieces of a run that keeps a pace


@dataclass(frozen=True)
class Condition:
    """When a run stops: after the event by which it holds.

    Args:
        section: whose figure it is, as in a snapshot: links, nodes, interfaces, applications or connections.
        element: its name there; of a link a direction, such as ``a-b:a-eth0>b-eth0``.
        figure: such as ``queue_packets``, ``cwnd_bytes``, ``state``; or ``dropped``, packets for any reason.
        comparison: ``<``, ``<=``, ``==``, ``!=``, ``>=``, ``>``; or ``changes``: it is not what it was at the start.
        value: a whole number, or a text such as ``ESTABLISHED``; of ``changes`` none.
    """

    section: str
    element: str
    figure: str
    comparison: str
    value: int | str = 0

    def __post_init__(self) -> None:
        for name in ("section", "element", "figure", "comparison"):
            text(getattr(self, name), f"condition: {name}")
        if self.section not in SECTIONS:
            raise UsageError(f"condition: section {shown(self.section)}: choose one of {', '.join(SECTIONS)}")
        if self.comparison not in COMPARISONS:
            raise UsageError(
                f"condition: comparison {shown(self.comparison)}: choose one of {', '.join(COMPARISONS)}"
            )
        if not isinstance(self.value, str):
            whole(self.value, "condition: value", -(2**63), 2**63 - 1)


@dataclass(frozen=True)
class Progress:
    """Where a simulation is.

    Args:
        time_ns: simulated time.
        events: that have been handled.
        running: it goes on by itself.
        speed: simulated seconds in a second of the wall clock; None: as fast as it can.
        until_ns: where a run ends in any case.
        condition: that ends a run, too.
        stopped: what ended the last run or step: ``"end"``, ``"condition"``, ``"step"``, ``"pause"``; None: none.
        last_ns: where simulated time ends: nothing goes on from there.
    """

    time_ns: int = 0
    events: int = 0
    running: bool = False
    speed: float | None = None
    until_ns: int = 0
    condition: Condition | None = None
    stopped: str | None = None
    last_ns: int = 0

    def to_json(self) -> dict[str, object]:
        """As data."""
        return {**asdict(self), "condition": None if self.condition is None else asdict(self.condition)}


class Stepper(Looking):
    """Usable from any thread: a thread of its own has the simulation. It ends with its ``with`` block, or `close`.

    Args:
        topo: the description; every node is a simulated one.
        plan: its plan, all on one machine.
        seed: of the simulation.
        last_ns: where simulated time ends.
    """

    def __init__(self, topo: Topo, plan: Plan, seed: int, last_ns: int) -> None:
        [instance] = plan.instances.values()
        self.topo, self.plan, self.seed = topo, plan, seed
        self._engine = Whole(instance, seed, hashed=True, messages=_MESSAGES)
        self._engine.simulation.run(0, 0)  # every node tells where it is: what is to come is there to be seen
        self._progress = Progress(until_ns=last_ns, last_ns=last_ns)
        self._condition: Any = None
        self._pace = (0.0, 0)  # wall clock and simulated time from which a pace counts
        self._events_of_piece = 1000
        self._stopped = threading.Condition()
        self.on_change: Callable[[], object] = lambda: None
        """Called, in the simulation's thread, when something has moved other than by a run that goes on."""
        super().__init__(self._engine.simulation, Owner(self._work, "stepper"))

    @property
    def progress(self) -> Progress:
        """Where it is now."""
        return self._progress

    def step(self, events: int = 1) -> Progress:
        """Handle so many events, or as many as there are before the end. A run that goes on is paused first.

        Args:
            events: 1 to 10,000,000.
        """
        count = whole(events, "step: events", 1, MOST_EVENTS)
        return self._owner.call(lambda: self._step(count))

    def run(
        self, until: str | float | None = None, condition: Condition | None = None, speed: float | None = None
    ) -> Progress:
        """Go on by itself, until an instant, a condition, `pause`, or the end. Returns at once; see `wait`.

        Args:
            until: an instant of simulated time, such as ``"20ms"``; a number is seconds. None: to the end.
            condition: None: none.
            speed: simulated seconds in a second of the wall clock, 1e-9 to 1e9; None: as fast as it can.

        Raises:
            UsageError: the instant has passed, or a value makes no sense.
            PlanError: the condition speaks of something that is not there.
        """
        until_ns = self._progress.last_ns if until is None else _instant(until)
        if condition is not None and not isinstance(condition, Condition):
            raise UsageError(f"run: condition {shown(condition)} is not a Condition")
        pace = None if speed is None else number(speed, "run: speed", SLOWEST, FASTEST)
        return self._owner.call(lambda: self._start(until_ns, condition, pace))

    def asked_to_run(
        self, until: str | None, condition: Mapping[str, Any] | None, speed: float | None
    ) -> Progress:
        """`run`, with a condition as data."""
        return self.run(until, None if condition is None else Condition(**condition), speed)

    def run_until(self, until: str | float, condition: Condition | None = None) -> Progress:
        """`run` as fast as it can, and `wait`."""
        self.run(until, condition)
        return self.wait()

    def pause(self) -> Progress:
        """Stop where it is."""
        return self._owner.call(lambda: self._stop("pause") if self._progress.running else self._progress)

    def wait(self, timeout: float | None = None) -> Progress:
        """Wait until it does not go on by itself any more.

        Args:
            timeout: seconds; None: as long as it takes.
        """
        most_s = None if timeout is None else number(timeout, "wait: timeout", 0, 86_400)
        with self._stopped:
            self._stopped.wait_for(lambda: not self._progress.running, most_s)
        return self._progress

    def trace_hash(self) -> str:
        """A digest of every packet at every link so far: that of a simulation straight through, up to here."""
        found = self._owner.call(self._engine.trace_hash)
        assert found is not None
        return found

    def link_counts(self, known: int) -> tuple[int, LinkCounts]:
        """The present time, in nanoseconds, and the counters of every direction of every link."""
        time_ns, (generation, directions, figures) = self._owner.call(
            lambda: (self._simulation.now_ns, self._simulation.link_counts(known))
        )
        return time_ns, link_counts_of(generation, directions, figures)

    def close(self) -> None:
        """End it. A second call does nothing."""
        self._owner.close()
        with self._stopped:
            self._progress = replace(self._progress, running=False)
            self._stopped.notify_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @classmethod
    def of(
        cls, topo: Topo, *, seed: int = 1, until: str | float = "365d", options: PlanOptions | None = None
    ) -> Self:
        """A simulation of a description, at time zero. Arguments and errors are those of `hybridnet.Net.stepping`."""
        last_ns = span_ns(until, "until")
        number_of_seed = whole(seed, "simulate: seed", 0, 2**63 - 1)
        together, plan = offline(topo, options)
        return cls(together, plan, number_of_seed, last_ns)

    # In the simulation's thread

    def _step(self, events: int) -> Progress:
        why = self._simulation.run(self._progress.last_ns, events)
        return self._stop("end" if why == "end" else "step")

    def _start(self, until_ns: int, condition: Condition | None, speed: float | None) -> Progress:
        now_ns, last_ns = self._simulation.now_ns, self._progress.last_ns
        if not now_ns <= until_ns <= last_ns:
            raise UsageError(
                f"run until {until_ns / 1e9:.9f} s: choose an instant between now, {now_ns / 1e9:.9f} s, and the end, "
                f"{last_ns / 1e9:.9f} s"
            )
        self._condition = None if condition is None else self._simulation.condition(*_arguments(condition))
        self._pace = (time.perf_counter(), now_ns)
        self._progress = replace(
            self._progress, running=True, speed=speed, until_ns=until_ns, condition=condition, stopped=None
        )
        self.on_change()
        return self._progress

    def _stop(self, why: str) -> Progress:
        with self._stopped:
            self._progress = replace(
                self._progress,
                time_ns=self._simulation.now_ns,
                events=self._simulation.events,
                running=False,
                stopped=why,
            )
            self._stopped.notify_all()
        self.on_change()
        return self._progress

    def _work(self) -> float | None:
        """A piece of a run. Returns when the next is due, in seconds; None: it does not go on."""
        if not self._progress.running:
            return None
        began = time.perf_counter()
        due_ns = self._due_ns(began)
        why = self._simulation.run(due_ns, self._events_of_piece, self._condition)
        took = time.perf_counter() - began
        if why == "condition" or (why == "end" and due_ns >= self._progress.until_ns):
            self._stop(why)
            return None
        self._progress = replace(
            self._progress, time_ns=self._simulation.now_ns, events=self._simulation.events
        )
        if why == "end":
            return _TICK_S
        # As many events as take so long; and one that cannot keep its pace goes on from where it is.
        self._events_of_piece = int(
            min(max(self._events_of_piece * _PIECE_S / max(took, 1e-6), 10), 1_000_000)
        )
        self._pace = (time.perf_counter(), self._simulation.now_ns)
        return 0

    def _due_ns(self, now: float) -> int:
        """How far a run that keeps a pace has to be."""
        progress = self._progress
        if progress.speed is None:
            return progress.until_ns
        begun, begun_ns = self._pace
        wanted = begun_ns + (now - begun) * progress.speed * 1e9
        return int(max(min(wanted, progress.until_ns), self._simulation.now_ns))


def _arguments(condition: Condition) -> tuple[str, str, str, str, int | str]:
    value = 0 if condition.comparison == "changes" else condition.value
    return condition.section, condition.element, condition.figure, condition.comparison, value


def _instant(value: Any) -> int:
    given = f"{value:.9f}s" if isinstance(value, int | float) and not isinstance(value, bool) else value
    return parse_delay(given, "run: until")
