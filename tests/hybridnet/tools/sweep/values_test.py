# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet import value
from hybridnet.errors import UsageError
from hybridnet.tools.sweep.values import filled, given, parse_settings, refuse_unasked


def test_without_a_setting_a_value_is_its_default() -> None:
    assert value("bw", 10) == 10
    with given({}):
        assert value("bw", 10) == 10


def test_a_setting_becomes_of_the_type_of_the_default() -> None:
    with given({"n": "4", "bw": "1e3", "delay": "1ms", "sack": "no"}):
        assert (value("n", 1), value("bw", 2.5), value("delay", "5ms"), value("sack", True)) == (
            4,
            1000.0,
            "1ms",
            False,
        )
        refuse_unasked()
    assert value("n", 1) == 1


@pytest.mark.parametrize(
    ("text", "default", "says"),
    [
        ("1.5", 1, "--set x=1.5: it must be a whole number, as the default 1 is"),
        ("fast", 1.0, "it must be a number"),
        ("2", True, "it must be yes or no"),
    ],
)
def test_a_setting_of_another_type_is_refused(text: str, default: float, says: str) -> None:
    with given({"x": text}), pytest.raises(UsageError, match=says):
        value("x", default)


def test_a_default_that_no_command_line_can_say_is_refused() -> None:
    with pytest.raises(UsageError, match=r"value x: default \[1\] is not a number, a text"):
        value("x", [1])  # type: ignore[type-var]


def test_a_setting_that_nothing_asks_for_is_refused_but_for_the_seed() -> None:
    with given({"bw": "10", "seed": "3"}):
        value("delay", "1ms")
        with pytest.raises(
            UsageError, match=r"nothing asks for bw: call hybridnet.value\('bw', DEFAULT\).* delay"
        ):
            refuse_unasked()
        value("bw", 1)
        refuse_unasked()


def test_names_in_a_text_are_replaced_and_count_as_asked_for() -> None:
    with given({"load": "0.5", "fan": "8", "seed": "3"}):
        assert filled("20kB,fan_in={fan}", "--workload") == "20kB,fan_in=8"
        with pytest.raises(UsageError, match="nothing asks for load"):
            refuse_unasked()
        assert filled("{load}{load}", "--workload") == "0.50.5"
        refuse_unasked()
        with pytest.raises(UsageError, match=r"nothing is set for rate; write --set rate=VALUE"):
            filled("{rate}", "--workload")
        with pytest.raises(UsageError, match="flows differ by seed anyway"):
            filled("{seed}", "--workload")


def test_settings_are_read_from_the_words_of_a_command_line() -> None:
    assert parse_settings(["bw=10", "delay=1ms", "expression=a=b"]) == {
        "bw": "10",
        "delay": "1ms",
        "expression": "a=b",
    }
    for wrong in ("bw", "=1", "b w=1", "bw="):
        with pytest.raises(UsageError, match="write NAME=VALUE"):
            parse_settings([wrong])
    with pytest.raises(UsageError, match="bw is set twice"):
        parse_settings(["bw=1", "bw=2"])
