# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.observe.results.verdict import (
    Limits,
    Verdict,
    Word,
    judge,
    judge_marks,
    percentile_ns,
    subtract_buckets,
    together,
)
from tests.hybridnet.run.net.support import counters


def snapshot(**changes: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "name": "m1",
        "lateness": {"buckets": []},
        "peers": [{"late_packets": 0, "received_packets": 0, "lost_packets": 0}],
        "portals": [{"kernel_drops": 0, "dropped": {}}],
    }
    return plain | changes


def test_percentile_is_the_upper_edge_of_the_bucket_that_holds_it():
    buckets = [(10, 990), (100, 9), (1_000, 1)]
    assert percentile_ns(buckets, 0.5) == 10
    assert percentile_ns(buckets, 0.999) == 100
    assert percentile_ns(buckets, 1.0) == 1_000


def test_percentile_of_nothing_is_zero():
    assert percentile_ns([], 0.999) == 0


def test_only_what_was_counted_between_the_snapshots_is_judged():
    early, late = [(10, 5), (2_000_000, 5)], [(10, 1_005), (2_000_000, 5)]
    assert subtract_buckets(late, early) == [(10, 1_000)]
    verdict = judge(
        [([snapshot(lateness={"buckets": early})], [snapshot(lateness={"buckets": late})])],
        Limits(lateness_p999_ns=1_000_000),
    )
    assert verdict.word is Word.TRUSTED


def test_one_event_in_a_hundred_two_ms_late_breaks_a_limit_of_one_ms():
    after = snapshot(lateness={"buckets": [(10, 990), (2_000_000, 10)]})
    verdict = judge([([snapshot()], [after])], Limits())
    assert verdict.word is Word.BROKEN
    assert verdict.reasons[0].startswith("instance m1 ran 2.00 ms late")


def test_what_was_late_is_said_beside_what_the_computer_kept_the_instance_from():
    before = snapshot(loop={"stalls": 1, "stalled_ns": 1_000_000})
    after = snapshot(
        lateness={"buckets": [(10, 990), (2_000_000, 10)]}, loop={"stalls": 3, "stalled_ns": 5_500_000}
    )
    [reason] = judge([([before], [after])], Limits(lateness_p999_ns=1_000_000)).reasons
    assert "kept it from running 2 times, 4.5 ms in all" in reason


def test_what_the_hypervisor_gave_to_others_is_said_beside_what_came_late():
    after = snapshot(lateness={"buckets": [(10, 990), (2_000_000, 10)]}, loop={"stalls": 2, "stalled_ns": 0})
    quiet = counters(instances={"m1": None})
    stolen = counters(instances={"m1": None}, processors=quiet["processors"] | {"stolen_ticks": 4})
    [reason, *_] = judge([([snapshot()], [after])], Limits(), machines={"m1": (quiet, stolen)}).reasons
    assert "its hypervisor gave 40 ms of its processors to others" in reason


def slices(**buckets: list[tuple[int, int]]) -> dict[str, Any]:
    return {name: {"buckets": rows} for name, rows in buckets.items()}


def test_half_a_second_may_be_ten_times_as_late_as_the_whole_however_many_events_were_in_time():
    in_time = {"buckets": [(20_000, 1_000_000)]}
    for late_ns, word in ((10_000_000, Word.TRUSTED), (10_500_000, Word.BROKEN)):
        after = snapshot(
            lateness=in_time, time_ns=0, slices=slices(lateness_p999=[(20_000, 50), (late_ns, 1)])
        )
        assert judge([([snapshot()], [after])], Limits()).word is word


def test_a_late_half_second_says_when_it_ended():
    noted = [[3_000_000_000, 2_000_000, 0], [5_500_000_000, 500_000_000, 0], [7_000_000_000, 600_000_000, 0]]
    before = snapshot(time_ns=1_000_000_000)
    after = snapshot(
        time_ns=9_000_000_000, slices={**slices(lateness_p999=[(600_000_000, 2)]), "noted": noted}
    )
    [reason] = judge([([before], [after])], Limits()).reasons
    assert reason.startswith("instance m1 ran 600.00 ms late in half a second, 4.5 s after the beginning")


def test_half_seconds_before_the_beginning_are_not_judged():
    late = snapshot(time_ns=0, slices=slices(lateness_p999=[(600_000_000, 2)]))
    assert judge([([late], [late])], Limits()).word is Word.TRUSTED


