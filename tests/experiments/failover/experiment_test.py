# SPDX-License-Identifier: MIT
"""How long pings were not answered, and the order of the three ways."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import HybridnetError
from hybridnet.experiments.failover import experiment as failover
from hybridnet.experiments.failover.experiment import MOST_S, WAYS, Way, checks_of, longest_gap
from hybridnet.results import Check


def said(answered: list[int], sent: int) -> str:
    lines = [f"[1.0] 64 bytes from 10.0.0.2: icmp_seq={number} ttl=64 time=0.1 ms" for number in answered]
    return "\n".join([*lines, f"{sent} packets transmitted, {len(answered)} received"])


def test_the_longest_gap_counts_in_seconds() -> None:
    assert longest_gap(said([1, 2, 3, 5, 6, 17, 18, 19, 20], 20), 0.5) == 5.0


def test_without_a_loss_there_is_no_gap() -> None:
    assert longest_gap(said(list(range(1, 101)), 100), 0.01) == 0


def test_traffic_that_does_not_come_back_is_an_error() -> None:
    with pytest.raises(HybridnetError, match="does not flow again"):
        longest_gap(said([1, 2, 3], 400), 0.01)


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
