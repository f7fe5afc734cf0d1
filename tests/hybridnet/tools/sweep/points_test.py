# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import UsageError
from hybridnet.tools.sweep.points import Point, parse_axes, points_of


def test_every_combination_has_every_seed() -> None:
    points = points_of(parse_axes(["bw=10,100", "delay=1ms,10ms"]), range(1, 6))
    assert len(points) == 2 * 2 * 5
    assert len({point.name for point in points}) == 20
    assert points[5] == Point({"bw": "10", "delay": "10ms"}, 1)
    assert points[5].words() == ["--set", "bw=10", "--set", "delay=10ms"]


def test_without_values_there_are_seeds() -> None:
    assert [point.seed for point in points_of({}, [3, 4])] == [3, 4]


def test_the_name_of_a_point_does_not_depend_on_the_order_of_its_values() -> None:
    assert Point({"a": "1", "b": "2"}, 1).name == Point({"b": "2", "a": "1"}, 1).name
    assert Point({"a": "1"}, 1).name != Point({"a": "1"}, 2).name != Point({"a": "2"}, 1).name


@pytest.mark.parametrize("wrong", ["bw", "bw=", "bw=1,", "=1", "b-w=1"])
def test_what_is_no_axis_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError, match="write NAME=VALUE,VALUE"):
        parse_axes([wrong])


def test_what_stands_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="bw is given twice"):
        parse_axes(["bw=1", "bw=2"])
    with pytest.raises(UsageError, match="a value is given twice"):
        parse_axes(["bw=1,1"])


def test_more_points_than_anyone_waits_for_are_refused() -> None:
    with pytest.raises(UsageError, match="are more than 1000000 runs"):
        points_of({"n": [str(n) for n in range(2000)]}, range(1000))