def test_an_instance_that_stood_still_with_nothing_due_is_broken():
    after = snapshot(time_ns=0, slices=slices(longest_stall=[(300_000_000, 1)]))
    [reason] = judge([([snapshot()], [after])], Limits()).reasons
    assert reason.startswith("instance m1 stood still for 300.00 ms")


def test_late_packets_of_half_a_second_are_not_hidden_by_those_in_time():
    peers = [{"late_packets": 50, "received_packets": 1_000_000, "lost_packets": 0}]
    for ppm, word in ((1_000, Word.TRUSTED), (50_000, Word.BROKEN)):
        after = snapshot(peers=peers, time_ns=0, slices=slices(late_share=[(ppm, 1)]))
        assert judge([([snapshot()], [after])], Limits()).word is word


def test_two_late_packets_in_ten_thousand_break_a_limit_of_one():
    peers = [{"late_packets": 2, "received_packets": 10_000, "lost_packets": 0}]
    verdict = judge([([snapshot()], [snapshot(peers=peers)])], Limits())
    assert verdict.figures["m1"]["late_fraction"] == 2 / 10_000
    assert verdict.word is Word.BROKEN
    assert (
        judge([([snapshot()], [snapshot(peers=[peers[0] | {"late_packets": 1}])])], Limits()).word
        == "trusted"
    )


def test_one_late_event_of_few_is_no_share_but_two_are():
    for late, word in ((1, Word.TRUSTED), (2, Word.BROKEN)):
        after = snapshot(lateness={"buckets": [(10, 18), (2_000_000, late)]})
        assert judge([([snapshot()], [after])], Limits()).word is word


def paused(late_ns: int, pause_ns: int, *, half_seconds: int = 1, stalled_ns: int | None = None) -> Verdict:
    """A short run, 8 of whose 1,008 events were late together, while the computer kept the instance from running."""
    noted = [[10**9 * second, late_ns, pause_ns] for second in range(1, half_seconds + 1)]
    after = snapshot(
        time_ns=9 * 10**9,
        lateness={"buckets": [(20_000, 1_000), (late_ns, 8)]},
        loop={"stalls": 1, "stalled_ns": half_seconds * pause_ns if stalled_ns is None else stalled_ns},
        slices={**slices(lateness_p999=[(20_000, 3), (late_ns, half_seconds)]), "noted": noted},
    )
    return judge([([snapshot()], [after])], Limits())


def test_what_one_pause_of_the_computer_made_late_together_is_one_as_one_event_is():
    verdict = paused(late_ns=1_500_000, pause_ns=1_400_000)
    assert (verdict.word, verdict.reasons) == (Word.TRUSTED, [])
    assert verdict.notes == [
        "the computer kept instance m1 from running once, for 1.40 ms, 1.0 s after the beginning: 8 events were later "
        "than 1 ms, none than 1.50 ms"
    ]


def test_several_pauses_may_together_be_as_long_as_one():
    verdict = paused(late_ns=2_500_000, pause_ns=2_400_000, half_seconds=4)  # 9.6 ms
    assert (verdict.word, verdict.reasons) == (Word.TRUSTED, [])
    assert verdict.notes == [
        "the computer kept instance m1 from running 4 times, for 2.40 ms at most: 8 events were later than 1 ms, "
        "none than 2.50 ms"
    ]


def test_pauses_that_do_not_explain_it_or_are_too_long_break_the_run():
    for verdict in (
        paused(late_ns=2_500_000, pause_ns=2_400_000, half_seconds=5),  # 12 ms
        paused(late_ns=2_500_000, pause_ns=1_400_000),  # without the pause 1.1 ms late
        paused(late_ns=1_500_000, pause_ns=1_400_000, stalled_ns=10_500_000),  # 10 ms in half a second
        paused(late_ns=11_000_000, pause_ns=9_000_000),
    ):
        assert verdict.word is Word.BROKEN
        assert [reason for reason in verdict.reasons if reason.startswith("instance m1 ran")]


def test_one_late_packet_of_few_is_no_share_but_two_are_and_a_limit_of_zero_tolerates_none():
    for late, limit, word in ((1, 1e-4, Word.TRUSTED), (2, 1e-4, Word.BROKEN), (1, 0, Word.BROKEN)):
        peers = [{"late_packets": late, "received_packets": 20, "lost_packets": 0}]
        verdict = judge([([snapshot()], [snapshot(peers=peers)])], Limits(late_packets_fraction=limit))
        assert verdict.word is word


