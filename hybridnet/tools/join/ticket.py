# SPDX-License-Identifier: MIT
"""Tickets: what a guest's computer is told by a run. Whoever has one can join as that guest, as long as the run lasts.

A ticket is text, JSON, as `hybridnet.plan.network.guests` makes it. It comes from another computer and is used as root,
so nothing in it can name a file, a program or a device other than the guest's own interface.
"""

from __future__ import annotations

import ipaddress
import json
import re
from dataclasses import dataclass, field
from typing import Any, cast

from hybridnet.describe.options import table
from hybridnet.describe.schema.check import check
from hybridnet.describe.schema.plans import DirectionPlan, InstancePlan, PeerPlan
from hybridnet.errors import PlanError, UsageError

__all__ = ["Ticket", "read_ticket"]

FORMAT = 1
_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,14}")
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")
_KEY = re.compile(r"[0-9a-f]{64}")
_MOST_ITEMS = 10_000  # routes


@dataclass(frozen=True)
class Ticket:
    """A ticket that makes sense.

    Args:
        guest: the guest's name in the network.
        port: UDP port at which the run waits.
        key: 64 hexadecimal digits; a secret.
        device, mac, addresses, mtu: of the guest's interface; addresses as ``"10.0.0.5/8"``; the MTU in bytes.
        routes: by prefix, via which address.
        link: the name of its link.
        out, back: what the link does to what the guest sends and gets, as in instance plans.
        peering: options of peering, as in instance plans.
        slow: wall seconds for a simulated one.
    """

    guest: str
    port: int
    key: str = field(repr=False)
    device: str
    mac: str
    addresses: tuple[str, ...]
    mtu: int
    routes: tuple[tuple[str, str], ...]
    link: str
    out: DirectionPlan
    back: DirectionPlan
    peering: dict[str, object]
    slow: int = 1

    def plan(self, host: str) -> InstancePlan:
        """The plan of the guest's instance.

        Args:
            host: IPv4 address of the computer where the run waits.

        Raises:
            UsageError: something in the ticket is not as instances know it.
        """
        peer = {
            "name": "run",
            "local": "0.0.0.0:0",
            "remote": f"{host}:{self.port}",
            **self.peering,
            "key": self.key,
        }
        plan: InstancePlan = {
            "format": 1,
            "name": self.guest,
            "seed": 1,
            "token": "0" * 16,  # the run's is not told to guests
            "nodes": [],
            "emulation_portals": [
                {"name": self.device, "device": self.device, "backend": "tap", "options": {"mtu": self.mtu}}
            ],
            "peers": [cast(PeerPlan, peer)],
            "links": [
                {
                    "name": self.link,
                    "a": {"portal": self.device},
                    "b": {"peer": "run", "channel": 0},
                    "a_to_b": self.out,
                    "b_to_a": self.back,
                }
            ],
            "captures": [],
            "slow": self.slow,
            "realtime": {},
        }
        try:
            check(plan, "instance", "ticket")
        except PlanError as error:
            raise UsageError(f"{error}; get the ticket again, with the hybridnet of the run") from None
        return plan


def read_ticket(text: str) -> Ticket:
    """The ticket that a text is.

    Raises:
        UsageError: it is none, or one of another format; the message does not repeat it, because it has a key.
    """
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise UsageError(
                f"ticket: its format is {content['format']!r}, and this hybridnet reads {FORMAT}; install the one that "
                "the run has"
            )
        interface, link = content["interface"], content["link"]
        ticket = Ticket(
            guest=_matching(content["guest"], re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"), "guest"),
            port=_within(content["port"], 1, 65_535, "port"),
            key=_matching(content["key"], _KEY, "key"),
            device=_matching(interface["name"], _DEVICE, "interface: name"),
            mac=_matching(interface["mac"], _MAC, "interface: mac"),
            addresses=tuple(str(ipaddress.ip_interface(each)) for each in _items(interface["addresses"])),
            mtu=_within(interface["mtu"], 68, 65_535, "interface: mtu"),
            routes=tuple(
                (str(_network(each["prefix"])), str(ipaddress.ip_address(each["via"])))
                for each in _items(content["routes"])
            ),
            link=_matching(link["name"], re.compile(r"[A-Za-z0-9_.#-]{1,160}"), "link: name"),
            out=_direction(link["out"]),
            back=_direction(link["back"]),
            peering=_peering(content["peering"]),
            slow=_within(content.get("slow", 1), 1, 1000, "slow"),
        )
    except UsageError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UsageError(
            "ticket: this is not one; on the computer of the run, `hybridnet ticket` prints it"
        ) from None
    return ticket


def _matching(value: Any, pattern: re.Pattern[str], what: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise UsageError(f"ticket: its {what} makes no sense; get it again with `hybridnet ticket`")
    return value


def _within(value: Any, least: int, most: int, what: str) -> int:
    if type(value) is not int or not least <= value <= most:
        raise UsageError(
            f"ticket: its {what} is not within {least} and {most}; get it again with `hybridnet ticket`"
        )
    return value


def _items(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_ITEMS:
        raise ValueError("no list")
    return value


def _network(prefix: str) -> Any:
    return ipaddress.ip_network("0.0.0.0/0" if prefix == "default" else prefix)


def _direction(value: Any) -> DirectionPlan:
    """A direction that names no file: a plug-in of the ticket's would run here as root."""
    direction = cast(DirectionPlan, dict(value))
    if direction.get("plugin") is not None or "file" in (direction.get("rate_model") or {}):
        raise UsageError(
            "ticket: its link has a plug-in or a trace, which no guest runs; take them to another link of the network"
        )
    return direction


def _peering(value: Any) -> dict[str, object]:
    peering = dict(value)
    known = table("peering").planned
    if alien := sorted(set(peering) - set(known)) or {"key", "transport"} & set(peering):
        raise UsageError(f"ticket: its peering has {min(alien)}, which no guest has; get the ticket again")
    return peering
