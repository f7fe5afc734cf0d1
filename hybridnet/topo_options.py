# SPDX-License-Identifier: MIT
"""What `Topo.addLink` and `Topo.addNode` accept, checked when it is written and not when it is built.

Mininet passes unknown options down and loses them, and builds a link without its delay where netem is
missing. Here an option is understood, or it is an error that says what to write instead.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_bandwidth, parse_delay, parse_percent, parse_queue, parse_size

__all__ = ["Direction", "End", "check_names", "refuse_impairments", "resolve_direction", "resolve_end"]

# What one direction of a link may say, in `addLink` itself (both directions) or in params1 / params2 (from
# that end).
DIRECTION_OPTIONS = frozenset({"bw", "delay", "jitter", "loss", "max_queue_size", "overhead", "train_limit"})
# What params1 / params2 may say about the interface at that end.
END_OPTIONS = frozenset({"ip", "mac", "mtu"})
# What `addLink` takes besides its named parameters. cls and use_htb name the tool with which Mininet shapes;
# here a link with a rate or a delay is always the simulator's, so they change nothing.
LINK_OPTIONS = DIRECTION_OPTIONS | {
    "addr1", "addr2", "cls", "intfName1", "intfName2", "mtu", "params1", "params2", "use_htb",
}  # fmt: skip

UNSUPPORTED_LINK_OPTIONS: Mapping[str, str] = {
    "use_hfsc": "links with bw= are simulated; leave it out",
    "use_tbf": "links with bw= are simulated; leave it out",
    "enable_ecn": "the simulated queue is drop-tail; leave it out",
    "enable_red": "the simulated queue is drop-tail; leave it out",
    "speedup": "leave it out",
    "latency_ms": "write delay=",
    "txo": "the checksum offload is chosen for the port type; leave it out",
    "rxo": "the checksum offload is chosen for the port type; leave it out",
    "fast": "leave it out",
}

HOST_OPTIONS = frozenset(
    {"cls", "defaultRoute", "ip", "mac", "machine", "privateDirs", "routes", "inNamespace"}
)
SWITCH_OPTIONS = frozenset({"cls", "datapath", "dpid", "failMode", "inNamespace", "machine", "protocols"})
SIM_HOST_OPTIONS = frozenset({"applications", "defaultRoute", "ip", "mac", "machine"})
SIM_ROUTER_OPTIONS = frozenset({"machine"})
SIM_SWITCH_OPTIONS = frozenset({"machine"})
NODE_OPTIONS: Mapping[str, frozenset[str]] = {
    "host": HOST_OPTIONS,
    "switch": SWITCH_OPTIONS,
    "simhost": SIM_HOST_OPTIONS,
    "simrouter": SIM_ROUTER_OPTIONS,
    "simswitch": SIM_SWITCH_OPTIONS,
}
UNSUPPORTED_NODE_OPTIONS: Mapping[str, str] = {
    "cpu": "limit the processor share with a cgroup of your own",
    "cores": "pin with taskset in the host's commands",
    "sched": "limit the processor share with a cgroup of your own",
    "stp": "make the topology loop-free, or let the controller do it",
    "listenPort": "use `hybridnet exec MACHINE ovs-ofctl ...`",
    "inband": "leave it out",
    "batch": "switches are always made in bulk; leave it out",
    "reconnectms": "leave it out",
}

DEFAULT_QUEUE_PACKETS = 1000
DEFAULT_TRAIN_LIMIT_NS = 50_000
DEFAULT_MTU = 1500


@dataclass(frozen=True, kw_only=True)
class Direction:
    """What happens to packets that travel one way over a link. None of rate_bps means no limit."""

    rate_bps: int | None = None
    delay_ns: int = 0
    queue_packets: int | None = DEFAULT_QUEUE_PACKETS
    queue_bytes: int | None = None
    overhead_bytes: int = 0
    train_limit_ns: int = DEFAULT_TRAIN_LIMIT_NS
    shaped: bool = (
        False  # the description gave an option of this direction, so only the simulator can be the link
    )

    def to_json(self) -> dict[str, int | None]:
        """The direction as the instance plan writes it."""
        return {
            "rate_bps": self.rate_bps,
            "delay_ns": self.delay_ns,
            "queue_packets": self.queue_packets,
            "queue_bytes": self.queue_bytes,
            "overhead_bytes": self.overhead_bytes,
            "train_limit_ns": self.train_limit_ns,
        }


@dataclass(frozen=True, kw_only=True)
class End:
    """One end of a link: the node, its port, and the interface there. Text as the user gave it; the plan
    checks it.
    """

    node: str
    port: int
    interface: str
    ip: str | None = None
    mac: str | None = None
    mtu: int = DEFAULT_MTU


def resolve_direction(options: Mapping[str, Any], what: str) -> Direction:
    """The direction that `options` describe; `what` names the link. Raises TopologyError and UnitError."""
    refuse_impairments(options, what)
    given: dict[str, Any] = {}
    if options.get("bw") is not None:
        given["rate_bps"] = parse_bandwidth(options["bw"], f"{what}: bw")
    if options.get("delay") is not None:
        given["delay_ns"] = parse_delay(options["delay"], f"{what}: delay")
    if options.get("max_queue_size") is not None:
        packets, size = parse_queue(options["max_queue_size"], f"{what}: max_queue_size")
        given["queue_packets"], given["queue_bytes"] = packets, size
    if options.get("overhead") is not None:
        overhead = options["overhead"]
        bare = isinstance(overhead, int) and not isinstance(overhead, bool)
        given["overhead_bytes"] = parse_size(f"{overhead} B" if bare else overhead, f"{what}: overhead")
    if options.get("train_limit") is not None:
        given["train_limit_ns"] = parse_delay(options["train_limit"], f"{what}: train_limit")
    # delay=0 and nothing else asks for nothing that a plain wire does not do.
    shaped = bool(given) and given != {"delay_ns": 0}
    return Direction(**given, shaped=shaped)


def resolve_end(node: str, port: int, interface: str, options: Mapping[str, Any], what: str) -> End:
    """The end of link `what` at `node`; `options` are the interface's: ip, mac, mtu."""
    mtu = options.get("mtu", DEFAULT_MTU)
    if not isinstance(mtu, int) or isinstance(mtu, bool) or not 576 <= mtu <= 65535:
        raise TopologyError(f"{what}: mtu {mtu!r} of {interface} is out of range; write 576 to 65535 (bytes)")
    return End(
        node=node, port=port, interface=interface, ip=options.get("ip"), mac=options.get("mac"), mtu=mtu
    )


