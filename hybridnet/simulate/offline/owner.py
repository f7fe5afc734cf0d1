# SPDX-License-Identifier: MIT
"""A thread that owns something: others ask it by calls, which it makes one after the other, between its own work."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from hybridnet.errors import MachineError

__all__ = ["Owner"]

Answer = TypeVar("Answer")
MOST_WAITING = 256


class Owner:
    """Runs until it is closed.

    Args:
        work: does a piece of the thread's own work, of some 10 ms at most, and says when the next one is due: in how
            many seconds; None: not before somebody has asked something.
    """

    def __init__(self, work: Callable[[], float | None], name: str) -> None:
        self._work = work
        self._calls: queue.Queue[tuple[Callable[[], Any], Future[Any]] | None] = queue.Queue(MOST_WAITING)
        self._closed = False
        self._closing = threading.Lock()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def call(self, ask: Callable[[], Answer]) -> Answer:
        """What `ask` returns or raises in the thread. Raises MachineError: it is closed."""
        answer: Future[Answer] = Future()
        with self._closing:
            if self._closed:
                raise MachineError("the simulation has been closed")
            self._calls.put((ask, answer))
        return answer.result()

    def close(self) -> None:
        """End, after the calls that wait. A second call does nothing."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._calls.put(None)
        self._thread.join()

    def _run(self) -> None:
        due: float | None = None
        while True:
            try:
                call = self._calls.get(timeout=due) if due != 0 else self._calls.get_nowait()
            except queue.Empty:
                due = self._work()
                continue
            if call is None:
                return
            ask, answer = call
            try:
                answer.set_result(ask())
            except BaseException as error:
                answer.set_exception(error)
            due = 0
