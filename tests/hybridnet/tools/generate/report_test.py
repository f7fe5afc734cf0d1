# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest

from hybridnet.tools.generate.report import (
    file_notes,
    judge_generator,
    judge_receiver,
    receiver_figures,
    receiver_line,
    sender_figures,
    sender_line,
)

MS = 1_000_000
LOOP = {"cpu_ns": 250, "wall_ns": 1000}


def sent(**changed: Any) -> dict[str, Any]:
    """1,001 frames of 100 bytes in a second; one in 500 was 2 ms late."""
    frames = {
        "due_packets": 1001,
        "sent_packets": 1001,
        "sent_bytes": 100_100,
        "waiting_packets": 0,
        "unsent_packets": 0,
        "first_sent_ns": 5 * MS,
        "last_sent_ns": 1005 * MS,
        "time_ns": 1100 * MS,
        "dropped": {},
    }
    buckets = [[10_000, 999], [2 * MS, 2]]
    return {
        "frames": frames | changed,
        "lateness": {"buckets": buckets, "max_ns": 2 * MS - 5},
        "loop": LOOP,
        "portal": {},
    }


def came(**changed: Any) -> dict[str, Any]:
    frames = {
        "senders": 1,
        "numbered_packets": 1000,
        "distinct_packets": 990,
        "highest_number": 995,
        "missing_packets": 5,
        "duplicate_packets": 10,
        "reordered_packets": 3,
        "too_late_packets": 0,
        "foreign_packets": 7,
        "damaged_packets": 4,
        "bytes": 100_000,
        "first_ns": 0,
        "last_ns": 1000 * MS,
        "least_delay_ns": 900,
        "longest_delay_ns": 5000,
        "time_ns": 1100 * MS,
    }
    return {
        "frames": frames | changed,
        "delay": {"buckets": [[1000, 999], [5100, 1]], "max_ns": 5000},
        "loop": LOOP,
        "portal": {"kernel_drops": 0, "dropped": {}},
    }


def test_a_senders_rate_is_over_the_time_between_its_first_and_last_frame() -> None:
    figures = sender_figures(sent())
    assert figures["seconds"] == 1.0
    assert figures["rate_pps"] == 1000.0
    assert figures["rate_bps"] == 800_000.0
    assert figures["processor_busy"] == 0.25
    assert (figures["lateness_p99_ns"], figures["lateness_p999_ns"]) == (10_000, 2 * MS - 5)


def test_a_sender_that_sent_nothing_has_no_rate() -> None:
    figures = sender_figures(sent(sent_packets=0, sent_bytes=0, first_sent_ns=0, last_sent_ns=0))
    assert (figures["rate_pps"], figures["rate_bps"]) == (0.0, 0.0)


def test_missing_are_those_below_the_highest_or_those_of_all_that_were_sent() -> None:
    assert receiver_figures(came())["missing_packets"] == 5
    assert receiver_figures(came(), 1001)["missing_packets"] == 11


def test_a_receivers_figures() -> None:
    figures = receiver_figures(came())
    assert figures["rate_pps"] == 989.0
    assert figures["rate_bps"] == 989.0 * 800
    assert (figures["foreign_packets"], figures["damaged_packets"]) == (7, 4)
    assert (figures["delay_least_ns"], figures["delay_p50_ns"], figures["delay_max_ns"]) == (900, 1000, 5000)


@pytest.mark.parametrize(
    ("changed", "limit_ns", "reason"),
    [
        ({}, 2 * MS, None),
        ({}, MS, "frames left 2.000 ms late at the 99.9th percentile"),
        ({"unsent_packets": 3, "waiting_packets": 2}, 2 * MS, "5 of 1001 frames were due and never left"),
        ({"dropped": {"device_refused": 4}}, 2 * MS, "4 frames were dropped (4 device_refused)"),
    ],
)
def test_a_schedule_is_kept_when_all_left_in_time(
    changed: dict[str, Any], limit_ns: int, reason: str | None
) -> None:
    verdict = judge_generator(sender_figures(sent(**changed)), limit_ns)
    assert verdict.word == ("trusted" if reason is None else "broken")
    if reason is not None:
        assert reason in verdict.reasons[0]


def test_a_count_is_complete_when_nothing_was_lost_in_the_receiver() -> None:
    lost_on_the_way = came(missing_packets=100)
    assert judge_receiver(receiver_figures(lost_on_the_way)).word == "trusted"
    dropped = came()
    dropped["portal"] = {"kernel_drops": 3, "dropped": {"pool_exhausted": 2}}
    reasons = judge_receiver(receiver_figures(dropped)).reasons
    assert "dropped 3 frames before the receiver read them" in reasons[0]
    assert "dropped 2 frames that it had read" in reasons[1]
    assert (
        "cannot be told from duplicates"
        in judge_receiver(receiver_figures(came(too_late_packets=1))).reasons[0]
    )


def test_lines_are_about_what_passed_between_the_reports() -> None:
    before = sent(sent_packets=501, sent_bytes=50_100, time_ns=600 * MS)
    before["lateness"] = {"buckets": [[10_000, 501]], "max_ns": 9000}
    assert sender_line(before, sent()) == "sent 1,001   1,000 frames/s   800 kbit/s   late p99 10 us"
    earlier = came(distinct_packets=490, bytes=50_000, time_ns=600 * MS)
    earlier["delay"] = {"buckets": [[1000, 500]], "max_ns": 1000}
    assert receiver_line(earlier, came()) == (
        "received 990   1,000 frames/s   800 kbit/s   missing 5   delay p99 1 us"
    )


def test_what_is_odd_about_a_file_is_said() -> None:
    plain = {"left_out": 0, "cut": 0, "out_of_order": 0, "largest": 1514}
    assert file_notes("x.pcap", plain, 1500) == []
    odd = file_notes("x.pcap", {"left_out": 1, "cut": 2, "out_of_order": 3, "largest": 9014}, 1500)
    assert [note.split()[1] for note in odd] == ["1", "2", "3", "frames"]
    assert "up to 9014 bytes, and the MTU is 1500" in odd[3]
