# SPDX-License-Identifier: MIT
"""Marks and verdicts: what the machines of a network counted at two moments, and what lies between.

    start ─▶ first mark ─▶ mark() ─▶ … ─▶ last mark ─▶ stop
              └──────────── verdict() ──────────┘
                               └── verdict(since) ┘

A mark is one call to each machine that is left. The last one is taken before anything is removed, so that verdicts can
be asked for afterwards. A machine that was lost breaks every verdict from then on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from hybridnet.cluster import Machines
from hybridnet.cluster.machines import Loss
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.results import watch
from hybridnet.results.limits import Limits
from hybridnet.results.verdict import Verdict, Word, judge_marks
from hybridnet.values import shown

__all__ = ["Mark", "Measured", "Measuring"]


@dataclass(frozen=True)
class Mark:
    """What every machine had counted at one moment; made by `Net.mark`.

    Args:
        counters: what the agents' verb `counters` answered, by machine.
        start: of the network, as an identity.
        losses: the machines that were lost by then.
        at_s: on time.monotonic().
    """

    counters: dict[str, dict[str, Any]] = field(repr=False)
    start: object = field(repr=False)
    losses: Mapping[str, Loss] = field(repr=False)
    at_s: float = field(default_factory=time.monotonic, repr=False)


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

    def begin(self, cluster: Machines) -> None:
        """The network has started: the first mark. Raises what the machines do."""
        self._first = self._last = None
        self._start = object()
        self._first = self._take(cluster)
        self._cluster = cluster
        watch.began(self._stop)

    def end(self) -> None:
        """The network is about to be removed: the last mark. Does nothing before `begin`, nor a second time."""
        if self._cluster is None:
            return
        self._last = self._now()
        self._cluster = None
        watch.ended(self._stop, self.verdict(None, None))

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
                f"verdict: since {shown(since)} is no mark of this network since its last start; take one with "
                "net.mark()"
            )
        now = self._last or self._now()
        if isinstance(now, HybridnetError):
            return Verdict.of([f"the counters could not be read: {now}"])
        return _judged(since, now, limits)

    def judge(self, counters: dict[str, dict[str, Any]]) -> Verdict:
        """Judge from the first mark to what the machines' agents have counted now, which somebody has asked already."""
        if self._first is None or self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return _judged(self._first, Mark(counters, self._start, self._cluster.lost()), self._limits)

    def _take(self, cluster: Machines) -> Mark:
        counters = cluster.call_left(dict.fromkeys(cluster.machines, ("counters", {})))
        return Mark(counters, self._start, cluster.lost())

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._verdict = self._measuring.verdict(self._since, self._limits)


def _judged(since: Mark, now: Mark, limits: Limits) -> Verdict:
    verdict = judge_marks(since.counters, now.counters, limits)
    lost = [_lost_line(loss, since) for loss in now.losses.values()]
    return Verdict(Word.BROKEN, [*lost, *verdict.reasons], verdict.figures) if lost else verdict


def _lost_line(loss: Loss, since: Mark) -> str:
    after_s = loss.at_s - since.at_s
    when = "before this began" if after_s < 0 else f"after {after_s:.2f} s"
    return f"{loss.why}; it was lost {when}, with what was on it and what the others sent it"


def _checked(limits: Any, what: str) -> Limits | None:
    if limits is not None and not isinstance(limits, Limits):
        raise UsageError(f"{what}: limits {shown(limits)} are no hybridnet.results.Limits; leave them out")
    return limits
