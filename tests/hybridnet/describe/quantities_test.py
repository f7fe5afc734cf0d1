# SPDX-License-Identifier: MIT
"""Quantities: what is understood becomes an exact integer, everything else is an error that names a cure."""

from __future__ import annotations

import pytest

from hybridnet.describe.quantities import (
    DELAY_UNITS,
    MAX_RATE_BPS,
    RATE_UNITS,
    format_delay,
    format_rate,
    parse_bandwidth,
    parse_delay,
    parse_percent,
    parse_queue,
    parse_rate,
    parse_size,
)
from hybridnet.errors import UnitError


@pytest.mark.parametrize(
    ("text", "bits_per_second"),
    [
        ("10 Mbit/s", 10 * 10**6),
        ("10Mbit/s", 10 * 10**6),
        (" 0.1 Gbit/s ", 10**8),
        ("1e3 kbit/s", 10**6),
        ("2.5Gbps", 2_500_000_000),
        ("10 MB/s", 80 * 10**6),
        ("3 bit/s", 3),
        ("1234.5 bit/s", 1234),  # to within a thousandth
    ],
)
def test_rate_with_unit_is_exact(text: str, bits_per_second: int) -> None:
    assert parse_rate(text, "x") == bits_per_second


@pytest.mark.parametrize(
    "value", ["10", "ten Mbit/s", "10 parsec", "-1 Mbit/s", "0 Mbit/s", "", None, [], True, "1..2 Mbit/s"]
)
def test_nonsense_rate_is_an_error_that_names_object_and_value(value: object) -> None:
    with pytest.raises(UnitError, match="link h1-s1: bw") as error:
        parse_rate(value, "link h1-s1: bw")
    assert str(value) in str(error.value)


def test_rate_without_unit_says_both_spellings() -> None:
    with pytest.raises(UnitError) as error:
        parse_rate("10", "link h1-s1: bw")
    assert str(error.value) == (
        'link h1-s1: bw: rate "10" has no unit; write "10 Mbit/s" (bits) or "10 MB/s" (bytes)'
    )


def test_unknown_rate_unit_lists_all_units() -> None:
    with pytest.raises(UnitError) as error:
        parse_rate("10 m", "x")
    assert all(unit in str(error.value) for unit in RATE_UNITS)


@pytest.mark.parametrize(
    ("value", "bits_per_second"), [(10, 10**7), (0.5, 500_000), (0.1, 10**5), ("2 Gbit/s", 2 * 10**9)]
)
def test_bandwidth_number_is_megabit(value: object, bits_per_second: int) -> None:
    assert parse_bandwidth(value, "x") == bits_per_second


@pytest.mark.parametrize(
    "value",
    [0, -1, float("nan"), float("inf"), float("-inf"), 10**7, "10", 1e-7, 1.5e-6, "0.4 bit/s", "10.5 bit/s"],
)
def test_impossible_bandwidth_is_refused(value: object) -> None:
    with pytest.raises(UnitError):
        parse_bandwidth(value, "x")


def test_greatest_rate_is_accepted() -> None:
    assert parse_rate(f"{MAX_RATE_BPS // 10**9} Gbit/s", "x") == MAX_RATE_BPS


@pytest.mark.parametrize(
    ("value", "nanoseconds"),
    [
        ("5ms", 5_000_000),
        ("73us", 73_000),
        ("73µs", 73_000),
        ("0", 0),
        (0, 0),
        ("0.5 s", 500_000_000),
        ("1.5ns", 2),
        ("10msec", 10**7),
        ("1.5 min", 90 * 10**9),
        ("2h", 7_200 * 10**9),
        ("365 d", 31_536_000 * 10**9),
    ],
)
def test_delay(value: object, nanoseconds: int) -> None:
    assert parse_delay(value, "x") == nanoseconds


@pytest.mark.parametrize(
    "value", ["5", 5, 0.1, "-1ms", "5 minutes", "2 hours", "ms", "", None, float("nan"), "366 d"]
)
def test_bad_delay_is_refused(value: object) -> None:
    with pytest.raises(UnitError):
        parse_delay(value, "x")


def test_unknown_delay_unit_lists_all_units() -> None:
    with pytest.raises(UnitError) as error:
        parse_delay("5 weeks", "x")
    assert all(unit in str(error.value) for unit in DELAY_UNITS)


@pytest.mark.parametrize(("value", "size"), [("1500 B", 1500), ("64 KiB", 65536), ("1 kB", 1000), ("0 B", 0)])
def test_size(value: str, size: int) -> None:
    assert parse_size(value, "x") == size


@pytest.mark.parametrize("value", ["1500", 1500, "-1 B", "2 KiloB", "5000 GiB"])
def test_bad_size_is_refused(value: object) -> None:
    with pytest.raises(UnitError):
        parse_size(value, "x")


@pytest.mark.parametrize(
    ("value", "bounds"),
    [(100, (100, None)), ("100 packets", (100, None)), ("1 packet", (1, None)), ("150 kB", (None, 150_000))],
)
def test_queue_counts_packets_or_bytes(value: object, bounds: tuple[int | None, int | None]) -> None:
    assert parse_queue(value, "x") == bounds


@pytest.mark.parametrize("value", [0, -1, 1.5, "0 B", "10 ms", float("nan"), 10**8])
def test_bad_queue_is_refused(value: object) -> None:
    with pytest.raises(UnitError):
        parse_queue(value, "x")


@pytest.mark.parametrize(
    ("value", "probability"), [(0, 0.0), (1, 0.01), ("0.1%", 0.001), ("50", 0.5), (100, 1.0)]
)
def test_percent_becomes_probability(value: object, probability: float) -> None:
    assert parse_percent(value, "x") == probability


@pytest.mark.parametrize("value", [-1, 101, "1 permille", float("nan"), None])
def test_bad_percent_is_refused(value: object) -> None:
    with pytest.raises(UnitError):
        parse_percent(value, "x")


@pytest.mark.parametrize(
    ("rate", "text"), [(None, "no limit"), (10**10, "10 Gbit/s"), (1_500_000, "1.5 Mbit/s"), (12, "12 bit/s")]
)
def test_rate_is_written_shortly(rate: int | None, text: str) -> None:
    assert format_rate(rate) == text
    if rate is not None:
        assert parse_rate(text, "x") == rate


@pytest.mark.parametrize(
    ("delay", "text"),
    [(0, "0 ms"), (1, "1 ns"), (200_000, "200 us"), (1_500_000, "1.5 ms"), (2 * 10**9, "2 s")],
)
def test_delay_is_written_shortly(delay: int, text: str) -> None:
    assert format_delay(delay) == text
    assert parse_delay(text, "x") == delay
