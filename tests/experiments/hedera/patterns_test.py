# SPDX-License-Identifier: MIT
"""Who sends to whom, and what the experiment asks of its figures."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.hedera.experiment import checks_of
from hybridnet.experiments.hedera.patterns import (
    PATTERNS,
    hot_spot,
    named,
    random_bijective,
    staggered,
    stride,
)

HOSTS, K = 16, 4


@pytest.mark.parametrize("pattern", list(PATTERNS))
def test_each_host_sends_to_one_other(pattern: str) -> None:
    pairs = PATTERNS[pattern](HOSTS, K, random.Random(1))
    assert [source for source, _ in pairs] == list(range(HOSTS))
    assert all(source != target and 0 <= target < HOSTS for source, target in pairs)


def test_a_pattern_is_named_in_full_or_by_its_kind() -> None:
    assert named("stride(n/2)") == ("stride(n/2)",)
    assert named("stride") == ("stride(1)", "stride(n/4)", "stride(n/2)")
    assert named("random") == ("random",)
    with pytest.raises(UsageError, match=r"strides: there is none; there are 'stride\(1\)'"):
        named("strides")


def test_a_stride_wraps_around() -> None:
    assert stride(4, 3) == [(0, 3), (1, 0), (2, 1), (3, 2)]


def test_in_a_bijection_each_host_receives_from_one() -> None:
    targets = Counter(target for _, target in random_bijective(HOSTS, random.Random(3)))
    assert targets == dict.fromkeys(range(HOSTS), 1)


def test_half_of_the_hosts_send_to_the_hot_spot() -> None:
    targets = Counter(target for _, target in hot_spot(HOSTS, random.Random(3)))
    assert targets[0] == HOSTS // 2 - 1


def test_staggered_flows_stay_near_as_often_as_they_are_asked_to() -> None:
    rng = random.Random(7)
    pairs = [pair for _ in range(500) for pair in staggered(HOSTS, K, 0.5, 0.3, rng)]
    edge = sum(source // 2 == target // 2 for source, target in pairs) / len(pairs)
    pod = sum(source // 4 == target // 4 and source // 2 != target // 2 for source, target in pairs) / len(
        pairs
    )
    assert edge == pytest.approx(0.5, abs=0.03)  # 5 standard deviations of 8000 draws
    assert pod == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(("gain", "holds"), [(1.19, False), (1.21, True)])
def test_the_better_scheduler_must_carry_a_fifth_more_than_ecmp(gain: float, holds: bool) -> None:
    found = {
        "ECMP": {"random": [10e6, 20e6]},
        "Hedera, first fit": {"random": [15e6, 15e6]},
        "Hedera, annealing": {"random": [15e6 * gain, 15e6 * gain]},
    }
    [check] = checks_of(found)
    assert check.holds is holds
