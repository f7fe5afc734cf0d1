# SPDX-License-Identifier: MIT
"""The steps that end something: all are taken, whatever one of them raises.

    ending = Ending()
    ending.add(remove_bridge)       # what was begun first ends last
    ending.add(stop_program)
    ending.close()

A step that raises keeps no other from being taken, and stays: the next `close` takes what is left. A step must
therefore bear to be taken again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from hybridnet.errors import MachineError

__all__ = ["Ending", "undone_on_error"]

Step = Callable[[], object]


class Ending:
    """Steps, taken from the last added to the first."""

    def __init__(self, *steps: Step) -> None:
        """`steps`: the first ones, as by `add`."""
        self._steps: list[Step] = list(steps)

    def __bool__(self) -> bool:
        """Whether there is a step left."""
        return bool(self._steps)

    def add(self, step: Step) -> None:
        """Adds a step, to be taken before all that are there."""
        self._steps.append(step)

    def close(self) -> None:
        """Takes all steps. Raises the first error, once all were taken; those that raised are left."""
        errors: list[BaseException] = []
        left: list[Step] = []
        while self._steps:
            step = self._steps.pop()
            try:
                step()
            except BaseException as error:
                errors.append(error)
                left.insert(0, step)
        self._steps = left
        if errors:
            raise errors[0]


@contextlib.contextmanager
def undone_on_error(undo: Step) -> Iterator[None]:
    """Takes the step `undo` if what is inside raises.

    Raises:
        MachineError: that step raised too; the message has both.
    """
    try:
        yield
    except BaseException as error:
        try:
            undo()
        except Exception as left:
            raise MachineError(f"{error}; and not all of it could be removed: {left}") from error
        raise
