# SPDX-License-Identifier: MIT
"""An Internet of autonomous systems: each is a router, and sends packets where its business allows it.

The relations are those of Gao and Rexford (IEEE/ACM Transactions on Networking 9(6), 2001): a customer pays its
provider, peers exchange their customers' traffic. Each system

* tells its customers all routes, its peers and providers only those to itself and its customers,
* prefers routes by customers to those by peers, and these to those by providers; then fewer systems; then the neighbour
  with the lowest number.

So every path goes up from customers to providers, over at most one pair of peers, and down to customers. What BGP would
converge to under these rules is computed here, and simulated routers get it as routes that stay; routers with daemons
are told the rules, and speak BGP. Leaves out: prefixes of one system that differ, systems with several routers, and
links between systems that are no such relation (siblings).
"""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hybridnet.describe.topo import Topo, TopologyError, size

__all__ = ["AutonomousSystemsTopo", "Systems", "ways_to"]

MOST_SYSTEMS = 200_000
MOST_ROUTES = 2_000_000
MOST_HOSTS = 100  # where nobody says how many
TOP = 4  # systems without providers, which are all peers
SIMULATED = "simrouter"
ROUTERS = (SIMULATED, "frr", "bird")
MOST_SPEAKERS = 1_000  # systems whose routers have daemons
HOSTS_AT = ipaddress.IPv4Address("10.0.0.0")  # of systems with such routers; the n-th has the n-th /24
LINKS_AT = ipaddress.IPv4Address("172.16.0.0")  # each a /30


@dataclass
class Systems:
    """Autonomous systems by number, and how they are related."""

    providers: dict[int, list[int]] = field(default_factory=dict)  # of each
    customers: dict[int, list[int]] = field(default_factory=dict)
    peers: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, provides: Iterable[tuple[int, int]], peers: Iterable[tuple[int, int]]) -> Systems:
        """From (provider, customer) pairs and pairs of peers.

        Raises:
            TopologyError: a pair is given twice, or is one system.
        """
        systems = cls()
        related: set[tuple[int, int]] = set()
        for pairs, of_first, of_second in (
            (provides, systems.customers, systems.providers),
            (peers, systems.peers, systems.peers),
        ):
            for one, other in pairs:
                pair = min(one, other), max(one, other)
                if one == other or pair in related:
                    why = "is one system" if one == other else "is given twice"
                    raise TopologyError(f"autonomous systems: the pair {one}, {other} {why}; take it out")
                related.add(pair)
                for each in pair:
                    for table in (systems.providers, systems.customers, systems.peers):
                        table.setdefault(each, [])
                of_first[one].append(other)
                of_second[other].append(one)
        return systems

    @property
    def numbers(self) -> list[int]:
        """All systems, in the order of their numbers."""
        return sorted(self.providers)

    def links(self) -> list[tuple[int, int]]:
        """Each relation once: provider and customer, or peers."""
        down = [(one, other) for one in self.numbers for other in sorted(self.customers[one])]
        across = [(one, other) for one in self.numbers for other in sorted(self.peers[one]) if one < other]
        return down + across


def ways_to(destination: int, systems: Systems) -> dict[int, int]:
    """By system the neighbour to which it sends what is for `destination`; those that have no route are left out.

    Example:
        >>> two_tiers = Systems.of([(1, 3), (2, 4)], [(1, 2)])
        >>> ways_to(4, two_tiers)
        {2: 4, 1: 2, 3: 1}
    """
    ways: dict[int, int] = {}
    # By customers: from the destination up. Systems of one distance come together, so the lowest neighbour is known.
    length = {destination: 0}
    level = [destination]
    while level:
        reached: dict[int, int] = {}
        for each in sorted(level):
            for provider in systems.providers[each]:
                if provider not in length:
                    reached.setdefault(provider, each)
        ways |= reached
        length |= {each: length[way] + 1 for each, way in reached.items()}
        level = list(reached)
    # By peers: one step, from who has a route by customers.
    across: dict[int, tuple[int, int]] = {}
    for each, steps in length.items():
        for peer in systems.peers[each]:
            if peer not in length:
                across[peer] = min(across.get(peer, (steps, each)), (steps, each))
    ways |= {each: way for each, (_, way) in across.items()}
    length |= {each: steps + 1 for each, (steps, _) in across.items()}
    # By providers: down from all of them, the nearest first.
    by_length: dict[int, list[int]] = {}
    for each, steps in length.items():
        by_length.setdefault(steps, []).append(each)
    steps = 0
    while by_length:
        for each in sorted(by_length.pop(steps, ())):
            for customer in systems.customers[each]:
                if customer not in length:
                    ways[customer], length[customer] = each, steps + 1
                    by_length.setdefault(steps + 1, []).append(customer)
        steps += 1
    return ways


