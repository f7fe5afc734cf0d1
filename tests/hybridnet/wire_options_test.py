# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import UnitError, UsageError
from hybridnet.wire_options import changes_of, parse_list


def test_only_what_is_named_changes() -> None:
    assert changes_of({"rate": "10 Mbit/s", "delay": None}, "wire a-b") == {"rate_bps": 10_000_000}
    assert changes_of({}, "wire a-b") == {}


def test_a_queue_in_packets_lifts_a_bound_in_bytes_and_the_other_way_round() -> None:
    assert changes_of({"queue": "100"}, "wire a-b") == {"queue_packets": 100, "queue_bytes": None}
    assert changes_of({"queue": "150 kB"}, "wire a-b") == {"queue_packets": None, "queue_bytes": 150_000}


def test_a_rate_can_be_lifted() -> None:
    assert changes_of({"rate": "none"}, "wire a-b") == {"rate_bps": None}


def test_units_are_required_and_the_object_is_named() -> None:
    with pytest.raises(UnitError, match=r'wire a-b, forward: delay: delay "5" has no unit'):
        changes_of({"delay": "5"}, "wire a-b, forward")
    with pytest.raises(UnitError, match='rate "10" has no unit'):
        changes_of({"rate": "10"}, "wire a-b")
    with pytest.raises(UsageError, match="there is no option 'speed'; there are rate, delay, queue"):
        changes_of({"speed": "1"}, "wire a-b")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rate", '"rate" is no option with its value'),
        ("rate=", "is no option"),
        ("delay=1ms,,", "is no option"),
        ("delay=1ms,delay=2ms", "delay comes twice"),
    ],
)
def test_a_list_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_list(text, "wire: --forward")
