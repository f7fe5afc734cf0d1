# SPDX-License-Identifier: MIT
"""Machines that join, are lost and return, without a machine."""

from __future__ import annotations

import threading
from concurrent.futures import Future

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster.roll import Roll


@pytest.fixture
def lost() -> list[str]:
    return []


@pytest.fixture
def roll(lost: list[str]) -> Roll:
    roll = Roll(lost.append)
    for machine in ("m1", "m2"):
        roll.expect(machine)
        roll.join(machine, f"tls://{machine}")
    return roll


def test_a_machine_joins_while_somebody_waits_for_it() -> None:
    roll, workers = Roll(lambda machine: None), [""]
    ended = roll.expect("m1")

    def come() -> None:
        workers[0] = "tls://m1"
        roll.worker_came()

    threading.Timer(0.01, come).start()
    assert roll.await_joined("m1", lambda: workers[0], ended) == "tls://m1"


def test_a_machine_that_joined_before_anybody_was_told_is_found() -> None:
    roll, answers = Roll(lambda machine: None), iter(["", "tls://m1"])
    ended = roll.expect("m1")
    assert roll.await_joined("m1", lambda: next(answers), ended) == "tls://m1"


def test_of_two_who_wait_none_misses_what_comes_while_it_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hybridnet.machines.cluster.roll.JOIN_SECONDS", 5.0)
    roll, workers = Roll(lambda machine: None), {"m1": "", "m2": ""}
    ends = {machine: roll.expect(machine) for machine in workers}
    looked = threading.Event()

    def find_m1() -> str:
        looked.set()
        return workers["m1"]

    first = threading.Thread(target=roll.await_joined, args=("m1", find_m1, ends["m1"]))

    def find_m2() -> str:
        found = workers["m2"]
        if not found:  # both join before the answer is here, and the other one has seen it first
            workers.update(m1="tls://m1", m2="tls://m2")
            roll.worker_came()
            first.join()
        return found

    first.start()
    looked.wait()
    assert roll.await_joined("m2", find_m2, ends["m2"]) == "tls://m2"


def test_whoever_waits_for_a_machine_that_ends_gets_its_last_words(lost: list[str]) -> None:
    roll = Roll(lost.append)
    ended = roll.expect("m1")
    words = "began - INFO - fine\nTraceback\nImportError: no libpcap"
    threading.Timer(0.01, lambda: roll.start_ended("m1", ended, words)).start()
    with pytest.raises(MachineError) as raised:
        roll.await_joined("m1", lambda: "", ended)
    assert str(raised.value) == "machine m1: its agent has ended; Traceback\nImportError: no libpcap"
    assert lost == []  # it never was there


def test_a_worker_that_leaves_is_its_machines_loss(roll: Roll, lost: list[str]) -> None:
    roll.worker_went("tls://m2")
    assert lost == ["m2"]
    assert roll.losses["m2"].why.startswith("machine m2: its agent is gone")
    _, ended = roll.agent("m2")
    with pytest.raises(MachineError, match="m2: its agent is gone"):
        ended.result(0)
    assert not roll.agent("m1")[1].done()


def test_the_first_reason_of_a_loss_stays(roll: Roll, lost: list[str]) -> None:
    roll.lose("m1", "machine m1: first")
    roll.lose("m1", "machine m1: second")
    assert roll.losses["m1"].why == "machine m1: first"
    assert lost == ["m1"]


def test_a_machine_that_returned_is_not_lost_by_the_late_end_of_its_earlier_start(roll: Roll) -> None:
    _, first = roll.agent("m1")
    roll.lose("m1", "machine m1: it fell", first)
    second: Future[None] = Future()
    roll.admit("m1", "tls://m1:2", second)
    roll.start_ended("m1", first, "late words")
    assert roll.agent("m1") == ("tls://m1:2", second)
    assert roll.losses == {}
    assert not second.done()


def test_a_machine_that_ends_while_it_returns_stays_lost(roll: Roll, lost: list[str]) -> None:
    roll.lose("m1", "machine m1: it fell")
    again: Future[None] = Future()
    roll.start_ended("m1", again, "no room")
    with pytest.raises(MachineError, match="m1: its agent has ended; no room"):
        roll.admit("m1", "tls://m1:2", again)
    assert roll.losses["m1"].why == "machine m1: it fell"
    assert lost == ["m1"]


def test_machines_that_end_after_close_are_not_lost_and_not_asked(roll: Roll, lost: list[str]) -> None:
    roll.close()
    roll.worker_went("tls://m1")
    assert roll.losses == {}
    assert lost == []
    with pytest.raises(MachineError, match="m1: the cluster is closed"):
        roll.agent("m1")


@pytest.mark.parametrize("machine", ["m3", "", None, 1])
def test_unknown_machines_are_refused_with_those_that_there_are(roll: Roll, machine: object) -> None:
    with pytest.raises(UsageError, match=r"there is no machine .*; there are m1, m2"):
        roll.check(machine)  # type: ignore[arg-type]


def test_a_machine_that_joins_late_is_none_before_it_is_admitted(roll: Roll, lost: list[str]) -> None:
    ended: Future[None] = Future()
    roll.start_ended("m3", Future(), "an earlier start")
    assert roll.machines == ["m1", "m2"]
    roll.admit("m3", "tls://m3", ended)
    assert roll.machines == ["m1", "m2", "m3"]
    assert roll.agent("m3") == ("tls://m3", ended)
    roll.worker_went("tls://m3")
    assert (lost, list(roll.losses)) == (["m3"], ["m3"])


def test_a_machine_that_ends_before_it_is_admitted_was_never_there(roll: Roll, lost: list[str]) -> None:
    ended: Future[None] = Future()
    roll.start_ended("m3", ended, "no memory")
    with pytest.raises(MachineError, match="machine m3: its agent has ended; no memory"):
        roll.admit("m3", "tls://m3", ended)
    assert (roll.machines, lost, roll.losses) == (["m1", "m2"], [], {})


def test_the_end_of_a_machine_that_has_left_is_no_loss(roll: Roll, lost: list[str]) -> None:
    _, ended = roll.agent("m2")
    roll.forget("m2")
    with pytest.raises(UsageError, match="there is no machine m2; there are m1"):
        roll.agent("m2")
    roll.worker_went("tls://m2")
    roll.start_ended("m2", ended, "")
    assert (lost, roll.losses) == ([], {})
    with pytest.raises(MachineError):  # whoever waits for it waits no longer
        ended.result()
