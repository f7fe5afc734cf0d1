# SPDX-License-Identifier: MIT
"""What `Topo.addHost`, `addSwitch` and their simulated counterparts accept: one table, checked when it is written.

An option is in the table with the kinds of nodes that have it and with its reader, which returns what the plan takes.
A class that is given with cls= may have options of its own: what its constructor or its `config` names. They are the
class's business, and the plan does not see them.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hybridnet.describe.kinds import (
    IMAGE,
    OPENVSWITCH,
    OWN_KINDS,
    SIMULATED,
    check_host_kind,
    check_kind,
    host_kind,
    host_kinds,
    said_host_kind,
    switch_kind,
)
from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.topo import external, host_options, switch_options
from hybridnet.describe.topo.addresses import (
    address_option,
    default_route,
    mac_address,
    router_routes,
    routes,
)
from hybridnet.describe.topo.applications import resolve_applications
from hybridnet.describe.topo.options import Said, check_names
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.values import machine_name, shown
from hybridnet.errors import TopologyError

__all__ = [
    "MAX_DEVICE_NAME",
    "MOST_INSTANCES",
    "NODE_OPTIONS",
    "NODE_OPTIONS_SAID",
    "UNSUPPORTED_NODE_OPTIONS",
    "check_has",
    "check_node_name",
    "leaves_open",
    "named_kind",
    "own_options",
    "resolve_node",
]

MAX_DEVICE_NAME = 15  # IFNAMSIZ less its closing zero
MAX_NAME = 64
MAX_PROCESSING_QUEUE = 10**7
MOST_INSTANCES = 1024  # of one machine
MOST_PORT = 65_535

# A name is used in device names, namespace names and file names.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")

Reader = Callable[[Any, str], Any]


def _class(value: Any, what: str) -> Any:
    if value is not None and not callable(value):
        raise TopologyError(
            f"{what} {shown(value)} is not a class; give a class, or functools.partial of one"
        )
    return value


def _machine(value: Any, what: str) -> str | None:
    return None if value is None or value == "" else machine_name(value, what, error=TopologyError)


def _instance(value: Any, what: str) -> str | int | None:
    """The name or the number of an instance, which files may have as text; None: the one of its neighbours."""
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    if value is None or (type(value) is int and 1 <= value <= MOST_INSTANCES):
        return value
    if not isinstance(value, str) or not _NAME.fullmatch(value) or len(value) > MAX_NAME:
        raise TopologyError(
            f"{what} {shown(value)} is neither a number from 1 to {MOST_INSTANCES} nor a name; write 2, or 'core'"
        )
    return value


def _port(value: Any, what: str) -> int | None:
    if value is not None and (type(value) is not int or not 1 <= value <= MOST_PORT):
        raise TopologyError(
            f"{what} {shown(value)} is not a UDP port; write 1 to {MOST_PORT}, or leave it out"
        )
    return value


def _delay(value: Any, what: str) -> int | None:
    delay = None if value is None else parse_delay(value, what)
    if delay == 0:
        raise TopologyError(f"{what} {shown(value)} is 0; write a time above it, or leave it out")
    return delay


def _queue(value: Any, what: str) -> int | None:
    if value is not None and (type(value) is not int or not 1 <= value <= MAX_PROCESSING_QUEUE):
        raise TopologyError(
            f"{what} {shown(value)} is not a number of packets; write 1 to {MAX_PROCESSING_QUEUE}"
        )
    return value


@dataclass(frozen=True)
class NodeOption:
    """An option of nodes: the roles that have it, how it is read, what people are told of it, and which kinds of
    switches have it, if not all.
    """

    name: str
    roles: tuple[str, ...]
    read: Reader
    said: Said
    kinds: tuple[str, ...] = ()


_SIMULATED = tuple(role.name for role in ROLES.values() if role.simulated)
_OPENVSWITCH, _SIMULATED_SWITCH = (OPENVSWITCH,), (SIMULATED,)
_ADDRESSED = ("host", "simhost", "guest")
_DELAY = Said("time to handle a packet that arrives, one after the other, such as 10us", "duration")
_QUEUE = Said("packets that may wait to be handled", "count", default="1000")
_TABLE = (
    NodeOption(
        "ip",
        _ADDRESSED,
        functools.partial(address_option, "ip"),
        Said("IPv4 address, such as 10.0.0.1/8; null: none"),
    ),
    NodeOption(
        "ip6", _ADDRESSED, functools.partial(address_option, "ip6"), Said("IPv6 address, such as fd00::1/64")
    ),
    NodeOption("mac", _ADDRESSED, mac_address, Said("MAC address, such as 00:00:00:00:00:01")),
    NodeOption("defaultRoute", ("host", "simhost"), default_route, Said("via 10.0.0.254, or dev h1-eth0")),
    NodeOption("routes", ("host", "guest"), routes, Said("pairs of prefix and gateway", "list")),
    NodeOption("routes", ("simrouter",), router_routes, Said("pairs of destination and next hop", "list")),
    NodeOption(
        "cpu", ("host",), host_options.share, Said("share of the processors: 0.2 is a fifth of one", "number")
    ),
    NodeOption("cores", ("host",), host_options.cores, Said("processors that it may use, such as 0,2-3")),
    NodeOption(
        "sched",
        ("host",),
        host_options.scheduler,
        Said("how cpu= is kept", "choice", host_options.SCHEDULERS),
    ),
    NodeOption(
        "period_us",
        ("host",),
        host_options.period_us,
        Said("period of that share, in µs", "count", default="100000"),
    ),
    NodeOption(
        "memory", ("host",), host_options.memory, Said("most memory of its programs, such as 256M", "size")
    ),
    NodeOption("pids", ("host",), host_options.pids, Said("most processes, threads counted", "count")),
    NodeOption("nat", ("host",), host_options.nat, Said("it translates addresses: true, or of this subnet")),
    NodeOption(
        "devices",
        ("host", "switch"),
        host_options.devices,
        Said("devices of the computer, such as [eth1]", "list"),
    ),
    NodeOption(
        "privateDirs", ("host",), host_options.directories, Said("directories that only it sees", "list")
    ),
    NodeOption("files", ("host",), host_options.files, Said("texts by path that only it sees", "map")),
    NodeOption(
        "commands", ("host",), host_options.commands, Said("what its shell runs once all is there", "list")
    ),
    NodeOption(
        "inNamespace",
        ("host",),
        host_options.in_namespace,
        Said("no: in its machine's own", "flag", default="yes"),
    ),
    NodeOption(
        "inNamespace", ("switch",), switch_options.in_namespace, Said("only no", "flag", default="no")
    ),
    NodeOption("kind", ("switch",), check_kind, Said("what it is made of", "kind", default=OPENVSWITCH)),
    NodeOption("kind", ("host",), check_host_kind, Said("what it is besides a host", "kind")),
    NodeOption("dpid", ("switch",), switch_options.dpid, Said("up to 16 hexadecimal digits"), OWN_KINDS),
    NodeOption(
        "protocols",
        ("switch",),
        switch_options.protocols,
        Said("versions of OpenFlow", default=",".join(switch_options.DEFAULT_PROTOCOLS)),
        OWN_KINDS,
    ),
    NodeOption(
        "failMode",
        ("switch",),
        switch_options.fail_mode,
        Said("what it does without a controller", "choice", switch_options.FAIL_MODES),
        OWN_KINDS,
    ),
    NodeOption(
        "datapath",
        ("switch",),
        switch_options.datapath,
        Said("who forwards: the kernel, or Open vSwitch itself", "choice", switch_options.DATAPATHS),
        _OPENVSWITCH,
    ),
    NodeOption("stp", ("switch",), switch_options.spanning_tree, Said("true, stp or rstp"), _OPENVSWITCH),
    NodeOption(
        "prio",
        ("switch",),
        switch_options.priority,
        Said("priority in that protocol, 0 to 65535; the lowest is the root", "count"),
        _OPENVSWITCH,
    ),
    NodeOption(
        "listenPort",
        ("switch",),
        switch_options.listen_port,
        Said("TCP port of its machine's loopback that takes OpenFlow connections", "count"),
        OWN_KINDS,
    ),
    NodeOption(
        "inband",
        ("switch",),
        switch_options.yes_or_no,
        Said("it may reach its controller through its own ports", "flag", default="no"),
        _OPENVSWITCH,
    ),
    NodeOption(
        "reconnectms",
        ("switch",),
        switch_options.reconnect_ms,
        Said("longest time between two attempts to reach a controller, in ms", "count", default="1000"),
        OWN_KINDS,
    ),
    NodeOption("cls", ("host", "switch"), _class, Said("class of the live node; only in Python", "class")),
    NodeOption(
        "applications", ("simhost",), resolve_applications, Said("what runs on it: [{kind: …}]", "list")
    ),
    NodeOption("processing_delay", _SIMULATED, _delay, _DELAY),
    NodeOption("processing_queue", _SIMULATED, _queue, _QUEUE),
    NodeOption("processing_delay", ("switch",), _delay, _DELAY, _SIMULATED_SWITCH),
    NodeOption("processing_queue", ("switch",), _queue, _QUEUE, _SIMULATED_SWITCH),
    NodeOption(
        "table_size",
        ("switch",),
        functools.partial(switch_options.simulated_option, "table_size"),
        Said(table="openflow"),
        _SIMULATED_SWITCH,
    ),
    NodeOption(
        "setup_rate",
        ("switch",),
        functools.partial(switch_options.simulated_option, "setup_rate"),
        Said(table="openflow"),
        _SIMULATED_SWITCH,
    ),
    NodeOption("backend", ("external",), external.backend, Said("of the portal: packet, pcap or xdp")),
    NodeOption("filter", ("external",), external.packet_filter, Said("what is captured, as pcap-filter(7)")),
    NodeOption("options", ("external",), external.backend_options, Said("of the backend", "map")),
    NodeOption("port", ("guest",), _port, Said("UDP port at which it comes", "count")),
    NodeOption(
        "machine",
        ("host", "switch", "external", *_SIMULATED),
        _machine,
        Said("where it lives", default="where its neighbours live"),
    ),
    NodeOption(
        "instance",
        ("host", "switch", "external", *_SIMULATED),
        _instance,
        Said("which instance of that machine has it or its portals", default="that of its neighbours"),
    ),
)
NODE_OPTIONS: Mapping[str, Mapping[str, Reader]] = {
    role: {option.name: option.read for option in _TABLE if role in option.roles} for role in ROLES
}
"""By role."""
NODE_OPTIONS_SAID: Mapping[str, tuple[NodeOption, ...]] = {
    role: tuple(option for option in _TABLE if role in option.roles) for role in ROLES
}
"""By role, with what people are told of each."""
_KINDS_WITH = {option.name: option.kinds for option in _TABLE if option.kinds}
"""Of options of switches that not all kinds have."""
UNSUPPORTED_NODE_OPTIONS: Mapping[str, str] = {
    "batch": "leave it out: switches are always made in bulk",
    "processing_delay": "only simulated nodes have one; use addSimHost, addSimRouter or addSimSwitch",
    "processing_queue": "only simulated nodes have one; use addSimHost, addSimRouter or addSimSwitch",
}


def check_node_name(name: object, role: str) -> str:
    """The name, or TopologyError for what cannot be the name of a node of that role."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise TopologyError(
            f"node {shown(name)}: a name starts with a letter or digit and has letters, digits, '_', '.', '-' only"
        )
    most, why = (
        (MAX_DEVICE_NAME, "it is a device") if ROLES[role].is_device else (MAX_NAME, "files are named so")
    )
    if len(name) > most:
        raise TopologyError(
            f"{role} {shown(name)}: the name has {len(name)} characters, and may have {most} ({why}); "
            "choose a shorter one"
        )
    return name


