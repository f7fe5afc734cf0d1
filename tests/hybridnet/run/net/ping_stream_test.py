# SPDX-License-Identifier: MIT
"""For how long pings of a stream were not answered, from what `ping -D` says."""

from __future__ import annotations

import math

import pytest

from hybridnet.errors import ExperimentError, UsageError
from hybridnet.run.net.ping_stream import MOST_PINGS, PingStream, Silence, answers_of
from hybridnet.run.node import Host


def said(left_s: dict[int, float], sent: int, took_ms: float = 40.0) -> str:
    """What `ping -D` says: when each answer came."""
    lines = [
        f"[{at + took_ms / 1e3:.6f}] 64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time={took_ms:g} ms"
        for number, at in left_s.items()
    ]
    return "\n".join([*lines, f"{sent} packets transmitted, {len(left_s)} received"])


def test_the_loss_time_is_by_the_clock_of_ping_and_not_by_its_numbers() -> None:
    # It was told to send every 0.5 s, and sent every 0.6 s: between 5 and 17 lie 12 * 0.6 s.
    left_s = {number: 1000 + 0.6 * number for number in (1, 2, 3, 4, 5, 17, 18, 19, 20)}
    answers = answers_of(said(left_s, 20), 0.5)
    assert answers.loss_time == pytest.approx(12 * 0.6 - 0.5, abs=1e-5)
    assert answers.silences == [
        Silence(pytest.approx(1003.0, abs=1e-5), answers.loss_time, 11)  # type: ignore[arg-type]
    ]
    assert (answers.sent, answers.received, answers.lost) == (20, 9, 11)
    assert str(answers).endswith("the last of them is number 20; lost for 6.700 s")


def test_in_a_slow_network_the_loss_time_is_in_described_seconds() -> None:
    left_s = {number: 1000 + 0.5 * number for number in (1, 2, 3, 11, 12)}
    # Four wall seconds lie between 3 and 11: 0.4 described ones.
    assert answers_of(said(left_s, 12), 0.05, slow=10).loss_time == pytest.approx(0.4 - 0.05, abs=1e-5)


def test_an_answer_that_comes_twice_left_once() -> None:
    twice = said({1: 1000.0, 2: 1000.5}, 2) + "\n" + said({2: 1000.9}, 2)
    assert answers_of(twice, 0.5).left_s == pytest.approx({1: 1000.0, 2: 1000.5}, abs=1e-5)


def test_without_a_loss_there_is_no_loss_time() -> None:
    left_s = {number: 1000 + 0.012 * number for number in range(1, 101)}
    assert answers_of(said(left_s, 100), 0.01).loss_time == 0


def test_traffic_came_back_if_one_of_the_pings_of_the_last_second_is_answered() -> None:
    assert answers_of(said({1: 1.0, 300: 4.0}, 400), 0.01).came_back
    two, none = answers_of(said({1: 1.0, 299: 4.0}, 400), 0.01), answers_of(said({}, 400), 0.01)
    assert not two.came_back
    assert not none.came_back
    assert two.loss_time == none.loss_time == math.inf
    assert str(none) == "none of 400 pings is answered"
    assert str(two) == "of 400 pings 2 are answered, the last of them is number 299"


def test_a_ping_that_does_not_end_is_an_error() -> None:
    with pytest.raises(ExperimentError, match="ping from h1 to h2 did not end by itself: 'ping: sendmsg'"):
        answers_of("ping: sendmsg", 0.01, ends="from h1 to h2")


def test_what_cannot_be_pinged_is_said() -> None:
    one, other = Host("h1"), Host("h2")
    with pytest.raises(UsageError, match="host h2 has no address"):
        PingStream(one, other, 1.0)
    with pytest.raises(UsageError, match="h1 would ping itself"):
        PingStream(one, one, 1.0)
    with pytest.raises(UsageError, match=f"are {MOST_PINGS + 100} pings; at most {MOST_PINGS} go"):
        PingStream(one, other, (MOST_PINGS + 100) * 0.01)
