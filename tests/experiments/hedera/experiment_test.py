# SPDX-License-Identifier: MIT
"""What is promised of the schedulers, and which figures make no sense."""

from __future__ import annotations

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.hedera import experiment as hedera
from hybridnet.experiments.hedera.experiment import BEST, ECMP, JUDGED, LEAST_GAIN, checks_of


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