def resolve_node(role: str, name: str, given: Mapping[str, Any]) -> dict[str, object]:
    """Return what the options of a node ask for: every option of its role, and of its kind, that is given.

    Raises:
        TopologyError: an option does not exist, or its value makes no sense.
        UnitError: a quantity has no unit.

    Example:
        >>> resolve_node("simrouter", "r1", {"processing_delay": "10us"})
        {'processing_delay': 10000}
    """
    what = f"{role} {name}"
    readers = NODE_OPTIONS[role]
    kind = check_kind(named_kind(given), f"{what}: kind") if role == "switch" else None
    if kind is not None and kind not in OWN_KINDS:
        readers = {**readers, **switch_kind(kind).options}
    if role == "host" and (of_host := _host_kind(given, what)) is not None:
        readers = {**readers, **host_kind(of_host).options}
    known = [*readers, *own_options(given.get("cls"))]
    check_names(given, known, UNSUPPORTED_NODE_OPTIONS, what)
    found = {
        option: readers[option](value, f"{what}: {option}")
        for option, value in given.items()
        if option in readers
    }
    if found.get("processing_queue") is not None and found.get("processing_delay") is None:
        raise TopologyError(f"{what}: processing_queue= needs processing_delay=; give it, or leave both out")
    if kind is not None and named_kind(given) is not None:
        found["kind"] = kind
    if kind is not None and not leaves_open(given):
        check_has(kind, found, what)
    if role == "host" and said_host_kind(given) == IMAGE and found.get("image") is None:
        raise TopologyError(f"{what}: kind='image' needs image=; write where the image is")
    if found.get("sched") == "rt" and found.get("cpu") is None:
        raise TopologyError(f"{what}: sched='rt' needs cpu=, the share of each processor; give it")
    return found


