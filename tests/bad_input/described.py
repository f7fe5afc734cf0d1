# SPDX-License-Identifier: MIT
"""What is walked of describing and planning."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.topo import External, Topo
from hybridnet.describe.topo.direction import direction_options
from hybridnet.describe.topo.node_options import NODE_OPTIONS
from hybridnet.observe.recording.outcome import result, take_results
from hybridnet.observe.results import Limits
from hybridnet.plan.files import Topohub, read_topology
from hybridnet.plan.network import MachineSpec, PeeringOptions, PlanOptions, RealtimeOptions, make_plan
from hybridnet.run.net import Sampling
from hybridnet.tools.forecast.demand import read_demand
from hybridnet.tools.sweep.values import value
from hybridnet.topologies import TOPOS
from tests.bad_input.walk import Subject

TOKEN = "0" * 16


def small() -> Topo:
    topo = Topo()
    topo.addHost("h1")
    topo.addSwitch("s1")
    topo.addSimRouter("r1")
    topo.addLink("h1", "s1")
    topo.addLink("s1", "r1", delay="5ms")
    return topo


def planned(topo: Topo, options: PlanOptions | None = None) -> None:
    """What a description accepts, the plan accepts, or refuses as well."""
    machines = [MachineSpec("m1", "198.18.0.1"), MachineSpec("m2", "198.18.0.2")]
    make_plan(topo, machines, options or PlanOptions(token=TOKEN))


def adding(method: str) -> Callable[..., None]:
    def call(**options: Any) -> None:
        topo = small()
        getattr(topo, method)(**options)
        planned(topo)

    return call


def asking(method: str) -> Callable[..., object]:
    def call(**arguments: Any) -> object:
        found = getattr(small(), method)(*arguments.values())
        return list(found) if method == "iterLinks" else found

    return call


def linking(**options: Any) -> None:
    topo = small()
    topo.addHost("h2")
    ends = {"node1": options.pop("node1", "h2"), "node2": options.pop("node2", "s1")}
    topo.addLink(**ends, **options)
    planned(topo)


def flowing(method: str) -> Callable[..., None]:
    def call(**given: Any) -> None:
        topo = small()
        topo.addSimHost("v1")
        topo.addLink("r1", "v1", bw=10)
        getattr(topo, method)(**given)
        planned(topo)

    return call


def linking_outside(**given: Any) -> None:
    topo = small()
    topo.addLink("s1", External(**given))
    planned(topo)


def linking_one_way(**options: Any) -> None:
    linking(params1=options)


def planning(topo: Any = None, machines: Any = None) -> None:
    make_plan(
        small() if topo is None else topo,
        [MachineSpec("m1", "198.18.0.1")] if machines is None else machines,
        PlanOptions(token=TOKEN),
    )


def planning_with(**options: Any) -> None:
    """What the options accept, the plan accepts, or refuses as well."""
    planned(small(), PlanOptions(**options))


def options_of(kind: str) -> dict[str, Any]:
    return dict.fromkeys(NODE_OPTIONS[kind])


OPTION = {"no_such_option": None}
LINK = dict.fromkeys(sorted(direction_options()))
ENDS = dict.fromkeys(["ip", "ip6", "mac", "name"]) | {"mtu": 1500}
PORTS = dict.fromkeys(["port1", "port2", "key"])
OF_LINK = dict.fromkeys(["addr1", "addr2", "intfName1", "intfName2", "mtu", "params1", "params2", "patch"])
ASKED: dict[str, dict[str, Any]] = {
    "nodes": {"sort": True},
    "hosts": {"sort": True},
    "switches": {"sort": True},
    "simulated": {"sort": True},
    "isSwitch": {"name": "s1"},
    "iterLinks": {"withKeys": True, "withInfo": True},
    "links": {"sort": True, "withKeys": True, "withInfo": True},
    "linkInfo": {"src": "h1", "dst": "s1", "key": 0},
    "nodeInfo": {"name": "h1"},
    "port": {"src": "h1", "dst": "s1"},
    "spec": {"src": "h1", "dst": "s1", "key": 0},
    "node_spec": {"name": "h1"},
    "node_specs": {},
    "link_specs": {},
    "fluid_specs": {},
    "sorted": {"items": ["h1", "h2"]},
    "addPort": {"src": "h1", "dst": "s1", "sport": None, "dport": None},
    "reserve": {"what": "tree", "nodes": 5},
    "revised": {"nodes": {}, "links": {}},
    "delLink": {"node1": "h1", "node2": "s1", "key": None},
    "delNode": {"name": "h1"},
    "copy": {},
    "restore": {"earlier": Topo()},
}


def naming_a_result(**given: Any) -> None:
    """Each result once: those of earlier calls are forgotten."""
    take_results()
    result(**given)


def of_few_systems(n: Any, **options: Any) -> None:
    """Many are allowed, and take long."""
    TOPOS["as"](1000 if type(n) is int and 1000 < n <= 200_000 else n, **options)


SUBJECTS = [
    Subject("value", value, {"name": "bw", "default": 10}),
    Subject("result", naming_a_result, {"name": "goodput", "value": 93.2}),
    Subject("Topo", lambda **given: Topo(**given), {"hopts": {}, "sopts": {}, "lopts": {}}),
    Subject("Topo.addHost", adding("addHost"), {"name": "h2", **options_of("host"), "inNamespace": True, **OPTION}),
    Subject("External", linking_outside, {
        "device": "eth1", "backend": None, "filter": None, "options": None, "machine": None,
    }),
    Subject("Topo.addGuest", adding("addGuest"), {"name": "g1", **options_of("guest"), **OPTION}),
    Subject("Topo.addNAT", adding("addNAT"), {"name": "h2", "connect": "s1", **OPTION}),
    Subject("Topo.addSwitch", adding("addSwitch"), {
        "name": "s2", **options_of("switch"), "inNamespace": False, **OPTION,
    }),
    Subject("Topo.addSimHost", adding("addSimHost"), {
        "name": "v1", **options_of("simhost"), "applications": [], **OPTION,
    }),
    Subject("Topo.addRouter", adding("addRouter"), {
        "name": "r2", "kind": "frr", "ospf": True, "bgp": 65001, "daemons": [], "conf": None, **OPTION,
    }),
    Subject("Topo.addRouter(kind=bird)", adding("addRouter"), {
        "name": "r2", "kind": "bird", "ospf": True, "bgp": 65001, "conf": None, **OPTION,
    }),
    Subject("Topo.addSimRouter", adding("addSimRouter"), {"name": "r2", **options_of("simrouter"), **OPTION}),
    Subject("Topo.addSimSwitch", adding("addSimSwitch"), {"name": "x1", **options_of("simswitch"), **OPTION}),
    Subject("Topo.addNode", adding("addNode"), {"name": "n1", "isSwitch": False}),
    Subject("Topo.addLink", linking, {"node1": "h2", "node2": "s1", **PORTS, **LINK, **OF_LINK, **OPTION}),
    Subject("Topo.addFluid", flowing("addFluid"), {
        "source": "r1", "destination": "v1", "model": {"model": "tcp_flows", "flows": 5}, "name": None,
    }),
    Subject("Topo.addFluids", flowing("addFluids"), {
        "demands": {("r1", "v1"): 5}, "segment": "1500 B", "congestion": "reno", **OPTION,
    }),
    Subject("Topo.addLink(params1=)", linking_one_way, {**LINK, **ENDS, **OPTION}),
    *(Subject(f"Topo.{method}", asking(method), good) for method, good in ASKED.items()),
    Subject("read_topology", lambda **given: read_topology(**given), {
        "file": "none.graphml", "nodes": None, "hosts": None, "bw": None, "delay": None,
    }),
    Subject("read_demand", read_demand, {"file": "none.yaml"}),
    Subject("Sampling", Sampling, {"every": "100ms", "of": "all"}),
    Subject("Limits", Limits, {field.name: field.default for field in fields(Limits)}),
    Subject("make_plan", planning, {"topo": None, "machines": None}),
    Subject("MachineSpec", MachineSpec, {
        "name": "m1", "address": "198.18.0.1", "kernel_datapath": False, "memory_bytes": None,
    }),
    Subject("PlanOptions", planning_with, {"token": TOKEN} | {
        name: field.default for name, field in PlanOptions.__dataclass_fields__.items()
        if name not in ("token", "captures", "realtime", "peering")
    } | {"captures": {}, "realtime": RealtimeOptions(), "peering": PeeringOptions()}),
    Subject("PeeringOptions", PeeringOptions, {
        "authenticated": None, "flush": "time", "longest_wait": "50us", "batch_size": "1400 B", "compression": "on",
        "datagram_size": "1472 B", "buffer": "1 MB", "receive_wait": "0ms", "receive_size": "0 B", "bulk_dscp": [8],
        "bulk_filter": "udp", "transport": "udp",
    }),
    Subject("RealtimeOptions", RealtimeOptions, {
        key: option.default for key, option in table("realtime").planned.items() if not option.plan_only
    }),
    Subject("topologies.as", of_few_systems, {
        "n": 6, "hosts": 2, "seed": 1, "simulated": False, "bw": None, "delay": "5ms",
    }),
    Subject("topologies.dumbbell", TOPOS["dumbbell"], {
        "n": 1, "bw": 1, "delay": "5ms", "max_queue_size": 9, "machines": None,
    }),
    Subject("topologies.fattree", TOPOS["fattree"], {"k": 2, "bw": None}),
    Subject("topologies.leafspine", TOPOS["leafspine"], {"spines": 2, "leaves": 2, "n": 1, "bw": None}),
    Subject("Topohub", Topohub, {
        "name": "polska", "nodes": "switch", "hosts": 1, "bw": None, "simulated": False,
    }),
    Subject("topologies.torus", TOPOS["torus"], {"x": 3, "y": 3, "n": 1, "bw": None}),
    Subject("topologies.linear", TOPOS["linear"], {"k": 1, "n": 1, "bw": None}),
    Subject("topologies.minimal", TOPOS["minimal"], {"k": 2, "bw": None}),
    Subject("topologies.reversed", TOPOS["reversed"], {"k": 2, "bw": None}),
    Subject("topologies.single", TOPOS["single"], {"k": 2, "bw": None}),
    Subject("topologies.tree", TOPOS["tree"], {"depth": 1, "fanout": 2, "machine": None, "delay": None}),
    Subject("topologies.twotrees", TOPOS["twotrees"], {
        "depth": 1, "fanout": 2, "bw": None, "delay": "1ms", "max_queue_size": None, "train_limit": None,
        "join": "bridged", "machines": ("m1", "m2"),
    }),
]  # fmt: skip
