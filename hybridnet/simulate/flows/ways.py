# SPDX-License-Identifier: MIT
"""How long a flow would take alone: the ways that packets take through a simulated network, and a formula on them.

A flow is fetched. Its destination opens a connection and asks, and its source sends:

    destination ── SYN ──▶ source ── SYN, ACK ──▶ destination ── ACK, one byte ──▶ source ── the flow ──▶ destination

Linux's TCP sends the ACK and the byte as two frames, others as one.

The ideal time is the propagation of these four passages, the time that their frames take on each link, and of the
flow's own frames, headers included, the time that they take one behind the other on the slowest link. It is exact where
TCP's window never stops the source and nothing else is on the way: all queues are first in, first out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Interface, IPv4Network, ip_address, ip_interface, ip_network
from typing import Any, cast

from hybridnet.describe.options import table
from hybridnet.describe.schema.plans import DirectionPlan, InstancePlan, SimulatedNode
from hybridnet.errors import UsageError
from hybridnet.simulate.flows.workload import Flow

__all__ = ["Hop", "Network", "pipeline_ns"]

_ETHERNET, _IP, _TCP = 14, 20, 20
_LEAST_FRAME = 60
_TIMESTAMPS = 12  # with their padding, in each segment
_MSS, _SACK, _SCALE = 4, 4, 4  # in a SYN; SACK shares the padding of timestamps, if there are any
_NS_BITS = 8_000_000_000


@dataclass(frozen=True)
class Hop:
    """One direction of a link, and what the node behind it takes.

    Args:
        rate_bps: None: no limit.
        delay_ns: propagation, and processing in the node behind.
        overhead_bytes: added to each frame, which is then padded to Ethernet's least.
    """

    rate_bps: int | None
    delay_ns: int
    overhead_bytes: int = 0

    def sending_ns(self, frame_bytes: int) -> float:
        """How long a frame takes on it."""
        if self.rate_bps is None:
            return 0.0
        padded = max(frame_bytes, _LEAST_FRAME) if self.overhead_bytes else frame_bytes
        return (padded + self.overhead_bytes) * _NS_BITS / self.rate_bps


def pipeline_ns(hops: Sequence[Hop], frames: int, full_bytes: int, last_bytes: int) -> float:
    """From the first bit of the first frame to the last bit of the last, over hops that each send one frame behind the
    other: `frames` of them, all full but the last.

    Example:
        >>> pipeline_ns([Hop(8_000_000_000, 10), Hop(8_000_000_000, 10)], 3, 1000, 1000)
        4020.0
    """
    full = [hop.sending_ns(full_bytes) for hop in hops]
    last = [hop.sending_ns(last_bytes) for hop in hops]
    delay = float(sum(hop.delay_ns for hop in hops))
    if frames == 1:
        return delay + sum(last)
    # The last frame waits at one hop for those before it, which have waited for each other at the slowest hop so far.
    longest = before = slowest = 0.0
    after = sum(last)
    for of_full, of_last in zip(full, last, strict=True):
        before += of_full
        slowest = max(slowest, of_full)
        longest = max(longest, before + (frames - 2) * slowest + after)
        after -= of_last
    return delay + longest


@dataclass(frozen=True)
class _Link:
    """One direction of a link."""

    hop: Hop
    near: str
    far: str
    rate_model: bool


class Network:
    """The ways through the network of an instance plan, in IPv4.

    Args:
        plan: of one instance, with neither portals nor peers.
    """

    def __init__(self, plan: InstancePlan) -> None:
        self._nodes: dict[str, SimulatedNode] = {node["name"]: node for node in plan["nodes"]}
        self._node_of = {each["name"]: node["name"] for node in plan["nodes"] for each in node["interfaces"]}
        self._mtus = {
            each["name"]: each.get("mtu", 1500) for node in plan["nodes"] for each in node["interfaces"]
        }
        self._addresses: dict[str, IPv4Interface] = {
            each["name"]: cast("IPv4Interface", ip_interface(each["address"]))
            for node in plan["nodes"]
            for each in node["interfaces"]
            if "address" in each
        }
        self._links: dict[str, _Link] = {}
        for link in plan["links"]:
            a, b = link["a"]["interface"], link["b"]["interface"]
            self._links[a] = self._link(link["a_to_b"], a, b)
            self._links[b] = self._link(link["b_to_a"], b, a)
        self._ways: dict[tuple[str, str], tuple[Hop, ...]] = {}

    def _link(self, direction: DirectionPlan, near: str, far: str) -> _Link:
        behind = self._nodes[self._node_of[far]]
        delay_ns = direction.get("delay_ns", 0) + behind.get("processing_delay_ns", 0)
        hop = Hop(direction.get("rate_bps"), delay_ns, direction.get("overhead_bytes", 0))
        return _Link(hop, near, far, direction.get("rate_model") is not None)

    @cached_property
    def rates_bps(self) -> Mapping[str, int | None]:
        """Of each host with an address the rate of the link by which it sends; None: it has no limit."""
        return {
            name: self._links[interface].hop.rate_bps if interface in self._links else None
            for name, node in self._nodes.items()
            if node["kind"] == "host" and (interface := self._addressed(node)) is not None
        }

    def ideal_ns(self, flow: Flow) -> float:
        """How long a flow would take alone, with neighbours' addresses known. See above.

        Raises:
            UsageError: there is no way between its hosts, or a link on it has no constant rate.
        """
        asking = self._way(flow.destination, flow.source)
        sending = self._way(flow.source, flow.destination)
        said = {**_tcp_defaults(), **_tcp_of_preset(flow.tcp)}
        timestamps = _TIMESTAMPS if said["timestamps"] else 0
        headers = _ETHERNET + _IP + _TCP + timestamps
        payload = min(said["mss"], self._least_mtu(flow) - _IP - _TCP) - timestamps
        syn = _ETHERNET + _IP + _TCP + _MSS + _options_of_syn(said, timestamps)
        frames = -(-flow.size_bytes // payload)
        last = flow.size_bytes - (frames - 1) * payload
        return (
            pipeline_ns(asking, 1, syn, syn)
            + pipeline_ns(sending, 1, syn, syn)
            + pipeline_ns(asking, 2 if said["start_of_linux"] else 1, headers, headers + 1)
            + pipeline_ns(sending, frames, headers + payload, headers + last)
        )

    def address_of(self, host: str) -> str | None:
        """Where a host of the plan is reached by flows; None: it has no IPv4 address."""
        arrival = self._addressed(self._nodes[host])
        return None if arrival is None else str(self._addresses[arrival].ip)

    def _least_mtu(self, flow: Flow) -> int:
        ends = (self._addressed(self._nodes[name]) for name in (flow.source, flow.destination))
        return min(self._mtus[end] for end in ends if end is not None)

    def _way(self, start: str, end: str) -> tuple[Hop, ...]:
        if (start, end) not in self._ways:
            self._ways[start, end] = tuple(link.hop for link in self._links_to(start, end))
        return self._ways[start, end]

    def _links_to(self, start: str, end: str) -> Iterator[_Link]:
        arrival = self._addressed(self._nodes[end])
        target = None if arrival is None else self._addresses[arrival].ip
        node, passed = start, 0
        while node != end:
            step = None if target is None else self._step(self._nodes[node], str(target))
            passed += 1
            if step is None or passed > len(self._nodes):
                raise UsageError(
                    f"simulate: a workload has flows from {start} to {end}, and {node} knows no way there; give both "
                    "IPv4 addresses and a route, or leave one out with hosts"
                )
            for link in step:
                if link.rate_model:
                    raise UsageError(
                        f"simulate: a workload's flows cross the link of {link.near} and {link.far}, whose rate "
                        "changes, so that no ideal time is known; give it a rate (bw) without burst, slots or trace"
                    )
                yield link
            node = self._node_of[step[-1].far]

    def _step(self, node: SimulatedNode, target: str) -> list[_Link] | None:
        """The links to the next node on the way that has addresses, by the longest prefix."""
        address = ip_address(target)
        known: list[tuple[int, str, str]] = [
            (self._addresses[each["name"]].network.prefixlen, each["name"], target)
            for each in node["interfaces"]
            if each["name"] in self._addresses and address in self._addresses[each["name"]].network
        ]
        for route in node.get("routes", []):
            prefix = ip_network(route["prefix"])
            if isinstance(prefix, IPv4Network) and address in prefix:
                known.append((prefix.prefixlen, route["interface"], route["via"] or target))
        if not known:
            return None
        _, near, via = max(known, key=lambda each: each[0])
        return self._across(near, via)

    def _across(self, near: str, via: str) -> list[_Link] | None:
        """The links from an interface through switches to the interface with an address, with as few as possible."""
        todo = deque([[near]])
        seen = {near}
        while todo:
            path = todo.popleft()
            link = self._links.get(path[-1])
            if link is None:
                continue
            if link.far in self._addresses and str(self._addresses[link.far].ip) == via:
                return [self._links[each] for each in path]
            behind = self._nodes[self._node_of[link.far]]
            if behind["kind"] in ("host", "router"):
                continue
            for interface in _names(behind["interfaces"]):
                if interface != link.far and interface not in seen:
                    seen.add(interface)
                    todo.append([*path, interface])
        return None

    def _addressed(self, node: SimulatedNode) -> str | None:
        """The interface whose address its flows have: the first that has one."""
        return next((name for name in _names(node["interfaces"]) if name in self._addresses), None)


def _names(interfaces: Iterable[Any]) -> list[str]:
    return [each["name"] for each in interfaces]


def _tcp_defaults() -> dict[str, Any]:
    return {option.key: option.default for option in table("tcp").options}


def _tcp_of_preset(tcp: Mapping[str, Any]) -> dict[str, Any]:
    """What a TCP says otherwise than the defaults."""
    return {**table("tcp").presets[tcp["preset"]], **tcp}


def _options_of_syn(tcp: Mapping[str, Any], timestamps: int) -> int:
    sack = _SACK if tcp["sack"] and not timestamps else 0
    return timestamps + sack + (_SCALE if tcp["window_scaling"] else 0)
