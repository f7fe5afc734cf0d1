# SPDX-License-Identifier: MIT
"""Numbered pings from one host to another while the network changes, and for how long they went unanswered.
`Net.ping_stream` uses this.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from hybridnet.describe.values import number
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.run.node import Host
from hybridnet.run.node.iperf_server import read_until

__all__ = ["Answers", "PingStream", "Silence", "answers_of"]

LEAST_INTERVAL, MOST_INTERVAL = 0.002, 60.0  # seconds
MOST_PINGS = 30_000  # what they print fits in what an agent keeps of a program
ANSWER_SECONDS = 1  # in which the first ping should be answered, and the last one must

_SENT = re.compile(r"(\d+) packets transmitted")
_ANSWER = re.compile(r"^\[([\d.]+)\].*icmp_seq=(\d+) ttl=\d+ time=([\d.]+) ms", re.MULTILINE)


@dataclass(frozen=True)
class Silence:
    """A time without an answer.

    Attributes:
        began: when the last answered ping before it left, in seconds since the epoch, as `Timeline.begins_at`.
        seconds: from there to the departure of the next answered ping, less one interval; in described seconds.
        pings: how many were lost in it.
    """

    began: float
    seconds: float
    pings: int


@dataclass(frozen=True)
class Answers:
    """The pings of a stream that were answered.

    Attributes:
        sent: how many left.
        left_s: of each answered ping its number, and when it left: seconds since the epoch.
        interval_s: between two pings, in described seconds.
        slow: wall seconds of a described one.
    """

    sent: int
    left_s: dict[int, float]
    interval_s: float
    slow: int = 1

    @property
    def received(self) -> int:
        """How many were answered."""
        return len(self.left_s)

    @property
    def lost(self) -> int:
        """How many were not."""
        return self.sent - self.received

    @property
    def came_back(self) -> bool:
        """Whether the last second has an answer: how long a silence is that has not ended is not known."""
        return len(self.left_s) > 1 and self.sent - max(self.left_s) <= max(1, 1 / self.interval_s)

    @property
    def silences(self) -> list[Silence]:
        """The times without an answer that ended, in order. `ping` sleeps in ticks of the kernel's clock, so it sends
        less often than it is told to: it is its clock that counts, not its numbers.
        """
        return [
            Silence(
                self.left_s[earlier],
                (self.left_s[later] - self.left_s[earlier]) / self.slow - self.interval_s,
                later - earlier - 1,
            )
            for earlier, later in pairwise(sorted(self.left_s))
            if later - earlier > 1
        ]

    @property
    def loss_time(self) -> float:
        """The longest silence, in seconds; 0: every ping was answered; infinite: traffic has not come back."""
        return max((each.seconds for each in self.silences), default=0.0) if self.came_back else math.inf

    def __str__(self) -> str:
        if not self.left_s:
            return f"none of {self.sent} pings is answered"
        said = f"of {self.sent} pings {self.received} are answered, the last of them is number {max(self.left_s)}"
        return f"{said}; lost for {self.loss_time:.3f} s" if self.came_back and self.lost else said


class PingStream:
    """Pings that are under way, and end by themselves. The first one is answered when this is made, so that what the
    script does next meets a stream; if none is within a second, the others leave all the same.

    Args:
        seconds: for how long they leave.
        interval: seconds between two of them.
        slow: wall seconds of a described one.
        on_answers: called with who pings whom, and what was answered, when that is known.

    Raises:
        UsageError: a value makes no sense, or the target has no address.
    """

    def __init__(
        self,
        source: Host,
        target: Host,
        seconds: float,
        interval: float = 0.01,
        slow: int = 1,
        on_answers: Callable[[str, Answers], object] = lambda ends, answers: None,
    ) -> None:
        what = "ping_stream"
        number(interval, f"{what}: interval", LEAST_INTERVAL, MOST_INTERVAL)
        count = round(number(seconds, f"{what}: seconds", interval, 1e6) / interval)
        if count > MOST_PINGS:
            raise UsageError(
                f"{what}: {seconds:g} s with {interval:g} s between two are {count} pings; at most {MOST_PINGS} go: "
                "take fewer seconds, or a longer interval"
            )
        if source is target:
            raise UsageError(f"{what}: {source} would ping itself; give a source and a target")
        address = target.IP() or target.IP6()
        if address is None:
            raise UsageError(f"{what}: host {target} has no address; give it an ip=")
        self._interval_s, self._slow = interval, slow
        self._ends = f"from {source} to {target}"
        self._on_answers = on_answers
        wall = [f"{interval * slow:g}", str(ANSWER_SECONDS * slow)]
        self._program = source.popen(
            ["ping", "-D", "-n", "-c", str(count), "-i", wall[0], "-W", wall[1], address]
        )
        self._said = read_until(self._program, _ANSWER, ANSWER_SECONDS * slow)

    def wait(self) -> Answers:
        """Wait for the last one, and return what was answered.

        Raises:
            ExperimentError: `ping` failed; the message quotes it.
        """
        out, err = self._program.communicate()
        answers = answers_of(f"{self._said}{out}{err}", self._interval_s, self._slow, self._ends)
        self._on_answers(self._ends, answers)
        return answers


def answers_of(said: str, interval_s: float, slow: int = 1, ends: str = "") -> Answers:
    """What ``ping -D`` said. An answer has come a round trip after its ping left.

    Raises:
        ExperimentError: it does not say how many it sent: it did not end as it should.
    """
    sent = _SENT.search(said)
    if sent is None:
        raise ExperimentError(f"ping {ends}".rstrip() + f" did not end by itself: {said[-200:].strip()!r}")
    left_s = {
        int(at): float(came) - float(took_ms) / 1e3 for came, at, took_ms in reversed(_ANSWER.findall(said))
    }
    return Answers(int(sent[1]), left_s, interval_s, slow)
