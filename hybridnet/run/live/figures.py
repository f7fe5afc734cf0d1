# SPDX-License-Identifier: MIT
"""From what the machines have counted at successive moments to what every link carries now. Pure.

Rows are links in the order of the plan; each has two directions, from its first end and from its second. What crosses
the patch ports of Open vSwitch is brought up to date only about once a second, so the rates of those are means of the
last two seconds, and all others of the time since the last look.
"""

from __future__ import annotations

import base64
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hybridnet.plan.network import Plan

__all__ = ["FIGURES", "Figures", "LinkFigures", "Look"]

FIGURES = (
    "accepted_packets",
    "accepted_bytes",
    "delivered_packets",
    "delivered_bytes",
    "lost",
    "dropped",
    "in_flight",
    "queue_packets",
    "queue_bytes",
    "waited_ns",
    "left_queue",
)
"""The columns of `simcore/network/link_counts.h`."""

Look = Mapping[str, Mapping[str, Any]]
"""What the verb `look` answered, by machine."""

SLOW_LOOKS = 4  # of two seconds
Array = np.ndarray[Any, Any]

_ACCEPTED, _ACCEPTED_BYTES, _DELIVERED, _BYTES = range(4)
_LOST, _DROPPED, _IN_FLIGHT, _QUEUED, _QUEUED_BYTES, _WAITED, _LEFT = range(4, 11)


@dataclass(frozen=True)
class Figures:
    """What every link carries: arrays of links by directions.

    Attributes:
        rate_bps, packets_per_s: delivered; nan where it is not known yet.
        accepted_packets, accepted_bytes: offered by the sender since the start, delivered or not; nan of a link that is
            not simulated.
        delivered_packets, delivered_bytes: since the start.
        lost, dropped: packets since the start: taken by a loss model as asked, and for any other reason.
        in_flight, queue_packets, queue_bytes: now; zero of a link that is not simulated.
        sojourn_ns: mean time in the queue, of those that left it since the last look; nan if none did.
    """

    rate_bps: Array
    packets_per_s: Array
    accepted_packets: Array
    accepted_bytes: Array
    delivered_packets: Array
    delivered_bytes: Array
    lost: Array
    dropped: Array
    in_flight: Array
    queue_packets: Array
    queue_bytes: Array
    sojourn_ns: Array


