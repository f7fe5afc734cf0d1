# SPDX-License-Identifier: MIT
"""How long 128 hosts and 126 switches on two machines take until every switch has its controller, and every host has
pinged its pair on the other machine.

Goals: 60 s with AF_XDP ports, 30 s with AF_PACKET ones. Beside them, Mininet's own time for the same two trees on the
same machines (until its switches are connected), as the maxinet arm of the comparison builds them.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.result import Result
from hybridnet import Cluster, ExperimentError, HybridnetError, Net
from hybridnet.experiments.maxinet.arms import MaxinetArm
from hybridnet.experiments.maxinet.datapath import Datapath
from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.topologies import TwoTrees

DEPTH = 6
GOALS_S = {"afxdp": 60.0, "afpacket": 30.0}
PATIENCE_S = 180.0


def run() -> list[Result]:
    results: list[Result] = []
    for port_type, goal_s in GOALS_S.items():
        name = f"boot/{port_type}"
        try:
            results += _hybridnet(name, port_type, goal_s)
        except HybridnetError as error:
            results.append(Result(name, None, "s", goal_s, less_is_better=True, skipped=str(error)))
    try:
        results += _mininet()
    except HybridnetError as error:
        results.append(Result("boot/mininet", None, "s", skipped=str(error)))
    return results


def _hybridnet(name: str, port_type: str, goal_s: float) -> list[Result]:
    began = time.monotonic()
    topo = TwoTrees(depth=DEPTH)
    with Net(topo, port_type=port_type) as net:
        connected_s = time.monotonic() - began
        await_answers(net, topo.pairs, PATIENCE_S)
        pinged_s = time.monotonic() - began
        stages = slowest_stages(name, net)
        leaving = time.monotonic()
    return [
        Result(f"{name}/pinged", pinged_s, "s", goal_s, less_is_better=True),
        Result(f"{name}/connected", connected_s, "s"),
        *stages,
        Result(f"{name}/removed", time.monotonic() - leaving, "s"),
    ]


def await_answers(net: Net, pairs: Sequence[tuple[str, str]], patience_s: float) -> None:
    """Ping from the first host of each pair, all on one machine, until its second has answered."""
    began = time.monotonic()
    waiting = [(source, net[target].IP()) for source, target in pairs]
    while waiting:
        answers = net.cluster.call(net[waiting[0][0]].machine, "ping_pairs", pairs=waiting, wait_s=5.0)
        waiting = [pair for pair, ping in zip(waiting, answers, strict=True) if not ping["received"]]
        if waiting and time.monotonic() - began > patience_s:
            hosts = ", ".join(source for source, _ in waiting[:5])
            raise ExperimentError(f"{len(waiting)} hosts ({hosts} ...) have no answer after {patience_s:g} s")


def slowest_stages(name: str, net: Net) -> list[Result]:
    """What each stage of building took on the machine that took longest."""
    slowest = max(net.build_seconds.values(), key=lambda stages: sum(stages.values()))
    return [Result(f"{name}/stage/{stage}", seconds, "s") for stage, seconds in slowest.items()]


def _mininet() -> list[Result]:
    scale = Scale("boot", DEPTH, (1,), tcp_rate_bps=1_000_000, udp_rate_bps=1_000_000, seconds_per_step=3)
    with (
        tempfile.TemporaryDirectory() as logs,
        Cluster.local(["m1", "m2"]) as cluster,
        MaxinetArm(cluster, scale, Datapath("afpacket"), Path(logs)) as arm,
    ):
        seconds = arm.settings["mininet_boot_s"]
    return [Result("boot/mininet/connected", max(seconds), "s")]
