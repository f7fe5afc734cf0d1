# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.programs.probes import interface_counters, parse_ping, ping_pairs
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.journal import Journal

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


def test_a_host_without_ping_is_told_the_package() -> None:
    with pytest.raises(
        EnvironmentLackError, match=r"host h1: the command ping is not there; apt-get install iputils-"
    ):
        ping_pairs([("h1", "10.0.0.2")], lambda _: ["env", "PATH=/nowhere"])


def test_a_device_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    inside = NamespaceThread()
    hosts = Hosts(Journal(tmp_path, "a-run"), inside, own_files=True)
    [counters] = interface_counters(hosts, inside, [("", "lo")])
    assert counters["rx_bytes"] == counters["tx_bytes"]
    with pytest.raises(MachineError, match=r"the machine has no device none-such; it has .*lo"):
        interface_counters(hosts, inside, [("", "lo"), ("", "none-such")])
    hosts.destroy()
    inside.close()
