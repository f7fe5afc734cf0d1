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
from hybridnet.quantities import parse_delay
from hybridnet.topo.direction import DIRECTION_OPTIONS

__all__ = ["End", "check_names", "resolve_end", "resolve_processing"]

# What params1 / params2 may say about the interface at that end.
END_OPTIONS = frozenset({"ip", "ip6", "mac", "mtu"})
# What `addLink` takes besides its named parameters. cls and use_htb name the tool with which Mininet shapes;
# here a link with a rate or a delay is always the simulator's, so they change nothing.
LINK_OPTIONS = DIRECTION_OPTIONS | {
    "addr1", "addr2", "cls", "intfName1", "intfName2", "mtu", "params1", "params2", "use_htb",
}  # fmt: skip

UNSUPPORTED_LINK_OPTIONS: Mapping[str, str] = {
    "use_hfsc": "links with bw= are simulated; leave it out",
    "use_tbf": "links with bw= are simulated; leave it out",
    "speedup": "leave it out",
    "latency_ms": "write delay=",
    "txo": "the checksum offload is chosen for the port type; leave it out",
    "rxo": "the checksum offload is chosen for the port type; leave it out",
    "fast": "leave it out",
}

HOST_OPTIONS = frozenset(
    {"cls", "defaultRoute", "ip", "ip6", "mac", "machine", "privateDirs", "routes", "inNamespace"}
)
SWITCH_OPTIONS = frozenset({"cls", "datapath", "dpid", "failMode", "inNamespace", "machine", "protocols"})
SIMULATED_OPTIONS = frozenset({"machine", "processing_delay", "processing_queue"})
SIM_HOST_OPTIONS = SIMULATED_OPTIONS | {"applications", "defaultRoute", "ip", "ip6", "mac"}
NODE_OPTIONS: Mapping[str, frozenset[str]] = {
    "host": HOST_OPTIONS,
    "switch": SWITCH_OPTIONS,
    "simhost": SIM_HOST_OPTIONS,
    "simrouter": SIMULATED_OPTIONS,
    "simswitch": SIMULATED_OPTIONS,
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
    "processing_delay": "only simulated nodes have one; use addSimHost, addSimRouter or addSimSwitch",
    "processing_queue": "only simulated nodes have one; use addSimHost, addSimRouter or addSimSwitch",
}

DEFAULT_MTU = 1500


@dataclass(frozen=True, kw_only=True)
class End:
    """One end of a link: the node, its port, and the interface there. Text as the user gave it; the plan
    checks it.
    """

    node: str
    port: int
    interface: str
    ip: str | None = None
    ip6: str | None = None
    mac: str | None = None
    mtu: int = DEFAULT_MTU


def resolve_end(node: str, port: int, interface: str, options: Mapping[str, Any], what: str) -> End:
    """The end of link `what` at `node`; `options` are the interface's: ip, ip6, mac, mtu."""
    mtu = options.get("mtu", DEFAULT_MTU)
    if not isinstance(mtu, int) or isinstance(mtu, bool) or not 576 <= mtu <= 65535:
        raise TopologyError(f"{what}: mtu {mtu!r} of {interface} is out of range; write 576 to 65535 (bytes)")
    return End(
        node=node,
        port=port,
        interface=interface,
        ip=options.get("ip"),
        ip6=options.get("ip6"),
        mac=options.get("mac"),
        mtu=mtu,
    )


def resolve_processing(options: Mapping[str, Any], what: str) -> dict[str, int]:
    """What processing_delay and processing_queue ask for, as the instance plan writes it; `what` names the node.

    Raises:
        TopologyError: the delay is 0, or the queue is no number of packets or has no delay to wait for.
        UnitError: the delay has no unit.

    Example:
        >>> resolve_processing({"processing_delay": "10us"}, "simrouter r1")
        {'processing_delay_ns': 10000}
    """
    delay, queue = options.get("processing_delay"), options.get("processing_queue")
    processing: dict[str, int] = {}
    if delay is not None:
        processing["processing_delay_ns"] = parse_delay(delay, f"{what}: processing_delay")
        if processing["processing_delay_ns"] == 0:
            raise TopologyError(
                f"{what}: processing_delay={delay!r} is 0; write a time above it, or leave it out"
            )
    if queue is not None:
        if not processing:
            raise TopologyError(
                f"{what}: processing_queue= needs processing_delay=; give it, or leave both out"
            )
        if not isinstance(queue, int) or isinstance(queue, bool) or queue < 1:
            raise TopologyError(
                f"{what}: processing_queue={queue!r} is no number of packets; write 1 or more"
            )
        processing["processing_queue_packets"] = queue
    return processing


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
