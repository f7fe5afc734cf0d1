# SPDX-License-Identifier: MIT
from __future__ import annotations

from fractions import Fraction

import pytest

from hybridnet.errors import UnitError, UsageError
from hybridnet.tools.generate.options import (
    FrameRate,
    Step,
    describe_steps,
    parse_factor,
    parse_frame_rate,
    parse_steps,
)


@pytest.mark.parametrize(
    ("text", "value", "bits"),
    [
        ("12500pps", Fraction(12_500), False),
        ("12.5 kpps", Fraction(12_500), False),
        ("1.25Mpps", Fraction(1_250_000), False),
        ("12500/s", Fraction(12_500), False),
        ("0pps", Fraction(0), False),
        ("0.5 pps", Fraction(1, 2), False),
        ("1 Gbit/s", Fraction(10**9), True),
        ("10Mbit/s", Fraction(10**7), True),
    ],
)
def test_a_rate_counts_frames_or_bits(text: str, value: Fraction, bits: bool) -> None:
    assert parse_frame_rate(text, "x") == FrameRate(value, bits)


@pytest.mark.parametrize(
    "text", ["12500", 12500, "fast", "-1pps", "pps", "1 Gpps", "200 Mpps", "0.0001 pps", ""]
)
def test_a_rate_without_unit_or_sense_is_refused(text: object) -> None:
    with pytest.raises(UnitError, match="generate: rate"):
        parse_frame_rate(text, "generate: rate")


def test_the_cure_names_both_units() -> None:
    with pytest.raises(UnitError, match=r'write "12500 pps" \(frames\) or "12500 Mbit/s" \(bits\)'):
        parse_frame_rate("12500", "generate")


def test_frames_per_time_are_exact() -> None:
    assert FrameRate(Fraction(25, 2)).frames_per(100) == (25, 2 * 10**9)
    # 1 Gbit/s of 1,400 bytes is a frame each 11,200 ns.
    frames, nanoseconds = FrameRate(Fraction(10**9), bits=True).frames_per(1400)
    assert Fraction(nanoseconds, frames) == 11_200


def test_a_schedule_is_rates_for_times() -> None:
    steps = parse_steps("12500pps for 10s, 0pps for 500ms,1 Mbit/s for 2s", "x")
    assert steps == (
        Step(FrameRate(Fraction(12_500)), 10 * 10**9),
        Step(FrameRate(Fraction(0)), 500 * 10**6),
        Step(FrameRate(Fraction(10**6), bits=True), 2 * 10**9),
    )
    assert describe_steps(steps) == "12,500 frames/s for 10 s, 0 frames/s for 500 ms, 1 Mbit/s for 2 s"


@pytest.mark.parametrize("text", ["", "12500pps", "12500pps for", "for 10s", "1pps for 0", "1pps for 1s, "])
def test_a_step_that_is_no_rate_for_a_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_steps(text, "x")


def test_a_factor_is_a_number_above_zero() -> None:
    assert parse_factor("0.25", "x") == Fraction(1, 4)
    assert parse_factor(3, "x") == 3
    for text in ("0", "-1", "fast", "1e9", "1/0", "nan"):
        with pytest.raises(UsageError, match="is not a factor"):
            parse_factor(text, "x")
