# SPDX-License-Identifier: MIT
"""The network that is measured: pairs of hosts, each with one kind of element between them, and instances of its own.

v1 ───────────── v2     a veth pair          p1 ══════════════ p2     two portals and a link
a1 ─── s1 ────── a2     Open vSwitch         w1 ═ 6 switches ═ w2     the same, with simulated nodes between
g1 ═ shm1 │ shm2 ═ g2   two instances        o1, r1 ...               OpenFlow switches, routers
u1 ═ near │ far ═ u2    two machines
"""

from __future__ import annotations

from hybridnet.describe.topo import Topo

__all__ = ["CHAIN", "Bridges", "SimulatedPair", "Yardstick"]

CHAIN = 6
"""Simulated nodes in a row: enough for their cost to stand out beside that of two portals."""
DELAY = "1ms"
SIM_BPS = 400_000_000


class Bridges(Topo):
    """Two hosts at one of so many bridges, on one machine."""

    def build(self, machine: str, bridges: int = 1) -> None:
        for number in range(1, bridges + 1):
            self.addSwitch(f"s{number}", machine=machine, failMode="standalone")
            if number > 1:
                self.addLink(f"s{number - 1}", f"s{number}")
        for host in ("a1", "a2"):
            self.addHost(host, machine=machine)
            self.addLink(host, "s1")


class Yardstick(Bridges):
    """All pairs.

    Args:
        machine: where they are.
        other: where the far end of the last pair is; empty: there is no such pair.
    """

    def build(self, machine: str, other: str = "") -> None:  # type: ignore[override]
        super().build(machine)
        self.addHost("v1", machine=machine)
        self.addHost("v2", machine=machine)
        self.addLink("v1", "v2")
        self._pair("p", machine, "portals")
        for prefix, instance in (("w", "switches"), ("o", "openflow"), ("r", "routers")):
            self._chain(prefix, machine, instance)
        self.addHost("g1", machine=machine, instance="shm1")
        self.addHost("g2", machine=machine, instance="shm2")
        self.addLink("g1", "g2", delay=DELAY)
        if other:
            self.addHost("u1", machine=machine, instance="near")
            self.addHost("u2", machine=other, instance="far")
            self.addLink("u1", "u2", delay=DELAY)

    def _pair(self, prefix: str, machine: str, instance: str) -> None:
        for number in (1, 2):
            self.addHost(f"{prefix}{number}", machine=machine, instance=instance)
        self.addLink(f"{prefix}1", f"{prefix}2", delay=DELAY)

    def _chain(self, prefix: str, machine: str, instance: str) -> None:
        before = self.addHost(f"{prefix}1", machine=machine, instance=instance)
        for number in range(CHAIN):
            name = f"{prefix}{number + 11}"
            if prefix == "w":
                self.addSimSwitch(name, machine=machine, instance=instance)
            elif prefix == "r":
                self.addSimRouter(name, machine=machine, instance=instance)
            else:
                self.addSwitch(
                    name, machine=machine, instance=instance, kind="simulated", failMode="standalone"
                )
            self.addLink(before, name, delay="200us")
            before = name
        self.addHost(f"{prefix}2", machine=machine, instance=instance)
        self.addLink(before, f"{prefix}2", delay="200us")


class SimulatedPair(Topo):
    """Two simulated hosts, one of which sends as fast as the link between them goes."""

    def build(self, machine: str) -> None:
        bulk = {"kind": "tcp_bulk", "destination": "z2", "port": 9}
        self.addSimHost("z1", machine=machine, applications=[bulk])
        self.addSimHost("z2", machine=machine, applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("z1", "z2", bw=SIM_BPS / 1e6, delay=DELAY)
