# SPDX-License-Identifier: MIT
"""Which of a script's options have an effect: those that ifconfig, ip and tc would take."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.compat.mininet.lenient_options import shaping


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("5ms", "5ms"),
        (5, "5us"),
        ("0", "0us"),
        ("73us", "73us"),
        (2.5, "2.5us"),
        ("10 ms", "10ms"),
        ("10MS", "10ms"),
    ],
)
def test_a_delay_without_a_unit_is_in_microseconds(written: object, means: str) -> None:
    assert shaping({"delay": written}, "link") == {"delay": means}


def test_a_delay_may_bring_its_jitter() -> None:
    assert shaping({"delay": "10ms 2ms distribution normal"}, "link") == {"delay": "10ms", "jitter": "2ms"}
    assert shaping({"delay": "10ms", "jitter": 500}, "link") == {"delay": "10ms", "jitter": "500us"}


@pytest.mark.parametrize(
    "given",
    [
        {"bw": -1},
        {"bw": 0},
        {"loss": 101},
        {"loss": -1},
        {"delay": "fast"},
        {"delay": "-5ms"},
        {"max_queue_size": -1},
        {"enable_red": True},
        {"jitter": "1ms"},
    ],
)
def test_what_tc_would_refuse_has_no_effect_and_that_is_said(
    given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    what = f"link {given}"  # one of its own: a warning comes once
    assert shaping(given, what) == {}
    assert f"hybridnet: {what}" in capsys.readouterr().err


@pytest.mark.parametrize("given", [{"delay": ""}, {"max_queue_size": 0}, {"loss": None}])
def test_nothing_is_said_of_what_says_nothing(
    given: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert shaping(given, "link a-b") == {}
    assert capsys.readouterr().err == ""


def test_a_queue_holds_whole_packets() -> None:
    assert shaping({"bw": 10, "max_queue_size": 20.0}, "link") == {"bw": 10, "max_queue_size": 20}
