# SPDX-License-Identifier: MIT
"""The fluid flows of an instance: the ways that their packets would take, if they had any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridnet.describe.schema.plans import FluidPlan, PacketFormPlan, SimulatedLink, SimulatedNode
from hybridnet.describe.topo.fluids import FluidSpec
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import AUTO, PlanOptions
from hybridnet.plan.network.passages import NoPassageError, Passages
from hybridnet.plan.placement.layout import Layout

__all__ = ["fluid_plans"]

_NO_FLUID_FORM = {
    "queue": "aqm=",
    "loss": "loss=",
    "duplicate": "duplicate=",
    "corrupt": "corrupt=",
    "bit_error_rate": "bit_error_rate=",
    "reorder": "reorder=",
    "extra_delay": "jitter=",
    "plugin": "model=",
}
"""What of a direction is more than a queue, a rate and a delay, and how people write it; of queues, RED has a form."""

_FIRST_PORT = 62_000
"""Of those at which the connections of classes arrive that are packets."""
MOST_PACKET_FLOWS = 10_000
"""That a class of packets has, as simcore/application/packet_flows.h."""


def fluid_plans(
    specs: Sequence[FluidSpec],
    layout: Layout,
    nodes: Sequence[SimulatedNode],
    links: Sequence[SimulatedLink],
    options: PlanOptions,
) -> list[FluidPlan]:
    """The plans of the fluids that begin at one of these nodes, which are those of an instance.

    Raises:
        PlanError: a fluid begins or ends elsewhere than at a simulated host or router of one instance, has no way there
            or back, or a link on its way has no fluid form; or all are to be packets, and it cannot be.
    """
    own = {node["name"] for node in nodes}
    here = [spec for spec in specs if layout.instance_of[spec.source] in _instances(layout, own)]
    for spec in specs:
        _check_ends(spec, layout)
    if not here:
        return []
    passages = Passages(nodes, links)
    cut = {link["name"] for link in links if "peer" in link["a"] or "peer" in link["b"]}
    ports = _Ports(nodes)
    plans = []
    for spec in here:
        plan = _fluid_plan(spec, passages, cut)
        packets = _packet_form(spec, layout, passages, ports, options)
        if packets is not None:
            plan["packets"] = packets
        plans.append(plan)
    return plans


class _Ports:
    """TCP ports of simulated hosts at which nothing else listens."""

    def __init__(self, nodes: Iterable[SimulatedNode]) -> None:
        self._taken = {
            node["name"]: {each["port"] for each in node.get("applications", []) if "port" in each}
            for node in nodes
        }

    def take(self, host: str) -> int:
        taken = self._taken[host]
        port = next(each for each in range(_FIRST_PORT, 65_536) if each not in taken)
        taken.add(port)
        return port


def _packet_form(
    spec: FluidSpec, layout: Layout, passages: Passages, ports: _Ports, options: PlanOptions
) -> PacketFormPlan | None:
    """The connections that the class also is; None: it is a fluid always."""
    if options.fidelity == "fluid":
        return None
    why_not = _why_no_packets(spec, layout)
    if why_not is not None:
        if options.fidelity == AUTO:
            return None
        raise PlanError(f"fluid {spec.name}: {why_not}; write fidelity={AUTO!r}, which leaves it a fluid")
    packets: PacketFormPlan = {
        "source": spec.source,
        "destination": spec.destination,
        "address": passages.address_of(spec.destination) or "",
        "port": ports.take(spec.destination),
    }
    if options.fidelity == AUTO:
        packets["allowed_ppm"] = options.error_ppm
    return packets


def _why_no_packets(spec: FluidSpec, layout: Layout) -> str | None:
    if spec.model["model"] != "tcp_flows":
        return f"{spec.model['model']} has no packets, only tcp_flows has"
    for name in (spec.source, spec.destination):
        if layout.nodes[name].role != "simhost":
            return f"{name} is a router, and connections are between simulated hosts"
    if _flows(spec) > MOST_PACKET_FLOWS:
        return f"{_flows(spec)} flows are more than the {MOST_PACKET_FLOWS} that may be packets"
    return None


def _flows(spec: FluidSpec) -> int:
    return spec.model["flows"] if spec.model["model"] == "tcp_flows" else 0


def _instances(layout: Layout, nodes: Iterable[str]) -> set[str]:
    return {layout.instance_of[name] for name in nodes}


def _check_ends(spec: FluidSpec, layout: Layout) -> None:
    what = f"fluid {spec.name}"
    for name in (spec.source, spec.destination):
        node = layout.nodes[name]
        if node.role in ("simhost", "simrouter"):
            continue
        at = "let it begin and end at simulated hosts or routers"
        if node.simulated:
            raise PlanError(f"{what}: {name} is a switch, which has no address; {at}")
        raise PlanError(
            f"{what}: {name} is an emulated {node.role}, and a fluid is only simulated; {at}, such as the router "
            "beside it"
        )
    places = [layout.instance_of[name] for name in (spec.source, spec.destination)]
    if places[0] != places[1]:
        raise PlanError(
            f"{what}: {spec.source} is in instance {places[0]} and {spec.destination} in {places[1]}, and a fluid does "
            "not cross cut links; put both into one (machine=, instance=)"
        )


def _fluid_plan(spec: FluidSpec, passages: Passages, cut: set[str]) -> FluidPlan:
    forward = _way(spec, passages, cut, spec.source, spec.destination)
    for interface in forward:
        _check_link(spec, passages, interface)
    back = _way(spec, passages, cut, spec.destination, spec.source)
    return {"name": spec.name, "model": spec.model, "forward": forward, "back": back}


def _way(spec: FluidSpec, passages: Passages, cut: set[str], start: str, end: str) -> list[str]:
    try:
        return passages.way(start, end)
    except NoPassageError as error:
        over = (
            f", other than over the cut links {', '.join(sorted(cut))}, which no fluid crosses" if cut else ""
        )
        raise PlanError(
            f"fluid {spec.name}: {error.node} knows no way on to {end}{over}; give both ends IPv4 addresses and a way "
            "through simulated nodes of their instance"
        ) from None


def _check_link(spec: FluidSpec, passages: Passages, interface: str) -> None:
    what = f"fluid {spec.name} passes link {passages.link_of(interface)} from {interface} on"
    direction = passages.direction_of(interface)
    model = direction.get("rate_model")
    if model is not None and model["model"] != "slots":
        said = {"token_bucket": "burst=", "opportunities": "trace="}[model["model"]]
        raise PlanError(f"{what}, which has {said}, and that has no fluid form; leave it out")
    if direction.get("rate_bps") is None and model is None:
        raise PlanError(f"{what}, which has no rate, so nothing would wait there; give it bw=")
    queue = direction.get("queue")
    red = queue is not None and queue["model"] == "red"
    for key, said in _NO_FLUID_FORM.items():
        if direction.get(key) and not (key == "queue" and red):
            raise PlanError(
                f"{what}, which has {said}, and that has no fluid form: a fluid passes a drop-tail or RED queue, a "
                "rate and a constant delay; leave it out"
            )
