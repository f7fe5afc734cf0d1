# SPDX-License-Identifier: MIT
"""How much crosses a network between simulated hosts, so that a tree may have far more of them than a computer runs.

Their TCP is simcore's, counted where it arrives. A simulated host has its applications from the beginning, so each
pattern has a network of its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from hybridnet import Net
from hybridnet.errors import ExperimentError
from hybridnet.experiments.hedera.arms import Applications, Flow, Measured, Settings, controller_of, topo_of
from hybridnet.experiments.hedera.patterns import Pairs
from hybridnet.machines.cluster import Cluster

__all__ = ["applications_of", "measured"]

FIRST_PORT = 5201
SPREAD_S = 1.0
"""The flows of a pattern begin one after the other, because the first packet of each asks the controller."""


def applications_of(pairs: Pairs, lead_s: float) -> Applications:
    """Of each host of a pattern: its endless TCP flow, and a sink for each flow that comes to it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for number, (source, target) in enumerate(pairs):
        port = FIRST_PORT + source
        start = f"{lead_s + SPREAD_S * number / len(pairs):.6f}s"
        bulk = {"kind": "tcp_bulk", "destination": _name(target), "port": port, "start": start}
        found.setdefault(_name(source), []).append({**bulk, "tcp": {"preset": "linux"}})
        found.setdefault(_name(target), []).append(
            {"kind": "tcp_discard", "port": port, "tcp": {"preset": "linux"}}
        )
    return found


def measured(
    cluster: Cluster, arm: str, settings: Settings, patterns: Mapping[str, Pairs]
) -> Iterator[tuple[str, Measured]]:
    """Run each pattern in a network of its own, and yield what each of its flows got.

    Raises:
        ExperimentError: a network took longer to start than `Settings.lead_s`.
    """
    for name, pairs in patterns.items():
        topo = topo_of(arm, settings, applications_of(pairs, settings.lead_s))
        with Net(topo, cluster=cluster, controller=controller_of(arm, settings)) as net:
            yield name, _measure(net, f"{arm}, {name}", settings, pairs)


def _measure(net: Net, what: str, settings: Settings, pairs: Pairs) -> Measured:
    began_s, _ = _received(net)
    if began_s > settings.lead_s:
        raise ExperimentError(
            f"hedera: {what}: the network needed {began_s:.1f} s to start, and its flows began after "
            f"{settings.lead_s:g} s; give --lead {began_s + 2:.0f}"
        )
    time.sleep(settings.lead_s - began_s + SPREAD_S + settings.omitted_s)
    first = net.mark()
    before_s, before = _received(net)
    time.sleep(settings.seconds)
    after_s, after = _received(net)
    names = [f"{_name(target)}:tcp_discard:{FIRST_PORT + source}" for source, target in pairs]
    flows = [
        Flow(source, target, 8 * (after[name] - before[name]) / (after_s - before_s))
        for (source, target), name in zip(pairs, names, strict=True)
    ]
    return Measured(flows, net.verdict(first))


def _received(net: Net) -> tuple[float, dict[str, int]]:
    """Simulated time, seconds, and the bytes that every sink has by then."""
    [snapshot] = net.snapshot().values()
    rows = snapshot["applications"]
    return snapshot["time_ns"] / 1e9, {
        row["name"]: row["received_bytes"] for row in rows if "received_bytes" in row
    }


def _name(host: int) -> str:
    return f"h{host + 1}"
