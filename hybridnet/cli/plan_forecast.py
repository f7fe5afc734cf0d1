# SPDX-License-Identifier: MIT
"""The forecast of `hybridnet plan`: whose demand, on which computers, and how it is printed."""

from __future__ import annotations

import argparse
import importlib
import json
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridnet.errors import UsageError
from hybridnet.observe.results.console import print_table
from hybridnet.plan.network import MachineSpec

if TYPE_CHECKING:
    from hybridnet.agent.machine.facts import Facts
    from hybridnet.describe.topo import Topo
    from hybridnet.tools.forecast import Demand, Forecast
    from hybridnet.tools.forecast.loads import Computer

__all__ = [
    "add_forecast_arguments",
    "computers_for",
    "demanded_by_experiment",
    "machines_on",
    "print_forecast",
]


def add_forecast_arguments(parser: argparse.ArgumentParser) -> None:
    """Add --demand, --experiment and --computers."""
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument(
        "--demand",
        metavar="FILE",
        help="forecast how busy these flows will keep the computers, from what `hybridnet calibrate` measured "
        "(docs/forecast.md)",
    )
    whose.add_argument(
        "--experiment",
        metavar="NAME",
        help="forecast the network and the demand of this experiment of `hybridnet reproduce`, if it has a demand",
    )
    parser.add_argument(
        "--computers",
        metavar="NAME,NAME",
        help="the calibrated computers on which the machines are, in order; a single name stands for all machines "
        "(default: this computer)",
    )


def demanded_by_experiment(name: str) -> tuple[Topo, Demand]:
    """The network and the demand of an experiment.

    Raises:
        UsageError: there is no such experiment, or it has no demand.
    """
    from hybridnet.cli.experiments import experiment_names

    names = experiment_names()
    if name not in names:
        raise UsageError(
            f"--experiment {name}: there is no experiment {name!r}; there are {', '.join(names)}"
        )
    module = importlib.import_module(f"hybridnet.experiments.{name.replace('-', '_')}.experiment")
    if not hasattr(module, "demanded"):
        raise UsageError(
            f"--experiment {name}: it has no demand of flows between hosts; write one for --demand"
        )
    found: tuple[Topo, Demand] = module.demanded()
    return found


def computers_for(text: str | None, machines: Sequence[str], here: Facts) -> list[Computer]:
    """The computers that --computers means, with their costs.

    Args:
        machines: of the plan.
        here: the facts of this computer.

    Raises:
        UsageError: there are not as many names as machines, or the costs of one are missing or stale.
    """
    from hybridnet.tools.forecast.cost_files import facts_of, read_costs
    from hybridnet.tools.forecast.loads import Computer

    own = socket.gethostname()
    names = [own] if text is None else text.split(",")
    if len(names) == 1:
        names = names * len(machines)
    if len(names) != len(machines):
        raise UsageError(
            f"--computers {text}: {len(names)} computers for {len(machines)} machines ({', '.join(machines)}); name "
            "one for each, or one for all"
        )
    found = []
    for name in dict.fromkeys(names):
        costs = read_costs(name, facts_of(here) if name == own else None)
        cpus = here["cpus"] if name == own else range(costs.facts["cpus"])
        placed = [machine for machine, on in zip(machines, names, strict=True) if on == name]
        found.append(Computer(name, tuple(cpus), placed, costs))
    return found


def machines_on(computers: Sequence[Computer], machines: Sequence[str]) -> list[MachineSpec]:
    """The machines as the plan sees them: those on one computer share its processors."""
    specs = []
    for number, name in enumerate(machines, start=1):
        computer = next(each for each in computers if name in each.machines)
        each = len(computer.cpus) // len(computer.machines)
        at = computer.machines.index(name) * each
        specs.append(
            MachineSpec(
                name,
                f"198.18.0.{number}",
                kernel_datapath=bool(computer.costs.facts["kernel_datapath"]),
                processors=computer.cpus[at : at + each],
                computer=computer.name,
            )
        )
    return specs


def print_forecast(forecast: Forecast, *, as_json: bool) -> None:
    """On standard output."""
    from hybridnet.tools.forecast.text import CORE_COLUMNS, PART_COLUMNS, core_rows, part_rows, sentences

    if as_json:
        print(json.dumps(forecast.to_json(), indent=2))
        return
    print_table(PART_COLUMNS, part_rows(forecast))
    print()
    print_table(CORE_COLUMNS, core_rows(forecast))
    print()
    for sentence in sentences(forecast):
        print(sentence)
