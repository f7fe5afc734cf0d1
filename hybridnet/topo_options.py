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

__all__ = ["Direction", "End", "check_names", "resolve_direction", "resolve_end", "resolve_processing"]

# What one direction of a link may say, in `addLink` itself (both directions) or in params1 / params2 (from
# that end).
DIRECTION_OPTIONS = frozenset({
    "aqm", "bw", "corrupt", "delay", "duplicate", "ecn", "enable_ecn", "enable_red", "jitter",
    "jitter_distribution", "loss", "max_queue_size", "overhead", "reorder", "train_limit",
})  # fmt: skip
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

JITTER_DISTRIBUTIONS = ("uniform", "normal")  # uniform is what netem draws when none is named
AQMS = ("red", "codel", "fq_codel")
# What Mininet gives to tc for enable_red and enable_ecn: limit, min, max and probability as they are; tc makes a weight
# of 1/2 of its burst of 20 packets of 1500 bytes.
MININET_RED = {
    "limit_bytes": 1_000_000,
    "least_bytes": 30_000,
    "most_bytes": 35_000,
    "highest": 1.0,
    "weight": 0.5,
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
    loss: float = 0.0  # this and the next three are probabilities, of each segment
    duplicate: float = 0.0
    corrupt: float = 0.0
    reorder: float = 0.0  # to have no delay
    jitter_ns: int = 0
    jitter_distribution: str = "uniform"
    aqm: str | None = None  # none: drop-tail
    ecn: bool = False
    shaped: bool = (
        False  # the description gave an option of this direction, so only the simulator can be the link
    )

    @property
    def least_delay_ns(self) -> int:
        """What every packet waits at least: what jitter and reordering leave of the delay."""
        if self.reorder > 0 or (self.jitter_ns > 0 and self.jitter_distribution == "normal"):
            return 0
        return max(self.delay_ns - self.jitter_ns, 0)

    def to_json(self) -> dict[str, Any]:
        """The direction as the instance plan writes it."""
        direction: dict[str, Any] = {
            "rate_bps": self.rate_bps,
            "delay_ns": self.least_delay_ns,
            "queue_packets": self.queue_packets,
            "queue_bytes": self.queue_bytes,
            "overhead_bytes": self.overhead_bytes,
            "train_limit_ns": self.train_limit_ns,
        }
        if self.loss > 0:
            direction["loss"] = {"model": "independent", "probability": self.loss}
        if self.duplicate > 0:
            direction["duplicate"] = self.duplicate
        if self.corrupt > 0:
            direction["corrupt"] = self.corrupt
        if self.reorder > 0:
            direction["reorder"] = {"probability": self.reorder}
        if self.jitter_ns > 0 or self.reorder > 0:
            direction["extra_delay"] = self._extra_delay()
        if self.aqm is not None:
            parameters = MININET_RED if self.aqm == "red" else {}
            direction["queue"] = {"model": self.aqm, **parameters, "ecn": self.ecn}
        return direction

    def _extra_delay(self) -> dict[str, Any]:
        mean = self.delay_ns - self.least_delay_ns
        if self.jitter_ns == 0:
            return {"model": "constant", "delay_ns": mean}
        if self.jitter_distribution == "normal":
            return {"model": "normal", "mean_ns": mean, "deviation_ns": self.jitter_ns}
        return {"model": "uniform", "low_ns": mean - self.jitter_ns, "high_ns": mean + self.jitter_ns}


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


def resolve_direction(options: Mapping[str, Any], what: str) -> Direction:
    """The direction that `options` describe; `what` names the link. Raises TopologyError and UnitError."""
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
    given |= _impairments(options, what) | _aqm(options, what)
    if given.get("aqm") is not None and "rate_bps" not in given:
        raise TopologyError(
            f"{what}: {given['aqm']} needs bw=, as nothing waits without a rate; give it, or leave it out"
        )
    if given.get("aqm") in ("codel", "fq_codel") and given.get("queue_bytes") is not None:
        raise TopologyError(
            f"{what}: the bound of {given['aqm']} is in packets; give max_queue_size= a number"
        )
    if given.get("reorder") and not given.get("delay_ns"):
        raise TopologyError(f"{what}: reorder= lets packets skip the delay, and there is none; give delay=")
    # delay=0 and nothing else asks for nothing that a plain wire does not do.
    shaped = bool(given) and given != {"delay_ns": 0}
    return Direction(**given, shaped=shaped)


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


def _impairments(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """What is asked of loss, duplicate, corrupt, reorder and jitter; 0 and None ask for nothing."""
    given: dict[str, Any] = {}
    for name in ("loss", "duplicate", "corrupt", "reorder"):
        if options.get(name) is not None and (share := parse_percent(options[name], f"{what}: {name}")) > 0:
            given[name] = share
    if (
        options.get("jitter") is not None
        and (jitter := parse_delay(options["jitter"], f"{what}: jitter")) > 0
    ):
        given["jitter_ns"] = jitter
    distribution = options.get("jitter_distribution")
    if distribution is not None:
        if distribution not in JITTER_DISTRIBUTIONS:
            raise TopologyError(
                f"{what}: jitter_distribution={distribution!r} is not known; "
                f"there are {', '.join(JITTER_DISTRIBUTIONS)}"
            )
        if "jitter_ns" in given:
            given["jitter_distribution"] = distribution
    return given


def _aqm(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The queue management asked for: aqm and ecn, or Mininet's enable_red and enable_ecn."""
    aqm = options.get("aqm")
    if aqm is not None and aqm not in AQMS:
        raise TopologyError(f"{what}: aqm={aqm!r} is not known; there are {', '.join(AQMS)}")
    mininets = bool(options.get("enable_red")) or bool(options.get("enable_ecn"))
    if mininets and aqm not in (None, "red"):
        raise TopologyError(
            f"{what}: aqm={aqm!r} and Mininet's RED are both asked for; leave one of them out"
        )
    if mininets:
        aqm = "red"
    if aqm is None:
        if options.get("ecn"):
            raise TopologyError(f"{what}: ecn=True marks where a queue would drop early; give aqm= too")
        return {}
    return {"aqm": aqm, "ecn": bool(options.get("ecn")) or bool(options.get("enable_ecn"))}


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
