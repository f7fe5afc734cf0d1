# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.scale import experiment as scale
from hybridnet.experiments.scale.experiment import Outcome, checks_of
from hybridnet.experiments.scale.network import PAYLOAD_BPS, ManyHosts
from hybridnet.observe.results import Verdict

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


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--hosts", "1001"], r"--hosts 1001 --flows 1000: write an even number of hosts, at least 100"),
        (["--hosts", "98", "--flows", "1"], r"at least 100, and at most one flow for two of them"),
        (["--hosts", "100", "--flows", "51"], r"--hosts 100 --flows 51: .* at most one flow for two of them"),
        (["--flows", "0"], r"--flows 0: write"),
        (["--instances", "12"], r"--instances 12: write 1 to 11"),
        (["--instances", "0"], r"--instances 0: write 1 to 11"),
    ],
)
def test_networks_that_cannot_be_are_refused_before_a_machine_starts(words: list[str], why: str) -> None:
    parser = Parser()
    scale.add_arguments(parser)
    with pytest.raises(UsageError, match=why):
        scale.run(parser.parse_args(words))
