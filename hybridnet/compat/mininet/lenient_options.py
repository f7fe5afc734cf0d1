# SPDX-License-Identifier: MIT
"""What Mininet takes and hybridnet does not: tolerated here, with one warning for each, never silently.

Mininet hands addresses, routes and rates to ifconfig, ip and tc, and goes on when one of these refuses. So does this:
what they would refuse is left out before the network is made of the rest.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Mapping
from typing import Any

from hybridnet.describe.quantities import parse_bandwidth, parse_delay, parse_percent, parse_queue
from hybridnet.describe.topo.addresses import default_route, mac_address
from hybridnet.errors import HybridnetError, UnitError
from hybridnet.system.log import warn

__all__ = [
    "SHAPING", "accepted_address", "accepted_mac", "accepted_route", "shaping", "tolerate", "truth", "whole_address",
]  # fmt: skip

SHAPING = ("bw", "delay", "jitter", "loss", "max_queue_size", "enable_red", "enable_ecn")
# Options of the kernel's tc that have no counterpart: the simulator shapes exactly, whatever they say.
OF_THE_KERNEL = ("speedup", "use_hfsc", "use_tbf", "latency_ms", "gro", "txo", "rxo")
_OF_A_QUEUE = ("enable_red", "enable_ecn")
_READ: Mapping[str, Callable[[object, str], object]] = {
    "bw": parse_bandwidth,
    "delay": parse_delay,
    "jitter": parse_delay,
    "loss": parse_percent,
    "max_queue_size": parse_queue,
}
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")

_told: set[str] = set()


def tolerate(what: str, instead: str) -> None:
    """Warn once of `what`, and say what happens instead."""
    if what not in _told:
        _told.add(what)
        warn(f"*** hybridnet: {what}: {instead}\n")


def truth(value: object) -> bool:
    """A flag as Mininet's ``if`` takes it, such as the 1 of ``--switch ovs,stp=1``; the word "False" of a command line
    is false.
    """
    return bool(value) and value != "False"


def whole_address(text: str) -> str:
    """An IPv4 address as ifconfig reads it, which Mininet calls: "10.1/8" is 10.0.0.1/8, and "10.0.0.01" is 10.0.0.1.

    Other text stays as it is, without spaces around it.
    """
    text = text.strip()
    address, slash, length = text.partition("/")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+){1,3}", address):
        return text
    try:
        return socket.inet_ntoa(socket.inet_aton(address)) + slash + length
    except OSError:
        return text


def accepted_address(text: str | None, what: str) -> str | None:
    """An IPv4 address, with or without a prefix length; None where it is none. That is said, unless it is of IPv6."""
    if not text:
        return None
    try:
        return text if ipaddress.ip_interface(text).version == 4 else None
    except ValueError:
        tolerate(f"{what}: ip {text!r}", "it is not an address, and has no effect")
        return None


def accepted_mac(text: str | None, what: str) -> str | None:
    """A MAC address with two digits for each byte; None where no interface can have it, and that is said."""
    if not text:
        return None
    try:
        return mac_address(":".join(byte.zfill(2) for byte in str(text).strip().split(":")), f"{what}: mac")
    except HybridnetError:
        tolerate(f"{what}: mac {text!r}", "no interface can have it, so it keeps another")
        return None


def accepted_route(text: str | None, what: str) -> str | None:
    """A default route, such as "via 10.0.0.1"; one word names an interface. None where ip would refuse it, and that is
    said.
    """
    if not text:
        return None
    route = text if len(text.split()) != 1 else f"dev {text}"
    try:
        default_route(route, f"{what}: defaultRoute")
    except HybridnetError:
        tolerate(
            f"{what}: defaultRoute {text!r}",
            "it is not a route; the host has no default route, as in Mininet",
        )
        return None
    return route


def shaping(params: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The options of a direction as `hybridnet.Topo.addLink` takes them: what tc would refuse has no effect, as in
    Mininet.

    A delay or jitter without a unit is in microseconds, as tc takes it; a delay may bring its jitter: "10ms 2ms".
    """
    for name in OF_THE_KERNEL:
        if params.get(name):
            tolerate(f"{what}: {name}=", "the simulator shapes links, not the kernel; it has no effect")
    given = {name: params[name] for name in SHAPING if params.get(name) not in (None, "")}
    given |= _delays(given)
    given |= {name: truth(given[name]) for name in _OF_A_QUEUE if name in given}
    found = {name: value for name, value in given.items() if _is_accepted(name, value, what)}
    if "bw" not in found and any(found.pop(name, None) for name in _OF_A_QUEUE):
        tolerate(
            f"{what}: enable_red= and enable_ecn= without bw=", "nothing waits there; they have no effect"
        )
    if "delay" not in found and found.pop("jitter", None) is not None:
        tolerate(f"{what}: jitter= without delay=", "it has no effect, as in Mininet")
    queue = found.get("max_queue_size")
    if isinstance(queue, float) and not queue.is_integer():
        tolerate(f"max_queue_size={queue:g} of links", f"their queues hold {int(queue)} packets")
    if isinstance(queue, float):
        found["max_queue_size"] = int(queue)
    return found


def _delays(given: Mapping[str, Any]) -> dict[str, object]:
    """The delay and jitter among `given`, with units as hybridnet writes them."""
    words = str(given.get("delay", "")).lower().split()
    if len(words) > 1 and words[0].replace(".", "", 1).isdigit() and words[1].isalpha():
        words[:2] = ["".join(words[:2])]  # "10 ms"
    told = dict(zip(("delay", "jitter"), words, strict=False))
    if "jitter" in given:
        told["jitter"] = str(given["jitter"]).lower().strip()
    return {name: f"{text}us" if _NUMBER.fullmatch(text) else text for name, text in told.items()}


def _is_accepted(name: str, value: Any, what: str) -> bool:
    if name not in _READ:
        return True
    if name == "bw" and isinstance(value, str):
        return True  # Mininet cannot do with it: the network judges when it is made
    if name == "max_queue_size" and (value == 0 or (isinstance(value, float) and value >= 1)):
        return bool(value != 0)  # 0 says that there is no bound
    try:
        _READ[name](value, f"{what}: {name}")
    except UnitError:
        tolerate(f"{what}: {name}={value!r}", "tc does not take it either; it has no effect")
        return False
    return True
