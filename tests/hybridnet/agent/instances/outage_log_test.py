# SPDX-License-Identifier: MIT
"""What is remembered of instances that were missing, and those who wait to hear of it."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from hybridnet.agent.instances.outage_log import OutageLog

LONG_S = 30.0  # nobody here waits for that

Answer = Future[list[dict[str, Any]] | None]


@pytest.fixture
def outages() -> OutageLog:
    outages = OutageLog()
    outages.begin("m1")
    return outages


def wait(outages: OutageLog, threads: ThreadPoolExecutor, known: int = 0) -> Answer:
    """What a thread is told that waits already."""
    waits = threading.Event()
    condition = outages._changed
    real = condition.wait_for

    def wait_for(predicate: Any, timeout: float | None) -> Any:
        waits.set()  # with the lock held, which goes free when the thread waits
        return real(predicate, timeout)

    condition.wait_for = wait_for  # type: ignore[assignment]
    answer = threads.submit(outages.await_more, known, LONG_S)
    assert waits.wait(LONG_S)
    return answer


def test_an_outage_is_told_to_who_waits_and_to_who_asks_later(outages: OutageLog) -> None:
    with ThreadPoolExecutor() as threads:
        answer = wait(outages, threads)
        outages.miss("m1", "was killed by signal 9")
        told = answer.result(LONG_S / 2)
    assert told is not None
    assert [(each["instance"], each["how"], each["to_ns"]) for each in told] == [
        ("m1", "was killed by signal 9", None)
    ]
    assert outages.await_more(0, LONG_S) == told
    assert outages.await_more(1, 0.0) == []


def test_an_instance_that_runs_again_ends_its_outage(outages: OutageLog) -> None:
    outages.miss("m1", "was restarted")
    outages.begin("m1")
    outages.have_back("m1")
    started, [outage] = outages.counts()
    assert started == {"m1": 2}
    assert outage["to_ns"] is not None
    assert outage["from_ns"] <= outage["to_ns"]


def test_who_waits_is_let_go_when_nothing_is_watched_any_longer(outages: OutageLog) -> None:
    with ThreadPoolExecutor() as threads:
        answer = wait(outages, threads)
        outages.stop_watching()
        assert answer.result(LONG_S / 2) is None
    assert outages.await_more(0, LONG_S) is None


def test_who_waits_is_let_go_even_if_another_watch_begins_before_it_wakes(outages: OutageLog) -> None:
    with ThreadPoolExecutor() as threads:
        answer = wait(outages, threads)
        with outages._changed:  # as if the thread that waits got no processor meanwhile
            outages._watch = None
            outages._changed.notify_all()
            outages._watch = object()
        assert answer.result(LONG_S / 2) is None


def test_what_is_forgotten_is_counted_no_longer_and_watched_again_with_the_next_start(
    outages: OutageLog,
) -> None:
    outages.miss("m1", "ended")
    outages.forget()
    assert outages.counts() == ({}, [])
    assert outages.await_more(0, LONG_S) is None
    outages.begin("m1")
    assert outages.await_more(0, 0.0) == []
