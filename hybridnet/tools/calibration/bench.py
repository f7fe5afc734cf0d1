# SPDX-License-Identifier: MIT
"""Measures the costs of one computer.

The pairs of `Yardstick` get a few flows each. Programs, instances and Open vSwitch say for themselves how long they
ran. What was busy beside them is the kernel's, around them. An instance's loop says how often it turned and slept, and
what is left is the work of its elements:

    loop, wake, portal ─▶ simulated nodes, peering
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from hybridnet.describe.topo import Topo
from hybridnet.errors import ExperimentError
from hybridnet.tools.calibration.busy_times import Seen
from hybridnet.tools.calibration.solve import (
    WORK,
    Point,
    extra,
    fit,
    fit_loop,
    fit_polling,
    fit_turn,
    fit_turns,
)
from hybridnet.tools.calibration.yardstick import CHAIN, SIM_BPS, Bridges, SimulatedPair, Yardstick
from hybridnet.tools.forecast.costs import AROUND, PROTOCOLS, THREAD, Cost, Element, Traffic, pausing
from hybridnet.tools.forecast.demand import DATAGRAM_BYTES, SEGMENT_BYTES, Flow
from hybridnet.tools.forecast.traffic import bursts_both_ways

__all__ = ["Bench", "Networks", "Running", "Tell"]

LOOK_S, QUICK_LOOK_S = 3.0, 1.0
IDLE_S = 1.5
MORE_BRIDGES = 5
MOST_BPS = 40e9
"""More than goes: TCP takes what there is."""
MOST_IDLE = 0.15
"""Of the processors: more than that no network keeps busy without traffic, beside threads that poll."""
AROUND_WITHIN = 0.05
"""Processors: what is around is what is left of a sum whose parts are known in ticks of 10 ms, or over other times."""
ELEMENTS = {"switches": "switch", "openflow": "openflow", "routers": "router"}
"""What the instances with rows of nodes measure."""

Tell = Callable[[str], object]


class Running(Protocol):
    """A network that runs."""

    def run(self, flows: Sequence[Flow], seconds: float, *, write_bytes: int | None = None) -> Seen:
        """Run flows together, and see what they keep busy; see `run_flows`."""

    def way(self, instance: str) -> str:
        """How an instance reaches its first peer: shm, udp, sealed."""


Networks = Callable[[Topo, str], AbstractContextManager[Running]]
"""Runs a network with Open vSwitch's ports of this type, for a while."""


@dataclass(frozen=True)
class Load:
    """What a pair gets in one run.

    Args:
        flows: how many, all from the first host to the second.
        rate_bps: of each.
        packet_bytes: of a UDP datagram.
        write_bytes: what a TCP program gives the kernel at a time; None: all it has.
    """

    protocol: str
    flows: int
    rate_bps: float
    packet_bytes: int = SEGMENT_BYTES
    write_bytes: int | None = None


LOADS = (
    Load("tcp", 1, 1e9),
    Load("tcp", 4, 40e6, write_bytes=4096),
    Load("udp", 1, 400e6, DATAGRAM_BYTES),
    Load("udp", 8, 9e6, DATAGRAM_BYTES),
    Load("udp", 1, 20e6, 100),
    Load("tcp", 4, MOST_BPS),
    Load("udp", 4, 8e6, 100),
)
"""Long trains and short ones; datagrams in bursts, one by one, and small. The last two make the computer busy, so that
bursts end few pauses.
"""
CHAIN_LOADS = (LOADS[1], LOADS[3])
"""Simulated nodes take time for units, not for bytes."""

Rows = dict[str, list[tuple[Traffic, Seen]]]
"""What was seen at a pair, by protocol."""


