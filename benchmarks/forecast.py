# SPDX-License-Identifier: MIT
"""The forecast beside measurement, on twelve networks and demands: how busy the computer is, and what is full first.

    sudo .venv/bin/python benchmarks/forecast.py [--json]

For each case the demand is scaled, by the forecast, so that the fullest part is at `BUSY_AT` of its capacity: then the
share of the processors that is busy is compared. After that it is scaled to `FULL_AT`, and the part is named that is
fullest by measurement, of those that can be: processors, instances, Open vSwitch, programs, links. Goals: busy share
within 0.15 in all, the part named right in 10 of 12.

It uses this computer's costs where they are fresh, else it calibrates quickly first. Nothing else should run there.
"""

from __future__ import annotations

import argparse
import json
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result
from hybridnet import Cluster, Net, Topo
from hybridnet.agent.machine.facts import facts
from hybridnet.errors import UsageError
from hybridnet.observe.results.console import print_table
from hybridnet.tools.calibration import Seen, calibrate, networks_on, run_flows
from hybridnet.tools.forecast import Costs, Demand, Flow, Forecast, make_forecast
from hybridnet.tools.forecast.cost_files import facts_of, keep_costs, read_costs
from hybridnet.tools.forecast.forecast import FULL
from hybridnet.tools.forecast.loads import Computer
from hybridnet.topologies import TwoTrees

BUSY_AT = 0.6
FULL_AT = 1.6
MOST_RATE_BPS = 40e9
LOOK_S = 1.5
BUSY_WITHIN = 0.15
NAMED_GOAL = 10


class Line(Topo):
    """Pairs of hosts at the two ends of a line of nodes.

    Args:
        kinds: of the nodes: ovs, switch, openflow, router.
        pairs: of hosts.
        link: options of the links between nodes; of hosts' links where there is no node.
    """

    def build(self, *kinds: str, pairs: int = 1, instances: bool = False, **link: Any) -> None:
        nodes: list[str] = []
        for number, kind in enumerate(kinds):
            name = f"x{number}"
            placed: dict[str, Any] = {}
            if instances:
                placed["instance"] = 1 + (2 * number) // len(kinds)
            if kind == "ovs":
                self.addSwitch(name, failMode="standalone")
            elif kind == "openflow":
                self.addSwitch(name, kind="simulated", failMode="standalone", **placed)
            elif kind == "switch":
                self.addSimSwitch(name, **placed)
            else:
                self.addSimRouter(name, **placed)
            if nodes:
                self.addLink(nodes[-1], name, **link)
            nodes.append(name)
        for pair in range(1, pairs + 1):
            a, b = self.addHost(f"a{pair}"), self.addHost(f"b{pair}")
            if nodes:
                ends: dict[str, Any] = {} if kinds[0] == "ovs" else {"delay": "200us"}
                self.addLink(a, nodes[0], **ends)
                self.addLink(b, nodes[-1], **ends)
            else:
                self.addLink(a, b, **link)


@dataclass(frozen=True)
class Case:
    """A network and the shape of a demand; its size follows from the forecast."""

    name: str
    topo: Callable[[], Topo]
    flows: Sequence[Flow]
    options: dict[str, Any]


def tcp(pairs: int, rate_bps: float = 1e8) -> list[Flow]:
    return [Flow(f"a{n}", f"b{n}", rate_bps) for n in range(1, pairs + 1)]


def udp(pairs: int, packet: int = 1400, rate_bps: float = 1e7) -> list[Flow]:
    return [Flow(f"a{n}", f"b{n}", rate_bps, "udp", packet) for n in range(1, pairs + 1)]


def trees(flows: int) -> list[Flow]:
    half = 8
    return [
        Flow(
            f"h{n}", f"h{n + half}", 1e8 if n % 2 else 1e7, "tcp" if n % 2 else "udp", 1448 if n % 2 else 1400
        )
        for n in range(1, flows + 1)
    ]


