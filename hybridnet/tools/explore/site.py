# SPDX-License-Identifier: MIT
"""The network of a trial: simulated switches, hosts, and the ports to which hosts can move."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, final

from hybridnet.describe.topo import Topo
from hybridnet.describe.values import whole
from hybridnet.errors import UsageError
from hybridnet.tools.explore.walk import Place

__all__ = ["Host", "Service", "Site", "site_of"]

DIRECTION = {"delay_ns": 100_000, "rate_bps": 100_000_000, "queue_packets": 100}  # of every link
MOST_NODES = 64
MOST_CONTROLLERS = 4


@final
@dataclass(frozen=True)
class Host:
    """One host, as its frames show it."""

    name: str
    mac: int
    address: int


@final
@dataclass(frozen=True)
class Service:
    """An address behind which several hosts are, to one of which the application takes each flow.

    Args:
        servers: their names; all other hosts are clients.
    """

    address: int
    servers: tuple[str, ...]


@final
@dataclass(frozen=True)
class Site:
    """What a trial's network is made of.

    Args:
        switches: their datapath ids, by name.
        links: between switches: by name the two ports.
        jacks: ports where a host is or can be, by the name of the jack.
        homes: the jack of each host at first.
        hosts: by name.
        services: by their address, as it is written.
        controllers: their names; each switch connects to all of them.
    """

    switches: dict[str, int]
    links: dict[str, tuple[Place, Place]]
    jacks: dict[str, Place]
    homes: dict[str, str]
    hosts: dict[str, Host]
    options: dict[str, dict[str, Any]] = field(default_factory=dict)  # of switches
    services: dict[str, Service] = field(default_factory=dict)
    controllers: tuple[str, ...] = ("c1",)

    def ports(self, switch: str) -> list[int]:
        """The ports of a switch, in order."""
        ends = [place for both in self.links.values() for place in both] + list(self.jacks.values())
        return sorted(port for name, port in ends if name == switch)

    def clients(self, of: Service) -> list[str]:
        """The hosts that ask a service."""
        return [name for name in self.hosts if name not in of.servers]

    def free_jack(self, switch: str) -> str:
        """The jack of a switch where nobody is at first."""
        return f"{switch}-free"


def site_of(topo: Topo, protocols: list[str] | None = None, controllers: int = 1) -> Site:
    """The network that a description means to a trial. A switch with hosts has one more port, to which one can move.

    Args:
        controllers: how many, 1 to 4.

    Raises:
        UsageError: it has something else than hosts and switches, or no switch or fewer than two hosts.
    """
    whole(controllers, "explore: controllers", 1, MOST_CONTROLLERS)
    switches: dict[str, int] = {}
    hosts: dict[str, Host] = {}
    for spec in topo.node_specs():
        if spec.role == "switch":
            number = re.search(r"[0-9]+", spec.name)
            given = spec.resolved.get("dpid")
            switches[spec.name] = int(given, 16) if given else int(number[0]) if number else len(switches) + 1
        elif spec.role in ("host", "simhost"):
            count = len(hosts) + 1
            hosts[spec.name] = Host(spec.name, count, 0x0A000000 + count)
        else:
            raise UsageError(
                f"explore: {spec.name} is a {spec.role}; a trial has hosts and OpenFlow switches, so leave it out"
            )
    if not switches or len(hosts) < 2 or len(switches) + len(hosts) > MOST_NODES:
        raise UsageError(
            f"explore: the topology has {len(switches)} switches and {len(hosts)} hosts; a trial needs at least one "
            f"switch and two hosts, and at most {MOST_NODES} of both, because small networks show the same mistakes"
        )
    links: dict[str, tuple[Place, Place]] = {}
    jacks: dict[str, Place] = {}
    homes: dict[str, str] = {}
    for link in topo.link_specs():
        ends = [(link.a.node, link.a.port), (link.b.node, link.b.port)]
        between = [end for end in ends if end[0] in switches]
        if len(between) == 2:
            links[link.name] = (between[0], between[1])
            continue
        host = next(name for name, _ in ends if name in hosts)
        if len(between) == 0 or host in homes:
            raise UsageError(f"explore: link {link.name}: in a trial, a host has one link, to a switch")
        jacks[link.name], homes[host] = between[0], link.name
    for host in hosts:
        if host not in homes:
            raise UsageError(f"explore: host {host} has no link; give it one to a switch")
    used = [place for both in links.values() for place in both] + list(jacks.values())
    for switch in dict.fromkeys(name for name, _ in list(jacks.values())):
        jacks[f"{switch}-free"] = (switch, max(port for name, port in used if name == switch) + 1)
    names = tuple(f"c{number}" for number in range(1, controllers + 1))
    site = Site(switches, links, jacks, homes, hosts, controllers=names)
    for name in switches:
        site.options[name] = {"dpid": f"{switches[name]:016x}", "protocols": protocols or ["OpenFlow13"]}
    return site
