# SPDX-License-Identifier: MIT
"""Descriptions to be written and read again, what makes two of them the same, and how a file is refused."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.errors import HybridnetError
from hybridnet.plan.files import read_topology
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan


class Everything(Topo):
    """One of each kind of node, and options of every form."""

    def build(self) -> None:
        self.addHost("h1", machine="m1", ip="10.1.0.1/16", routes=[("10.9.0.0/16", "10.1.255.254")])
        self.addHost("h2", machine="m2", ip6=None, mac="10:11:22:33:44:55", privateDirs=["/var/log"])
        self.addSwitch("s1", dpid="0000000000000010", failMode="standalone")
        self.addSimRouter("r1", machine="m1", processing_delay="10us")
        self.addSimRouter("r2", machine="m2")
        self.addSimSwitch("w1")
        self.addGuest("laptop", port=5000, routes=[("192.0.2.0/24", "10.1.0.1")])
        self.addSimHost("web", applications=[{"kind": "http_server", "port": 80, "size": "1 MB"}])
        self.addLink("h1", "s1", port2=7, mtu=1400)
        self.addLink("s1", "r1")
        self.addLink(
            "r2", "r1", bw=100, delay="5ms", loss=1, params1={"aqm": {"model": "codel", "target": "10ms"}}
        )
        self.addLink(
            "r2", "w1", delay="1ms", jitter={"model": "exponential", "mean_above": "2ms"}, keep_order=True
        )
        self.addLink("w1", "web", slots=[("500ms", 12), ("200ms", "800 kbit/s")])
        self.addLink("w1", "laptop", delay="5ms")
        self.addLink("h2", "w1", addr1="00:00:00:00:00:02", intfName1="eth0")


def content(topo: Topo) -> tuple[list[Any], list[Any]]:
    """What a description says: nodes and links with what their options mean."""
    nodes = [(spec.name, spec.role, dict(spec.resolved)) for spec in topo.node_specs()]
    links = [(link.name, link.a, link.b, link.a_to_b, link.b_to_a) for link in topo.link_specs()]
    return sorted(nodes, key=lambda node: node[0]), links


def planned(topo: Topo) -> Plan:
    names = sorted({str(spec.machine) for spec in topo.node_specs() if spec.machine}) or ["m1"]
    machines = [MachineSpec(name, f"198.18.0.{at}") for at, name in enumerate(names, 1)]
    return make_plan(topo, machines, PlanOptions(token="0" * 16, peering_key="0" * 64))


def assert_read_or_refused(file: Path) -> None:
    """Whatever is in a file, it is read, or refused in words that name it, and soon.

    What counts is this thread's processor time: Hypothesis's own deadline would also count what other programs take.
    """
    told, begun = str(file), time.thread_time()
    try:
        read_topology(file)
    except HybridnetError as error:
        told = str(error)
    took = time.thread_time() - begun
    assert str(file) in told
    assert took < 2, f"it took {took:.1f} s of processor time"
