# SPDX-License-Identifier: MIT
"""Changing the links of a network that runs: their options where they are simulated, up and down."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from hybridnet.describe.topo import LinkSpec, Topo
from hybridnet.describe.topo.direction import direction_options, resolve_direction
from hybridnet.describe.topo.options import End, check_names
from hybridnet.describe.values import shown
from hybridnet.errors import HybridnetError, TopologyError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.machines import Calls
from hybridnet.plan.network import Plan
from hybridnet.plan.network.links import LinkPlan, SetLink, changed, rewritten
from hybridnet.run.net.instances import call_instances
from hybridnet.run.net.nodes import LiveNodes

__all__ = ["LinkChanges", "LinkStep", "Missed"]

Options = dict[str, object]


@dataclass(frozen=True)
class LinkStep:
    """One change of a link's options.

    Args:
        options: of both directions, as described, after it.
        told: what `set_link` is told, by instance.
    """

    before: LinkPlan
    after: LinkPlan
    options: tuple[Options, Options]
    told: dict[str, SetLink]


@dataclass(frozen=True)
class Missed:
    """What a run goes on without, by name. It is not told of a change, which it has when it returns: it is made again
    as the plan is then.
    """

    machines: frozenset[str] = frozenset()
    instances: frozenset[str] = frozenset()


class LinkChanges:
    """The links of one run: made when it starts, so that a restarted network has those of its description.

    Args:
        topo: the description that was built.
        plan: what it became; a change of a link is written down here.
    """

    def __init__(self, topo: Topo, plan: Plan, cluster: Machines) -> None:
        self._topo, self._plan, self._cluster = topo, plan, cluster
        self._options: dict[str, tuple[Options, Options]] = {}  # of links that were changed: there and back
        self.down: set[str] = set()

    @property
    def simulated(self) -> set[str]:
        """The links that an instance simulates."""
        return {link.name for link in self._plan.links if link.simulated}

    def options(self, spec: LinkSpec) -> tuple[Options, Options]:
        """What was said of a link, in its description and since: from its first end, and from its second."""
        described = [{**spec.options, **(spec.options.get(f"params{end}") or {})} for end in (1, 2)]
        return self._options.get(spec.name, (described[0], described[1]))

    def plain(self, src: str, dst: str, key: Any, options: Mapping[str, Any]) -> LinkSpec | None:
        """The link, if it is a plain one, which nothing delays, so that only another one can have these options.

        Raises:
            TopologyError: there is no such link, or it has no such option.
        """
        spec = self._topo.spec(src, dst, key)
        _divided(options, f"link {spec.name}")
        kinds = {link.name: link.kind for link in self._plan.links}
        return spec if kinds[spec.name] in ("veth", "patch") else None

    def make(self, step: LinkStep, missed: Missed) -> None:
        """Make a step, and write it down. Where a machine refuses its side of a cut link, the other is put back."""
        there = step.told.keys() - missed.instances
        try:
            self._call({name: ("set_link", side) for name, side in step.told.items() if name in there})
        except BaseException:
            _, earlier = changed(step.after, step.before.a_to_b, step.before.b_to_a, 0)
            for name, side in ((name, side) for name, side in earlier.items() if name in there):
                with contextlib.suppress(HybridnetError):  # who refused, or is lost, has changed nothing
                    self._call({name: ("set_link", side)})
            raise
        self.made(step)

    def step(
        self,
        src: str,
        dst: str,
        key: Any,
        options: Mapping[str, Any],
        least_cut_delay_ns: int,
        held: Mapping[str, LinkStep] = MappingProxyType({}),
    ) -> LinkStep:
        """What a change of a link's options would be, after the steps in `held`, by link. Raises as `Net.set_link`."""
        spec = self._topo.spec(src, dst, key)
        what = f"link {spec.name}"
        both, own = _divided(options, what)
        there, back = self.options(spec)
        before = next(link for link in self._plan.links if link.name == spec.name)
        if (earlier := held.get(spec.name)) is not None:
            before, (there, back) = earlier.after, earlier.options
        then = {**there, **both, **own[0]}, {**back, **both, **own[1]}
        directions = resolve_direction(then[0], what), resolve_direction(then[1], what)
        for direction, end in zip(directions, (spec.a, spec.b), strict=True):
            direction.check_fits(end.mtu, what)
        new, told = changed(before, *directions, least_cut_delay_ns)
        return LinkStep(before, new, then, told)

    def made(self, step: LinkStep) -> None:
        """Write down a step that was made."""
        new = step.after
        index = next(i for i, link in enumerate(self._plan.links) if link.name == new.name)
        self._plan.links[index] = new
        for machine in dict.fromkeys(new.machines):
            part = self._plan.machines[machine]
            part["instances"] = [
                rewritten(new, plan) if plan["name"] in step.told else plan for plan in part["instances"]
            ]
        self._options[new.name] = step.options

    def between(self, src: str, dst: str, key: Any = None) -> list[LinkPlan]:
        """The links between two nodes, or the one of them with that key. Raises UsageError, TopologyError: none."""
        if key is not None:
            name = self._topo.spec(src, dst, key).name
            return [link for link in self._plan.links if link.name == name]
        found = [link for link in self._plan.links if {link.a.node, link.b.node} == {src, dst}]
        if not found:
            raise UsageError(f"link {src}-{dst}: there is no such link; `links` of the prompt lists them")
        return found

    def follow(self, topo: Topo, plan: Plan, removed: Collection[str]) -> None:
        """The network is another now: what it is described by, its plan, and which links are gone."""
        self._topo, self._plan = topo, plan
        for name in removed:
            self._options.pop(name, None)
            self.down.discard(name)

    def hold_down(self, anew: Collection[str], nodes: LiveNodes, missed: Missed) -> None:
        """These links have been made anew, and so are up: those that are down go down again."""
        for link in self._plan.links:
            if link.name in self.down and link.name in anew:
                for step in self._status_steps(link, nodes, missed):
                    step(False)

    def set_status(self, src: str, dst: str, status: Any, nodes: LiveNodes, missed: Missed) -> None:
        """See `hybridnet.Net.configLinkStatus`."""
        if status not in ("up", "down"):
            raise UsageError(f"link {src}-{dst}: status {shown(status)} does not exist; write 'up' or 'down'")
        up = status == "up"
        for link in self.between(src, dst):
            steps = self._status_steps(link, nodes, missed)
            try:
                for step in steps:
                    step(up)
            except BaseException:
                for step in steps:
                    with contextlib.suppress(HybridnetError):  # who refused has changed nothing
                        step(link.name not in self.down)
                raise
            (self.down.discard if up else self.down.add)(link.name)

    def set_down_again(self, machine: str, nodes: LiveNodes) -> None:
        """A machine has been built again: its emulated ends of the links that are down go down."""
        for link in self._plan.links:
            for end in self._emulated_ends(link, nodes) if link.name in self.down else ():
                if self._plan.machine_of[end.node] == machine:
                    nodes[end.node].set_interface(end.interface, False)

    def _status_steps(
        self, link: LinkPlan, nodes: LiveNodes, missed: Missed
    ) -> list[Callable[[bool], object]]:
        """What sets a link up or down, one part after the other: in its instances, and at each emulated end."""
        steps: list[Callable[[bool], object]] = []
        if link.simulated:
            steps.append(partial(self._set_in_instances, link, missed.instances))
        for end in self._emulated_ends(link, nodes):
            if self._plan.machine_of[end.node] not in missed.machines:
                steps.append(partial(nodes[end.node].set_interface, end.interface))
        return steps

    def _set_in_instances(self, link: LinkPlan, missed: Collection[str], up: bool) -> None:
        there = [name for name in dict.fromkeys(link.instances) if name not in missed]
        # A link to what is missed is down in any case, and goes up when that is back.
        if not up or not set(link.instances) & set(missed):
            self._call(dict.fromkeys(there, ("set_link", {"link": link.name, "up": up})))

    def _emulated_ends(self, link: LinkPlan, nodes: LiveNodes) -> list[End]:
        """The ends that are interfaces of a machine."""
        simulated = self._plan.simulated
        return [end for end in (link.a, link.b) if end.node in nodes and end.node not in simulated]

    def _call(self, calls: Calls) -> None:
        call_instances(self._cluster, self._plan.machine_of_instance, calls)


def _divided(options: Mapping[str, Any], what: str) -> tuple[Options, tuple[Options, Options]]:
    """Options of both directions, and those of each, checked by name."""
    both = {name: value for name, value in options.items() if name not in ("params1", "params2")}
    own = [options.get(f"params{end}") or {} for end in (1, 2)]
    for given in (both, *own):
        if not isinstance(given, Mapping):
            raise TopologyError(f"{what}: params1= and params2= are dictionaries, not {shown(given)}")
        check_names(given, direction_options(), {}, what)
    if not any((both, *own)):
        raise TopologyError(f"{what}: nothing is given that changes; write for example delay='5ms'")
    return both, (dict(own[0]), dict(own[1]))
