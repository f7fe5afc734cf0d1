# SPDX-License-Identifier: MIT
"""Machines that join a running network, and machines and instances that leave it.

    join   ──▶ it is started ──▶ its part is built ──▶ the others make theirs, peers with it included ──▶ it is there
    leave  ──▶ the others remove their part, peers with it included ──▶ what it counted is kept ──▶ it ends

Until its part is built, a machine that joins is none of the network for everybody else. Where something fails before
that, nothing is left of it.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridnet.describe.topo import Topo, natural
from hybridnet.describe.values import shown
from hybridnet.errors import PlanError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results.machines import Counters
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions
from hybridnet.run.net import startup
from hybridnet.run.net.controllers import Controllers, controller_targets
from hybridnet.run.net.instances import by_instance
from hybridnet.run.net.measure import Measuring
from hybridnet.run.net.run_output import Recorded
from hybridnet.system.log import info

__all__ = ["Leaving", "Members", "Planned", "newcomers"]

PlanWith = Callable[[Sequence[MachineSpec], PlanOptions], Plan]
"""Plans the network as it is to be, with these machines and options."""


@dataclass(frozen=True)
class Leaving:
    """What leaves with one change: names of machines, and of instances of machines that stay."""

    machines: set[str] = field(default_factory=set)
    instances: set[str] = field(default_factory=set)

    def all_instances(self, plan: Plan) -> set[str]:
        """Those of the machines that leave, too."""
        own = {name for name, machine in plan.machine_of_instance.items() if machine in self.machines}
        return own | self.instances


@dataclass(frozen=True)
class Planned:
    """A network as it is to be.

    Args:
        specs, options: which it is planned with.
        came: the machines that join.
        seconds: how many seconds each stage of building these took.
    """

    plan: Plan
    specs: Sequence[MachineSpec]
    options: PlanOptions
    came: Sequence[str]
    seconds: Mapping[str, dict[str, float]]


class Members:
    """The machines of one run, as they join and leave.

    Args:
        controllers, measuring, recorded: of its network.
    """

    def __init__(
        self, cluster: Machines, controllers: Controllers, measuring: Measuring, recorded: Recorded
    ) -> None:
        self._cluster, self._controllers = cluster, controllers
        self._measuring, self._recorded = measuring, recorded

    @contextlib.contextmanager
    def joining(
        self, names: Sequence[str], specs: Sequence[MachineSpec], options: PlanOptions, plan_with: PlanWith
    ) -> Iterator[Planned]:
        """Start machines and build their parts. In the block the others make theirs; after it these are machines as
        the others. If the block raises, nothing is left of them.

        Args:
            specs, options: the network's so far; without machines that leave.

        Raises:
            PlanError: the network cannot be so, and nothing has been started.
            UsageError: there is no place for such a machine.
            MachineError, EnvironmentLackError: one does not come up, or could not be built.
        """
        if names:  # report what cannot be built before anything is started
            plan_with([*specs, *(MachineSpec(name, "198.18.255.1") for name in names)], options)
        with contextlib.ExitStack() as coming:
            calls = {}
            for name in names:
                info(f"*** Starting machine {name}\n")
                arrival = coming.enter_context(self._cluster.joining(name))
                calls[name] = arrival.call
                specs = [*specs, startup.late_spec(name, arrival.address, arrival.call("capacity"), specs)]
                heads = {name: startup.own_address_toward(arrival.address)}
                targets = controller_targets(self._controllers.all, heads)
                options = dataclasses.replace(options, controllers={**_by_machine(options), **targets})
                if options.record is not None:
                    arrival.call("check_folder", folder=options.record)
            plan = plan_with(specs, options)
            seconds = {}
            for name, call in calls.items():
                part = plan.machines[name]
                seconds[name] = call("build", plan=part, controllers=False)
                if startup.has_something_to_obey(part):
                    call("obey_controllers")
                self._recorded.join(name, call)
                self._measuring.joined(name, call("counters"))
            yield Planned(plan, specs, options, list(names), seconds)

    def counted(self, leaving: Leaving, plan: Plan) -> dict[str, Counters]:
        """What the machines have counted that leave, or of which an instance does."""
        machines = {*leaving.machines, *(plan.machine_of_instance[name] for name in leaving.instances)}
        return self._cluster.call_all(dict.fromkeys(sorted(machines, key=natural), ("counters", {})))

    def leave(
        self, leaving: Leaving, plan: Plan, counted: Mapping[str, Counters]
    ) -> dict[str, Snapshot | None]:
        """They leave: the others know them no longer.

        Args:
            plan: with them.
            counted: what `counted` said before the others forgot them.

        Returns:
            The counters with which the machines' instances ended.
        """
        final: dict[str, Snapshot | None] = {}
        for name in sorted(leaving.instances, key=natural):
            machine = plan.machine_of_instance[name]
            self._measuring.left(machine, counted[machine], name)
            info(f"*** instance {name} has left\n")
        for name in sorted(leaving.machines, key=natural):
            self._recorded.leave(name, self._cluster)
            self._measuring.left(name, counted[name])
            try:
                ended = self._cluster.call(name, "destroy")
                self._recorded.left(name)  # what it has captured is complete, and within reach
            finally:
                self._cluster.remove(name)
            final |= by_instance({name: ended})
            info(f"*** machine {name} has left\n")
        return final

    def check_leaving(self, machine: Any, plan: Plan, leaving: Leaving) -> None:
        """Raise UsageError if a machine cannot leave."""
        if not isinstance(machine, str) or machine not in plan.machines:
            raise UsageError(
                f"delMachine: there is no machine {shown(machine)}; the machines are {', '.join(plan.machines)}"
            )
        if machine in self._cluster.lost():
            raise UsageError(
                f"delMachine: machine {machine} is lost, and what is left of it is not known; start it again with "
                "net.restart_machine, or stop the network"
            )
        if not set(plan.machines) - leaving.machines - {machine}:
            raise UsageError(
                f"delMachine: machine {machine} is the last of the network, which needs one; stop the network"
            )


def check_instance_leaving(instance: Any, plan: Plan) -> None:
    """Raise UsageError if there is no such instance."""
    if not isinstance(instance, str) or instance not in plan.instances:
        known = ", ".join(plan.instances) or "none: nothing is simulated"
        raise UsageError(f"delInstance: there is no instance {shown(instance)}; the instances are {known}")


def newcomers(topo: Topo, specs: Sequence[MachineSpec], leaving: Leaving) -> list[str]:
    """The machines that a description names and the network does not have.

    Raises:
        PlanError: one of them leaves with the same change.
    """
    named = {spec.machine: spec.name for spec in topo.node_specs() if spec.machine is not None}
    for machine in sorted(leaving.machines & named.keys()):
        raise PlanError(
            f"node {named[machine]}: its machine {machine} leaves in the same change; name another machine"
        )
    return sorted(named.keys() - {spec.name for spec in specs}, key=natural)


def _by_machine(options: PlanOptions) -> dict[str, Sequence[str]]:
    assert isinstance(options.controllers, Mapping)  # as `Net` plans
    return dict(options.controllers)
