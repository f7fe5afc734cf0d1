# SPDX-License-Identifier: MIT
"""A chain of switches, each of which asks Ryu about each new flow: how long a set-up takes, and how many a second.

A datagram of a new flow crosses the chain. Every switch on the way has no flow for it, asks, and gets one. First flows
come alone: that gives the latency. Then many come at once: that is the rate. In a second life of the chain Ryu looks
for its switches and links by LLDP.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.table import Table

from hybridnet.errors import UsageError
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.controller_load.discovery import Discovery, discover
from hybridnet.experiments.controller_load.plot import plot_loads
from hybridnet.experiments.controller_load.setups import SetUps, measure
from hybridnet.observe.results import Check, Experiment, add_experiment_arguments

SUMMARY = "flow set-ups per second and their latency: Ryu with 16 to 1,000 switches"
TAKES_S = 950
VIRTUAL_TIME = None
MACHINES, MACHINE = 1, "m1"

SIZES = (16, 64, 256, 1000)
QUICK_SIZES = (16,)
CONNECTED_S = 10.0
"""In so many seconds Ryu is to know all simulated switches."""


@dataclass(frozen=True)
class Load(SetUps, Discovery):
    """What was measured with so many switches of a kind."""

    switches: str
    count: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--size",
        type=int,
        action="append",
        metavar="N",
        help=f"number of switches; may be repeated (default: {', '.join(map(str, SIZES))})",
    )
    parser.add_argument(
        "--switches",
        action="append",
        choices=list(SWITCH_KINDS),
        help="kind of switches; may be repeated (default: all)",
    )
    add_experiment_arguments(parser, "controller-load", quick="16 switches")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Measure chains of each kind and length.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: a chain of fewer switches than two.
    """
    sizes = sorted(set(QUICK_SIZES if arguments.quick else arguments.size or SIZES))
    if sizes[0] < 2:
        raise UsageError(f"controller-load: --size {sizes[0]}: write at least 2 switches")
    kinds = list(dict.fromkeys(arguments.switches or SWITCH_KINDS))
    experiment = Experiment(arguments, {"sizes": sizes, "switches": kinds})
    loads = []
    with arguments.cluster([MACHINE]) as cluster, experiment.steps(2 * len(sizes) * len(kinds)) as steps:
        for size in sizes:
            for kind in kinds:
                with steps.step(f"{size} switches, {kind}: set-ups"):
                    set_ups = measure(cluster, kind, size)
                with steps.step(f"{size} switches, {kind}: discovery"):
                    found = discover(cluster, kind, size)
                loads.append(Load(**asdict(set_ups), **asdict(found), switches=kind, count=size))
    experiment.directory.write_json("loads.json", [asdict(load) for load in loads])
    plot_loads(
        experiment.directory.path / "controller_load.png",
        {kind: [load for load in loads if load.switches == kind] for kind in kinds},
    )
    return experiment.finish(checks_of(loads), table_of(loads))


def checks_of(loads: Sequence[Load]) -> list[Check]:
    """The promises of this experiment."""
    checks = []
    for load in loads:
        what = f"{load.count} switches, {load.switches}"
        checks.append(
            Check(
                f"{what}: set-ups per second, many at once",
                f"{load.per_second:.0f}; alone one takes {load.p50_ms:.2f} ms (p50), {load.p99_ms:.2f} ms (p99)",
                None,
                f"at least {1e3 / load.p50_ms:.0f}, as many as one after the other",
                load.per_second >= 1e3 / load.p50_ms,
            )
        )
        if load.switches == "simulated":
            checks.append(
                Check(
                    f"{what}: Ryu knows all switches and all {load.links} directions of links",
                    f"switches after {load.connected_s:.1f} s, links after {load.links_s:.1f} s",
                    None,
                    f"all switches within {CONNECTED_S:g} s",
                    load.connected_s <= CONNECTED_S,
                )
            )
    return checks


def table_of(loads: Sequence[Load]) -> Table:
    """A row for each chain."""
    table = Table(title="Flow set-ups, and discovery from when Ryu listens", title_justify="left")
    for column in (
        "switches",
        "kind",
        "latency p50, ms",
        "p99, ms",
        "set-ups per second",
        "all switches, s",
        "all links, s",
    ):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for load in loads:
        table.add_row(
            str(load.count),
            load.switches,
            f"{load.p50_ms:.2f}",
            f"{load.p99_ms:.2f}",
            f"{load.per_second:.0f}",
            f"{load.connected_s:.1f}",
            f"{load.links_s:.1f}",
        )
    return table
