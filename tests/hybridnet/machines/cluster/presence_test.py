# SPDX-License-Identifier: MIT
"""Silence is counted in turns, so these tests take the turns themselves and need no clock."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from hybridnet.machines.cluster.presence import TELL_S, Presence


class Watched:
    """A presence whose thread has ended, and machines that answer as told."""

    def __init__(self, *machines: str, grace_s: float = 10.0) -> None:
        self.answers = dict.fromkeys(machines, True)
        self.told: list[str] = []
        self.lost: dict[str, str] = {}
        self.questions = 0
        self.presence = Presence(machines, self.ask, self.lost.__setitem__, grace_s, self.told.append)
        self.presence.end()

    def ask(self, machine: str) -> Future[None]:
        self.questions += 1
        future: Future[None] = Future()
        if self.answers[machine]:
            future.set_result(None)
        return future

    def turns(self, count: int) -> None:
        for _ in range(count):
            for machine in list(self.presence._silent_s):
                self.presence._turn(machine, 1.0)


def test_machines_that_answer_are_never_named() -> None:
    watched = Watched("m1", "m2")
    watched.turns(100)
    assert (watched.told, watched.lost) == ([], {})


def test_a_silent_one_is_named_then_given_up_and_the_other_goes_on() -> None:
    watched = Watched("m1", "m2")
    watched.turns(5)
    watched.answers["m2"] = False
    watched.turns(int(TELL_S) + 1)
    [line] = watched.told
    assert line.startswith("*** machine m2 has not answered for 3 s; it is given up after 10 s")
    watched.turns(9)
    assert list(watched.lost) == ["m2"]
    assert "machine m2: it has not answered for 10 s" in watched.lost["m2"]
    assert watched.told == [line]  # who is told of the loss says it
    before = watched.questions
    watched.turns(3)
    assert watched.questions == before + 3  # to m1 alone


def test_one_that_answers_again_is_named_again_and_stays() -> None:
    watched = Watched("m1")
    watched.answers["m1"] = False
    watched.turns(6)
    [pending] = watched.presence._asked.values()
    watched.answers["m1"] = True
    pending.set_result(None)
    watched.turns(20)
    assert [line.partition(",")[0] for line in watched.told] == [
        "*** machine m1 has not answered for 3 s; it is given up after 10 s\n",
        "*** machine m1 answers again",
    ]
    assert watched.lost == {}


def test_there_is_at_most_one_question_to_a_silent_machine() -> None:
    watched = Watched("m1", grace_s=100.0)
    watched.answers["m1"] = False
    watched.turns(50)
    assert watched.questions == 1


def test_one_that_fails_to_answer_is_asked_again() -> None:
    watched = Watched("m1")
    failed: Future[None] = Future()
    failed.set_exception(OSError("reset"))
    watched.presence._asked["m1"] = failed
    watched.turns(2)
    assert watched.presence._silent_s["m1"] == pytest.approx(1.0)


def test_one_that_refuses_the_connection_is_given_up_at_once() -> None:
    watched = Watched("m1", "m2")
    failed: Future[None] = Future()
    error = OSError("Timed out trying to connect to tls://198.18.0.1:40000 after 30 s")
    error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    failed.set_exception(error)
    watched.presence._asked["m1"] = failed
    watched.turns(1)
    assert watched.lost == {"m1": "machine m1: it refuses the connection, so its agent is gone"}
    assert list(watched.presence._silent_s) == ["m2"]


def test_a_machine_whose_end_is_known_is_not_asked() -> None:
    watched = Watched("m1")
    watched.presence.forget("m1")
    watched.turns(50)
    assert (watched.questions, watched.lost) == (0, {})


def test_a_machine_that_has_returned_is_asked_again_as_if_it_were_new() -> None:
    watched = Watched("m1", "m2")
    watched.answers["m1"] = False
    watched.turns(10)
    assert list(watched.lost) == ["m1"]
    watched.answers["m1"] = True
    watched.presence.watch("m1")
    before = watched.questions
    watched.turns(20)
    assert watched.questions == before + 40
    assert len(watched.told) == 1  # that it was silent, the first time
    watched.answers["m1"] = False
    watched.turns(5)
    assert len(watched.told) == 2
