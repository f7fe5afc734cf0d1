# SPDX-License-Identifier: MIT
"""A computer whose costs are known: it says how busy it is by them, as a real one is seen to be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hybridnet.tools.calibration.busy_times import Seen
from hybridnet.tools.calibration.yardstick import CHAIN, SIM_BPS, SimulatedPair
from hybridnet.tools.forecast.costs import AROUND, THREAD, Cost, Traffic, pausing, switching
from hybridnet.tools.forecast.demand import SEGMENT_BYTES, Flow
from hybridnet.tools.forecast.traffic import at_sender, bursts_both_ways

MOST_BPS = {"tcp": 8e9, "udp": 1e9}
"""More does not go, over all flows."""
RTT_S = 0.002
ON = {"v": "veth"}
NODES = {"w": ("switches", "switch"), "o": ("openflow", "openflow"), "r": ("routers", "router")}
ENDS = {"g": ("shm1", "shm2"), "u": ("near", "far")}
TURNS = {"p": 2.0, "w": 9.0, "o": 8.0, "r": 10.0, "g": 1.5, "u": 1.75}
"""Of each instance's loop, for each unit."""


@dataclass
class KnownComputer:
    """Runs networks, as `hybridnet.tools.calibration.bench.Networks` does.

    Args:
        costs: by element, protocol and whose time; what is not there costs nothing.
        way: how two machines reach each other.
        together: both are on this computer.
        busy: processors that something else keeps busy.
        polling: processors that a thread takes for AF_XDP ports where nothing comes.
        silent: pairs over which nothing goes, by the first letter of their hosts.
    """

    costs: Mapping[str, Mapping[str, Mapping[str, Cost]]]
    processors: int = 8
    way: str = "udp"
    together: bool = True
    busy: float = 0.125
    polling: float = 0.25
    silent: str = ""
    ran: list[tuple[str, str]] = field(default_factory=list)

    @contextmanager
    def __call__(self, topo: Any, ports: str) -> Iterator[KnownNetwork]:
        self.ran.append((type(topo).__name__, ports))
        yield KnownNetwork(self, topo, ports)

    def cost(self, element: str, protocol: str, whose: str = THREAD) -> Cost:
        return self.costs.get(element, {}).get(protocol, {}).get(whose, Cost())


