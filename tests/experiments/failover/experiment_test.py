# SPDX-License-Identifier: MIT
"""How long pings were not answered, and the order of the three ways."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import ExperimentError
from hybridnet.experiments.failover import experiment as failover
from hybridnet.experiments.failover.experiment import MOST_S, WAYS, Way, answers_of, checks_of
from hybridnet.observe.results import Check


def said(left_s: dict[int, float], sent: int, took_ms: float = 40.0) -> str:
    """What `ping -D` says: when each answer came."""
    lines = [
        f"[{at + took_ms / 1e3:.6f}] 64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time={took_ms:g} ms"
        for number, at in left_s.items()
    ]
    return "\n".join([*lines, f"{sent} packets transmitted, {len(left_s)} received"])


def test_the_longest_gap_is_by_the_clock_of_ping_and_not_by_its_numbers() -> None:
    # It was told to send every 0.5 s, and sent every 0.6 s: between 5 and 17 lie 12 * 0.6 s.
    left_s = {number: 1000 + 0.6 * number for number in (1, 2, 3, 4, 5, 17, 18, 19, 20)}
    answers = answers_of(said(left_s, 20))
    assert answers.longest_gap_s(0.5) == pytest.approx(12 * 0.6 - 0.5, abs=1e-5)


def test_an_answer_that_comes_twice_left_once() -> None:
    twice = said({1: 1000.0, 2: 1000.5}, 2) + "\n" + said({2: 1000.9}, 2)
    assert answers_of(twice).left_s == pytest.approx({1: 1000.0, 2: 1000.5}, abs=1e-5)


def test_without_a_loss_there_is_no_gap() -> None:
    assert (
        answers_of(said({number: 1000 + 0.012 * number for number in range(1, 101)}, 100)).longest_gap_s(0.01)
        == 0
    )


def test_traffic_comes_back_if_one_of_the_pings_of_the_last_second_is_answered() -> None:
    assert answers_of(said({1: 1.0, 300: 4.0}, 400)).come_back(0.01)
    assert not answers_of(said({1: 1.0, 299: 4.0}, 400)).come_back(0.01)
    assert not answers_of(said({}, 400)).come_back(0.01)
    assert str(answers_of(said({}, 400))) == "none of 400 pings is answered"
    two = answers_of(said({1: 1.0, 299: 4.0}, 400))
    assert str(two) == "of 400 pings 2 are answered, the last of them is number 299"


def test_a_ping_that_does_not_end_is_an_error() -> None:
    with pytest.raises(ExperimentError, match="did not end by itself: 'ping: sendmsg'"):
        answers_of("ping: sendmsg")


def test_the_ways_must_come_in_their_order() -> None:
    right = {"spanning tree": [30.0], "shortest paths": [0.1], "fast failover": [0.01]}
    wrong = {**right, "fast failover": [0.3]}
    assert [check.holds for check in checks_of(right)] == [True, True, True, True]
    assert [check.holds for check in checks_of(wrong)] == [True, True, True, False]


def run_of(out: Path, *words: str) -> list[Check]:
    """A run in which each silence lasts as long as its promise, and a tenth of a second more in every round."""
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    failover.add_arguments(parser)
    arguments = parser.parse_args(["--out", str(out), *words])
    arguments.cluster = lambda machines: contextlib.nullcontext(machines)
    rounds: Counter[str] = Counter()

    def silence(machines: object, way: Way, switch: object) -> float:
        [name] = [name for name, known in WAYS.items() if known == way]
        rounds[name] += 1
        return MOST_S[name] + 0.1 * (rounds[name] - 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(failover, "silence", silence)
        return failover.run(arguments)


def test_every_way_fails_once_in_each_round_and_quick_leaves_the_spanning_tree_out(tmp_path: Path) -> None:
    run_of(tmp_path / "all", "--rounds", "2")
    found = json.loads((tmp_path / "all" / "failover.json").read_text())
    assert {way: pytest.approx([most, most + 0.1]) for way, most in MOST_S.items()} == found
    checks = run_of(tmp_path / "quick", "--quick")
    found = json.loads((tmp_path / "quick" / "failover.json").read_text())
    assert found == {way: [most] for way, most in MOST_S.items() if way != "spanning tree"}
    assert all(check.holds for check in checks)
    run_of(tmp_path / "one", "--rounds", "1", "--way", "fast failover")
    assert list(json.loads((tmp_path / "one" / "failover.json").read_text())) == ["fast failover"]