class AutonomousSystemsTopo(Topo):
    """`n` autonomous systems: routers as1, as2 ..., some of them with a host, h1 in as1 and so on.

    The first four are each other's peers and have no provider. Each further one has one or two providers among those
    before it, more likely one that has many customers already, and some have a peer.

    Args:
        n: 4 to 200,000.
        hosts: how many of the systems have a host, chosen evenly; None: all of up to 100, else 100, and fewer where
            all systems together would have more than 2,000,000 routes.
        seed: of who is related to whom.
        simulated: hosts are simulated, and each pings the next one once a second; else they are emulated.
        bw, delay: of links between systems, in Mbit/s and as text; bw=None: no limit; delay=None: none.
        routers: ``"simrouter"``: simulated, with the routes of the rules; ``"frr"`` or ``"bird"``: with daemons that
            speak BGP under the rules, of at most 1,000 systems.
    """

    def build(
        self,
        n: int = 60,
        hosts: int | None = None,
        seed: int = 1,
        simulated: bool = False,
        bw: Any = None,
        delay: Any = "5ms",
        routers: str = SIMULATED,
    ) -> None:
        size(n, "as: n", MOST_SYSTEMS)
        if n < TOP:
            raise TopologyError(f"as: n {n} is less than the {TOP} at the top; write {TOP} or more")
        if type(seed) is not int:
            raise TopologyError(f"as: seed {seed!r} is not a whole number; write one")
        link = {name: value for name, value in (("delay", delay), ("bw", bw)) if value is not None}
        fill(self, drawn(n, seed), "as", hosts=hosts, simulated=simulated, link=link, routers=routers)


def drawn(n: int, seed: int) -> Systems:
    """The systems of `AutonomousSystemsTopo`."""
    chance = random.Random(seed)
    provides: list[tuple[int, int]] = []
    peers = [(one, other) for one in range(1, TOP + 1) for other in range(one + 1, TOP + 1)]
    weighted = list(range(1, TOP + 1))  # each as often as it has customers, and once more
    for number in range(TOP + 1, n + 1):
        chosen = {chance.choice(weighted) for _ in range(chance.choice((1, 2, 2)))}
        provides += [(provider, number) for provider in sorted(chosen)]
        weighted += [*sorted(chosen), number]
        if number > 2 * TOP and chance.random() < 0.2:
            peer = chance.randrange(TOP + 1, number)
            if peer not in chosen:
                peers.append((peer, number))
    return Systems.of(provides, peers)


