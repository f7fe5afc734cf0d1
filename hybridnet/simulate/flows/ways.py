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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.schema.plans import InstancePlan, SimulatedNode
from hybridnet.errors import UsageError
from hybridnet.plan.network.passages import NoPassageError, Passages
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


class Network:
    """The ways through the network of an instance plan, in IPv4.

    Args:
        plan: of one instance, with neither portals nor peers.
    """

    def __init__(self, plan: InstancePlan) -> None:
        self._passages = Passages(plan["nodes"], plan["links"])
        self._nodes: dict[str, SimulatedNode] = {node["name"]: node for node in plan["nodes"]}
        self._mtus = {
            each["name"]: each.get("mtu", 1500) for node in plan["nodes"] for each in node["interfaces"]
        }
        self._ways: dict[tuple[str, str], tuple[Hop, ...]] = {}

    @cached_property
    def rates_bps(self) -> Mapping[str, int | None]:
        """Of each host with an address the rate of the link by which it sends; None: it has no limit."""
        return {
            name: None
            if self._passages.link_of(interface) is None
            else self._passages.direction_of(interface).get("rate_bps")
            for name, node in self._nodes.items()
            if node["kind"] == "host" and (interface := self._passages.arrival_at(name)) is not None
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
        return self._passages.address_of(host)

    def _least_mtu(self, flow: Flow) -> int:
        ends = (self._passages.arrival_at(name) for name in (flow.source, flow.destination))
        return min(self._mtus[end] for end in ends if end is not None)

    def _way(self, start: str, end: str) -> tuple[Hop, ...]:
        if (start, end) not in self._ways:
            self._ways[start, end] = tuple(map(self._hop, self._interfaces_to(start, end)))
        return self._ways[start, end]

    def _interfaces_to(self, start: str, end: str) -> list[str]:
        try:
            return self._passages.way(start, end)
        except NoPassageError as error:
            raise UsageError(
                f"simulate: a workload has flows from {start} to {end}, and {error.node} knows no way there; give both "
                "IPv4 addresses and a route, or leave one out with hosts"
            ) from None

    def _hop(self, near: str) -> Hop:
        """The link that begins there, and the node behind it."""
        direction, far = self._passages.direction_of(near), self._passages.far_of(near)
        if direction.get("rate_model") is not None:
            raise UsageError(
                f"simulate: a workload's flows cross the link of {near} and {far}, whose rate "
                "changes, so that no ideal time is known; give it a rate (bw) without burst, slots or trace"
            )
        behind = self._nodes[self._passages.node_of(far)]
        delay_ns = direction.get("delay_ns", 0) + behind.get("processing_delay_ns", 0)
        return Hop(direction.get("rate_bps"), delay_ns, direction.get("overhead_bytes", 0))


def _tcp_defaults() -> dict[str, Any]:
    return {option.key: option.default for option in table("tcp").options}


def _tcp_of_preset(tcp: Mapping[str, Any]) -> dict[str, Any]:
    """What a TCP says otherwise than the defaults."""
    return {**table("tcp").presets[tcp["preset"]], **tcp}


def _options_of_syn(tcp: Mapping[str, Any], timestamps: int) -> int:
    sack = _SACK if tcp["sack"] and not timestamps else 0
    return timestamps + sack + (_SCALE if tcp["window_scaling"] else 0)