def refuse_impairments(options: Mapping[str, Any], what: str) -> None:
    """Raise TopologyError for loss or jitter, which simulated links do not model yet; 0 and None ask for
    nothing.
    """
    if options.get("loss") is not None and parse_percent(options["loss"], f"{what}: loss") > 0:
        raise TopologyError(
            f"{what}: loss={options['loss']!r} is not supported yet: simulated links lose packets by a full "
            "queue only; leave loss out, or use max_queue_size="
        )
    if options.get("jitter") is not None and parse_delay(options["jitter"], f"{what}: jitter") > 0:
        raise TopologyError(
            f"{what}: jitter={options['jitter']!r} is not supported yet: simulated links have a constant "
            "delay; leave jitter out"
        )


def check_names(
    given: Collection[str], allowed: Collection[str], unsupported: Mapping[str, str], what: str
) -> None:
    """Raise TopologyError for the first option that is not in `allowed`, with the nearest one that is."""
    for name in given:
        if name in allowed:
            continue
        if name in unsupported:
            raise TopologyError(f"{what}: option {name!r} is not supported; {unsupported[name]}")
        near = difflib.get_close_matches(name, allowed, n=1)
        cure = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(sorted(allowed))}"
        raise TopologyError(f"{what}: unknown option {name!r}; {cure}")