def fill(
    topo: Topo,
    systems: Systems,
    what: str,
    *,
    hosts: int | None,
    simulated: bool,
    link: Mapping[str, Any],
    routers: str,
) -> None:
    """Add a router for each system, hosts, links and routes. See `AutonomousSystemsTopo`.

    Args:
        what: begins errors.
        others: as of `AutonomousSystemsTopo`; `link`: the options of links between systems.

    Raises:
        TopologyError, UnitError: a value makes no sense, or there would be too much.
    """
    numbers = systems.numbers
    if type(simulated) is not bool:
        raise TopologyError(f"{what}: simulated {simulated!r} is not True or False; write one of them")
    most = max(1, min(len(numbers), MOST_ROUTES // len(numbers)))
    wanted = min(MOST_HOSTS, most) if hosts is None else size(hosts, f"{what}: hosts", len(numbers))
    if wanted > most:
        raise TopologyError(
            f"{what}: hosts {wanted} in {len(numbers)} systems would be more than {MOST_ROUTES:,} routes; write at "
            f"most {most}"
        )
    with_hosts = [numbers[at * len(numbers) // wanted] for at in range(wanted)]
    if routers not in ROUTERS:
        raise TopologyError(f"{what}: routers {routers!r} is none of {', '.join(ROUTERS)}; write one of them")
    if routers != SIMULATED:
        _fill_with_speakers(topo, systems, what, with_hosts, simulated=simulated, link=link, routers=routers)
        return
    if not simulated:
        topo.reserve(f"{what}: hosts={wanted}", wanted)
    routes = _routes(systems, with_hosts)
    for number in numbers:
        topo.addSimRouter(f"as{number}", routes=routes[number])
    for at, number in enumerate(with_hosts):
        name = f"h{number}"
        if simulated:
            pinged = f"h{with_hosts[(at + 1) % wanted]}"
            ping = {"kind": "ping", "destination": pinged, "interval": "1s"}
            topo.addSimHost(name, applications=[ping] if wanted > 1 else [])
        else:
            topo.addHost(name)
        topo.addLink(name, f"as{number}", **_devices(number, 1))
    for one, other in systems.links():
        topo.addLink(f"as{one}", f"as{other}", **link)


def _fill_with_speakers(
    topo: Topo,
    systems: Systems,
    what: str,
    with_hosts: Sequence[int],
    *,
    simulated: bool,
    link: Mapping[str, Any],
    routers: str,
) -> None:
    numbers = systems.numbers
    if simulated:
        raise TopologyError(
            f"{what}: simulated hosts have simulated routers; leave simulated=True out, or routers={routers}"
        )
    if len(numbers) > MOST_SPEAKERS:
        raise TopologyError(
            f"{what}: {len(numbers):,} systems are more than the {MOST_SPEAKERS:,} whose routers may have daemons; "
            "leave `routers` out, and they are simulated"
        )
    topo.reserve(f"{what}: routers={routers}", len(numbers) + len(with_hosts))
    own = {
        number: HOSTS_AT + (at << 8) for at, number in enumerate(numbers, 1)
    }  # in the order of the numbers
    for number in numbers:
        # Of two routes that are alike BGP takes that of the neighbour with the lower identifier.
        identifier = (
            f"router bgp {number}\n bgp router-id {own[number]}\nexit"
            if routers == "frr"
            else f"router id {own[number]};"
        )
        topo.addRouter(
            f"as{number}",
            kind=routers,
            bgp=number,
            providers=[f"as{each}" for each in systems.providers[number]],
            peers=[f"as{each}" for each in systems.peers[number]],
            conf=identifier,
        )
    for number in with_hosts:
        gateway = own[number] + 1
        topo.addHost(f"h{number}", ip=f"{own[number] + 2}/24", defaultRoute=f"via {gateway}")
        topo.addLink(f"h{number}", f"as{number}", params2={"ip": f"{gateway}/24"}, **_devices(number, 0))
    ports = dict.fromkeys(numbers, 0)
    for at, (one, other) in enumerate(systems.links()):
        options: dict[str, Any] = dict(link)
        for side, number in ((1, one), (2, other)):
            ports[number] += 1
            options[f"intfName{side}"] = _device(f"as{number}", number, ports[number])
            options[f"params{side}"] = {"ip": f"{LINKS_AT + 4 * at + side}/30"}
        topo.addLink(f"as{one}", f"as{other}", **options)


def _devices(number: int, port: int) -> dict[str, Any]:
    """The names of the ends of the link of a system's host; `port`: the router's first."""
    return {"intfName1": _device(f"h{number}", number, 0), "intfName2": _device(f"as{number}", number, port)}


def _device(node: str, number: int, port: int) -> str:
    """The name of a device of system `number`: in Linux, it has at most 15 characters."""
    return f"{node}{'-eth' if number < 10_000_000 else '-'}{port}"


def _routes(systems: Systems, with_hosts: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Of each system the routes to the hosts. One whose only neighbour is a provider sends all there."""
    routes: dict[int, list[tuple[str, str]]] = {each: [] for each in systems.providers}
    only = {
        each: providers[0]
        for each, providers in systems.providers.items()
        if len(providers) == 1 and not systems.peers[each] and not systems.customers[each]
    }
    names = {each: f"as{each}" for each in systems.providers}
    for each, provider in only.items():
        routes[each].append(("default", names[provider]))
    for number in with_hosts:
        host = f"h{number}"
        for each, way in ways_to(number, systems).items():
            if each not in only:
                routes[each].append((host, names[way]))
    return routes
