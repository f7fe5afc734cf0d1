# SPDX-License-Identifier: MIT
"""Switches with ways in reserve go around a dead link, and Hedera's controller carries and counts flows."""

from __future__ import annotations

import json

import pytest

from hybridnet import Net, Ryu
from hybridnet.experiments.failover.experiment import WAYS, silence
from hybridnet.machines.cluster import Cluster
from hybridnet.run.controllers.process import CONTROLLERS
from hybridnet.topologies import LeafSpineTopo

pytestmark = pytest.mark.thorough


@pytest.mark.alone  # it measures a time
def test_fast_failover_is_silent_for_less_than_a_fifth_of_a_second() -> None:
    with Cluster.local(["m1"]) as cluster:
        assert silence(cluster, WAYS["fast failover"], {}) < 0.2


@pytest.mark.alone  # the controller finds the links by probes, which need the processors
def test_large_flows_that_share_a_spine_are_given_one_each() -> None:
    """Two flows, each as large as a link of a spine: on one spine each would get half of it."""
    flags = [
        "--user-flags",
        str(CONTROLLERS / "hedera_flags.py"),
        "--hedera-poll",
        "0.5",
        "--hedera-rate",
        "4",
    ]
    topo = LeafSpineTopo(spines=2, leaves=2, hosts=2, bw=4, max_queue_size=25)
    with Net(topo, controller=Ryu("c0", "hedera_switch", arguments=flags)) as net:
        assert net.pingAll(timeout=5) == 0
        servers = [net[name].popen(["iperf3", "-s", "-1"]) for name in ("h3", "h4")]
        sent = net.run_all(
            {
                source: f"sleep 0.5; iperf3 -c {net[target].IP()} -C cubic -t 5 -O 3 -J"
                for source, target in (("h1", "h3"), ("h2", "h4"))
            }
        )
        for server in servers:
            server.wait()
        flows = net["s3"].dpctl("dump-flows")
    assert "tp_dst=5201" in flows  # the switch of the senders counts each
    goodput = [json.loads(each.output)["end"]["sum_received"]["bits_per_second"] for each in sent.values()]
    assert min(goodput) > 0.7 * 4e6, goodput  # half of a link, if they shared one