class LinkFigures:
    """Keeps the last looks at the links of one plan.

    Args:
        plan: what was built; another plan needs another object.
        slow: all rates are means of the last `SLOW_LOOKS` looks.
    """

    def __init__(self, plan: Plan, slow: bool = False) -> None:
        self.plan = plan
        self.names = [link.name for link in plan.links]
        self._turned = {(link.name, link.instances[1]) for link in plan.links if link.kind == "cut"}
        self._turned |= {(link.name, link.instances[1]) for link in plan.links if link.guest == link.a.node}
        self._number = {name: number for number, name in enumerate(self.names)}
        self._wires = {
            (link.machines[0], link.a.node, link.a.interface): number
            for number, link in enumerate(plan.links)
            if not link.simulated
        }
        self._simulated = np.array([link.simulated for link in plan.links], dtype=bool)
        self._slow = np.array([slow or link.kind == "patch" for link in plan.links], dtype=bool)
        self._places: dict[
            str, tuple[int, Array, Array]
        ] = {}  # generation, links and directions, by instance
        self._now = np.zeros((len(self.names), 2, len(FIGURES)))
        self._at = np.zeros((len(self.names), 2))  # seconds, of the last look
        self._earlier: deque[tuple[Array, Array]] = deque(maxlen=SLOW_LOOKS)

    def senders(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Of each direction of a simulated link its number and which of the two it is, by its instance and what its row
        in a snapshot is named after: ``LINK:SENDER``.
        """
        found = {}
        for instance, own in self.plan.instances.items():
            for link in own["links"]:
                name = link["name"]
                if (number := self._number.get(name)) is None:
                    continue
                turned = (name, instance) in self._turned
                for way, end in enumerate((link["a"], link["b"])):
                    sender = end.get("interface") or end.get("portal")
                    if sender is not None:
                        found[instance, f"{name}:{sender}"] = (number, way ^ turned)
        return found

    def known(self) -> dict[str, int]:
        """The generation of the links that is known here, by instance."""
        return {instance: generation for instance, (generation, _, _) in self._places.items()}

    def take(self, looks: Look) -> Figures:
        """Take the machines' answers, and return what the links carry."""
        before, before_at = self._now, self._at
        # Where no time has passed, as in a simulation that stands still, rates stay those of the time before.
        moved = not looks or any(look["time_ns"] / 1e9 > self._at.max() for look in looks.values())
        if self._at.any() and moved:
            self._earlier.append((before, before_at))
        self._now, self._at = before.copy(), before_at.copy()
        for machine, look in looks.items():
            self._take_wires(machine, look)
            for instance, answer in look["links"].items():
                self._take_links(instance, answer, look["time_ns"] / 1e9)
        return self._figures()

    def _take_wires(self, machine: str, look: Mapping[str, Any]) -> None:
        seconds = look["time_ns"] / 1e9
        for node, interface, out, out_bytes, back, back_bytes, *dropped in look["wires"]:
            number = self._wires.get((machine, node, interface))
            if number is None:
                continue  # of a link that is just coming or going
            row = self._now[number]
            row[0, _DELIVERED], row[0, _BYTES] = out, out_bytes
            row[1, _DELIVERED], row[1, _BYTES] = back, back_bytes
            row[:, _DROPPED] = dropped
            self._at[number] = seconds

    def _take_links(self, instance: str, answer: Mapping[str, Any], seconds: float) -> None:
        if answer["directions"] is not None:
            self._places[instance] = (answer["generation"], *self._placed(instance, answer["directions"]))
        generation, links, directions = self._places[instance]
        rows = np.frombuffer(base64.b64decode(answer["figures"]), dtype=np.int64).reshape(-1, len(FIGURES))
        if answer["generation"] != generation or len(rows) != len(links):
            return  # the links are changing; the next look says how
        known = links >= 0
        self._now[links[known], directions[known]] = rows[known]
        self._at[links[known], directions[known]] = seconds

    def _placed(self, instance: str, directions: Sequence[tuple[str, bool]]) -> tuple[Array, Array]:
        """Where the rows of an instance belong. Of a cut link, and of one to a guest, an instance's own end
        is its `a`, which may be our `b`.
        """
        links = [self._number.get(name, -1) for name, _ in directions]
        ways = [int(forward == ((name, instance) in self._turned)) for name, forward in directions]
        return np.array(links, dtype=np.int64), np.array(ways, dtype=np.int64)

    def _figures(self) -> Figures:
        if not self._earlier:
            unknown = np.full(self._at.shape, np.nan)
            return self._with(unknown, unknown, unknown)
        past, past_at = self._earlier[-1]
        old, old_at = self._earlier[0]
        grown = np.where(self._slow[:, None, None], self._now - old, self._now - past)
        since = np.where(self._slow[:, None], old_at, past_at)
        seconds = self._at - since
        with np.errstate(divide="ignore", invalid="ignore"):
            known = (seconds > 0) & (grown[:, :, _BYTES] >= 0) & (since > 0)
            rate = np.where(known, 8 * grown[:, :, _BYTES] / seconds, np.nan)
            packets = np.where(known, grown[:, :, _DELIVERED] / seconds, np.nan)
            sojourn = grown[:, :, _WAITED] / grown[:, :, _LEFT]
        return self._with(rate, packets, sojourn)

    def _with(self, rate: Array, packets: Array, sojourn: Array) -> Figures:
        now = self._now
        return Figures(
            rate_bps=rate,
            packets_per_s=packets,
            accepted_packets=np.where(self._simulated[:, None], now[:, :, _ACCEPTED], np.nan),
            accepted_bytes=np.where(self._simulated[:, None], now[:, :, _ACCEPTED_BYTES], np.nan),
            delivered_packets=now[:, :, _DELIVERED],
            delivered_bytes=now[:, :, _BYTES],
            lost=now[:, :, _LOST],
            dropped=now[:, :, _DROPPED],
            in_flight=now[:, :, _IN_FLIGHT],
            queue_packets=now[:, :, _QUEUED],
            queue_bytes=now[:, :, _QUEUED_BYTES],
            sojourn_ns=sojourn,
        )
