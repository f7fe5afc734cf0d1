# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import fmean, stdev

import pytest

from hybridnet.errors import UsageError
from hybridnet.simulate.flows import DISTRIBUTIONS, SizeDistribution

DRAWN = 200_000
BELOW_1_MB = {"web-search": 0.70, "data-mining": 0.90 + 0.05 * 600_000 / 2_760_000, "hadoop": 0.975}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_mean_of_drawn_sizes_is_that_of_the_distribution_within_three_standard_errors(name: str) -> None:
    distribution, random = SizeDistribution.of(name), Random(1)
    sizes = [distribution.draw(random) for _ in range(DRAWN)]
    assert abs(fmean(sizes) - distribution.mean_bytes) < 3 * stdev(sizes) / DRAWN**0.5


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_as_many_sizes_are_below_a_megabyte_as_the_file_says(name: str) -> None:
    distribution, random = SizeDistribution.of(name), Random(2)
    share = fmean(distribution.draw(random) <= 1_000_000 for _ in range(DRAWN))
    expected = BELOW_1_MB[name]
    assert abs(share - expected) < 3 * (expected * (1 - expected) / DRAWN) ** 0.5


def test_the_mean_is_the_sum_over_the_pieces_of_share_times_middle(tmp_path: Path) -> None:
    file = tmp_path / "two.txt"
    file.write_text("# bytes, percent\n100 20\n300 60  # linear\n\n1000 100\n")
    distribution = SizeDistribution.of(file)
    assert distribution.mean_bytes == pytest.approx(0.2 * 100 + 0.4 * 200 + 0.4 * 650)
    assert [distribution.quantile(share) for share in (0.0, 0.2, 0.4, 0.8, 1.0)] == pytest.approx(
        [100, 100, 200, 650, 1000]
    )
    assert distribution.name == "two.txt"


def test_a_size_may_have_a_share_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "step.txt"
    file.write_text("10 0\n10 0.5\n20 0.5\n20 1\n")
    distribution, random = SizeDistribution.of(str(file)), Random(1)
    assert distribution.mean_bytes == 15
    assert {distribution.draw(random) for _ in range(100)} == {10, 20}


def test_one_size_is_a_distribution() -> None:
    assert (
        SizeDistribution.of("20 kB").draw(Random(1)) == SizeDistribution.of(20_000).draw(Random(1)) == 20_000
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the last share is nothing"),
        ("1 0\n2 0.9\n", "the last share is 0.9; it must be 1, or 100"),
        ("1 0\n2\n", "line 2: '2' is not a size in bytes and a cumulative share"),
        ("1 0\nmany 1\n", "line 2: 'many' is not a number"),
        ("5 0\n4 1\n", "line 2: '4 1' is less than the line before"),
        ("1 0.5\n2 0.4\n3 1\n", "line 2: '2 0.4' is less than the line before"),
        ("-1 0\n2 1\n", "line 1: '-1' is not a number from 0"),
        ("nan 0\n2 1\n", "line 1: 'nan' is not a number from 0"),
        ("0 1\n", "their mean is below 1 byte"),
        ("0 0\n2e12 1\n", "a size of 2e12 B"),
    ],
)
def test_a_file_that_is_no_distribution_is_refused_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    file = tmp_path / "wrong.txt"
    file.write_text(text)
    with pytest.raises(UsageError) as error:
        SizeDistribution.of(file)
    assert said in str(error.value)


@pytest.mark.parametrize("given", ["web-serch", "20 kX", 0, True, None, "", "2000 GiB"])
def test_what_is_neither_a_name_a_size_nor_a_file_is_refused(given: object) -> None:
    with pytest.raises(UsageError, match="workload: sizes"):
        SizeDistribution.of(given)  # type: ignore[arg-type]
