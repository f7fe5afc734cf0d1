# SPDX-License-Identifier: MIT
"""What grew between two marks is judged: each limit by itself, computers once, machines each."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.machines import Emulated, judge_machines
from tests.hybridnet.run.net.support import counters

SECONDS = 10
TICKS = 100 * 2 * SECONDS  # of both processors of `counters`


def window(before: dict[str, Any] | None = None, **after: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ten seconds in which half of the processors' time was idle and nothing went wrong, but for `after`."""
    plain = {"time_ns": SECONDS * 10**9, "processors": processors(idle=TICKS // 2)}
    return counters(**(before or {})), counters(**{**plain, **after})


def processors(idle: int, stolen: int = 0) -> dict[str, int]:
    return {"count": 2, "ticks_per_second": 100, "idle_ticks": idle, "stolen_ticks": stolen}


def judged(before: dict[str, Any] | None = None, limits: Limits | None = None, **after: Any) -> Emulated:
    return judge_machines({"m1": window(before, **after)}, limits or Limits())


def test_a_computer_that_is_half_busy_and_loses_nothing_gives_no_reason() -> None:
    found = judged(switching={"lost_upcalls": 0})
    assert (found.broken, found.saturated) == ([], [])
    assert found.figures["the computer"]["processor_busy"] == 0.5
    assert found.figures["the computer"]["seconds"] == SECONDS


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ({"switching": {"lost_upcalls": 3}}, "Open vSwitch lost 3 packets on the way to its slow path"),
        ({"memory": {"killed_programs": 1, "stalled_us": 0}}, "the kernel killed 1 programs"),
    ],
)
def test_what_is_lost_inside_breaks_the_run(after: dict[str, Any], says: str) -> None:
    found = judged(**after)
    assert found.saturated == []
    [reason] = found.broken
    assert says in reason


def test_what_a_hosts_own_limits_ask_for_breaks_nothing_and_is_noted() -> None:
    """Two programs of h1 were killed for its limit, and a third one of the computer's for lack of memory."""
    limited = {"killed": 2, "refused": 40, "memory_bytes": 64 << 20, "processes": 100}
    memory = {"killed_programs": 2, "stalled_us": 0}
    found = judged(enforced={"h1": limited}, memory=memory)
    assert (found.broken, found.saturated) == ([], [])
    assert found.notes == [
        "host h1: its programs took more than memory=64 MiB, and the kernel killed 2 of them",
        "host h1: the kernel refused 40 new processes beyond pids=100",
    ]
    again = judged({"enforced": {"h1": limited}, "memory": memory}, enforced={"h1": limited}, memory=memory)
    assert again.notes == []
    found = judged(enforced={"h1": limited}, memory={**memory, "killed_programs": 3})
    assert "memory ran out, and the kernel killed 1 programs" in found.broken[0]


