# SPDX-License-Identifier: MIT
"""Routers with the routing daemons of FRR: hosts that forward, in which zebra, staticd, ospfd and bgpd run. `vtysh` in
a router's shell talks to its own daemons.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from hybridnet.describe.kinds import HostKind, KindOption
from hybridnet.describe.values import choice, shown, text
from hybridnet.errors import MachineError, TopologyError
from hybridnet.kinds.daemons import (
    DEAD_SECONDS,
    HELLO_SECONDS,
    OPTIONS,
    PREFERENCE,
    REPEAT_SECONDS,
    DaemonRouter,
)

__all__ = ["DAEMONS", "FRR", "FrrRouter"]

FOLDER = "/usr/lib/frr"  # Debian's
CONFIGURATION, SOCKETS = "/etc/frr", "/run/frr"
# How far apart changes are told, and routes computed, at most: FRR has 5,000 for both.
LSA_MS = SPF_MS = 1_000
TOLD_MS = 10_000
"""After so long two neighbours have told others of each other, with usual timers: they wait 5 s between two changes
(MinLSInterval), and 5 s until they repeat what was not answered (RxmtInterval): RFC 2328, appendices B and C.3."""
TO_OTHERS = "to-others"  # the route map of what peers and providers are told
DAEMONS = (
    "ripd", "ripngd", "ospfd", "ospf6d", "isisd", "babeld", "eigrpd", "nhrpd", "pimd", "pim6d", "ldpd", "bgpd", "bfdd",
    "pbrd", "fabricd", "vrrpd", "pathd",
)  # fmt: skip
"""Those that a router may have besides zebra and staticd, in the order in which they begin."""


class FrrRouter(DaemonRouter):
    """A router whose routes FRR's daemons find out. Its interfaces have the addresses that the description gives them.

    Args:
        ospf: whether it speaks OSPF, on all its interfaces, in area 0; on links to other such routers as point to
            point, with a hello each second; a neighbour that is silent for ten is gone. Changes are told and computed
            at most a second apart.
        bgp: number of its autonomous system; it speaks BGP to the routers with one at the other ends of its links, and
            tells them its own subnets.
        providers, peers: names of such neighbours, to whom it tells only its own routes and its customers'.
        daemons: further daemons, such as ``["isisd"]``: `conf` tells them what to do, and may give the interfaces their
            addresses.
        conf: further lines of configuration, as vtysh reads them.
    """

    kind = "frr"

    directories = CONFIGURATION, SOCKETS
    program = f"{FOLDER}/zebra"
    package = "frr"

    def configure(self) -> None:
        """Write its ``frr.conf``. Raises MachineError."""
        self._must(f"chown frr:frr {CONFIGURATION} {SOCKETS}")
        self._must(f"echo service integrated-vtysh-config > {CONFIGURATION}/vtysh.conf")
        self._must(f"printf %s {shlex.quote(self.configuration())} > {CONFIGURATION}/frr.conf")

    @property
    def pid_files(self) -> dict[str, str]:
        """Where its daemons write their process numbers, by name."""
        return {daemon: f"{SOCKETS}/{daemon}.pid" for daemon in self.daemons}

    def start(self) -> None:
        """Start its daemons. Raises MachineError."""
        for daemon in self.daemons:
            self._must(f"{FOLDER}/{daemon} -d")
        self._must("vtysh -b")

    def vtysh(self, *commands: str) -> str:
        """What FRR's shell answers.

        Raises:
            MachineError: it refuses a command, or its daemons do not run; the message quotes it.

        Example:
            >>> print(net["r1"].vtysh("show ip route"))  # doctest: +SKIP
        """
        words = " ".join(f"-c {shlex.quote(text(each, f'{self.name}.vtysh'))}" for each in commands)
        said = self._must(f"vtysh {words}")
        if said.startswith("% "):  # with the status 0
            raise MachineError(f"router {self.name}: vtysh: {said.strip()[-300:]}")
        return said

    @property
    def finds_addresses(self) -> bool:
        """Whether its daemons may give it addresses, or commands."""
        return bool(self.params.get("daemons")) or super().finds_addresses

    @property
    def daemons(self) -> list[str]:
        """Those that it has, in the order in which they begin."""
        speaks = {"ospfd": bool(self.params.get("ospf")), "bgpd": self.params.get("bgp") is not None}
        asked = {
            *(self.params.get("daemons") or []),
            *(daemon for daemon, wanted in speaks.items() if wanted),
        }
        return ["zebra", "staticd", *(daemon for daemon in DAEMONS if daemon in asked)]

    def configuration(self) -> str:
        """What its daemons are told, as ``/etc/frr/frr.conf``."""
        lines = [f"hostname {self.name}", *(self._ospf_lines() if self.params.get("ospf") else [])]
        lines += self._bgp_lines() if self.params.get("bgp") is not None else []
        return "\n".join([*lines, *str(self.params.get("conf") or "").splitlines(), ""])

    def lacking(self) -> list[str]:
        """The neighbours that its daemons still miss. Raises MachineError."""
        missing: list[str] = []
        if self.params.get("ospf"):
            there = json.loads(self.vtysh("show ip ospf neighbor json"))["neighbors"]
            full = {
                row["ifaceName"].partition(":")[0]
                for rows in there.values()
                for row in rows
                if str(row.get("nbrState", row.get("state"))).startswith("Full")
            }
            missing += [
                f"{other.name} (OSPF)" for intf, other in self._beside("ospf") if intf.inside not in full
            ]
        elif "ospfd" in self.daemons:
            missing += self._begun_adjacencies()
        if self.params.get("bgp") is not None:
            peers = json.loads(self.vtysh("show bgp summary json")).get("ipv4Unicast", {}).get("peers", {})
            up = {address for address, row in peers.items() if row["state"] == "Established"}
            missing += [f"{other.name} (BGP)" for other, ip in self._bgp_neighbours() if ip not in up]
        return missing

    def _begun_adjacencies(self) -> list[str]:
        """What OSPF has begun and not ended, where `conf` says on which interfaces it is spoken: interfaces that wait
        for a designated router (RFC 2328, section 9.1), and neighbours with whom it exchanges databases, or has just
        done so.
        """
        interfaces = json.loads(self.vtysh("show ip ospf interface json")).get("interfaces", {})
        begun = [
            f"a designated router on {name} (OSPF)"
            for name, row in interfaces.items()
            if row.get("state") == "Waiting" and not row.get("timerPassiveIface")
        ]
        neighbours = json.loads(self.vtysh("show ip ospf neighbor json")).get("neighbors", {})
        for identifier, rows in neighbours.items():
            for row in rows:
                state = str(row.get("nbrState", row.get("state"))).partition("/")[0]
                is_new = state == "Full" and row.get("upTimeInMsec", TOLD_MS) < TOLD_MS
                if is_new or state in ("Init", "ExStart", "Exchange", "Loading"):
                    begun.append(f"{identifier} (OSPF)")
        return begun

    def routes(self) -> str:
        """The table of its routes, as the kernel has it. Raises MachineError."""
        return self._must("ip route show table main; ip -6 route show table main proto ospf")

    def _ospf_lines(self) -> Iterator[str]:
        facing = {intf.inside for intf, _ in self._beside("ospf")}
        for intf in self.intfList():
            yield f"interface {intf.inside}"
            yield " ip ospf area 0"
            if intf.inside in facing:
                yield " ip ospf network point-to-point"
                yield f" ip ospf hello-interval {HELLO_SECONDS}"
                yield f" ip ospf dead-interval {DEAD_SECONDS}"
                yield f" ip ospf retransmit-interval {REPEAT_SECONDS}"
            else:
                yield " ip ospf passive"
            yield "exit"
        yield "router ospf"
        yield f" timers throttle spf 0 50 {SPF_MS}"
        yield f" timers throttle lsa all {LSA_MS}"
        yield f" timers lsa min-arrival {LSA_MS // 2}"
        yield "exit"

    def _bgp_lines(self) -> Iterator[str]:
        relations = self._relations()
        neighbours = self._bgp_neighbours()
        yield f"router bgp {self.params['bgp']}"
        yield " no bgp ebgp-requires-policy"
        yield " bgp bestpath as-path multipath-relax"
        if (
            relations
        ):  # of two routes that are alike, the neighbour's with the lower number, not the one that came first
            yield " bgp bestpath compare-routerid"
        for other, ip in neighbours:
            yield f" neighbor {ip} remote-as {other.params['bgp']}"
        yield " address-family ipv4 unicast"
        yield "  redistribute connected"
        if relations:  # packets take the one way that is told to others
            yield "  maximum-paths 1"
        for other, ip in neighbours:
            if (relation := relations.get(other.name)) is not None:
                yield f"  neighbor {ip} route-map from-{relation} in"
                if relation != "customer":
                    yield f"  neighbor {ip} route-map {TO_OTHERS} out"
        yield " exit-address-family"
        yield "exit"
        if relations:
            yield "bgp as-path access-list own permit ^$"
            yield f"route-map {TO_OTHERS} permit 1"
            yield " match as-path own"
            yield "exit"
            yield f"route-map {TO_OTHERS} permit 2"
            yield f" match local-preference {PREFERENCE['customer']}"
            yield "exit"
            for relation, preference in PREFERENCE.items():
                yield f"route-map from-{relation} permit 1"
                yield f" set local-preference {preference}"
                yield "exit"


def _daemons(value: Any, what: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise TopologyError(f"{what} {shown(value)} is not a list of daemons; write ['isisd']")
    return [choice(each, what, DAEMONS, error=TopologyError) for each in value]


FRR = HostKind(
    name="frr",
    title="FRR router",
    live=FrrRouter,
    options={
        **OPTIONS,
        "daemons": KindOption(
            _daemons, "further daemons, such as [isisd], which conf tells what to do", "list"
        ),
    },
)
