# SPDX-License-Identifier: MIT
"""The real arm of differential: Linux's TCP in namespaces, over links of one instance, in real time.

::

    a1 (Linux) ── portal ── link of cell 1 ── portal ── b1 (Linux)
    a2 (Linux) ── portal ── link of cell 2 ── portal ── b2 (Linux)       and so on, in one instance
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet import Net, Topo
from hybridnet.experiments.common.linux_flows import LinuxFlow, clock_of, prepare, run_flows
from hybridnet.experiments.differential.cells import OVERHEAD, RATE_BPS, Cell
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Verdict


@dataclass(frozen=True)
class Batch:
    """Cells that ran at once, and the verdict over all of them."""

    cells: list[Cell]
    flows: list[LinuxFlow]
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        return {
            "cells": [str(cell) for cell in self.cells],
            "throughput_bps": [flow.throughput_bps for flow in self.flows],
            "verdict": self.verdict.to_json(),
        }


class Pairs(Topo):
    """A pair of hosts for each cell, and its link between them."""

    def build(self, cells: Sequence[Cell]) -> None:
        for number, cell in enumerate(cells, start=1):
            way: dict[str, Any] = {
                "bw": RATE_BPS / 1e6,
                "delay": f"{cell.rtt_s / 2 * 1e3:g}ms",
                "max_queue_size": cell.queue_packets,
                "overhead": OVERHEAD,
                "train_limit": "0",
            }
            self.addHost(f"a{number}", ip=f"10.{number}.0.1/24")
            self.addHost(f"b{number}", ip=f"10.{number}.0.2/24")
            there: dict[str, Any] = {"loss": 100 * cell.loss} if cell.loss else {}
            self.addLink(f"a{number}", f"b{number}", **way, params1=there)


def run_batch(cluster: Cluster, cells: Sequence[Cell], number: int, seconds: float, every_s: float) -> Batch:
    """Build the network, let one flow of each cell run at once, and remove it."""
    topo = Pairs(cells=cells)
    with Net(topo, cluster=cluster, controller=None, port_type="afpacket", seed=number) as net:
        pairs = [(net[f"a{index}"], net[f"b{index}"]) for index in range(1, len(cells) + 1)]
        for (sender, receiver), cell in zip(pairs, cells, strict=True):
            for host in (sender, receiver):
                prepare(host, trains=cell.trains)
                if not cell.trains:
                    no_trains_at_portals(net, host.name)
            sender.execute(["ping", "-n", "-c", "2", "-i", "0.1", receiver.IP()])  # ARP
        with net.measured() as measured:
            flows = run_flows(
                pairs, [cell.algorithm for cell in cells], seconds, every_s, clock=clock_of(net)
            )
    return Batch(list(cells), flows, measured.verdict)


def no_trains_at_portals(net: Net, host: str) -> None:
    """Keep the host's portals from joining its segments."""
    assert net.plan is not None
    for machine, plan in net.plan.machines.items():
        for portal in plan["portals"]:
            if portal["node"] == host:
                net.cluster.call(
                    machine, "exec", argv=["ethtool", "-K", portal["device"], "gro", "off"], node=""
                )
