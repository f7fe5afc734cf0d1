# SPDX-License-Identifier: MIT
"""A network device of the computer that is lent to a network: what it was like before, and how it becomes that again.

Every function works on the network namespace that its `prefix` enters; an empty one is the caller's.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from hybridnet.errors import MachineError
from hybridnet.system.command import ip_batch, run
from hybridnet.system.journal import DeviceState
from hybridnet.system.rootless import unseen

__all__ = ["empty", "exists", "restore", "state_of"]

# The computer's own stack stays out of a device that carries others' frames: see `hybridnet.agent.hosts.pairs`.
SETTINGS = ("ipv6/conf/{}/disable_ipv6", "ipv4/conf/{}/arp_ignore", "ipv4/conf/{}/rp_filter")
_KERNELS = ("fe80::", "ff00::")  # addresses and routes that a device has by itself


def exists(device: str, prefix: Sequence[str] = ()) -> bool:
    """Whether there is a device of that name."""
    argv = [*prefix, "ip", "link", "show", "dev", device]
    return subprocess.run(argv, capture_output=True, check=False).returncode == 0


def state_of(device: str, prefix: Sequence[str] = ()) -> DeviceState:
    """What `restore` needs: whether it is up and hears everything, its addresses, routes and settings.

    Raises:
        MachineError: there is no such device, it belongs to a bridge, or the computer's default route leads there.
    """
    if not exists(device, prefix):
        there = [link["ifname"] for link in json.loads(run([*prefix, "ip", "-json", "link", "show"]))]
        raise MachineError(
            f"device {device} does not exist on this computer; it has {', '.join(there)}{unseen()}"
        )
    told = json.loads(run([*prefix, "ip", "-json", "-details", "addr", "show", "dev", device]))
    (link,) = [each for each in told if each.get("ifname") == device]
    if "master" in link:
        raise MachineError(
            f"device {device} belongs to {link['master']}; take it out first (ip link set {device} nomaster)"
        )
    routes = []
    for family in ("-4", "-6"):
        for line in run([*prefix, "ip", family, "route", "show", "dev", device]).splitlines():
            if line.startswith("default"):
                raise MachineError(
                    f"device {device} has the computer's default route, and lending it would cut the computer off; "
                    f"choose another, or remove the route first (ip route del default dev {device})"
                )
            if "proto kernel" not in line and not line.startswith(_KERNELS):
                routes.append(f"{family} {line.strip()}")
    addresses = [
        f"{each['local']}/{each['prefixlen']}"
        for each in link["addr_info"]
        if not each["local"].startswith(_KERNELS)
    ]
    settings = {each: _read(each.format(device), prefix) for each in SETTINGS}
    return {
        "up": "UP" in link["flags"],
        "promiscuous": link.get("promiscuity", 0) > 0,
        "addresses": addresses,
        "routes": routes,
        "settings": {name: value for name, value in settings.items() if value is not None},
    }


def empty(device: str, prefix: Sequence[str] = ()) -> None:
    """Take its addresses, and with them its routes."""
    ip_batch([f"addr flush dev {device}"], prefix=prefix)


def restore(device: str, state: DeviceState, prefix: Sequence[str] = ()) -> None:
    """Give it its state again, in the computer's namespace."""
    for name, value in state["settings"].items():
        _write(name.format(device), value, prefix)
    promiscuous = "on" if state["promiscuous"] else "off"
    lines = [f"link set dev {device} {'up' if state['up'] else 'down'} promisc {promiscuous}"]
    lines += [f"addr replace {address} dev {device}" for address in state["addresses"]]
    ip_batch([f"addr flush dev {device} scope global", *lines], prefix=prefix)
    for route in state["routes"]:
        family, *words = route.split()
        run([*prefix, "ip", family, "route", "replace", *words, "dev", device])


def _read(setting: str, prefix: Sequence[str]) -> str | None:
    argv = [*prefix, "cat", f"/proc/sys/net/{setting}"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def _write(setting: str, value: str, prefix: Sequence[str]) -> None:
    run([*prefix, "sh", "-c", 'echo "$1" > "$0"', f"/proc/sys/net/{setting}", value])