CASES = (
    Case("veth, 1 UDP of 1400 B", lambda: Line(), udp(1), {}),
    Case("veth, 4 TCP", lambda: Line(pairs=4), tcp(4), {}),
    Case("1 Open vSwitch, packet sockets, 1 UDP", lambda: Line("ovs"), udp(1), {"port_type": "afpacket"}),
    Case("4 Open vSwitches, 2 TCP", lambda: Line(*["ovs"] * 4, pairs=2), tcp(2), {"port_type": "afpacket"}),
    Case("1 Open vSwitch, AF_XDP, 2 TCP", lambda: Line("ovs", pairs=2), tcp(2), {"port_type": "afxdp"}),
    Case("portals, 1 TCP", lambda: Line(delay="1ms"), tcp(1), {}),
    Case("portals, 2 UDP of 200 B", lambda: Line(pairs=2, delay="1ms"), udp(2, 200), {}),
    Case("link of 100 Mbit/s, 1 TCP", lambda: Line("switch", "switch", bw=100, delay="2ms"), tcp(1), {}),
    Case(
        "link of 20 Mbit/s, 2 UDP", lambda: Line("router", "router", pairs=2, bw=20, delay="2ms"), udp(2), {}
    ),
    Case(
        "20 simulated OpenFlow switches, 2 UDP",
        lambda: Line(*["openflow"] * 20, pairs=2, delay="100us"),
        udp(2),
        {},
    ),
    Case(
        "2 instances, 2 TCP", lambda: Line(*["switch"] * 4, pairs=2, instances=True, delay="1ms"), tcp(2), {}
    ),
    Case(
        "two trees on 2 machines, 4 TCP and 4 UDP",
        lambda: TwoTrees(depth=3, bw=10_000, delay="5ms"),
        trees(8),
        {},
    ),
)


@dataclass(frozen=True)
class Outcome:
    """One case: forecast and measured. `carried` is what came when `BUSY_AT` was aimed at, of what was asked for: where
    it is far below 1, something else had the processors, and the measured share says nothing.
    """

    case: str
    factor: float
    forecast_busy: float
    measured_busy: float
    forecast_full: str
    measured_full: str
    carried: float
    disturbed: bool
    seconds: float

    @property
    def error(self) -> float:
        return abs(self.forecast_busy - self.measured_busy)

    @property
    def named(self) -> bool:
        return self.forecast_full == self.measured_full


def known_costs(cluster: Cluster, tell: Callable[[str], object]) -> Costs:
    """This computer's, calibrated now where they are not fresh."""
    try:
        return read_costs(socket.gethostname(), facts_of(facts()))
    except UsageError as error:
        tell(f"{error}: calibrating quickly")
        [costs] = calibrate(cluster, networks_on(cluster), quick=True, tell=tell)
        keep_costs(costs)
        return costs


def outcomes(tell: Callable[[str], object], only: str = "") -> Iterator[Outcome]:
    """Each case, as soon as it is measured."""
    with Cluster.local(["m1", "m2"]) as cluster:
        costs = known_costs(cluster, tell)
        for case in CASES:
            if only in case.name:
                tell(case.name)
                yield _measure(cluster, case, costs)


def _measure(cluster: Cluster, case: Case, costs: Costs) -> Outcome:
    began = time.monotonic()
    with Net(case.topo(), cluster=cluster, controller=None, fail_mode="standalone", **case.options) as net:
        computer = Computer(costs.computer, facts()["cpus"], list(cluster.machines), costs)

        def forecast(factor: float) -> Forecast:
            flows = [flow.scaled(factor) for flow in case.flows]
            assert net.plan is not None
            return make_forecast(net.plan, Demand(flows, case.name), [computer])

        full = forecast(1.0).first
        assert full.part is not None
        half, more = (forecast(full.factor * part) for part in (BUSY_AT, FULL_AT))
        seen = run_flows(net, half.demand.flows, LOOK_S)
        busiest = run_flows(net, more.demand.flows, LOOK_S)
        return Outcome(
            case.name,
            full.factor,
            half.busy(costs.computer),
            _busy(seen, costs),
            _class_of(str(full.part)),
            _fullest(net, more, busiest, costs),
            seen.arrived_bps / half.loads.carried_bps,
            costs.disturbed,
            time.monotonic() - began,
        )


