# SPDX-License-Identifier: MIT
"""Runs networks on a cluster and flows in them, and looks at what they keep busy a few times meanwhile."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from hybridnet.describe.topo import Topo
from hybridnet.errors import ExperimentError
from hybridnet.machines.cluster import Cluster
from hybridnet.run.net import Net
from hybridnet.run.node.iperf_server import serve
from hybridnet.run.node.popen import Popen
from hybridnet.tools.calibration.bench import Networks
from hybridnet.tools.calibration.busy_times import Look, Seen, seen_by
from hybridnet.tools.forecast.demand import Flow

__all__ = ["networks_on", "run_flows"]

FIRST_PORT = 5201
SETTLE_S = 0.5
"""After the last flow has begun: connections are there and windows have grown."""
WINDOW_S = 0.5
START_S = 0.05
"""What starting one program takes, at most, on a computer that is not full."""
SPARE_S = 0.3
"""For looking itself: a flow must not end before the last look."""
END_S = 30.0


def networks_on(cluster: Cluster) -> Networks:
    """Runs networks on a cluster's machines, without a controller."""
    return partial(_run_network, cluster)


@contextmanager
def _run_network(cluster: Cluster, topo: Topo, ports: str) -> Iterator[_Network]:
    net = Net(topo, cluster=cluster, controller=None, port_type=ports)
    net.start()
    try:
        yield _Network(net)
    finally:
        net.stop()


class _Network:
    """A network that runs."""

    def __init__(self, net: Net) -> None:
        self._net = net

    def run(self, flows: Sequence[Flow], seconds: float, *, write_bytes: int | None = None) -> Seen:
        return run_flows(self._net, flows, seconds, write_bytes=write_bytes)

    def way(self, instance: str) -> str:
        assert self._net.plan is not None
        peer = self._net.plan.instances[instance]["peers"][0]
        return "sealed" if "key" in peer else str(peer.get("transport", "udp"))


def run_flows(net: Net, flows: Sequence[Flow], seconds: float, *, write_bytes: int | None = None) -> Seen:
    """Run flows together, and look at what they keep busy meanwhile.

    Args:
        net: a network that runs.
        flows: may be none: then the network's own work is seen.
        seconds: how long is looked, at least WINDOW_S.
        write_bytes: TCP's programs give the kernel so little at a time, at iperf3's own pace; None: the kernel paces
            them.

    Raises:
        ExperimentError: a program failed; the message quotes it.
    """
    lasts_s = SETTLE_S + seconds + len(flows) * START_S + SPARE_S
    with ExitStack() as ending:
        for at, flow in enumerate(flows):
            ending.enter_context(serve(net[flow.target], FIRST_PORT + at))
        clients = [
            ending.enter_context(_send(net, flow, FIRST_PORT + at, lasts_s, write_bytes))
            for at, flow in enumerate(flows)
        ]
        time.sleep(SETTLE_S)
        looks = [_look(net, flows)]
        for _ in range(max(1, round(seconds / WINDOW_S))):
            time.sleep(WINDOW_S)
            looks.append(_look(net, flows))
        reports = [_report(client, flow) for client, flow in zip(clients, flows, strict=True)]
    return seen_by(looks, reports, flows)


def _look(net: Net, flows: Sequence[Flow]) -> Look:
    machines: Mapping[str, list[str]] = {}
    for name in dict.fromkeys([*(flow.source for flow in flows), *(flow.target for flow in flows)]):
        machines.setdefault(str(net[name].machine), []).append(name)  # type: ignore[attr-defined]
    hosts: dict[str, Mapping[str, int]] = {}
    for machine, names in machines.items():
        wanted = [(name, str(net[name].defaultIntf())) for name in names]
        answer = net.cluster.call(machine, "interface_counters", interfaces=wanted)
        hosts |= dict(zip(names, answer["counters"], strict=True))
    return Look(net.cluster.call_all(dict.fromkeys(net.cluster.machines, ("counters", {}))), hosts)


def _send(net: Net, flow: Flow, port: int, seconds: float, write_bytes: int | None) -> Popen:
    rate = str(max(1, round(flow.rate_bps)))
    options = ["-C", "cubic", "-b", "0", "--fq-rate", rate]
    if flow.protocol == "udp":
        pacing = ["--pacing-timer", str(round(flow.pacing_s * 1e6))]
        options = ["-u", "-b", rate, "-l", str(flow.packet_bytes), *pacing]
    elif write_bytes is not None:
        options = ["-C", "cubic", "-b", rate, "-l", str(write_bytes)]
    address = net[flow.target].IP()
    command = ["iperf3", "-c", str(address), "-p", str(port), "-t", f"{seconds:.1f}", "-J", *options]
    client: Popen = net[flow.source].popen(command)
    return client


def _report(client: Popen, flow: Flow) -> Mapping[str, float]:
    out, err = client.communicate(timeout=END_S)
    try:
        report = json.loads(out)
    except ValueError:
        report = {"error": (err or out).strip()[-300:] or "it printed nothing"}
    if "error" in report:
        raise ExperimentError(f"iperf3 from {flow.source} to {flow.target}: {report['error']}")
    end = report["end"]
    return {
        **end["cpu_utilization_percent"],
        "sent_bps": end.get("sum_sent", end.get("sum"))["bits_per_second"],
    }
