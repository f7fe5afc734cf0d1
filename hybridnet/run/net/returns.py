# SPDX-License-Identifier: MIT
"""Machines that were lost and return, while the others run on.

    nothing is left of it ─▶ a new agent builds its part ─▶ its peers hear it ─▶ links up, routes back ─▶ `config`
    ─▶ what the script has set of its nodes

Its part is that of the plan that holds now. Until it is built, the machine is lost for everybody else, and where
something fails before that, it stays lost and can be tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridnet.describe.schema.plans import MachinePlan
from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.plan.network import Plan
from hybridnet.run.net import startup
from hybridnet.run.net.link_changes import LinkChanges
from hybridnet.run.net.losses import Losses
from hybridnet.run.net.measure import Measuring
from hybridnet.run.net.nodes import LiveNodes
from hybridnet.run.net.outages import Outages
from hybridnet.run.net.run_output import Recorded
from hybridnet.run.node import Host
from hybridnet.system.log import info

__all__ = ["Returns"]


class Returns:
    """Brings machines of one run back.

    Args:
        links, outages, losses: of the same run.
        measuring, recorded: of its network.
        await_switches: waits until the switches of these names have their controllers.
    """

    def __init__(
        self,
        cluster: Machines,
        links: LinkChanges,
        outages: Outages,
        losses: Losses,
        measuring: Measuring,
        recorded: Recorded,
        await_switches: Callable[[Plan, Sequence[str]], None],
    ) -> None:
        self._cluster, self._links, self._outages, self._losses = cluster, links, outages, losses
        self._measuring, self._recorded, self._await_switches = measuring, recorded, await_switches

    def restart(self, name: str, plan: Plan, nodes: LiveNodes) -> dict[str, float]:
        """See `hybridnet.Net.restart_machine`.

        Args:
            plan: that holds now.
            nodes: all live ones; those of the machine are bound to its new agent.

        Returns:
            How many seconds each stage of building took.
        """
        if not isinstance(name, str) or name not in plan.machines:
            raise UsageError(
                f"restart_machine: there is no machine {shown(name)}; the machines are {', '.join(plan.machines)}"
            )
        if not self._losses.goes_on:
            raise UsageError(
                f"restart_machine: machine {name} cannot return: this run ends with the first machine that it loses; "
                "give Net on_loss='continue', or hybridnet run --on-loss continue"
            )
        loss = self._cluster.lost().get(name)
        if loss is None:
            raise UsageError(
                f"restart_machine: machine {name} is not lost; restart_instance starts an instance of it again"
            )
        info(f"*** Starting machine {name} again\n")
        with self._cluster.restarting(name) as call:
            part: MachinePlan = {**plan.machines[name], "instances": self._outages.plans_again(name)}
            seconds: dict[str, float] = call("build", plan=part, controllers=False)
            if startup.has_something_to_obey(part):
                call("obey_controllers")
            self._recorded.resume(name, call)
            for instance in part["instances"]:
                self._recorded.began_again(name, instance)
            absence = self._measuring.returned(name, loss, call("counters"))
        own = [node for node in nodes.values() if plan.machine_of[node.name] == name]
        settings = {node: node.settings for node in own}
        try:
            startup.bind_again(plan, name, own, self._cluster)
            for node in own:
                node.settings = settings[node]
            self._links.set_down_again(name, nodes)
            self._outages.bring_back(name)
            self._await_switches(plan, [node.name for node in own])
        finally:
            away_s = absence.over()
        for node in own:
            made = node.settings.taken()
            node.config(**node.params)
            if isinstance(node, Host):
                node.run_commands()
            for again in made:
                again()
        info(f"*** machine {name} is back; it was away for {away_s:.1f} s\n")
        return seconds