def test_capture_drops_peer_losses_and_refused_segments_each_give_a_reason():
    after = snapshot(
        peers=[{"late_packets": 0, "received_packets": 10, "lost_packets": 1}],
        portals=[{"kernel_drops": 3, "dropped": {"portal_backlog": 7, "device_refused": 2, "no_port": 100}}],
    )
    verdict = judge([([snapshot()], [after])], Limits())
    assert len(verdict.reasons) == 4
    assert "7 segments found no room" in verdict.reasons[2]
    assert "2 segments were not taken by the devices of its portals" in verdict.reasons[3]
    assert verdict.figures["m1"]["refused_segments"] == 9


def test_of_many_instances_that_break_the_same_limit_the_worst_are_named_with_their_figures():
    def late_by(number: int) -> dict[str, Any]:
        return snapshot(
            name=f"m1.{number}", lateness={"buckets": [(10, 990), ((number + 1) * 1_000_000, 10)]}
        )

    before = [snapshot(name=f"m1.{number}") for number in range(1, 17)]
    three = judge([(before[:3], [late_by(number) for number in range(1, 4)])], Limits())
    assert [reason.split()[1] for reason in three.reasons] == ["m1.1", "m1.2", "m1.3"]
    all_of_them = judge([(before, [late_by(number) for number in range(1, 17)])], Limits())
    assert [reason[:26] for reason in all_of_them.reasons[:3]] == [
        "instance m1.14 ran 15.00 m",
        "instance m1.15 ran 16.00 m",
        "instance m1.16 ran 17.00 m",
    ]
    others = ", ".join(f"m1.{number}" for number in range(1, 14))
    assert all_of_them.reasons[3:] == [f"13 more instances ran late: {others}"]
    assert len(all_of_them.figures) == 16


def busy(share: float | None, after: dict[str, Any] | None = None) -> Verdict:
    return judge([([snapshot()], [after or snapshot()])], Limits(processor_busy=0.98), processor_busy=share)


def test_what_a_removed_portal_had_counted_stays_in_the_sums():
    before = snapshot(portals=[{"kernel_drops": 3, "dropped": {"portal_backlog": 2}}])
    row = {"name": "portals", "removed": 1, "kernel_drops": 3, "dropped": {"portal_backlog": 2}}
    same = judge([([before], [snapshot(portals=[], removed=[row])])], Limits())
    assert same.word is Word.TRUSTED
    more = judge([([before], [snapshot(portals=[], removed=[{**row, "kernel_drops": 5}])])], Limits())
    assert "dropped 2 frames" in more.reasons[0]


def test_a_busy_processor_saturates_and_no_figure_is_no_judgement():
    assert busy(0.99).word == "saturated"
    assert "99.0 % busy" in busy(0.99).reasons[0]
    assert busy(0.97).word == busy(None).word == "trusted"


def test_a_simulation_that_was_late_is_broken_however_busy_the_processor_was():
    late = busy(0.99, snapshot(lateness={"buckets": [(10, 990), (2_000_000, 10)]}))
    assert late.word == "broken"
    assert len(late.reasons) == 2


def test_only_a_broken_verdict_ends_a_command_with_exit_code_4():
    assert [Verdict(word, []).exit_code for word in Word] == [0, 0, 4]


def test_windows_are_judged_together_and_what_lies_between_them_is_not():
    def at(*buckets: tuple[int, int]) -> list[dict[str, Any]]:
        return [snapshot(lateness={"buckets": list(buckets)})]

    start, one, two, end = at(), at((10, 500)), at((10, 500), (5_000_000, 9)), at((10, 1_000), (5_000_000, 9))
    assert judge([(start, one), (two, end)], Limits()).word == "trusted"
    assert judge([(start, end)], Limits()).word == "broken"


def test_frames_that_are_missing_in_a_record_are_a_reason():
    record = {"queue_full": 3, "write_failed": 0}
    full = [([snapshot(record=record)], [snapshot(record=record | {"queue_full": 5})])]
    verdict = judge(full, Limits())
    assert verdict.figures["m1"]["unrecorded_frames"] == 2
    assert verdict.reasons[0].startswith("instance m1: 2 frames are not in its record (the disk was slower")
    failed = record | {"write_failed": 4, "failure": "No space left on device"}
    verdict = judge([([snapshot()], [snapshot(record=failed)])], Limits())
    assert "7 frames are not in its record (No space left on device)" in verdict.reasons[0]


