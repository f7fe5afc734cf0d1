# SPDX-License-Identifier: MIT
"""Endings: what has begun and must end, whatever happens in between.

endings = Endings()
endings.add(remove_bridge)      # what was begun first ends last
endings.add(stop_program)
endings.close()
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from hybridnet.errors import MachineError
from hybridnet.system.log import warn

__all__ = ["Endings", "ending_later", "undone_on_error", "uninterrupted"]

End = Callable[[], object]


class Endings:
    """The ends of what has begun; the last to begin is the first to end.

    Every end is tried, whatever another one raises. What could not end is kept, and tried again by the next `close`; an
    end must therefore bear to be tried again.
    """

    def __init__(self, *ends: End) -> None:
        """`ends`: the first ones, as by `add`."""
        self._stack = contextlib.ExitStack()
        self._pending = 0
        for end in ends:
            self.add(end)

    def add(self, end: End, *, once: bool = False) -> None:
        """Remember an end.

        Args:
            once: it is tried a single time: it is the user's code, which may not expect another.
        """
        self._stack.callback(partial(self._try, end, once))
        self._pending += 1

    def __bool__(self) -> bool:
        """Whether something has not ended yet."""
        return self._pending > 0

    def close(self) -> None:
        """End everything. Raises the first error after everything has been tried, and warns of the others."""
        stack, self._stack, self._pending = self._stack, contextlib.ExitStack(), 0
        self._errors: list[BaseException] = []
        self._again: list[End] = []
        stack.close()
        for end in reversed(self._again):
            self.add(end)
        for error in self._errors[1:]:
            warn(f"*** Warning: and while removing it: {error}\n")
        if self._errors:
            raise self._errors[0]

    def _try(self, end: End, once: bool) -> None:
        try:
            end()
        except BaseException as error:  # a ^C, too, must not keep the others from ending
            self._errors.append(error)
            if not once:
                self._again.append(end)


@contextlib.contextmanager
def undone_on_error(undo: End) -> Iterator[None]:
    """Call `undo` if what is inside raises.

    Raises:
        MachineError: `undo` raised too; the message has both.
    """
    try:
        yield
    except BaseException as error:
        try:
            undo()
        except Exception as left:
            raise MachineError(f"{error}; and not everything could be removed: {left}") from error
        raise


@contextlib.contextmanager
def uninterrupted(what: str) -> Iterator[None]:
    """Answer ^C without obeying it while something is removed: half of it would stay. The removal ends by itself, in
    bounded time. SIGTERM is obeyed afterwards, where the program has a handler for it. This does nothing outside the
    main thread, which alone gets signals.
    """
    said = f"removing {what}; this ends by itself\n".encode()
    with _answering({signal.SIGINT: lambda: os.write(2, said)}), ending_later(signal.SIGTERM):
        yield


@contextlib.contextmanager
def ending_later(*numbers: signal.Signals) -> Iterator[None]:
    """Obey ^C and SIGTERM at the end of this block, which takes a moment and must be whole. A signal without a handler
    ends the program at once, as everywhere. This does nothing outside the main thread, which alone gets signals.

    Args:
        numbers: these signals instead.
    """
    handled = [
        each for each in numbers or (signal.SIGINT, signal.SIGTERM) if callable(signal.getsignal(each))
    ]
    heard: list[signal.Signals] = []
    try:
        with _answering({each: partial(heard.append, each) for each in handled}):
            yield
    finally:
        for each in heard[:1]:
            signal.raise_signal(each)


@contextlib.contextmanager
def _answering(answers: Mapping[signal.Signals, Callable[[], object]]) -> Iterator[None]:
    """Answer these signals so; afterwards as before."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        each: signal.signal(each, lambda *_, answer=answer: answer())
        or signal.SIG_DFL  # None: not set by Python
        for each, answer in answers.items()
    }
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