def check_has(kind: str, resolved: Mapping[str, Any], what: str) -> None:
    """Raise TopologyError for an option that switches of a kind do not have. One that is None or False asks for
    nothing.
    """
    own = {} if kind in OWN_KINDS else switch_kind(kind).options
    for option, value in resolved.items():
        kinds = _KINDS_WITH.get(option, (kind,))
        if value in (None, False) or kind in kinds or option in own:
            continue
        if kind == OPENVSWITCH:
            raise TopologyError(
                f"{what}: only a simulated switch has {option}; add kind='simulated', or leave it out"
            )
        title = "simulated switch" if kind == SIMULATED else switch_kind(kind).title
        raise TopologyError(f"{what}: a {title} has no {option}; leave it out, or leave kind={kind!r} out")


def named_kind(given: Mapping[str, Any]) -> Any:
    """The kind that a node's options name, or its class; None: it leaves that open."""
    cls = given.get("cls")
    while isinstance(cls, functools.partial):
        cls = cls.func
    return given.get("kind") or getattr(cls, "kind", None)


def _host_kind(given: Mapping[str, Any], what: str) -> str | None:
    """The kind that a host's options name, or its class, if that is one of a kind; None: a plain one."""
    if (said := said_host_kind(given)) is not None:
        return check_host_kind(said, f"{what}: kind")
    named = named_kind(given)
    return named if isinstance(named, str) and named in host_kinds() else None


def leaves_open(given: Mapping[str, Any]) -> bool:
    """Whether a switch with these options says neither its kind nor where it forwards."""
    return given.get("datapath") is None and named_kind(given) is None


def own_options(cls: Any) -> list[str]:
    """The options that a class has by itself: the parameters that its constructor and its `config` name."""
    while isinstance(cls, functools.partial):
        cls = cls.func
    return list(_own_options(cls)) if isinstance(cls, type) else []


@functools.cache
def _own_options(cls: type) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for base in cls.__mro__:
        for method in ("__init__", "config"):
            taken = vars(base).get(method)
            if inspect.isfunction(taken):
                parameters = list(inspect.signature(taken).parameters.values())[1:]
                kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
                found |= {
                    each.name: None for each in parameters if each.kind in kinds and each.name != "name"
                }
    return tuple(found)
