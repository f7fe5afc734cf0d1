# SPDX-License-Identifier: MIT
"""Routers with the routing daemons of FRR: hosts that forward, in which zebra, staticd, ospfd and bgpd run.

Each router has private directories in the places where FRR keeps its configuration and its sockets, so any number of
routers run side by side, and `vtysh` in a router's shell talks to its own daemons. The daemons begin once the network
has been built, and end with it.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from hybridnet.describe.kinds import HostKind
from hybridnet.describe.values import choice, flag, shown, text, whole
from hybridnet.errors import EnvironmentLackError, MachineError, TopologyError
from hybridnet.run.node import Host
from hybridnet.run.node.link import Intf

__all__ = ["DAEMONS", "FRR", "FrrRouter"]

FOLDER = "/usr/lib/frr"  # Debian's
CONFIGURATION, SOCKETS = "/etc/frr", "/run/frr"
HELLO_SECONDS, DEAD_SECONDS = 1, 10
# How far apart changes are told, and routes computed, at most: FRR has 5,000 for both.
LSA_MS = SPF_MS = 1_000
MOST_AS = (1 << 32) - 1
DAEMONS = (
    "ripd", "ripngd", "ospfd", "ospf6d", "isisd", "babeld", "eigrpd", "nhrpd", "pimd", "pim6d", "ldpd", "bgpd", "bfdd",
    "pbrd", "fabricd", "vrrpd", "pathd",
)  # fmt: skip
"""Those that a router may have besides zebra and staticd, in the order in which they begin."""
MOST_TEXT = 32_768  # characters of a configuration
VTYSH_SECONDS = 60.0


class FrrRouter(Host):
    """A router whose routes FRR's daemons find out. Its interfaces have the addresses that the description gives them.

    Args:
        ospf: whether it speaks OSPF, on all its interfaces, in area 0; on links to other such routers as point to
            point, with a hello each second; a neighbour that is silent for ten is gone. Changes are told and computed
            at most a second apart.
        bgp: number of its autonomous system; it speaks BGP to the routers with one at the other ends of its links, and
            tells them its own subnets.
        daemons: further daemons, such as ``["isisd"]``: `conf` tells them what to do, and may give the interfaces their
            addresses.
        conf: further lines of configuration, as vtysh reads them.
    """

    kind = "frr"

    def described(self) -> dict[str, Any]:
        """The options with which it is built."""
        own = list(self.params.get("privateDirs") or [])
        taken = {each if isinstance(each, str) else each[0] for each in own}
        return {**self.params, "privateDirs": [*own, *({CONFIGURATION, SOCKETS} - taken)]}

    def config(self, **params: Any) -> None:
        """Have it forward, and start its daemons.

        Raises:
            EnvironmentLackError: its machine has no FRR.
            MachineError: an interface has no address, or a daemon does not start; the message quotes it.
        """
        super().config(**params)
        for intf in [] if self.params.get("daemons") else self.intfList():
            if intf.ip is None and intf.ip6 is None:
                raise MachineError(
                    f"router {self.name}: its interface {intf.name} has no address; give the link one, as in "
                    "addLink('r1', 'r2', params1={'ip': '10.0.12.1/24'})"
                )
        if self._done(f"test -x {FOLDER}/zebra") is None:
            raise EnvironmentLackError(
                f"router {self.name}: machine {self.machine} has no FRR in {FOLDER}; run `apt-get install frr` there"
            )
        self._must("sysctl -q -w net.ipv4.ip_forward=1")
        self._done("sysctl -q -w net.ipv6.conf.all.forwarding=1")  # there may be no IPv6
        self._must(f"chown frr:frr {CONFIGURATION} {SOCKETS}")
        self._must(f"echo service integrated-vtysh-config > {CONFIGURATION}/vtysh.conf")
        self._must(f"printf %s {shlex.quote(self.configuration())} > {CONFIGURATION}/frr.conf")
        self.restart()

    def restart(self) -> None:
        """Start its daemons, with its configuration; those that run end first, and forget their routes.

        Raises:
            MachineError: one does not start; the message quotes it.
        """
        self.end()
        for daemon in self.daemons:
            self._must(f"{FOLDER}/{daemon} -d")
        self._must("vtysh -b")

    def end(self) -> None:
        """End its daemons: neighbours are told. Those that do not run are none."""
        files = " ".join(f"{SOCKETS}/{daemon}.pid" for daemon in reversed(self.daemons))
        self._done(
            f"for f in {files}; do [ -e $f ] || continue; p=$(cat $f); kill $p; "
            "n=0; while [ -e /proc/$p ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done; rm -f $f; done"
        )

    def terminate(self) -> None:
        """End its daemons before the network is removed."""
        self.end()
        super().terminate()

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
        if (number := self.params.get("bgp")) is not None:
            lines += [
                f"router bgp {number}",
                " no bgp ebgp-requires-policy",
                " bgp bestpath as-path multipath-relax",
            ]
            lines += [
                f" neighbor {ip} remote-as {other.params['bgp']}" for other, ip in self._bgp_neighbours()
            ]
            lines += [
                " address-family ipv4 unicast",
                "  redistribute connected",
                " exit-address-family",
                "exit",
            ]
        return "\n".join([*lines, *str(self.params.get("conf") or "").splitlines(), ""])

    def convergence(self) -> tuple[list[str], str]:
        """The neighbours that are still missing, and the table of its routes. Raises MachineError."""
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
        if self.params.get("bgp") is not None:
            peers = json.loads(self.vtysh("show bgp summary json")).get("ipv4Unicast", {}).get("peers", {})
            up = {address for address, row in peers.items() if row["state"] == "Established"}
            missing += [f"{other.name} (BGP)" for other, ip in self._bgp_neighbours() if ip not in up]
        return missing, self._must("ip route show table main; ip -6 route show table main proto ospf")

    def _ospf_lines(self) -> Iterator[str]:
        facing = {intf.inside for intf, _ in self._beside("ospf")}
        for intf in self.intfList():
            yield f"interface {intf.inside}"
            yield " ip ospf area 0"
            if intf.inside in facing:
                yield " ip ospf network point-to-point"
                yield f" ip ospf hello-interval {HELLO_SECONDS}"
                yield f" ip ospf dead-interval {DEAD_SECONDS}"
            else:
                yield " ip ospf passive"
            yield "exit"
        yield "router ospf"
        yield f" timers throttle spf 0 50 {SPF_MS}"
        yield f" timers throttle lsa all {LSA_MS}"
        yield f" timers lsa min-arrival {LSA_MS // 2}"
        yield "exit"

    def _bgp_neighbours(self) -> list[tuple[FrrRouter, str]]:
        ends = [(other, intf.link) for intf, other in self._beside("bgp")]
        found = []
        for other, link in ends:
            assert link is not None
            far = next(end for end in (link.intf1, link.intf2) if isinstance(end, Intf) and end.node is other)
            if far.ip is not None:
                found.append((other, far.ip))
        return found

    def _beside(self, protocol: str) -> list[tuple[Intf, FrrRouter]]:
        """The interfaces toward routers that speak it, too, and these."""
        found: list[tuple[Intf, FrrRouter]] = []
        for intf in self.intfList():
            ends = () if intf.link is None else (intf.link.intf1, intf.link.intf2)
            for end in ends:
                other = end.node if isinstance(end, Intf) and end is not intf else None
                if isinstance(other, FrrRouter) and other.params.get(protocol) not in (None, False):
                    found.append((intf, other))
        return found

    def _done(self, command: str) -> str | None:
        """What a command printed; None: it failed."""
        said = self.cmd(command, timeout=VTYSH_SECONDS)
        return said if self.last_status == 0 else None

    def _must(self, command: str) -> str:
        said = self.cmd(command, timeout=VTYSH_SECONDS)
        if self.last_status != 0:
            raise MachineError(
                f"router {self.name}: {shown(command[:80])} failed: {said.strip()[-300:] or 'it printed nothing'}"
            )
        return said


def _flag(value: Any, what: str) -> bool:
    return flag(value, what, error=TopologyError)


def _as_number(value: Any, what: str) -> int | None:
    return None if value is None else whole(value, what, 1, MOST_AS, error=TopologyError)


def _daemons(value: Any, what: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) for each in value):
        raise TopologyError(f"{what} {shown(value)} is not a list of daemons; write ['isisd']")
    return [choice(each, what, DAEMONS, error=TopologyError) for each in value]


def _lines(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if (
        not isinstance(value, str)
        or len(value) > MOST_TEXT
        or not all(each.isprintable() for each in value.splitlines())
    ):
        raise TopologyError(
            f"{what} {shown(value)} is not text of at most {MOST_TEXT} characters; write lines as vtysh reads them"
        )
    return value


FRR = HostKind(
    name="frr",
    title="FRR router",
    live=FrrRouter,
    options={"ospf": _flag, "bgp": _as_number, "daemons": _daemons, "conf": _lines},
)