@pytest.mark.parametrize(
    ("after", "says"),
    [
        ({"processors": processors(idle=TICKS // 100)}, "busy for 10.0 s of 10.0 s"),
        ({"processors": processors(idle=0, stolen=TICKS // 10)}, "gave 10.0 % of the processors' time to others"),
        ({"quotas": {"/a": [100, 1], "/b": [100, 10]}}, "was used up in 10.0 % of its periods"),
        ({"busy": {"processors": [[400, 15], [985, 1], [1000, 4]], "switching": []}}, "busy for 2.5 s of 10.0 s"),
        (
            {"switching": {"lost_upcalls": 0}, "busy": {"processors": [], "switching": [[999, 5]]}},
            "a thread of Open vSwitch was more than 98 % busy for 2.5 s of 10.0 s",
        ),
        ({"drops": {"h1-eth0": 2, "s1-eth1": 5}}, "7 frames were dropped at interfaces of hosts and switches (s1-eth1"),
        ({"memory": {"killed_programs": 0, "stalled_us": 200_000}}, "waited for memory in 2.0 % of the time"),
        ({"memory": {"killed_programs": 0, "reclaims": 110}}, "free memory 11 times a second"),
    ],
)  # fmt: skip
def test_what_was_the_limit_saturates_the_run(after: dict[str, Any], says: str) -> None:
    before = {"memory": {**after["memory"], "reclaims": 0, "stalled_us": 0}} if "memory" in after else {}
    found = judged(before, **after)
    assert found.broken == []
    assert any(says in reason for reason in found.saturated)


def test_a_full_backlog_breaks_the_run_by_as_many_frames_as_its_own_interfaces_lost() -> None:
    """Others on the computer lose frames at the same backlogs."""
    assert judged(softnet_dropped=7).broken == []
    [reason] = judged(softnet_dropped=7, drops={"h1-eth0": 4, "h2-eth0": 1}).broken
    assert "the kernel dropped 5 frames because a processor's backlog was full" in reason
    [reason] = judged(softnet_dropped=7, drops={"h1-eth0": 40}).broken
    assert "the kernel dropped 7 frames" in reason


def test_a_short_burst_of_work_is_no_limit() -> None:
    """Two seconds in all are tolerated: a ping among a few hosts takes no longer."""
    busy = {"processors": [[1000, 4]], "switching": []}
    assert judged(busy=busy).saturated == []
    assert judged(busy=busy, limits=Limits(busy_seconds=1.5)).saturated != []
    whole = {"time_ns": 10**9, "processors": processors(idle=0)}
    assert judged(**whole).saturated == []


def test_a_stolen_tick_of_each_processor_may_be_of_the_time_before() -> None:
    """In a tenth of a second two processors have 20 ticks, and 5 % of them are one."""
    window_ns = 10**8
    for stolen, words in ((2, 0), (3, 0), (4, 1)):
        found = judged(time_ns=window_ns, processors=processors(idle=10, stolen=stolen))
        assert len(found.saturated) == words, stolen
        assert found.figures["the computer"]["steal"] == stolen / 20


def test_only_what_grew_counts_and_a_counter_that_began_again_counts_from_zero() -> None:
    before = {
        "softnet_dropped": 50,
        "drops": {"h1-eth0": 9, "s1-eth1": 100},
        "busy": {"processors": [[1000, 40]], "switching": []},
    }
    found = judged(before, softnet_dropped=50, drops={"h1-eth0": 9, "s1-eth1": 4}, busy=before["busy"])
    assert found.broken == []
    assert found.figures["m1"]["interface_drops"] == 4
    assert found.figures["the computer"]["busy_seconds"] == 0


def test_frames_that_are_too_large_for_the_other_end_are_not_blamed_on_speed() -> None:
    window = (
        counters(),
        counters(drops={"h1-eth0": 99, "h2-eth0": 1}, mtu_mismatches={"h1-eth0": (1500, "s1-eth1", 600)}),
    )
    found = judge_machines({"m1": window}, Limits())
    assert (
        "99 frames were dropped at h1-eth0, which sends up to 1500 bytes, where s1-eth1 takes 600"
        in (found.saturated[0])
    )
    assert "1 frames were dropped at interfaces of hosts and switches (h2-eth0 1" in found.saturated[1]
    assert found.figures["m1"]["interface_drops"] == 100


def test_machines_on_one_computer_share_what_is_the_computers() -> None:
    both = {name: window(softnet_dropped=7, drops={"h1-eth0": 2}) for name in ("m1", "m2")}
    found = judge_machines(both, Limits())
    [reason] = found.broken
    assert "dropped 4 frames" in reason
    assert len(found.saturated) == 2


def test_each_computer_is_named_by_its_machines_where_there_are_several() -> None:
    found = judge_machines(
        {
            "m1": window(),
            "m2": window(),
            "m3": window(computer="another", softnet_dropped=7, drops={"h3-eth0": 1}),
        },
        Limits(),
    )
    assert found.broken[0].startswith("the computer of m3: ")
    assert set(found.figures) == {"the computer of m1, m2", "the computer of m3", "m1", "m2", "m3"}
