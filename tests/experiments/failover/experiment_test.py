# SPDX-License-Identifier: MIT
"""The order of the three ways, and what a run of them keeps."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

from hybridnet.cli.main import Parser
from hybridnet.experiments.failover import experiment as failover
from hybridnet.experiments.failover.experiment import MOST_S, WAYS, Way, checks_of
from hybridnet.observe.results import Check


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
