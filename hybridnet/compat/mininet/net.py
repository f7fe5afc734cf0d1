# SPDX-License-Identifier: MIT
"""Mininet's `Mininet`: a front of `hybridnet.Net`.

    describe (nodes, links, controllers) ─▶ make: one Net of all of it ─▶ start: controllers to switches ─▶ use ─▶ stop

Mininet makes each node and link when it is added. Here they are made together, by `start` or by the first command
that needs them; until then they are descriptions with names, addresses and ports as Mininet would have chosen them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from hybridnet.compat.mininet.making import running
from hybridnet.compat.mininet.term import makeTerms
from hybridnet.compat.mininet.trying import Trying
from hybridnet.machines.cluster.here import HERE, Here
from hybridnet.system.log import info, warn

__all__ = ["VERSION", "Mininet", "MininetWithControlNet"]

_POLL_S = 0.05

VERSION = "2.3.1b4"
"""The version of Mininet whose names, signatures and manners these are."""


class Mininet(Trying):
    """A network, with the constructor and the methods of Mininet's class.

    Args:
        topo: what to build; None: it is made with addHost, addSwitch, addLink.
        switch, host, link, intf: classes (or partials) of what says no class of its own.
        controller: a class, a partial, a function of a name, an object, a list of these, or None for none.
        build: build `topo` now; False: `build` or `start` does.
        ipBase: hosts get its addresses, in the order in which they are added.
        autoSetMacs: MAC addresses are the numbers of the hosts.
        autoStaticArp: hosts know each other's MAC addresses.
        waitConnected: `start` waits until each switch has its controller; a number: for so many seconds.
        listenPort: where the first switch takes OpenFlow connections on its machine; each further one at the next port.
        autoPinCpus: CPU-limited hosts are pinned to one processor each, in turn.
        xterms, cleanup, inNamespace: accepted; what has no effect is said.
    """

    def start(self) -> None:
        """Make the network, and start its controllers and switches."""
        self.build()
        info("*** Starting network\n")
        self.make()
        for controller in self.controllers:
            controller.start()
        for switch in self.switches:
            switch.start(self.controllers)
        if self.xterms:
            self.startTerms()
        if self.waitConn:
            self.waitConnected(None if self.waitConn is True else float(self.waitConn))

    def startTerms(self) -> None:
        """Open a terminal for each node."""
        makeTerms(self.switches, "switch")
        makeTerms(self.hosts, "host")

    def stopXterms(self) -> None:
        """Close the terminals that were opened."""
        for term in _each(self.terms):
            term.close()
        self.terms = []

    def stop(self) -> None:
        """Stop the switches' and hosts' own programs, and remove the network. A second call does nothing."""
        if self.live is None:
            return
        self.stopXterms()
        net, self.live = self.live, None
        running.remove(self)
        info("*** Stopping network\n")
        try:
            for controller in self.controllers:
                controller.stop()
            for switch in self.switches:
                if not switch.is_bridge:
                    switch.stop()
            for node in (*self.switches, *self.hosts):
                node.terminate()
        finally:
            for each in (*self.controllers, *self.came_later):
                each.end()
            self.came_later = []
            for node in (*self.switches, *self.hosts, *self.loose):
                node.unbind()
            if self._tc is not None:
                self._tc.close()
                self._tc = None
            net.stop()
        info("*** Done\n")

    def release(self, node: Any) -> None:
        """A node that was made without a network has stopped, or belongs to another one."""
        if node in self.loose:
            self.loose.remove(node)
        if self.is_of_loose_nodes and not self.loose:
            self.stop()

    def leave(self) -> list[str]:
        """Leave it to those programs in its hosts that outlive their shells, if there are any. Returns them."""
        cluster = self.running().cluster
        programs: list[str] = cluster.call(HERE, "daemons") if isinstance(cluster, Here) else []
        if programs and isinstance(cluster, Here):
            running.remove(self)
            cluster.leave()
        return programs

    def run(self, test: Callable[..., Any] | str, *args: Any, **kwargs: Any) -> Any:
        """Start, call `test` (a function, or the name of a method), and stop. Returns what it returned."""
        self.start()
        try:
            return (getattr(self, test) if isinstance(test, str) else test)(*args, **kwargs)
        finally:
            self.stop()

    def interact(self) -> Any:
        """Start, open the prompt, and stop."""
        from hybridnet.compat.mininet.cli import CLI

        self.start()
        try:
            return CLI(self)
        finally:
            self.stop()

    def waitConnected(self, timeout: float | None = None, delay: float = 0.5) -> bool:
        """Wait until each switch has its controller. Returns False when the time is over."""
        info("*** Waiting for switches to connect\n")
        deadline = None if timeout is None else time.monotonic() + timeout
        waiting = list(self.switches)
        while True:
            for switch in list(waiting):
                if switch.connected():
                    info(f"{switch} ")
                    waiting.remove(switch)
            if not waiting:
                info("\n")
                return True
            if deadline is not None and time.monotonic() > deadline:
                warn(f"Timed out after {timeout:g} seconds; not connected: {' '.join(map(str, waiting))}\n")
                return False
            time.sleep(min(delay, _POLL_S))


class MininetWithControlNet(Mininet):
    """Mininet's network with a control network of its own; here switches always reach their controllers beside it."""


def _each(terms: list[Any]) -> list[Any]:
    """Terminals, each once: scripts add what `makeTerm` returns, a list, to the network's own."""
    found: list[Any] = []
    for term in terms:
        found += [each for each in (term if isinstance(term, list) else [term]) if each not in found]
    return found


_loose: Mininet | None = None


def network_of_loose_nodes() -> Mininet:
    """The network of nodes and links that a script makes without `Mininet`: another one, when all have stopped."""
    global _loose
    if _loose is None or not _loose.loose:
        _loose = Mininet(controller=None, build=False)
        _loose.is_of_loose_nodes = True
    return _loose


def network_of_link(nodes: Sequence[Any]) -> Mininet:
    """The network of a link: that of the node which was made with one, and the other joins it."""
    found: Mininet = min((node.network() for node in nodes), key=lambda network: network.is_of_loose_nodes)
    for node in nodes:
        take_over(found, node)
    return found


def take_over(network: Any, node: Any) -> None:
    """Have a network take a node that was made without one, with all that it is linked to."""
    before = node.network()
    if before is network or not before.is_of_loose_nodes:
        return
    before.release(node)
    network.adopt_loose(node)
    for link in [] if before.live is not None else list(before.links):
        if node in (link.intf1.node, link.intf2.node):
            before.links.remove(link)
            for end in (link.intf1, link.intf2):
                take_over(network, end.node)
            network.joined(link)


def remove_forgotten() -> None:
    """The script has ended: remove the networks that it did not stop, and say so.

    Nodes that were made without a network, and run programs in sessions of their own, stay as long as those: such a
    script, like Mininet's example of a bare sshd, has no way to say otherwise.
    """
    for net in list(running):
        if net.is_of_loose_nodes and (programs := net.leave()):
            warn(f"*** the script ended; its nodes stay while they run {', '.join(programs)}\n")
            continue
        warn("*** the script ended without net.stop(): its network is removed\n")
        net.stop()
