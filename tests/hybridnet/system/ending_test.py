# SPDX-License-Identifier: MIT
"""Endings: every step is taken, last first, and what raised is left for the next time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hybridnet.errors import MachineError
from hybridnet.system.ending import Endings, undone_on_error


class Part:
    """Ends at once, or raises `failures` times first."""

    def __init__(self, name: str, ended: list[str], failures: int = 0) -> None:
        self.name, self._ended, self._failures = name, ended, failures

    def end(self) -> None:
        if self._failures:
            self._failures -= 1
            raise MachineError(f"{self.name} does not end")
        self._ended.append(self.name)


@pytest.fixture
def ended() -> list[str]:
    return []


def parts(ended: list[str], **failures: int) -> Callable[[], Endings]:
    return lambda: Endings(*(Part(name, ended, count).end for name, count in failures.items()))


def test_what_was_begun_first_ends_last(ended: list[str]) -> None:
    parts(ended, bridge=0, device=0, program=0)().close()
    assert ended == ["program", "device", "bridge"]


def test_a_step_that_raises_keeps_no_other_from_being_taken(ended: list[str]) -> None:
    ending = parts(ended, bridge=0, device=1, program=1, shell=0)()
    with pytest.raises(MachineError, match="program does not end"):
        ending.close()
    assert ended == ["shell", "bridge"]
    assert ending


def test_a_second_call_takes_what_is_left_and_a_third_nothing(ended: list[str]) -> None:
    ending = parts(ended, bridge=0, device=1, program=1)()
    with pytest.raises(MachineError):
        ending.close()
    ending.close()
    assert ended == ["bridge", "program", "device"]
    assert not ending
    ending.close()
    assert ended == ["bridge", "program", "device"]


def test_what_is_tried_once_is_not_tried_again(ended: list[str]) -> None:
    ending = Endings()
    ending.add(Part("terminate", ended, 1).end, once=True)
    with pytest.raises(MachineError):
        ending.close()
    ending.close()
    assert ended == []


def test_an_interrupt_is_raised_once_all_were_taken(ended: list[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    ending = Endings(Part("bridge", ended).end, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ending.close()
    assert ended == ["bridge"]


def test_what_fails_is_undone_and_its_own_error_raised(ended: list[str]) -> None:
    with pytest.raises(KeyError, match="lost"), undone_on_error(Part("half", ended).end):
        raise KeyError("lost")
    assert ended == ["half"]


def test_what_could_not_be_undone_is_said_with_the_cause(ended: list[str]) -> None:
    words = "no memory; and not everything could be removed: half does not end"
    with pytest.raises(MachineError, match=words), undone_on_error(Part("half", ended, 1).end):
        raise MachineError("no memory")


def test_what_succeeds_is_not_undone(ended: list[str]) -> None:
    with undone_on_error(Part("whole", ended).end):
        pass
    assert ended == []