def test_frames_that_are_missing_in_captures_are_a_reason():
    def at(*lost: tuple[int, int]) -> list[dict[str, Any]]:
        return [snapshot(captures=[{"queue_full": full, "write_failed": failed} for full, failed in lost])]

    verdict = judge([(at((3, 0), (0, 0)), at((5, 0), (0, 4)))], Limits())
    assert verdict.word == "broken"
    assert verdict.figures["m1"]["uncaptured_frames"] == 2 + 4
    assert verdict.reasons[0].startswith(
        "instance m1: 6 frames are not in its captures (a write failed, as on a"
    )
    slower = judge([(at((3, 0)), at((5, 0)))], Limits())
    assert slower.reasons[0].startswith(
        "instance m1: 2 frames are not in its captures (the disk was slower than"
    )
    rows = [
        {"queue_full": 0, "write_failed": 0},
        {"queue_full": 0, "write_failed": 2, "failure": "disk full"},
    ]
    verdict = judge([(at((0, 0)), [snapshot(captures=rows)])], Limits())
    assert verdict.reasons[0].startswith("instance m1: 2 frames are not in its captures (disk full): ")
    assert judge([(at((3, 0)), at((3, 0)))], Limits()).word == "trusted"


def test_marks_are_judged_with_their_instances_and_what_is_broken_comes_first():
    late = snapshot(lateness={"buckets": [(10, 990), (2_000_000, 10)]})
    before = {"m1": counters(instances={"m1": snapshot()}), "m2": counters()}
    after = {"m1": counters(instances={"m1": late}, drops={"h1-eth0": 3}), "m2": counters()}
    verdict = judge_marks(before, after, Limits())
    assert verdict.word == "broken"
    assert [reason.partition(":")[0] for reason in verdict.reasons] == [
        "instance m1 ran 2.00 ms late at the 99.9th percentile (limit 1 ms)",
        "machine m1",
    ]
    assert verdict.figures["m1"]["interface_drops"] == 3
    assert verdict.figures["m1"]["lateness_p999_ns"] == 2_000_000
    assert judge_marks(before, before, Limits()).word == "trusted"
    assert judge_marks(before, {**before, "m2": counters(drops={"h2-eth0": 1})}, Limits()).word == "saturated"


def test_an_instance_that_begins_between_the_marks_is_judged_from_its_beginning():
    late = snapshot(lateness={"buckets": [(10, 990), (2_000_000, 10)]})
    begun = judge_marks({"m1": counters()}, {"m1": counters(instances={"m1": late})}, Limits())
    assert begun.reasons[0].startswith("instance m1 ran 2.00 ms late")
    assert (
        judge_marks({"m1": counters(instances={"m1": late})}, {"m1": counters()}, Limits()).word == "trusted"
    )


def test_an_instance_that_was_started_again_is_judged_from_there_and_its_outage_is_told():
    before = counters(
        instances={"m1": snapshot(lateness={"buckets": [(10, 5)]})}, started={"m1": 1}, time_ns=1_000
    )
    outage = {"instance": "m1", "from_ns": 2_000_001_000, "to_ns": None, "how": "was killed by signal 9"}
    gone = counters(instances={"m1": None}, started={"m1": 1}, time_ns=5_000_001_000, outages=[outage])
    verdict = judge_marks({"m1": before}, {"m1": gone}, Limits())
    assert verdict.word == "broken"
    assert verdict.reasons[0] == (
        "instance m1 was killed by signal 9 and is missing for 3.00 s, from 2.00 s on: what the others sent it was "
        "lost; start it again with net.restart_instance"
    )
    back = counters(
        instances={"m1": snapshot()},
        started={"m1": 2},
        time_ns=9_000_001_000,
        outages=[{**outage, "to_ns": 2_500_001_000}],
    )
    first = judge_marks({"m1": before}, {"m1": back}, Limits()).reasons[0]
    assert "and was missing for 0.50 s, from 2.00 s on" in first
    later = {**back, "time_ns": 10_000_001_000}
    assert "missing" not in str(judge_marks({"m1": back}, {"m1": later}, Limits()))


def test_several_networks_are_worth_what_the_worst_of_them_is():
    saturated, broken = Verdict(Word.SATURATED, ["busy"]), Verdict(Word.BROKEN, ["late"], {"m1": {"x": 1}})
    verdict = together([Verdict.of([]), saturated, broken])
    assert str(verdict) == "broken: network 3: late; network 2: busy"
    assert verdict.figures == {"network 3: m1": {"x": 1}}
    assert together([saturated]) is saturated
