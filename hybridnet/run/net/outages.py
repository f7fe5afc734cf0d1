# SPDX-License-Identifier: MIT
"""Instances that end by themselves while the others run, and that are started again.

    one ends ──▶ its agent notes when ──▶ its peers' ends of the links to it go down, routers go around, if asked
    restart  ──▶ it runs, its peers hear it ──▶ the links go up again, and routers have their ways back

A thread for each machine waits for its agent to miss one. The instances of a machine that is lost are missed, too,
until it returns.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from hybridnet.describe.schema.plans import CapturePlan, InstancePlan
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, MachineError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results.machines import Outage
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan
from hybridnet.plan.network.route_changes import Routes, rerouted
from hybridnet.run.net import startup
from hybridnet.run.net.instances import call_instances
from hybridnet.run.net.link_changes import LinkChanges
from hybridnet.system.log import info, warn

__all__ = ["Outages"]

WAIT_SECONDS = 30.0


class Outages:
    """The instances of one run that are missed.

    Args:
        links: of the run; who is down by the user's wish stays down.
        planning: the plan of the moment, and what plans the same network with routes that avoid some links.
        reroute: whether simulated routers go around the links to an instance that is missed.
    """

    def __init__(
        self,
        cluster: Machines,
        links: LinkChanges,
        planning: Callable[[], tuple[Plan, Callable[[frozenset[str]], Plan]]],
        *,
        reroute: bool,
    ) -> None:
        self._cluster, self._links, self._planning, self._reroute = cluster, links, planning, reroute
        self._missed: set[str] = set()
        self._restarts: dict[str, int] = {}
        self._acting = threading.Lock()
        self._ended = threading.Event()
        self._threads: dict[str, threading.Thread] = {}

    def watch(self) -> None:
        """Begin to wait for instances that end by themselves, on machines where a cut link ends."""
        plan, _ = self._planning()
        machines = {machine for link in plan.links if link.kind == "cut" for machine in link.machines}
        for machine in sorted(machines - self._threads.keys()):
            self._begin_watch(machine)

    def close(self) -> None:
        """Watch no longer. A second call does nothing."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._cluster.call_left(dict.fromkeys(self._cluster.machines, ("stop_watching", {})))
        for thread in list(self._threads.values()):
            thread.join()

    def restart(self, name: str) -> InstancePlan:
        """See `hybridnet.Net.restart_instance`. Returns the plan with which it was started."""
        plan, _ = self._planning()
        instances = plan.instances
        if not isinstance(name, str) or name not in instances:
            known = ", ".join(instances) or "none: nothing is simulated"
            raise UsageError(
                f"restart_instance: there is no instance {shown(name)}; the instances are {known}"
            )
        with self._acting:
            self._miss([name], plan)
            [again] = self._plans_again([name], plan)
            self._cluster.call(plan.machine_of_instance[name], "restart_instance", plan=again)
            self._have_back([name], plan)
        info(f"*** instance {name} runs again\n")
        return again

    def lose(self, machine: str) -> int | None:
        """A machine is lost: its instances are missed from now on. Returns how many links to it are down; None: it has
        returned meanwhile.
        """
        with self._acting:
            if machine not in self._cluster.lost():
                return None
            plan, _ = self._planning()
            return len(self._miss(_instances_of(machine, plan), plan))

    def missed(self, machines: Collection[str]) -> frozenset[str]:
        """The instances that are missed, and those of these machines, which are lost."""
        plan, _ = self._planning()
        return frozenset(self._missed).union(*(_instances_of(machine, plan) for machine in machines))

    def plans_again(self, machine: str) -> list[InstancePlan]:
        """The plans of the instances of a lost machine, with which it can be built once more."""
        with self._acting:
            plan, _ = self._planning()
            names = _instances_of(machine, plan)
            self._miss(names, plan)
            return self._plans_again(names, plan)

    def bring_back(self, machine: str) -> None:
        """A lost machine has been built again: its instances are missed no longer.

        Raises:
            MachineError: they and their peers do not hear each other.
        """
        if machine in self._threads:
            self._begin_watch(machine)
        with self._acting:
            plan, _ = self._planning()
            self._have_back(_instances_of(machine, plan), plan)

    def follow(self) -> None:
        """The network has changed: what is new, too, is down toward the instances that are missed, and goes around.
        What has left is missed no longer, and machines with new cut links are watched.
        """
        plan, _ = self._planning()
        for machine in self._threads.keys() - plan.machines.keys():
            del self._threads[machine]  # its thread ends with the machine
        self.watch()
        with self._acting:
            self._missed.intersection_update(plan.instances)
            if self._missed:
                for link in _cut_links(plan, self._missed):
                    self._set(plan, link, up=False)
                if self._reroute:
                    self._go_around(plan)

    def routes_without(self, down: frozenset[str]) -> dict[str, Routes]:
        """By instance that is not missed: the routes that avoid these links, and those to instances that are missed."""
        plan, plan_without = self._planning()
        gone = {link.name for link in _cut_links(plan, self._missed)}
        routes = rerouted(plan, plan_without(down | gone))
        return {name: of_nodes for name, of_nodes in routes.items() if name not in self._missed}

    def go_around(self) -> None:
        """Simulated routers get the routes of the network without the links that are down now."""
        with self._acting:
            plan, _ = self._planning()
            self._go_around(plan)

    def _begin_watch(self, machine: str) -> None:
        thread = threading.Thread(
            target=self._watch, args=(machine,), name=f"outages of {machine}", daemon=True
        )
        self._threads[machine] = thread
        thread.start()

    def _watch(self, machine: str) -> None:
        known = 0
        while not self._ended.is_set():
            try:
                news = self._cluster.call(machine, "await_outages", known=known, seconds=WAIT_SECONDS)
            except HybridnetError as error:
                if not isinstance(error, MachineError):  # else it is lost, which `Losses` follows
                    warn(f"*** Warning: instances of machine {machine} are watched no longer: {error}\n")
                return
            if news is None:  # its network is taken down
                return
            known += len(news)
            for outage in news:
                if outage["how"] != "was restarted" and not self._ended.is_set():
                    self._follow(outage)

    def _follow(self, outage: Outage) -> None:
        """Act on it, and say so. What fails, at this machine or another, is said, too, and the watch goes on."""
        name = outage["instance"]
        with self._acting:
            plan, _ = self._planning()
            links = _cut_links(plan, [name])
            try:
                self._miss([name], plan)
                then = f"{len(links)} links to it are down"
            except HybridnetError as error:
                then = f"what follows from it failed: {error}"
        warn(f"*** Warning: instance {name} {outage['how']}; {then}\n")

    def _miss(self, names: Sequence[str], plan: Plan) -> list[LinkPlan]:
        """The others' ends of the links to these go down, unless that is done. Returns the links."""
        links = _cut_links(plan, names)
        if not self._missed.issuperset(names):
            self._missed.update(names)
            for link in links:
                with contextlib.suppress(MachineError):  # the other end is gone, too, and will be missed
                    self._set(plan, link, up=False)
            if self._reroute:
                with contextlib.suppress(MachineError):
                    self._go_around(plan)
        return links

    def _plans_again(self, names: Sequence[str], plan: Plan) -> list[InstancePlan]:
        """The plans of these instances for one more start."""
        for name in names:
            self._restarts[name] = self._restarts.get(name, 1) + 1
        return [_with_files_of_its_own(plan.instances[name], self._restarts[name]) for name in names]

    def _have_back(self, names: Sequence[str], plan: Plan) -> None:
        """They run again. Once their peers hear them, links are up and down as the user wants it, and routes follow."""
        self._missed.difference_update(names)
        startup.await_peers(self._cluster, plan.instances, missed=self._missed)
        for link in plan.links:
            if not link.simulated or not set(names) & set(link.instances):
                continue
            up = link.name not in self._links.down and not self._missed & set(link.instances)
            if link.kind == "cut" or not up:
                self._set(plan, link, up=up)
        if self._reroute and names:
            self._go_around(plan)

    def _set(self, plan: Plan, link: LinkPlan, *, up: bool) -> None:
        """Set a link up or down in those of its instances that run."""
        told = ("set_link", {"link": link.name, "up": up})
        running = [each for each in dict.fromkeys(link.instances) if each not in self._missed]
        call_instances(self._cluster, plan.machine_of_instance, dict.fromkeys(running, told))

    def _go_around(self, plan: Plan) -> None:
        routes = self.routes_without(frozenset(self._links.down))
        calls = {name: ("set_routes", {"routes": of_nodes}) for name, of_nodes in routes.items()}
        call_instances(self._cluster, plan.machine_of_instance, calls)


def _instances_of(machine: str, plan: Plan) -> list[str]:
    return [name for name, where in plan.machine_of_instance.items() if where == machine]


def _cut_links(plan: Plan, instances: Collection[str]) -> list[LinkPlan]:
    """Those between one of these instances and another."""
    return [
        link
        for link in plan.links
        if link.kind == "cut" and (link.instances[0] in instances) != (link.instances[1] in instances)
    ]


def _with_files_of_its_own(plan: InstancePlan, number: int) -> InstancePlan:
    """The plan of an instance that is started for the n-th time: it leaves what the earlier ones wrote.

    Example:
        >>> _with_files_of_its_own({"captures": [], "record": "/run/m1.pcapng"}, 2)["record"]
        '/run/m1-2.pcapng'
    """

    def own(file: str) -> str:
        path = Path(file)
        return str(path.with_name(f"{path.stem}-{number}{path.suffix}"))

    captures: list[CapturePlan] = [{**each, "file": own(each["file"])} for each in plan["captures"]]
    again: InstancePlan = {**plan, "captures": captures}
    if "record" in plan:
        again["record"] = own(plan["record"])
    return again