class KnownNetwork:
    """A network on it."""

    def __init__(self, computer: KnownComputer, topo: Any, ports: str) -> None:
        self.computer = computer
        self.ports = ports
        self.simulated_hosts = isinstance(topo, SimulatedPair)
        self.more_bridges = sum(topo.isSwitch(name) for name in topo.nodes() if name[0] == "s") - 1
        self.polls = ports == "afxdp" and not self.simulated_hosts

    def way(self, instance: str) -> str:
        assert instance == "near"
        return self.computer.way

    def run(self, flows: Sequence[Flow], seconds: float, *, write_bytes: int | None = None) -> Seen:
        idle = self.computer.polling if self.polls else 0.0
        if not flows:
            instances, turns, wakes = {}, {}, {}
            if self.simulated_hosts:
                segments = SIM_BPS / 8 / (SEGMENT_BYTES + 66)
                turns, wakes = {"only": 2 * segments}, {"only": segments / 4}
                hosts = 2 * self.computer.cost("simhost", "tcp").work(Traffic(segments, segments, 0.0))
                instances = {"only": self._looped(2 * segments, segments / 4) + hosts}
            busy = self.computer.busy + idle + sum(instances.values())
            looked = dict.fromkeys(instances, 0.0)
            nothing = Traffic(0.0, 0.0, 0.0)
            return Seen(
                seconds, {"m1": busy}, instances, looked, turns, wakes, {"m1": idle}, [], [], nothing, 0.0
            )
        if flows[0].source[0] in self.computer.silent:
            return self._nothing(seconds)
        return self._seen(flows, seconds, self._traffic(flows, write_bytes), idle)

    def _nothing(self, seconds: float) -> Seen:
        nothing = Traffic(0.0, 0.0, 0.0)
        return Seen(seconds, {"m1": self.computer.busy}, {}, {}, {}, {}, {}, [0.0], [0.0], nothing, 0.0)

    def _traffic(self, flows: Sequence[Flow], write_bytes: int | None) -> Traffic:
        first = flows[0]
        offered = sum(flow.rate_bps for flow in flows)
        one = first.scaled(min(1.0, MOST_BPS[first.protocol] / offered))
        if write_bytes is not None:
            units = one.rate_bps / 8 / write_bytes
            return Traffic(units, units, one.rate_bps / 8).scaled(len(flows))
        return at_sender(one, RTT_S).scaled(len(flows))

    def _looped(self, turns: float, wakes: float, protocol: str = "tcp") -> float:
        cost = self.computer.cost
        turn_ns, wake_ns = cost("loop", protocol).burst_ns, cost("wake", protocol).burst_ns
        return (turns * turn_ns + wakes * wake_ns) / 1e9

    def _seen(self, flows: Sequence[Flow], seconds: float, passed: Traffic, idle: float) -> Seen:
        computer, protocol, prefix = self.computer, flows[0].protocol, flows[0].source[0]
        on = ON.get(prefix, self.ports if prefix == "a" else "portal")
        turns = TURNS.get(prefix, 0.0) * passed.units * (2 if protocol == "tcp" else 1)
        wakes = turns * math.exp(-turns / 50_000)
        loop = self._looped(turns, wakes, protocol) if turns else 0.0
        portal = computer.cost("portal", protocol)
        works: dict[str, float] = {}
        around: list[tuple[str, float]] = []  # elements, and how many of them
        if prefix == "p":
            works, around = {"portals": 2 * portal.work(passed)}, [("portal", 2)]
        elif prefix in NODES:
            name, node = NODES[prefix]
            works = {name: 2 * portal.work(passed) + CHAIN * computer.cost(node, protocol).work(passed)}
            around = [("portal", 2)]
        elif prefix in ENDS:
            element = "peering.shm" if prefix == "g" else f"peering.{computer.way}"
            one = portal.work(passed) + computer.cost(element, protocol).work(passed)
            works = dict.fromkeys(ENDS[prefix], one)
            near = 2 if prefix == "g" or computer.together else 1
            around = [("portal", near), (element, near)]
        elif prefix == "a":
            around = [(f"ovs.{self.ports}", 1)]
        else:
            around = [("veth", 1)]
        instances = {name: loop + work for name, work in works.items()}
        switched = self._switched(passed, protocol, idle) if prefix == "a" else idle
        split = prefix == "u" and not computer.together
        busy = 0.0
        for _ in range(64):  # the busier a computer is, the fewer pauses there are, and so on
            share = pausing(
                max(0.0, 1.0 - busy / computer.processors), 2 * passed.bursts, computer.processors
            )
            sender = computer.cost(f"sender.{on}", protocol).cores(passed, share)
            receiver = computer.cost(f"receiver.{on}", protocol).cores(passed, share)
            here = [sender, switched, *(instances.values() if not split else [instances["near"]])]
            here += [] if split else [receiver]
            here += [
                count * computer.cost(name, protocol, AROUND).cores(passed, share) for name, count in around
            ]
            busy = (busy + computer.busy + sum(here)) / 2
        count = len(flows)
        return Seen(
            seconds,
            {"m1": busy},
            instances,
            dict.fromkeys(instances, 0.0),
            dict.fromkeys(instances, turns),
            dict.fromkeys(instances, wakes),
            {"m1": switched},
            [sender / count] * count,
            [receiver / count] * count,
            passed,
            passed.bytes * 8,
        )

    def _switched(self, passed: Traffic, protocol: str, idle: float) -> float:
        if self.ports == "system":
            return 0.0
        cost = self.computer.cost(f"ovs.{self.ports}", protocol)
        if self.ports == "afxdp":
            own = cost.work(passed)
            return own + (1.0 - own) * idle
        turn_ns = cost.burst_ns + self.more_bridges * self.computer.cost("ovs.bridge", protocol).burst_ns
        return switching(bursts_both_ways(passed, protocol), turn_ns, cost.work(passed))
