# SPDX-License-Identifier: MIT
"""How many frames a second pass a path without loss, and that at half of it every frame is accounted for.

Numbered frames of one size, evenly spaced, from a host to another: single ones, or what is due within 50 us as one
train, as from a sender with segmentation offload. The capacity is the highest rate at which a short run loses none,
found by bisection; a rate is given up when two runs in a row lose any, or when the sender cannot keep it. At half of it
a longer run must lose none, and of single frames the counters of all elements on the way must balance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchmarks.result import Result
from hybridnet import Cluster
from hybridnet.experiments.common.numbered import Passage, Place, send_and_count
from hybridnet.experiments.inet_loss.balance import equations_of

SIZES = (100, 1400)  # bytes, Ethernet header included
LEAST_PPS = 5_000
MOST_PPS = 4_000_000
PRECISION = 1.06
TRIAL_S = 1.0
HALF_S = 10.0
GATHER = ("--gather", "50us")
TRAINS = ("--trains",)  # of what it gathers, 50 us too
KEPT = 0.98  # of the rate, by the sender


def highest_without_loss(passes: Callable[[int], bool]) -> int:
    """The highest rate that passes, within PRECISION; 0 when not even LEAST_PPS does.

    Args:
        passes: whether a run at this many frames a second loses none.
    """
    good, bad = 0, LEAST_PPS
    while passes(bad):
        good, bad = bad, bad * 2
        if bad > MOST_PPS:
            return good
    while good and bad / good > PRECISION:
        middle = round((good * bad) ** 0.5)
        if passes(middle):
            good = middle
        else:
            bad = middle
    return good


def measure(
    cluster: Cluster,
    source: Place,
    target: Place,
    size: int,
    name: str,
    goal_pps: int | None = None,
    sending: Sequence[str] = GATHER,
) -> list[Result]:
    """The loss-free capacity in frames/s, and what is lost or unaccounted for at half of it.

    Args:
        sending: options of ``hybridnet generate``: GATHER or TRAINS.
    """
    ended_by = "loss"

    def run(rate: int, seconds: float) -> Passage:
        return send_and_count(cluster, source, target, f"{rate}pps", seconds, size, sending)

    def passes(rate: int) -> bool:
        nonlocal ended_by
        for _ in range(2):
            passage = run(rate, TRIAL_S)
            kept = passage.sender["rate_pps"] >= KEPT * rate
            if kept and passage.missing == 0:
                return True
            ended_by = "loss" if kept else "the sender's own speed"
        return False

    capacity = highest_without_loss(passes)
    results = [
        Result(f"{name}/without_loss", capacity, "frames/s", goal_pps),
        Result(f"{name}/without_loss_rate", capacity * size * 8 / 1e9, "Gbit/s"),
        Result(f"{name}/limited_by_loss", float(ended_by == "loss"), ""),
    ]
    if capacity:
        results += half_load(
            run(capacity // 2, HALF_S),
            tuple(dict.fromkeys((source.machine, target.machine))),
            name,
            in_trains=sending == TRAINS,
        )
    return results


def half_load(
    passage: Passage, machines: Sequence[str], name: str, *, in_trains: bool = False
) -> list[Result]:
    """What was lost at half of the capacity, where, and by how much the counters contradict each other: all 0.

    Sent in trains there is no `unexplained`: a train that the kernel drops counts as one frame there.
    """
    lost_in_capture = sum(passage.lost_in_capture.values())
    results = [
        Result(f"{name}/half/sent", passage.sent, "frames"),
        Result(f"{name}/half/lost", passage.missing, "frames", 0, less_is_better=True),
        Result(f"{name}/half/lost_in_capture", lost_in_capture, "frames", 0, less_is_better=True),
        Result(f"{name}/half/delay_p99", passage.receiver["delay_p99_ns"] / 1e6, "ms"),
    ]
    if not in_trains:
        unexplained = sum(abs(each.left - each.right) for each in equations_of(passage, machines))
        results.append(Result(f"{name}/half/unexplained", unexplained, "frames", 0, less_is_better=True))
    return results
