# SPDX-License-Identifier: MIT
"""Two hosts on two machines, and between them a cut link of 10 Gbit/s and 1 ms: portal, peering over UDP, portal.

Goal of the frames: nothing lost and every one accounted for at half of the loss-free rate.

The same TCP clear and sealed, in turns: sealed at least 0.7 of clear.

Frames of 100 bytes between simulated hosts, 2.2 million offered a second, with batches and without, in turns: what
comes over with batches is at least 5 times what comes without.

Pings over one cut link, while simulated hosts fill another one between the same instances with UDP: with and without a
lane of its own for UDP, and, without that, with batches and without. Goals, of differences at 99 %: bulk in its lane
adds less than 0.2 ms to pings, batches add less than 0.02 ms where nothing else is.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from benchmarks import capacity, traffic
from benchmarks.result import Result
from hybridnet import Cluster, Net, Topo
from hybridnet.experiments.common.inet_testbed import Arm, peered_plans
from hybridnet.experiments.common.numbered import FILTER, Place
from hybridnet.run.net.startup import await_peers

RATE_MBPS, DELAY_MS, QUEUE_PACKETS = 10_000, 1, 10_000
ROUNDS = 3
CLASSES: dict[str, tuple[bool, dict[str, Any]]] = {
    "idle": (False, {}),
    "idle_without_batches": (False, {"flush": "packet"}),
    "idle_with_classes": (False, {"bulk_filter": "udp"}),
    "bulk": (True, {}),
    "bulk_with_classes": (True, {"bulk_filter": "udp"}),
}
"""Whether there is bulk, and the options of peering."""
LINK_MBPS, BULK_MBPS = 1000, 1100
SMALL_PAYLOAD, SMALL_RATE = 58, "1000 Mbit/s"
"""Bytes of a datagram whose frame has 100, and how much payload is offered."""
WARM_UP_S, SMALL_S = 1.0, 4.0


class _Pair(Topo):
    def build(self) -> None:
        h1, h2 = self.addHost("h1", machine="m1"), self.addHost("h2", machine="m2")
        self.addLink(h1, h2, bw=RATE_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=QUEUE_PACKETS)


def run() -> list[Result]:
    name = "peering"
    with Net(_Pair(), controller=None) as net:
        h1, h2 = net.get("h1", "h2")
        traffic.raise_windows(h1, h2)
        results = traffic.ping(net, h1, h2, name, 2 * DELAY_MS + 0.2, 2 * DELAY_MS + 0.5)
        results += [traffic.tcp(h1, h2, name), *traffic.fidelity(net, name)]
        for machine, snapshot in net.snapshot().items():
            [peer] = snapshot["peers"]
            results += [
                Result(f"{name}/{machine}/transit_p50", peer["transit_p50_ns"] / 1e6, "ms"),
                Result(f"{name}/{machine}/lost", peer["lost_packets"], "packets", 0, less_is_better=True),
                Result(
                    f"{name}/{machine}/late_fraction",
                    peer["late_packets"] / max(1, peer["received_packets"]),
                    "",
                    1e-4,
                    less_is_better=True,
                ),
            ]
    return results + _sealed() + _batched() + _frames() + _classes()


def _sealed() -> list[Result]:
    """TCP over a clear and over a sealed way, in turns."""
    arms: dict[str, list[Result]] = {"clear": [], "sealed": []}
    for number in range(1, ROUNDS + 1):
        for arm, found in arms.items():
            with Net(_Pair(), controller=None, peering={"authenticated": arm == "sealed"}) as net:
                h1, h2 = net.get("h1", "h2")
                traffic.raise_windows(h1, h2)
                found.append(traffic.tcp(h1, h2, f"peering/{arm}/{number}"))
    clear, sealed = (median(each.value or 0.0 for each in found) for found in arms.values())
    rows = [each for found in arms.values() for each in found]
    return [*rows, Result("peering/sealed_to_clear", sealed / clear, "", 0.7)]


class _Small(Topo):
    """A simulated host that sends small datagrams to another one, over a link without a limit."""

    def build(self) -> None:
        source = {
            "kind": "udp_source",
            "destination": "b2",
            "port": 9,
            "rate": SMALL_RATE,
            "payload": SMALL_PAYLOAD,
        }
        self.addSimHost("b1", machine="m1", applications=[source])
        self.addSimHost("b2", machine="m2", applications=[{"kind": "udp_sink", "port": 9}])
        self.addLink("b1", "b2", delay=f"{DELAY_MS}ms")


def _batched() -> list[Result]:
    """Small frames with batches, and each in a datagram of its own, in turns."""
    arms: dict[str, list[float]] = {"turn": [], "packet": []}
    for _ in range(ROUNDS):
        for flush, found in arms.items():
            with Net(_Small(), controller=None, peering={"flush": flush}) as net:
                time.sleep(WARM_UP_S)  # what is measured is time itself
                began_ns, before = _received(net)
                time.sleep(SMALL_S)
                ended_ns, after = _received(net)
            found.append((after - before) * 1e9 / (ended_ns - began_ns))
    batched, alone = (median(found) for found in arms.values())
    return [
        Result("peering/small/batched", batched, "frames/s"),
        Result("peering/small/alone", alone, "frames/s"),
        Result("peering/small/batched_to_alone", batched / alone, "", 5),
    ]


def _received(net: Net) -> tuple[int, int]:
    """When, and how many datagrams had arrived."""
    snapshot = net.snapshot(of_elements=False)["m2"]
    [sink] = [row for row in snapshot["applications"] if ":udp_sink:" in row["name"]]
    return snapshot["time_ns"], sink["received_datagrams"]


def _frames() -> list[Result]:
    machines = ("m1", "m2")
    results: list[Result] = []
    with Cluster.local(list(machines)) as cluster:
        plans = peered_plans(
            {machine: cluster.address(machine) for machine in machines},
            Arm("packet", "packet", filter=FILTER),
            rate_bps=RATE_MBPS * 1_000_000,
            delay_ns=DELAY_MS * 1_000_000,
            queue_packets=QUEUE_PACKETS,
        )
        for size in capacity.SIZES:
            cluster.call_all({machine: ("build", {"plan": plan}) for machine, plan in plans.items()})
            try:
                await_peers(
                    cluster, {each["name"]: each for plan in plans.values() for each in plan["instances"]}
                )
                results += capacity.measure(
                    cluster, Place("m1", "h1"), Place("m2", "h2"), size, f"peering/{size}_bytes"
                )
            finally:
                cluster.call_all({machine: ("destroy", {}) for machine in machines})
    return results


class _Classes(Topo):
    """Hosts that ping each other, and, over a link of their own, simulated hosts that send what fills it."""

    def build(self, bulk: bool) -> None:
        self.addLink(
            self.addHost("h1", machine="m1"), self.addHost("h2", machine="m2"), delay=f"{DELAY_MS}ms"
        )
        source = {
            "kind": "udp_source",
            "destination": "b2",
            "port": 9,
            "rate": f"{BULK_MBPS} Mbit/s",
        }
        self.addSimHost("b1", machine="m1", applications=[source] if bulk else [])
        self.addSimHost("b2", machine="m2", applications=[{"kind": "udp_sink", "port": 9}])
        self.addLink("b1", "b2", bw=LINK_MBPS, delay=f"{DELAY_MS}ms", max_queue_size=100)


def _classes() -> list[Result]:
    """The arms of CLASSES in turns."""
    tails: dict[str, list[float]] = {arm: [] for arm in CLASSES}
    results: list[Result] = []
    for number in range(1, ROUNDS + 1):
        for arm, (bulk, options) in CLASSES.items():
            name = f"peering/classes/{arm}/{number}"
            with Net(_Classes(bulk), controller=None, peering=options) as net:
                pings = traffic.ping(net, *net.get("h1", "h2"), name, None, None)
                results += pings
                if bulk:
                    results.append(_bulk_rate(net, name))
            tails[arm].append(next(each.value or 0.0 for each in pings if each.name.endswith("p99")))
    p99 = {arm: median(found) for arm, found in tails.items()}
    added = {
        "added_by_batches": (p99["idle"] - p99["idle_without_batches"], 0.02),
        "added_by_bulk": (p99["bulk"] - p99["idle"], None),
        "added_by_bulk_with_classes": (p99["bulk_with_classes"] - p99["idle_with_classes"], 0.2),
    }
    return results + [
        Result(f"peering/classes/{what}", value, "ms", goal, less_is_better=True)
        for what, (value, goal) in added.items()
    ]


def _bulk_rate(net: Net, name: str) -> Result:
    """What arrives over the link of the bulk, so far."""
    snapshot = net.snapshot(of_elements=False)["m2"]
    [sink] = [row for row in snapshot["applications"] if ":udp_sink:" in row["name"]]
    return Result(f"{name}/bulk", 8 * sink["received_bytes"] / snapshot["time_ns"], "Gbit/s")
