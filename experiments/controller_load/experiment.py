# SPDX-License-Identifier: MIT
"""Flow set-ups per second and their latency: a chain of switches, each of which asks Ryu about each new flow.

A datagram of a new flow crosses the chain. Every switch on the way has no flow for it, asks, and gets one, so n
switches are n set-ups, one after the other. First flows come alone: a flow's time over n is the latency of a set-up.
Then many come at once: that is the rate.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any

from rich.table import Table

from hybridnet import Net, Ryu, Topo
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.experiments.controller_load import prober
from hybridnet.experiments.openflow_conformance.testbed import TARGETS, known_targets
from hybridnet.results import Check, Experiment, add_experiment_arguments

SUMMARY = "flow set-ups per second and their latency: Ryu with 16 to 1,000 switches"

SIZES = (16, 64, 256, 1000)
QUICK_SIZES = (16,)
ALONE, WARM_UP = 40, 5
AT_ONCE_SETUPS = 2000
"""About so many set-ups come at once, whatever the number of switches."""
LEAST_AT_ONCE = 4
PORT, FIRST_SOURCE = 7000, 20000
PATIENCE_S = 120.0


@dataclass(frozen=True)
class Load:
    """What was measured with so many switches of a kind. Latencies are of one set-up."""

    switches: str
    count: int
    start_s: float
    p50_ms: float
    p99_ms: float
    setups_per_s: float


class Chain(Topo):
    """Two hosts with switches between them; port 1 of each leads to the first host, port 2 to the second."""

    def build(self, count: int, switch: dict[str, Any]) -> None:
        before, port = self.addHost("h1"), None
        for number in range(1, count + 1):
            name = self.addSwitch(f"s{number}", **switch)
            self.addLink(before, name, port1=port, port2=1)
            before, port = name, 2
        self.addLink(before, self.addHost("h2"), port1=2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--size", type=int, action="append", metavar="N", help=f"switches; several times (default: {SIZES})"
    )
    parser.add_argument(
        "--switches", action="append", choices=list(TARGETS), help="may be given several times (default: all)"
    )
    add_experiment_arguments(parser, "controller-load", quick="16 switches")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Measure chains of each kind and length.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: a chain of no switch.
    """
    sizes = QUICK_SIZES if arguments.quick else tuple(arguments.size or SIZES)
    if min(sizes) < 1:
        raise UsageError(f"controller-load: --size {min(sizes)}: at least 1")
    kinds = arguments.switches or known_targets()
    experiment = Experiment(arguments, {"sizes": list(sizes), "switches": kinds})
    loads = []
    with experiment.console.status("") as status:
        for size in sizes:
            for kind in kinds:
                status.update(f"{size} switches: {kind}")
                loads.append(measure(kind, size))
    table = Table(title="Flow set-ups", title_justify="left")
    for column in ("switches", "kind", "start, s", "latency p50, ms", "p99, ms", "set-ups per second"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for load in loads:
        figures = (
            f"{load.start_s:.1f}",
            f"{load.p50_ms:.2f}",
            f"{load.p99_ms:.2f}",
            f"{load.setups_per_s:.0f}",
        )
        table.add_row(str(load.count), load.switches, *figures)
    experiment.console.print(table)
    experiment.directory.write_json("loads.json", [asdict(load) for load in loads])
    return experiment.finish(checks_of(loads))


def checks_of(loads: Sequence[Load]) -> list[Check]:
    """The promises of this experiment: set-ups that come at once are not fewer a second than those that come alone."""
    return [
        Check(
            f"{load.count} switches, {load.switches}: set-ups per second, many at once",
            f"{load.setups_per_s:.0f}; alone one takes {load.p50_ms:.2f} ms (p50), {load.p99_ms:.2f} ms (p99)",
            None,
            f"at least {1e3 / load.p50_ms:.0f}, as many as one after the other",
            load.setups_per_s >= 1e3 / load.p50_ms,
        )
        for load in loads
    ]


def measure(kind: str, count: int) -> Load:
    """One chain.

    Raises:
        HybridnetError: a flow does not arrive.
    """
    began = time.monotonic()
    topo = Chain(count=count, switch=TARGETS[kind])
    with Net(topo, controller=Ryu("c0", "setup_switch"), autoStaticArp=True) as net:
        start_s = time.monotonic() - began
        first, last = net.get("h1", "h2")
        script = Path(prober.__file__).read_text()
        taking = last.popen([sys.executable, "-c", script, "receive", str(PORT)])
        came: queue.SimpleQueue[str] = queue.SimpleQueue()

        def follow() -> None:
            for line in taking.stdout:
                came.put(line)

        threading.Thread(target=follow, daemon=True).start()
        _line(came)

        def send(number: int, flows: int) -> list[float]:
            """Seconds that each flow took; the first was sent at 0."""
            sender = first.popen(
                [sys.executable, "-c", script, "send", str(last.IP()), str(PORT), str(number), str(flows)]
            )
            out, _ = sender.communicate()
            sent = {int(flow): int(at) for flow, at in map(str.split, out.splitlines())}
            arrived: dict[int, int] = {}
            while len(arrived) < flows:
                flow, at = map(int, _line(came).split())
                arrived[flow] = at
            return [(arrived[flow] - at) / 1e9 for flow, at in sent.items()]

        alone = [send(FIRST_SOURCE + number, 1)[0] for number in range(WARM_UP + ALONE)][WARM_UP:]
        flows = max(LEAST_AT_ONCE, AT_ONCE_SETUPS // count)
        slowest = max(send(FIRST_SOURCE + WARM_UP + ALONE, flows))
        taking.terminate()
        taking.wait()
    cuts = quantiles(alone, n=100, method="inclusive")
    per_setup_ms = 1e3 / count
    return Load(
        kind, count, start_s, cuts[49] * per_setup_ms, cuts[98] * per_setup_ms, flows * count / slowest
    )


def _line(came: queue.SimpleQueue[str]) -> str:
    try:
        return came.get(timeout=PATIENCE_S)
    except queue.Empty:
        raise HybridnetError(f"controller-load: a flow is not set up within {PATIENCE_S:g} s") from None
