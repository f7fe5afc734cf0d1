# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.agent.probes import parse_counters, parse_ping
from hybridnet.errors import MachineError

ANSWERED = """PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.
64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=20.4 ms
64 bytes from 10.0.0.2: icmp_seq=2 ttl=64 time=20.1 ms

--- 10.0.0.2 ping statistics ---
2 packets transmitted, 2 received, 0% packet loss, time 1001ms
rtt min/avg/max/mdev = 20.100/20.250/20.400/0.150 ms
"""
UNANSWERED = """PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.
From 10.0.0.1 icmp_seq=1 Destination Host Unreachable

--- 10.0.0.2 ping statistics ---
3 packets transmitted, 0 received, +1 errors, 100% packet loss, time 2040ms
"""
DEVICES = """Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:       0       0    0    0    0     0          0         0        0       0    0    0    0     0       0          0
h1-eth0:   1500       2    3    4    0     0          0         0     3000       5    6    7    0     0       0          0
"""  # noqa: E501


def test_answers_are_counted_and_timed() -> None:
    answer = parse_ping(ANSWERED)
    assert (answer["sent"], answer["received"], answer["rtts_ms"]) == (2, 2, [20.4, 20.1])
    assert (answer["rtt_min_ms"], answer["rtt_avg_ms"]) == (20.1, 20.25)
    assert (answer["rtt_max_ms"], answer["rtt_mdev_ms"]) == (20.4, 0.15)


def test_no_answer_is_a_result_without_times() -> None:
    answer = parse_ping(UNANSWERED)
    assert (answer["sent"], answer["received"], answer["rtts_ms"], answer["rtt_avg_ms"]) == (3, 0, [], None)


def test_what_is_no_answer_of_ping_is_an_error() -> None:
    with pytest.raises(MachineError, match="cannot resolve"):
        parse_ping("ping: cannot resolve x")


def test_counters_are_read_by_device() -> None:
    counters = parse_counters(DEVICES)["h1-eth0"]
    assert [counters[f"rx_{name}"] for name in ("bytes", "packets", "errors", "dropped")] == [1500, 2, 3, 4]
    assert [counters[f"tx_{name}"] for name in ("bytes", "packets", "errors", "dropped")] == [3000, 5, 6, 7]
