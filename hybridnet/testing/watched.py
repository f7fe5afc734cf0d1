# SPDX-License-Identifier: MIT
"""The verdict on this computer alone, for what has no network that could be judged: one that is made, or removed."""

from __future__ import annotations

from types import TracebackType

from hybridnet.agent.counters.alone import computer_alone
from hybridnet.agent.counters.utilization import Busy
from hybridnet.errors import ControllerLateError, HybridnetError, MachineError
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.verdict import Verdict, judge_marks

__all__ = ["Watched", "may_be_load"]


def may_be_load(error: HybridnetError) -> bool:
    """Whether a computer that is too busy can raise this: what takes time was not done in time, or not at all.

    A mistake in a description, a package that is not there, and a controller that has ended or refuses are what they
    are however busy the computer is.

    Example:
        >>> may_be_load(MachineError("ovsdb-server is not ready after 30 s")), may_be_load(HybridnetError("h1"))
        (True, False)
    """
    return isinstance(error, MachineError | ControllerLateError)


class Watched:
    """Looks at this computer from the beginning of a ``with`` block to its end.

    Args:
        limits: what is tolerated, as in a network's verdict.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def __enter__(self) -> Watched:
        self._busy = Busy(lambda: None)
        self._before = computer_alone(self._busy)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._busy.close()

    def verdict(self) -> Verdict:
        """Of the block until now."""
        now = computer_alone(self._busy)
        return judge_marks({"": self._before}, {"": now}, self._limits)
