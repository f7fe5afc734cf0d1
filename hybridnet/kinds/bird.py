# SPDX-License-Identifier: MIT
"""Routers with BIRD 2, one daemon for all protocols. `birdc` in a router's shell talks to its own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hybridnet.describe.kinds import HostKind
from hybridnet.describe.values import text
from hybridnet.kinds.daemons import (
    DEAD_SECONDS,
    HELLO_SECONDS,
    LINK_COST,
    OPTIONS,
    PREFERENCE,
    REPEAT_SECONDS,
    DaemonRouter,
)

__all__ = ["BIRD", "BirdRouter"]

CONFIGURATION, SOCKETS = "/etc/bird", "/run/bird"  # Debian's
FILE, PID = f"{CONFIGURATION}/bird.conf", f"{SOCKETS}/bird.pid"
OSPF, BGP = "ospf1", "bgp"  # the names of its protocols; of BGP with the neighbour's number
_NEIGHBOUR = re.compile(r"^\S+\s+\d+\s+Full/\S+\s+\S+\s+(\S+)\s", re.MULTILINE)
_ESTABLISHED = re.compile(rf"^{BGP}(\d+)\s.*\bEstablished\b", re.MULTILINE)


class BirdRouter(DaemonRouter):
    """A router whose routes BIRD finds out. Its interfaces have the addresses that the description gives them.

    Args:
        ospf: whether it speaks OSPF, on all its interfaces and of its loopback, in area 0; on links to other such
            routers as point to point, with a hello each second; a neighbour that is silent for ten is gone.
        bgp: number of its autonomous system; it speaks BGP to the routers with one at the other ends of its links, and
            tells them its own subnets.
        providers, peers: names of such neighbours, to whom it tells only its own routes and its customers'.
        conf: further lines of ``bird.conf``, which come last; without `ospf` and `bgp` the whole of it.
    """

    kind = "bird"
    directories = CONFIGURATION, SOCKETS
    program = "/usr/sbin/bird"
    package = "bird2"

    def configure(self) -> None:
        """Write its ``bird.conf``. Raises MachineError."""
        self._must(f"printf %s {shlex.quote(self.configuration())} > {FILE}")

    @property
    def pid_files(self) -> dict[str, str]:
        """Where BIRD writes its process number."""
        return {"bird": PID}

    def start(self) -> None:
        """Start BIRD. Raises MachineError: it quotes the line of a mistake in `conf`."""
        self._must(f"{self.program} -c {FILE} -P {PID} -s {SOCKETS}/bird.ctl")
        self.birdc("show status")  # it answers once it has written its number

    def birdc(self, command: str) -> str:
        """What BIRD answers.

        Raises:
            MachineError: it refuses the command, or does not run; the message quotes it.

        Example:
            >>> print(net["r1"].birdc("show route"))  # doctest: +SKIP
        """
        said = self._must(f"birdc {shlex.quote(text(command, f'{self.name}.birdc'))}")
        return said.partition("\n")[2]  # after its greeting

    def configuration(self) -> str:
        """What it is told, as ``bird.conf``."""
        conf = str(self.params.get("conf") or "").splitlines()
        speaks = self.params.get("ospf") or self.params.get("bgp") is not None
        return "\n".join([*([] if conf and not speaks else self._made_lines()), *conf, ""])

    def lacking(self) -> list[str]:
        """The neighbours that its daemons still miss. Raises MachineError."""
        missing: list[str] = []
        if self.params.get("ospf"):
            full = set(_NEIGHBOUR.findall(self.birdc(f"show ospf neighbors {OSPF}")))
            missing += [
                f"{other.name} (OSPF)" for intf, other in self._beside("ospf") if intf.inside not in full
            ]
        if self.params.get("bgp") is not None:
            up = {int(number) for number in _ESTABLISHED.findall(self.birdc("show protocols"))}
            missing += [
                f"{other.name} (BGP)"
                for number, (other, _) in enumerate(self._bgp_neighbours(), 1)
                if number not in up
            ]
        return missing

    def routes(self) -> str:
        """The table of its routes, as the kernel has it. Raises MachineError."""
        return self._must("ip route show table main")

    def _made_lines(self) -> Iterator[str]:
        yield from (f"router id {address};" for address in self._router_id())
        yield "protocol device { scan time 1; }"
        yield "protocol kernel {"
        # With relations, packets take the one way that is told to others.
        yield f"  merge paths {'no' if self.params.get('bgp') is not None and self._relations() else 'yes'};"
        yield "  ipv4 { import none; export where source != RTS_DEVICE; };"
        yield "}"
        if self.params.get("ospf"):
            yield from self._ospf_lines()
        if self.params.get("bgp") is not None:
            yield from self._bgp_lines()

    def _router_id(self) -> list[str]:
        """Its first address: routers on one computer have the same ones outside of it."""
        return [intf.ip for intf in self.intfList() if intf.ip is not None][:1]

    def _ospf_lines(self) -> Iterator[str]:
        facing = {intf.inside for intf, _ in self._beside("ospf")}
        yield f"protocol ospf v2 {OSPF} {{"
        yield "  ipv4 { import all; export none; };"
        yield "  area 0 {"
        yield '    interface "lo" { stub yes; };'
        for intf in self.intfList():
            timers = f"type ptp; hello {HELLO_SECONDS}; dead {DEAD_SECONDS}; retransmit {REPEAT_SECONDS};"
            how = timers if intf.inside in facing else "stub yes;"
            yield f'    interface "{intf.inside}" {{ {how} cost {LINK_COST}; }};'
        yield "  };"
        yield "}"

    def _bgp_lines(self) -> Iterator[str]:
        relations = self._relations()
        own = "source = RTS_DEVICE"
        yield "protocol direct { ipv4; }"
        for number, (other, address) in enumerate(self._bgp_neighbours(), 1):
            yield f"protocol bgp {BGP}{number} {{"
            yield f"  local as {self.params['bgp']};"
            yield f"  neighbor {address} as {other.params['bgp']};"
            yield "  connect delay time 1;"
            relation = relations.get(other.name)
            comes_in = f"filter {{ bgp_local_pref = {PREFERENCE[relation]}; accept; }}" if relation else "all"
            told = f"(source = RTS_BGP && bgp_local_pref = {PREFERENCE['customer']})"
            told = told if relation in ("peer", "provider") else "source = RTS_BGP"
            yield f"  ipv4 {{ import {comes_in}; export where {own} || {told}; }};"
            yield "}"


BIRD = HostKind(
    name="bird",
    title="BIRD router",
    live=BirdRouter,
    options=OPTIONS,
)
