# SPDX-License-Identifier: MIT
"""Whether machines are still there, on this computer or on others.

Each is asked every second, and the question also tells its agent that the head is there. A machine that does not answer
is named after `TELL_S`, named again when it answers, and given up after the grace period: then calls to it fail as
those to a machine whose agent has ended. Certain evidence does not wait for this: one that refuses the connection is
given up at once, and so is one whose process has ended; see `Cluster`.

Silence is counted in turns of the loop, not by the clock: a head that was stopped for a minute has not heard a
minute of silence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from hybridnet.system.log import warn
from hybridnet.system.priority import run_in_real_time

__all__ = ["GRACE_S", "Presence"]

GRACE_S = 30.0
TELL_S = 3.0
EVERY_S = 1.0


class Presence:
    """Watches machines from a thread of its own, until `end`.

    Args:
        machines: their names.
        ask: sends one machine the question; the future holds nothing, or what went wrong.
        lose: called once with a machine that is given up, and why.
        grace_s: how long a machine may be silent.
        tell: takes a line for the user.
    """

    def __init__(
        self,
        machines: Sequence[str],
        ask: Callable[[str], Future[None]],
        lose: Callable[[str, str], object],
        grace_s: float = GRACE_S,
        tell: Callable[[str], object] = warn,
    ) -> None:
        self._silent_s = dict.fromkeys(machines, 0.0)
        self._asked: dict[str, Future[None]] = {}
        self._named: set[str] = set()
        self._ask, self._lose, self._grace_s, self._tell = ask, lose, grace_s, tell
        self._stop = threading.Event()
        threading.Thread(target=self._watch, name="presence", daemon=True).start()

    def end(self) -> None:
        """Watch no more."""
        self._stop.set()

    def forget(self, machine: str) -> None:
        """Ask this machine no more: its end is known."""
        self._silent_s.pop(machine, None)

    def watch(self, machine: str) -> None:
        """Ask this machine again: it has returned. What its predecessor was asked counts no more."""
        self._asked.pop(machine, None)
        self._named.discard(machine)
        self._silent_s[machine] = 0.0

    def _watch(self) -> None:
        run_in_real_time()  # for some microseconds a second: what is told in time must not wait for the flows
        before = time.monotonic()
        while not self._stop.wait(EVERY_S):
            now = time.monotonic()
            passed_s, before = min(now - before, 2 * EVERY_S), now
            for machine in list(self._silent_s):
                self._turn(machine, passed_s)

    def _turn(self, machine: str, passed_s: float) -> None:
        """Look at the machine's answer, and ask again."""
        asked = self._asked.get(machine)
        if asked is not None and asked.done():
            error = asked.exception()
            if error is None:
                self._heard(machine)
            elif _refused(error):
                self.forget(machine)
                self._lose(machine, f"machine {machine}: it refuses the connection, so its agent is gone")
            self._asked.pop(machine, None)
            asked = None
            if machine not in self._silent_s:
                return
        if asked is None:
            self._asked[machine] = self._ask(machine)
        silent_s = self._silent_s.get(machine, 0.0) + passed_s
        if machine not in self._silent_s:  # forgotten meanwhile
            return
        self._silent_s[machine] = silent_s
        if silent_s >= self._grace_s:
            self.forget(machine)
            self._lose(
                machine, f"machine {machine}: it has not answered for {silent_s:.0f} s and is given up"
            )
        elif silent_s >= TELL_S and machine not in self._named:
            self._named.add(machine)
            self._tell(
                f"*** machine {machine} has not answered for {silent_s:.0f} s; it is given up after "
                f"{self._grace_s:g} s\n"
            )

    def _heard(self, machine: str) -> None:
        if machine in self._named:
            self._named.remove(machine)
            self._tell(f"*** machine {machine} answers again, after {self._silent_s[machine]:.0f} s\n")
        self._silent_s[machine] = 0.0


def _refused(error: BaseException | None) -> bool:
    """Whether the other side has no such port any more; Dask wraps what the socket said."""
    while error is not None:
        if isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False
