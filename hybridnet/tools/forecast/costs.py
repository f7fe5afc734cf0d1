# SPDX-License-Identifier: MIT
"""Costs: the processor time that packets take at each kind of element of a computer, as it was measured there.

What passes an element is told by three figures, each of which costs time of its own: bursts (somebody is woken), units
(an object that the kernel or the simulator handles as one: a train of TCP, a datagram) and bytes.

    element            what it is                                                     whose time
    sender.X           the sending program, on X: veth, portal, or a port type        thread
    receiver.X         the receiving program                                          thread
    veth               two hosts on a veth pair, beside their programs                around
    ovs.PORT_TYPE      a pass through Open vSwitch: in at one port, out at another    thread, around
    ovs.bridge         what each further bridge adds to a turn, with packet sockets   thread
    loop               a turn of an instance's loop                                   thread
    wake               what that takes longer where it ends a pause                   thread
    portal             in or out at an emulation portal, and half of a link           thread, around
    switch, openflow, router     a simulated node of that kind, and a link            thread
    peering.KIND       out or in at a peering portal: shm, udp, sealed                thread, around
    simhost            a segment at a simulated host                                  thread

The thread's time is that of the one thread which does the work; around it is what the kernel does elsewhere. The costs
of TCP hold what its acknowledgments take, so they are told by the data's direction alone. A loop, of an instance or of
Open vSwitch, has a cost for each turn, its `burst_ns`; what comes while it turns has a turn in common. The thread that
polls AF_XDP ports turns `POLLS` times a second even when nothing comes. An instance that looks for frames before it
sleeps takes time for that, too (`looking`), which it gives up for work.

At programs and around them, `burst_ns` is the cost of ending a pause: a processor leaves its idle state, and somebody
is woken there. The busier a computer is, and the sooner one burst follows the other, the less often it pauses
(`pausing`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict, final

from hybridnet.errors import UsageError

__all__ = [
    "AROUND",
    "FORMAT",
    "POLLS",
    "PROTOCOLS",
    "THREAD",
    "Cost",
    "Costs",
    "Traffic",
    "looking",
    "pausing",
    "switching",
    "switching_turns",
    "turning",
]

FORMAT = 4
PROTOCOLS = ("tcp", "udp")
THREAD, AROUND = "thread", "around"
"""Whose time: that of the one thread which does the work, or of the kernel elsewhere."""
POLLS = 20_000.0
"""How often in a second a thread that polls looks at its ports, were it to take no time: it sleeps 50 us between."""
LOOKS_AT_MOST, LOOK_S = 0.04, 50e-6
"""Of a core, and for how long after a frame at least: what an `adaptive` instance looks for the next one
(simcore/realtime/poll_budget.h, poll_window.h).
"""
HALVINGS = 50
PAUSE_S = 200e-6
"""How long a processor without work is back at once when some comes. A guest's is: KVM looks so long for something to
do before it gives the processor away (its parameter halt_poll_ns). A real one's idle states that cost much to leave
pay only for pauses as long.
"""


@dataclass(frozen=True)
class Traffic:
    """What passes a place in one second.

    Args:
        bursts: how often something comes after a pause.
        units: trains or datagrams.
        bytes: payload.
    """

    bursts: float
    units: float
    bytes: float

    def scaled(self, factor: float) -> Traffic:
        """So much of it."""
        return Traffic(self.bursts * factor, self.units * factor, self.bytes * factor)


@dataclass(frozen=True)
class Cost:
    """Processor time, in nanoseconds: for each burst, unit and byte."""

    burst_ns: float = 0.0
    unit_ns: float = 0.0
    byte_ns: float = 0.0

    def cores(self, traffic: Traffic, probability: float = 1.0) -> float:
        """How many processors this traffic keeps busy where a burst ends a pause with this probability.

        Example:
            >>> Cost(unit_ns=1000, byte_ns=0.5).cores(Traffic(bursts=0, units=100_000, bytes=100_000_000))
            0.15
        """
        return self.work(traffic) + self.wakes(traffic) * probability

    def wakes(self, traffic: Traffic) -> float:
        """How many processors ends of pauses keep busy where each burst ends one."""
        return self.burst_ns * traffic.bursts / 1e9

    def work(self, traffic: Traffic) -> float:
        """The same without bursts."""
        return (self.unit_ns * traffic.units + self.byte_ns * traffic.bytes) / 1e9

    def times(self, factor: float) -> Cost:
        """So many of these costs."""
        return Cost(self.burst_ns * factor, self.unit_ns * factor, self.byte_ns * factor)


def pausing(idle: float, bursts: float, processors: int) -> float:
    """The probability that a burst ends a pause.

    Args:
        idle: the share of the processors that has nothing to do.
        bursts: in a second, at all programs of the computer; they know nothing of each other.

    Example:
        >>> round(pausing(0.9, 2_000, 2), 2), round(pausing(0.6, 30_000, 2), 2)
        (0.74, 0.03)
    """
    return idle * math.exp(-bursts * PAUSE_S / processors)


def turning(causes: float, turn_ns: float, work: float, wake_ns: float = 0.0) -> float:
    """How many processors a loop keeps busy, which turns when there is a cause, and takes along what comes meanwhile.

    Of n causes in a second, each turn of t seconds takes those along that came while it turned, so there are
    n / (1 + n t) turns. The more work there is beside, the less time is left for turns. Instances' loops are so. They
    pause for 1 - busy of the time, and a cause that comes meanwhile ends a pause.

    Args:
        causes: in a second.
        turn_ns: of a turn with nothing in it.
        work: processors that what passes keeps busy.
        wake_ns: what ending a pause takes beside.

    Example:
        >>> turning(50_000, 20_000, 0.25), turning(50_000, 20_000, 0.25, 10_000)
        (0.625, 0.75)
    """
    waited = causes * turn_ns / 1e9
    without_pauses = work + max(0.0, 1.0 - work) * waited / (1.0 + waited)
    woken = causes * wake_ns / 1e9
    # The solution for `busy` of: busy = without_pauses + woken * (1 - busy).
    return max(without_pauses, (without_pauses + woken) / (1.0 + woken))


def looking(wait: str, causes: float, busy: float) -> float:
    """How many processors an instance takes for looking whether something comes, beside what it is busy with.

    Args:
        wait: how it waits, as its plan says.
        causes: in a second.
        busy: processors.

    Example:
        >>> looking("sleep", 5000, 0.5), looking("adaptive", 5000, 0.5), looking("dedicated", 5000, 0.5)
        (0.0, 0.04, 0.5)
    """
    most = {"adaptive": min(LOOKS_AT_MOST, causes * LOOK_S), "dedicated": 1.0}.get(wait, 0.0)
    return min(most, max(0.0, 1.0 - busy))


def switching(causes: float, turn_ns: float, work: float) -> float:
    """The same of a loop that looks at each port once in a turn, as Open vSwitch's main loop does.

    What comes while it turns has the next turn in common, which begins at once. So a turn begins with a cause that ends
    a pause, or after a turn in which there was one; causes are of flows that know nothing of each other.

    Example:
        >>> round(switching(1_000, 20_000, 0.25), 3), round(switching(20_000, 50_000, 0.0), 3)
        (0.269, 0.731)
    """
    if work >= 1.0 or causes <= 0.0 or turn_ns <= 0.0:
        return work
    most = min(causes, (1.0 - work) * 1e9 / turn_ns)
    return work + _least_turns(causes, lambda turns: work + turns * turn_ns / 1e9, most) * turn_ns / 1e9


def switching_turns(causes: float, busy: float) -> float:
    """How often such a loop turns in a second, which is seen busy.

    Example:
        >>> round(switching_turns(20_000, 0.731) * 50e-6, 3)
        0.731
    """
    return _least_turns(causes, lambda turns: min(busy, 1.0), causes)


def _least_turns(causes: float, busy: Callable[[float], float], most: float) -> float:
    """By bisection: as many turns end without a cause as causes end a pause."""
    low, high = 0.0, most
    for _ in range(HALVINGS):
        turns = (low + high) / 2
        taken = busy(turns)
        enough = turns * math.exp(-causes * taken / turns) >= causes * (1.0 - taken)
        low, high = (low, turns) if enough else (turns, high)
    return high


Element = Mapping[str, Mapping[str, Cost]]
"""The cost by protocol, and by whose time it is."""


@final
class CostFacts(TypedDict):
    """On what the costs of a computer depend: see `hybridnet.agent.machine.facts.Facts`."""

    processor: str
    cpus: int
    kernel: str
    openvswitch: str | None
    kernel_datapath: bool
    hybridnet: str


@dataclass(frozen=True)
class Costs:
    """What things cost on one computer.

    Args:
        computer: its host name.
        facts: of it, when it was measured; other facts make the costs stale.
        measured_at: when, in ISO 8601, UTC.
        quick: whether each figure is of a short run.
        disturbed: whether other programs ran meanwhile: then what is around threads is not known, and counts as 0.
        idle_cores: processors that a network keeps busy without traffic.
        elements: the costs.
    """

    computer: str
    facts: CostFacts
    measured_at: str
    quick: bool
    disturbed: bool
    idle_cores: float
    elements: Mapping[str, Element] = field(repr=False)

    def of(self, element: str, protocol: str, whose: str) -> Cost:
        """One cost.

        Raises:
            UsageError: it was not measured there; the message says what to do.
        """
        found = self.elements.get(element, {}).get(protocol, {}).get(whose)
        if found is None:
            raise UsageError(
                f"forecast: what {element} costs with {protocol.upper()} was not measured on {self.computer}; "
                f"{_CURES.get(element.partition('.')[0], 'run `hybridnet calibrate` there')}"
            )
        return found

    def has(self, element: str) -> bool:
        """Whether it was measured there."""
        return element in self.elements

    def to_json(self) -> dict[str, object]:
        """As the file has it: a cost is a list of its three figures."""
        return {
            "format": FORMAT,
            "computer": self.computer,
            "measured_at": self.measured_at,
            "quick": self.quick,
            "disturbed": self.disturbed,
            "facts": self.facts,
            "idle_cores": round(self.idle_cores, 4),
            "elements": {
                element: {
                    protocol: {
                        whose: [round(each, 4) for each in (cost.burst_ns, cost.unit_ns, cost.byte_ns)]
                        for whose, cost in of_protocol.items()
                    }
                    for protocol, of_protocol in of_element.items()
                }
                for element, of_element in self.elements.items()
            },
        }

    @classmethod
    def from_json(cls, content: Any, file: str) -> Costs:
        """What `to_json` gave.

        Raises:
            UsageError: it is something else, or of another format.
        """
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            found = content.get("format") if isinstance(content, dict) else None
            raise UsageError(
                f"{file}: its format is {found!r}, and this hybridnet reads {FORMAT}; run `hybridnet calibrate` again"
            )
        try:
            facts: Any = dict(content["facts"])
            return cls(
                str(content["computer"]),
                facts,
                str(content["measured_at"]),
                bool(content["quick"]),
                bool(content["disturbed"]),
                float(content["idle_cores"]),
                {
                    element: {
                        protocol: {whose: Cost(*map(float, cost)) for whose, cost in of_protocol.items()}
                        for protocol, of_protocol in of_element.items()
                    }
                    for element, of_element in content["elements"].items()
                },
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UsageError(
                f"{file}: it holds no costs ({type(error).__name__}: {error}); run `hybridnet calibrate` again"
            ) from None


_CURES = {
    "peering": "run `hybridnet calibrate` with two machines, where one reaches the other the same way",
    "ovs": "choose another --port-type, or run `hybridnet calibrate` there",
    "other": "a forecast knows Open vSwitch and simulated switches",
}