class Bench:
    """Measures one computer by a machine on it.

    Args:
        networks: runs networks on the machines.
        machine: one of the computer.
        other: another machine, on this computer or on another one; empty: there is none.
        together: the other one is on the same computer.
        processors: of the computer.
        quick: a third of the time for each figure.
        tell: called with what is being measured.
    """

    def __init__(
        self,
        networks: Networks,
        machine: str,
        other: str,
        *,
        together: bool,
        processors: int,
        quick: bool = False,
        tell: Tell = lambda text: None,
    ) -> None:
        self.disturbed = False
        self.idle_cores = 0.0
        self._networks = networks
        self._machine = machine
        self._other = other
        self._together = together
        self._processors = processors
        self._look_s = QUICK_LOOK_S if quick else LOOK_S
        self._tell = tell
        self._idle = 0.0  # processors that the network which runs now keeps busy by itself
        self._idle_threads = 0.0  # what threads of it take
        self._idle_switching = 0.0  # what that of Open vSwitch takes, which may poll
        self._elements: dict[str, dict[str, dict[str, Cost]]] = {}

    def measure(self, facts: Mapping[str, Any]) -> dict[str, Element]:
        """Everything.

        Args:
            facts: what the computer can do: "kernel_datapath", "afxdp".

        Raises:
            ExperimentError: nothing came over a pair.
        """
        ports = "system" if facts["kernel_datapath"] else "afpacket"
        with self._running(Yardstick(machine=self._machine, other=self._other), ports) as net:
            self.idle_cores = self._idle
            pair = self._pair(net, "v", "a veth pair")
            self._programs(pair, "veth")
            self._around(pair, "veth")
            self._switching(net, ports)
            portals = self._pair(net, "p", "portals")
            chains = {
                name: self._pair(net, prefix, f"simulated nodes: {ELEMENTS[name]}", CHAIN_LOADS)
                for prefix, name in (("w", "switches"), ("o", "openflow"), ("r", "routers"))
            }
            self._instances(portals, chains)
            self._peering(self._pair(net, "g", "instances of one machine"), "peering.shm", ("shm1", "shm2"))
            if self._other:
                ends = ("near", "far") if self._together else ("near",)
                self._peering(self._pair(net, "u", "two machines"), f"peering.{net.way('near')}", ends)
        if ports == "afpacket":
            with self._running(Bridges(machine=self._machine, bridges=MORE_BRIDGES), ports) as net:
                self._more_bridges(self._pair(net, "a", f"{MORE_BRIDGES} bridges", CHAIN_LOADS))
        if facts["afxdp"] and not facts["kernel_datapath"]:
            with self._running(Bridges(machine=self._machine), "afxdp") as net:
                self._switching(net, "afxdp")
        with self._running(SimulatedPair(machine=self._machine), ports) as net:
            self._simulated_hosts(net)
        return dict(self._elements)

    # -- what is seen -----------------------------------------------------------------------------------------------

    @contextmanager
    def _running(self, topo: Topo, ports: str) -> Iterator[Running]:
        with self._networks(topo, ports) as net:
            self._look_idle(net)
            yield net

    def _look_idle(self, net: Running) -> None:
        """See what the network does by itself; it is taken off all that is seen later."""
        seen = net.run([], IDLE_S)
        self._idle, self._idle_threads = seen.cores[self._machine], seen.threads
        self._idle_switching = seen.switching.get(self._machine, 0.0)
        if self._idle - self._idle_threads > MOST_IDLE * self._processors:
            self.disturbed = True
            self._tell(
                f"{self._idle:.2f} of {self._processors} processors are busy without any traffic: something else runs "
                "here, and the costs will be wrong"
            )

    def _pair(self, net: Running, prefix: str, what: str, loads: Sequence[Load] = LOADS) -> Rows:
        rows: Rows = {protocol: [] for protocol in PROTOCOLS}
        for load in loads:
            self._tell(f"{what}, {load.flows} x {load.rate_bps / 1e6:g} Mbit/s of {load.protocol.upper()}")
            flow = Flow(f"{prefix}1", f"{prefix}2", load.rate_bps, load.protocol, load.packet_bytes)
            seen = net.run([flow] * load.flows, self._look_s, write_bytes=load.write_bytes)
            if seen.sent.units <= 0:
                raise ExperimentError(f"calibrate: nothing was sent over {what}; is the computer full?")
            rows[load.protocol].append((seen.sent, seen))
        return rows

    # -- what it says -----------------------------------------------------------------------------------------------

    def _put(self, element: str, protocol: str, **costs: Cost) -> None:
        self._elements.setdefault(element, {}).setdefault(protocol, {}).update(costs)

    def _programs(self, rows: Rows, attached: str) -> None:
        """What the programs at both ends take, each a thread."""
        for protocol in PROTOCOLS:
            for end in ("sender", "receiver"):
                points = [
                    Point(
                        traffic,
                        sum(seen.senders if end == "sender" else seen.receivers),
                        pausing=self._pausing(traffic, seen),
                    )
                    for traffic, seen in rows[protocol]
                ]
                self._put(f"{end}.{attached}", protocol, thread=fit(points))

    def _around(self, rows: Rows, element: str, part: float = 1.0) -> None:
        """What was busy beside all threads, and was not so without traffic."""
        for protocol in PROTOCOLS:
            points = [
                Point(traffic, self._beside(seen, seen.threads), pausing=self._pausing(traffic, seen))
                for traffic, seen in rows[protocol]
            ]
            self._put(element, protocol, around=fit(points, within=AROUND_WITHIN).times(part))

    def _pausing(self, traffic: Traffic, seen: Seen) -> float:
        """The probability that a burst, at one of two ends here, ended a pause; as if no other program ran."""
        busy = 0.0 if self.disturbed else seen.cores[self._machine] / self._processors
        return pausing(max(0.0, 1.0 - busy), 2 * traffic.bursts, self._processors)

    def _beside(self, seen: Seen, threads: float) -> float:
        """Processors of the computer that were busy beside these of threads, and are not so without traffic."""
        return seen.cores[self._machine] - self._idle - (threads - self._idle_threads)

    def _switching(self, net: Running, ports: str) -> None:
        rows = self._pair(net, "a", f"Open vSwitch, {ports} ports")
        self._programs(rows, ports)
        self._around(rows, f"ovs.{ports}")
        if ports == "system":
            return
        points = self._switching_points(rows)
        found = fit_polling(points, self._idle_switching) if ports == "afxdp" else fit_turns(points)
        for protocol, cost in found.items():
            self._put(f"ovs.{ports}", protocol, thread=cost)

    def _more_bridges(self, rows: Rows) -> None:
        """What a turn takes longer; the work in it stays the same."""
        for protocol, points in self._switching_points(rows).items():
            one = self._elements["ovs.afpacket"][protocol][THREAD]
            more_ns = max(0.0, fit_turn(points, one) - one.burst_ns) / (MORE_BRIDGES - 1)
            self._put("ovs.bridge", protocol, thread=Cost(burst_ns=more_ns))

    def _switching_points(self, rows: Rows) -> dict[str, list[Point]]:
        return {
            protocol: [
                Point(traffic, seen.switching.get(self._machine, 0.0), bursts_both_ways(traffic, protocol))
                for traffic, seen in rows[protocol]
            ]
            for protocol in PROTOCOLS
        }

    def _instances(self, portals: Rows, chains: Mapping[str, Rows]) -> None:
        """Portals, turns and simulated nodes together: who has more nodes has more turns, and hardly more work."""
        self._programs(portals, "portal")
        self._around(portals, "portal", 0.5)
        all_rows = {"portals": portals, **chains}
        together = {
            protocol: [
                point for name, rows in all_rows.items() for point in self._loop_points(rows[protocol], name)
            ]
            for protocol in PROTOCOLS
        }
        loop = fit_loop(together)
        turn = Cost(burst_ns=loop.turn_ns)
        for protocol, cost in loop.work.items():
            self._put("loop", protocol, thread=turn)
            self._put("wake", protocol, thread=Cost(burst_ns=loop.wake_ns))
            self._put("portal", protocol, thread=cost.times(0.5))
            for name, rows in chains.items():
                left = extra(self._loop_points(rows[protocol], name), [turn, cost], loop.wake_ns)
                self._put(ELEMENTS[name], protocol, thread=fit(left, WORK).times(1 / CHAIN))

    def _peering(self, rows: Rows, element: str, instances: Sequence[str]) -> None:
        """Each of these instances has one portal and one end of the way between them, all on the machine's computer."""
        for protocol in PROTOCOLS:
            known = [self._elements[each][protocol][THREAD] for each in ("loop", "portal")]
            left = [
                point
                for name in instances
                for point in extra(self._loop_points(rows[protocol], name), known, self._wake_ns)
            ]
            portal = self._elements["portal"][protocol][AROUND].times(len(instances))
            beside = []
            for traffic, seen in rows[protocol]:
                probability = self._pausing(traffic, seen)
                more = self._beside(seen, self._threads_of(seen, instances))
                more -= portal.cores(traffic, probability)
                beside.append(Point(traffic, max(0.0, more), pausing=probability))
            around = fit(beside, within=AROUND_WITHIN).times(1 / len(instances))
            self._put(element, protocol, thread=fit(left, WORK), around=around)

    def _threads_of(self, seen: Seen, instances: Sequence[str]) -> float:
        """Processors that threads of this computer took, where it has these instances of a pair: the first of them is
        the sender's, and with the second one it has the receiver, too.
        """
        if len(instances) > 1:
            return seen.threads
        own = [*seen.senders, *(figures.get(instances[0], 0.0) for figures in (seen.instances, seen.looked))]
        return sum(own) + seen.switching.get(self._machine, 0.0)

    @property
    def _wake_ns(self) -> float:
        return self._elements["wake"][PROTOCOLS[0]][THREAD].burst_ns

    def _loop_points(self, rows: Sequence[tuple[Traffic, Seen]], instance: str) -> list[Point]:
        return [
            Point(
                traffic,
                seen.instances.get(instance, 0.0),
                seen.turns.get(instance, 0.0),
                seen.wakes.get(instance, 0.0),
            )
            for traffic, seen in rows
        ]

    def _simulated_hosts(self, net: Running) -> None:
        """Two hosts and a link that is full of single segments."""
        self._tell("simulated hosts")
        seen = net.run([], max(IDLE_S, self._look_s))
        segments = SIM_BPS / 8 / (SEGMENT_BYTES + 66)
        [name] = seen.instances
        points = self._loop_points([(Traffic(segments, segments, 0.0), seen)], name)
        left = extra(points, [self._elements["loop"]["tcp"][THREAD]], self._wake_ns)
        each = fit(left, WORK).times(0.5)
        for protocol in PROTOCOLS:  # a segment more or less
            self._put("simhost", protocol, thread=each)
