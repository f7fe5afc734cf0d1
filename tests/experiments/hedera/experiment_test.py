# SPDX-License-Identifier: MIT
"""What is promised of the schedulers, and which figures make no sense."""

from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.hedera import experiment as hedera
from hybridnet.experiments.hedera.arms import ARMS, Flow, Measured, Settings
from hybridnet.experiments.hedera.experiment import BEST, ECMP, JUDGED, LEAST_GAIN, checks_of
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.observe.results import Verdict


def found(**gains: float) -> dict[str, dict[str, list[float]]]:
    """ECMP moves 1 in every pattern; the others, in the order of BEST, so many times more."""
    arms = dict(zip(BEST, gains.values(), strict=True))
    return {
        arm: {pattern: [times, times] for pattern in JUDGED} for arm, times in {ECMP: 1.0, **arms}.items()
    }


def test_the_better_of_the_two_schedulers_counts() -> None:
    assert all(check.holds for check in checks_of(found(first=0.5, second=LEAST_GAIN)))
    assert all(check.holds for check in checks_of(found(first=LEAST_GAIN, second=0.5)))
    assert not any(check.holds for check in checks_of(found(first=LEAST_GAIN - 0.01, second=1.0)))


def test_a_pattern_that_was_not_run_promises_nothing() -> None:
    [judged, *others] = JUDGED
    some = {arm: {judged: of[judged]} for arm, of in found(first=2.0, second=2.0).items()}
    assert len(checks_of(some)) == len(JUDGED) - len(others)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--k", "5"], "--k 5: write an even number of at least 4"),
        (["--k", "2"], "--k 2: write an even number of at least 4"),
        (["--rate", "0"], "--rate: '0' is not a number above 0"),
        (["--omit", "-1"], "--omit: '-1' is not a number of at least 0"),
    ],
)
def test_figures_without_sense_are_refused_before_a_machine_starts(words: list[str], why: str) -> None:
    parser = Parser()
    hedera.add_arguments(parser)
    with pytest.raises(UsageError, match=why):
        hedera.run(parser.parse_args(words))


MBPS = {"ECMP": 1e6, "Hedera, first fit": 1.5e6, "Hedera, annealing": 1.25e6, "non-blocking": 2e6}
"""What every flow of an arm gets."""


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Mapping[str, Pairs]]]:
    """The arms that were measured, in their order, and the patterns that each got; ECMP's are late."""
    seen: list[tuple[str, Mapping[str, Pairs]]] = []

    def measured(
        machines: Any, arm: str, settings: Settings, patterns: Mapping[str, Pairs]
    ) -> Iterator[tuple[str, Measured]]:
        seen.append((arm, patterns))
        verdict = Verdict.of(["it was late"] if arm == ECMP else [])
        for name, pairs in patterns.items():
            yield name, Measured([Flow(*pair, MBPS[arm]) for pair in pairs], verdict)

    monkeypatch.setitem(hedera.HOSTS, "real", measured)
    return seen


def run_of(out: Path, *words: str) -> Any:
    parser = Parser()
    parser.add_argument("--json", action="store_true")
    hedera.add_arguments(parser)
    arguments = parser.parse_args(["--out", str(out), *words])
    arguments.cluster = lambda machines: contextlib.nullcontext(machines)
    return hedera.run(arguments)


def test_all_arms_of_a_round_have_the_same_random_patterns_and_every_round_has_others(
    drawn: list[tuple[str, Mapping[str, Pairs]]], tmp_path: Path
) -> None:
    run_of(tmp_path / "run", "--rounds", "2", "--pattern", "random", "--pattern", "stride")
    assert [arm for arm, _ in drawn] == 2 * list(ARMS)
    first, second = (drawn[at : at + len(ARMS)] for at in (0, len(ARMS)))
    for round_ in (first, second):
        assert all(patterns == round_[0][1] for _, patterns in round_)
    strides = [name for name in first[0][1] if name.startswith("stride")]
    assert len(strides) > 1
    assert first[0][1]["random"] != second[0][1]["random"]
    assert all(first[0][1][name] == second[0][1][name] for name in strides)


def test_each_flow_is_a_row_and_an_arm_carries_what_all_of_its_flows_get(
    drawn: list[tuple[str, Mapping[str, Pairs]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hosts = 4**3 // 4
    checks = run_of(tmp_path / "run", "--quick", "--rate", "3")
    bandwidth = json.loads((tmp_path / "run" / "bandwidth.json").read_text())
    assert bandwidth == {arm: {"stride(n/2)": [hosts * bps]} for arm, bps in MBPS.items()}
    with (tmp_path / "run" / "flows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(ARMS) * hosts
    assert all(float(row["bps"]) == MBPS[row["arm"]] for row in rows)
    assert {(int(row["source"]), int(row["target"])) for row in rows} == {
        (host, (host + hosts // 2) % hosts) for host in range(hosts)
    }
    [check] = checks
    assert check.measured == f"first fit {1.5e6 / 1e6:.2f}, annealing {1.25e6 / 1e6:.2f} times"
    said = capsys.readouterr().out
    assert f"the hosts' links have {3 * hosts}" in said
    assert "ECMP, stride(n/2): it was late" in said
    assert "verdicts of 4 measurements: 1 broken, 3 trusted" in said
    assert (tmp_path / "run" / "hedera.png").read_bytes().startswith(b"\x89PNG")
