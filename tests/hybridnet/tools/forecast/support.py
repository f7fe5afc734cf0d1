# SPDX-License-Identifier: MIT
"""What the tests of the forecast share: costs in round figures, and computers that have them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hybridnet.tools.forecast.costs import AROUND, THREAD, Cost, Costs
from hybridnet.tools.forecast.loads import Computer

SENDER, RECEIVER = 800.0, 1500.0  # ns for each unit, of the program's thread
VETH = 400.0  # around
SWITCH, SWITCH_AROUND = 3000.0, 1000.0
PORTAL, PORTAL_AROUND = 2000.0, 500.0
NODE = 100.0
PEERING, PEERING_AROUND = 700.0, 300.0
SIMHOST = 250.0
FACTS: dict[str, Any] = {
    "processor": "P",
    "cpus": 2,
    "kernel": "6.1",
    "openvswitch": "3.1.0",
    "kernel_datapath": False,
    "hybridnet": "1",
}


def unit(nanoseconds: float) -> Cost:
    """A cost that units alone have."""
    return Cost(unit_ns=nanoseconds)


def elements() -> dict[str, dict[str, dict[str, Cost]]]:
    """The same for both protocols. Turns of a loop and ends of its pauses cost nothing."""
    both: dict[str, dict[str, Cost]] = {
        "veth": {AROUND: unit(VETH)},
        "ovs.afpacket": {THREAD: unit(SWITCH), AROUND: unit(SWITCH_AROUND)},
        "ovs.system": {AROUND: unit(SWITCH_AROUND)},
        "ovs.bridge": {THREAD: Cost()},
        "loop": {THREAD: Cost()},
        "wake": {THREAD: Cost()},
        "portal": {THREAD: unit(PORTAL), AROUND: unit(PORTAL_AROUND)},
        "simhost": {THREAD: unit(SIMHOST)},
    }
    attached = ("veth", "portal", "afpacket", "system")
    both |= {f"sender.{at}": {THREAD: unit(SENDER)} for at in attached}
    both |= {f"receiver.{at}": {THREAD: unit(RECEIVER)} for at in attached}
    both |= {kind: {THREAD: unit(NODE)} for kind in ("switch", "openflow", "router")}
    both |= {
        f"peering.{kind}": {THREAD: unit(PEERING), AROUND: unit(PEERING_AROUND)}
        for kind in ("shm", "udp", "sealed")
    }
    return {element: {"tcp": dict(cost), "udp": dict(cost)} for element, cost in both.items()}


def costs(name: str = "c", **changed: Any) -> Costs:
    """Costs that were measured just now."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    given: dict[str, Any] = {
        "quick": False,
        "disturbed": False,
        "idle_cores": 0.0,
        "elements": elements(),
        "facts": dict(FACTS),
    }
    return Costs(computer=name, measured_at=now, **{**given, **changed})


def computer(*machines: str, name: str = "c", cpus: int = 2, **changed: Any) -> Computer:
    """A computer with these machines of the plan."""
    return Computer(name, tuple(range(cpus)), machines or ("m1", "m2"), costs(name, **changed))
