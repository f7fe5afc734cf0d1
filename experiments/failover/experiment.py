# SPDX-License-Identifier: MIT
"""A core link fails under traffic: how long until it flows again.

Three ways: spanning tree, by `stp_switch`, which is Ryu's with the timers of IEEE 802.1D; shortest paths that the
controller makes anew, by `ecmp_switch`; and fast failover in the switches, by `failover_switch`. Pings cross a
leaf-spine; the link from the spine in use to the receiver's leaf goes down; the longest time between the departures of
two answered pings that follow each other counts.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from rich.table import Table

from hybridnet import Net, Ryu
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.options import add_rounds_argument
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS, add_switches_argument
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments
from hybridnet.topologies import LeafSpineTopo

SUMMARY = (
    "time until traffic flows again after a core link fails: spanning tree, shortest paths, fast failover"
)
TAKES_S = 300
VIRTUAL_TIME = None

SPINES, LEAVES = ("s1", "s2"), 2
SWITCHES = (*SPINES, *(f"s{len(SPINES) + number}" for number in range(1, LEAVES + 1)))
MACHINE = "m1"
MACHINES = 1
DELAY = "100us"
FAILS_AFTER_S = 2.0
PROBES = 50
UP_S = 120.0
COUNTED_S = 10.0
STATISTICS_S = 2.0
"""How old the counters of a port may be; Open vSwitch reads them every second."""


@dataclass(frozen=True)
class Way:
    """One way to survive. `interval_s`: between pings; `watched_s`: how long after the failure they go on."""

    app: str
    interval_s: float
    watched_s: float


WAYS = {
    "spanning tree": Way("stp_switch", 0.02, 60.0),
    "shortest paths": Way("ecmp_switch", 0.002, 4.0),
    "fast failover": Way("failover_switch", 0.002, 4.0),
}
MOST_S = {"spanning tree": 52.0, "shortest paths": 1.0, "fast failover": 0.5}
"""Spanning tree: the age of 20 s at which a root is forgotten, and twice the forward delay of 15 s."""


class Looped(LeafSpineTopo):
    """Two leaves and two spines, whose links the simulator carries: they go down as cables do."""

    def build(self, switch: Mapping[str, Any]) -> None:  # type: ignore[override]
        self.sopts = {**self.sopts, **switch}
        super().build(spines=len(SPINES), leaves=LEAVES, hosts=1, delay=DELAY)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_switches_argument(parser, "network")
    add_rounds_argument(parser, 3)
    parser.add_argument(
        "--way", action="append", choices=list(WAYS), help="the way of repair; may be repeated (default: all)"
    )
    add_experiment_arguments(parser, "failover", quick="one round without the spanning tree")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Let a link fail under each way, in turn.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    ways = arguments.way or list(WAYS)
    rounds = arguments.rounds
    if arguments.quick:
        ways, rounds = [way for way in ways if way != "spanning tree"], 1
    experiment = Experiment(arguments, {"ways": ways, "switches": arguments.switches, "rounds": rounds})
    silent: dict[str, list[float]] = {way: [] for way in ways}
    with arguments.cluster([MACHINE]) as cluster, experiment.console.status("") as status:
        for number in range(rounds):
            for way in ways:
                status.update(f"round {number + 1} of {rounds}: {way}")
                silent[way].append(silence(cluster, WAYS[way], SWITCH_KINDS[arguments.switches]))
    table = Table(title="Without an answer after a core link failed", title_justify="left")
    for column in ("way", "app", "median, s", "least, s", "most, s"):
        table.add_column(column, justify="left" if column in ("way", "app") else "right")
    for way, found in silent.items():
        table.add_row(
            way, WAYS[way].app, *(f"{figure:.3f}" for figure in (median(found), min(found), max(found)))
        )
    experiment.console.print(table)
    experiment.directory.write_json("failover.json", silent)
    return experiment.finish(checks_of(silent))


def checks_of(silent: Mapping[str, Sequence[float]]) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    checks = [
        Check(
            f"{way}: silence, median",
            f"{median(found):.3f} s",
            None,
            f"at most {MOST_S[way]:g} s",
            median(found) <= MOST_S[way],
        )
        for way, found in silent.items()
    ]
    order = [median(silent[way]) for way in WAYS if way in silent]
    if len(order) > 1:
        falling = all(later <= earlier for earlier, later in pairwise(order))
        said = ", ".join(f"{figure:.3f}" for figure in order)
        checks.append(
            Check(
                "each way is silent for less than the one before", f"{said} s", None, "in this order", falling
            )
        )
    return checks


def silence(cluster: Cluster, way: Way, switch: Mapping[str, Any]) -> float:
    """Seconds between the last answer before the failure and the next one.

    Raises:
        ExperimentError: nothing crosses the network, before the failure or after it: how far it comes, and which ports
            are closed.
    """
    with Net(Looped(switch=switch), cluster=cluster, controller=Ryu("c0", way.app)) as net:
        first, last = net.hosts[0], net.hosts[-1]
        leaf = SWITCHES[-1]
        _await_answer(net, first, last)
        used = _used_spine(net, first, last, leaf)
        pinging = net.ping_stream(first, last, FAILS_AFTER_S + way.watched_s, way.interval_s)
        time.sleep(FAILS_AFTER_S)
        net.configLinkStatus(used, leaf, "down")
        answers = pinging.wait()
        if not answers.came_back:
            raise ExperimentError(
                f"failover: {way.app}: after the link {used}-{leaf} went down at {FAILS_AFTER_S:g} s, traffic does not "
                f"flow again: {answers}; {_where_it_ends(net, first, last)}"
            )
        return answers.loss_time


def _where_it_ends(net: Net, first: Any, last: Any) -> str:
    """How far pings come, in both directions, and which ports forward nothing."""
    said = [_how_far(net, source, target) for source, target in ((first, last), (last, first))]
    return "; ".join([*said, *_closed_ports(net)])


def _how_far(net: Net, source: Any, target: Any) -> str:
    """What each node took from each neighbour of pings in one direction, of half of them at least."""
    source.setARP(target.IP(), target.MAC())  # or nothing leaves where no question is answered
    before = _taken(net, target)
    source.cmd(f"ping -c {PROBES} -i 0.02 -W 1 {target.IP()}")
    time.sleep(STATISTICS_S)
    after = _taken(net, target)
    taken = [
        f"{to} has {after[way] - before[way]} from {at}"
        for way in after
        for at, to in [way]
        if after[way] - before[way] >= PROBES // 2
    ]
    return (
        f"of {PROBES} pings from {source} to {target}: {', '.join(taken) or 'no switch and no host has any'}"
    )


def _taken(net: Net, target: Any) -> dict[tuple[str, str], int]:
    """Packets that each switch and the target have taken, by (neighbour, node)."""
    taken = {}
    for spec in net.topo.links():
        a, b = spec[0], spec[1]
        for at, to in ((a, b), (b, a)):
            node = net[to]
            if to == target.name:
                row = node.cmd(f"cat /sys/class/net/{node.defaultIntf()}/statistics/rx_packets")
                taken[at, to] = int(row)
            elif to in SWITCHES:
                said = node.dpctl("dump-ports", str(net.topo.port(to, at)[0]))
                taken[at, to] = sum(int(packets) for packets in re.findall(r"rx pkts=(\d+)", said))
    return taken


def _closed_ports(net: Net) -> list[str]:
    """Ports to another switch that a switch says are down, or are told not to forward."""
    closed = []
    for switch in SWITCHES:
        said = net[switch].dpctl("dump-ports-desc")
        for name, config, state in re.findall(
            r"\((\S+)\): addr.*\n\s+config:\s+(.*)\n\s+state:\s+(.*)", said
        ):
            if name != switch and (config != "0" or "DOWN" in state):
                closed.append(f"port {name}: {config}, {state}")
    return closed


def _await_answer(net: Net, first: Any, last: Any) -> None:
    deadline = time.monotonic() + UP_S
    while "bytes from" not in first.cmd(f"ping -c 1 -W 1 {last.IP()}"):
        if time.monotonic() > deadline:
            raise ExperimentError(
                f"failover: {last} does not answer {first} within {UP_S:g} s; {_where_it_ends(net, first, last)}"
            )


def _used_spine(net: Net, first: Any, last: Any, leaf: str) -> str:
    """The spine that pings between the first and the last host cross.

    Raises:
        ExperimentError: the leaf has not counted them within `COUNTED_S`, which is longer than Open vSwitch takes.
    """
    before = {spine: _carried(net, spine, leaf) for spine in SPINES}
    first.cmd(f"ping -c {PROBES} -i 0.01 -W 1 {last.IP()}")
    deadline = time.monotonic() + COUNTED_S
    while True:
        carried = {spine: _carried(net, spine, leaf) - before[spine] for spine in SPINES}
        used = max(SPINES, key=carried.__getitem__)
        if carried[used] >= PROBES:
            return used
        if time.monotonic() > deadline:
            raise ExperimentError(
                f"failover: {PROBES} pings crossed the spines, but {carried} packets were counted"
            )


def _carried(net: Net, switch: str, neighbour: str) -> int:
    """The packets of a link in both directions, as a switch counts them at its end."""
    port = net.topo.port(switch, neighbour)[0]
    said = net[switch].dpctl("dump-ports", str(port))
    return sum(int(packets) for packets in re.findall(r"[rt]x pkts=(\d+)", said))
