# SPDX-License-Identifier: MIT
"""What this computer can source and sink: the yardstick of the ``auto`` scale."""

from __future__ import annotations

import time
from statistics import median

from experiments.maxinet_parts.measure import PORT, ask
from experiments.maxinet_parts.runner_client import RunnerClient
from experiments.maxinet_parts.scale import PAYLOAD_BYTES
from experiments.maxinet_parts.staircase import FlowSpec, seconds_of
from hybridnet.cluster import Cluster
from hybridnet.net import Net
from hybridnet.topo import Topo

SECONDS = 4


def measure_source_capacity(cluster: Cluster) -> int:
    """UDP payload rate from one host to another over a bare veth pair, iperf3 sending as fast as it can.

    Args:
        cluster: the pair is made on its first machine, and removed.

    Returns:
        Payload bit/s that arrived, the median second.
    """
    machine = cluster.machines[0]
    topo = Topo()
    for host in ("h1", "h2"):
        topo.addHost(host, machine=machine)
    topo.addLink("h1", "h2")
    flow = FlowSpec("h1", "h2", "udp", rate_bps=0, step=0)
    with (
        Net(topo, controller=None, cluster=cluster) as net,
        RunnerClient(cluster, machine, "flow_runner.py") as runner,
    ):
        server = {"host": "h2", "netns": "/run/netns/h2", "port": PORT}
        client = {
            "host": "h1",
            "netns": "/run/netns/h1",
            "to": net["h2"].IP(),
            "port": PORT,
            "protocol": "udp",
            "rate_bps": 0,
            "seconds": SECONDS,
            "block_bytes": PAYLOAD_BYTES,
        }
        ask(runner.request, verb="servers", flows=[server])
        ask(runner.request, verb="sample", period_s=0.5)
        ask(runner.request, verb="clients", flows=[client])
        time.sleep(SECONDS)
        samples = ask(runner.request, verb="finish", grace_s=10.0)["samples"]
    seconds = seconds_of(samples, [flow], started_s=samples[0]["monotonic_s"])
    return round(median(second.udp_bps for second in seconds[2:-2]))
