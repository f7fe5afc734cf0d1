# SPDX-License-Identifier: MIT
"""Names that a machine shares with others: those of the computer's network namespaces, devices and bridges.

A local machine has all of these for itself. Where the machine is this computer, something else may have taken a name;
then nothing is built, and the error says what to do.
"""

from __future__ import annotations

import os
from pathlib import Path

from hybridnet.agent.hosts.host_namespaces import NETWORK_DIRECTORY
from hybridnet.describe.kinds import switch_kind
from hybridnet.describe.schema.elements import crossing_devices
from hybridnet.describe.schema.plans import Fragment
from hybridnet.errors import MachineError

__all__ = ["refuse_taken"]

DEVICES = Path("/sys/class/net")


def refuse_taken(plan: Fragment, networks: Path = Path(NETWORK_DIRECTORY), devices: Path = DEVICES) -> None:
    """Raise MachineError for the first name in a machine plan that something on this computer has."""
    for name in _own_networks(plan):
        if os.path.lexists(networks / name):
            raise MachineError(
                f"host {name}: this computer has a network namespace of that name; remove it (ip netns delete {name}), "
                "or give the host another name"
            )
    there = {path.name for path in devices.iterdir()} if devices.is_dir() else set()
    for kind, name in _devices(plan):
        if name in there:
            raise MachineError(
                f"{kind} {name}: this computer has a network device of that name; remove it (ip link delete dev "
                f"{name}; a bridge of Open vSwitch: ovs-vsctl del-br {name}; what Mininet left: mn -c), or choose "
                "another name"
            )


def _own_networks(plan: Fragment) -> list[str]:
    """The hosts that have a network namespace of their own."""
    return [host["name"] for host in plan["hosts"] if host.get("in_namespace") is not False]


def _devices(plan: Fragment) -> list[tuple[str, str]]:
    """The devices that a plan makes outside of hosts, each with what it is."""
    hosts = set(_own_networks(plan))
    ends = [end for pair in plan["pairs"] for end in (pair["a"], pair["b"])]
    made = [("switch", switch["name"]) for switch in plan["switches"]]
    others = [node for node in plan.get("nodes", []) if switch_kind(node["kind"]).is_device]
    made += [("switch", node["name"]) for node in others]
    made += [("interface", end["interface"]) for end in ends if end["node"] not in hosts]
    made += [("portal", portal["device"]) for portal in plan["portals"]]
    made += [("interface", portal["interface"]) for portal in plan["portals"] if portal["node"] not in hosts]
    made += [("crossing", device) for each in plan.get("crossings", []) for device in crossing_devices(each)]
    return made