def _busy(seen: Seen, costs: Costs) -> float:
    """Of all processors. Beside other programs only what our own threads took is known."""
    cores = seen.threads if costs.disturbed else sum(seen.cores.values())
    return min(1.0, cores / int(costs.facts["cpus"]))


def _fullest(net: Net, forecast: Forecast, seen: Seen, costs: Costs) -> str:
    """The part with the highest measured share. Where all processors are busy, they are what everything waits for."""
    shares = {f"processors of {costs.computer}": _busy(seen, costs)}
    shares |= {f"instance {name}": share / FULL["instance"] for name, share in seen.instances.items()}
    shares |= {f"Open vSwitch of {name}": share / FULL["switching"] for name, share in seen.switching.items()}
    flows = forecast.demand.flows
    for end, used in (("sender", seen.senders), ("receiver", seen.receivers)):
        for flow, share in zip(flows, used, strict=True):
            shares[f"{end} at {flow.source if end == 'sender' else flow.target}"] = share
    links = [part for part in forecast.parts if part.kind == "link"]
    if links:
        shares[str(links[0])] = _link_share(net, str(links[0]), seen, flows)
    return _class_of(max(shares, key=lambda name: shares[name]))


def _class_of(part: str) -> str:
    """The programs of a case are all alike, so which of them is the fullest is chance."""
    return f"a {part.partition(' at ')[0]}" if " at " in part else part


def _link_share(net: Net, name: str, seen: Seen, flows: Sequence[Flow]) -> float:
    """Of the fullest link: what came to the receivers, who all are behind it, of its rate."""
    assert net.plan is not None
    _, source, _, target = name.split()
    [link] = [link for link in net.plan.links if {link.a.node, link.b.node} == {source, target}]
    rate_bps = link.a_to_b.rate_bps
    assert rate_bps is not None
    return seen.arrived_bps / rate_bps


def run() -> list[Result]:
    """For benchmarks/run.py."""
    found = list(outcomes(lambda text: None))
    results = [
        Result(f"forecast/{each.case}/error", each.error, "", BUSY_WITHIN, less_is_better=True)
        for each in found
    ]
    return [*results, Result("forecast/named_right", sum(each.named for each in found), "cases", NAMED_GOAL)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the forecast with measurement.")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    parser.add_argument("--only", default="", help="cases whose names contain this")
    arguments = parser.parse_args()
    began = time.monotonic()
    found = list(outcomes(lambda text: print(f"*** {text}", file=sys.stderr, flush=True), arguments.only))
    if arguments.json:
        print(
            json.dumps(
                [asdict(each) | {"error": each.error, "named": each.named} for each in found], indent=1
            )
        )
        return
    print_table(
        (
            "network and demand",
            "busy: forecast",
            "measured",
            "error",
            "carried",
            "full first: forecast",
            "measured",
            "",
        ),
        [
            (
                each.case,
                f"{each.forecast_busy:.2f}",
                f"{each.measured_busy:.2f}",
                f"{each.error:.2f}{' !' if each.error > BUSY_WITHIN else ''}",
                f"{each.carried:.0%}",
                each.forecast_full,
                each.measured_full,
                "" if each.named else "!",
            )
            for each in found
        ],
    )
    if any(each.disturbed for each in found):
        print(
            "the costs were measured beside other programs: busy is what our own threads take, on both sides"
        )
    good = sum(each.error <= BUSY_WITHIN for each in found)
    print(f"busy share within {BUSY_WITHIN} in {good} of {len(found)}; ", end="")
    print(
        f"named right in {sum(each.named for each in found)} of {len(found)}; {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
