# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

from hybridnet.experiments.scale.experiment import Outcome, checks_of
from hybridnet.experiments.scale.network import PAYLOAD_BPS, ManyHosts
from hybridnet.results import Verdict

GOOD = Outcome(10_000, 1, 0.5, 3.0, 1 << 28, 30.0, [PAYLOAD_BPS] * 1000, 0.5, Verdict.of([]))


def test_flows_join_hosts_of_both_halves_and_are_spread_over_the_switches():
    topo = ManyHosts(hosts=1000, flows=100)
    applications = {spec.name: spec.options.get("applications") for spec in topo.node_specs()}
    senders = [name for name, mine in applications.items() if mine and mine[0]["kind"] == "tcp_bulk"]
    assert len(senders) == 100
    for name in senders:
        sink = applications[name][0]["destination"]
        assert int(sink[1:]) == int(name[1:]) + 500
        assert applications[sink][0]["kind"] == "tcp_discard"
    assert (
        len({(int(name[1:]) - 1) // 10 for name in senders}) == 50
    )  # ten hosts a switch: all of the first half


def test_each_promise_has_its_check():
    assert all(check.holds for check in checks_of(GOOD))
    for broken in (
        replace(GOOD, start_s=5.0),
        replace(GOOD, memory_bytes=3 << 30),
        replace(GOOD, flow_bps=[PAYLOAD_BPS] * 999 + [0.5 * PAYLOAD_BPS]),
        replace(GOOD, verdict=Verdict.of(["late"])),
    ):
        assert sum(not check.holds for check in checks_of(broken)) == 1


def test_five_times_the_hosts_may_take_thirty_seconds_to_build():
    large = replace(GOOD, hosts=50_000, instances=4, start_s=29.0)
    assert all(check.holds for check in checks_of(large))
    assert not all(check.holds for check in checks_of(replace(large, start_s=30.0)))
