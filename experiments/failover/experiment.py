# SPDX-License-Identifier: MIT
"""A core link fails under traffic: how long until it flows again.

Three ways: spanning tree, by Ryu's `simple_switch_stp_13` with the timers of IEEE 802.1D; shortest paths that the
controller makes anew, by `ecmp_switch`; and fast failover in the switches, by `failover_switch`. Pings cross a
leaf-spine; the link from the spine in use to the receiver's leaf goes down; the longest gap between answers counts.
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
from hybridnet.cluster import Cluster
from hybridnet.errors import HybridnetError
from hybridnet.experiments.common.options import add_rounds_argument
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS, add_switches_argument
from hybridnet.results import Check, Experiment, add_experiment_arguments
from hybridnet.topologies import LeafSpineTopo

SUMMARY = (
    "time until traffic flows again after a core link fails: spanning tree, shortest paths, fast failover"
)

SPINES, LEAVES = ("s1", "s2"), 2
MACHINE = "m1"
MACHINES = 1
DELAY = "100us"
FAILS_AFTER_S = 2.0
PROBES = 50
UP_S = 120.0
COUNTED_S = 10.0


@dataclass(frozen=True)
class Way:
    """One way to survive. `interval_s`: between pings; `watched_s`: how long after the failure they go on."""

    app: str
    interval_s: float
    watched_s: float


WAYS = {
    "spanning tree": Way("ryu.app.simple_switch_stp_13", 0.02, 60.0),
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
        HybridnetError: nothing crosses the network, before the failure or after it.
    """
    with Net(Looped(switch=switch), cluster=cluster, controller=Ryu("c0", way.app)) as net:
        first, last = net.hosts[0], net.hosts[-1]
        leaf = f"s{len(SPINES) + LEAVES}"
        _await_answer(first, last)
        used = _used_spine(net, first, last, leaf)
        count = round((FAILS_AFTER_S + way.watched_s) / way.interval_s)
        pinging = first.popen(
            ["ping", "-D", "-n", "-c", str(count), "-i", str(way.interval_s), "-W", "1", last.IP()]
        )
        time.sleep(FAILS_AFTER_S)
        net.configLinkStatus(used, leaf, "down")
        out, _ = pinging.communicate()
        return longest_gap(out, way.interval_s)


def longest_gap(said: str, interval_s: float) -> float:
    """The longest time between the sendings of two answered pings that follow each other, less their interval.

    Raises:
        HybridnetError: it does not end with an answer: what comes at the end would be left out.
    """
    numbers = sorted({int(number) for number in re.findall(r"icmp_seq=(\d+) ttl", said)})
    sent = re.search(r"(\d+) packets transmitted", said)
    if len(numbers) < 2 or sent is None or int(sent[1]) - numbers[-1] > 1 / interval_s:
        raise HybridnetError(
            f"failover: traffic does not flow again: answers to {numbers[:1]} to {numbers[-1:]}"
        )
    return max(later - earlier - 1 for earlier, later in pairwise(numbers)) * interval_s


def _await_answer(first: Any, last: Any) -> None:
    deadline = time.monotonic() + UP_S
    while "bytes from" not in first.cmd(f"ping -c 1 -W 1 {last.IP()}"):
        if time.monotonic() > deadline:
            raise HybridnetError(f"failover: {last} does not answer {first} within {UP_S:g} s")


def _used_spine(net: Net, first: Any, last: Any, leaf: str) -> str:
    """The spine that pings between the first and the last host cross.

    Raises:
        HybridnetError: the leaf has not counted them within `COUNTED_S`, which is longer than Open vSwitch takes.
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
            raise HybridnetError(
                f"failover: {PROBES} pings crossed the spines, but {carried} packets were counted"
            )


def _carried(net: Net, switch: str, neighbour: str) -> int:
    """The packets of a link in both directions, as a switch counts them at its end."""
    port = net.topo.port(switch, neighbour)[0]
    said = net[switch].dpctl("dump-ports", str(port))
    return sum(int(packets) for packets in re.findall(r"[rt]x pkts=(\d+)", said))
