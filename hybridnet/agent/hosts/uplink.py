# SPDX-License-Identifier: MIT
"""The way of a local machine to what its computer reaches: a cable into the computer's own network namespace.

::

    machine (outside, 198.19.255.2) ── veth ── (hn…, 198.19.255.1) computer, which translates and forwards

It is made when the first node translates addresses toward the outside, and everything of it is in the journal. A
machine that has its computer's own network namespace needs none.
"""

from __future__ import annotations

import ipaddress
import json
import os
import secrets

from hybridnet.agent.hosts.forwarding import Forwarding
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.errors import EnvironmentLackError
from hybridnet.system import nat
from hybridnet.system.command import ip_batch, run
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.journal import Journal, state_directory
from hybridnet.system.locks import lock_what_others_can_open

ADDRESSES = ipaddress.IPv4Network("198.19.255.0/24")
DEVICE = "outside"


class Uplink:
    """The cable of one local machine."""

    def __init__(self, journal: Journal, machine: str, inside: NamespaceThread, outside: int) -> None:
        """`outside`: a descriptor of the computer's network namespace."""
        self._journal = journal
        self._machine = machine
        self._outside = outside
        self._prefix = ["nsenter", f"--net=/proc/{os.getpid()}/fd/{outside}", "--"]
        self._network = os.fstat(outside).st_ino
        self._forwarding = Forwarding(lambda function: inside.at(outside, function), journal, self._network)
        self._endings = Endings()

    def make(self) -> str:
        """Make the cable, if that is not done. Returns the machine's device."""
        if not self._endings:
            with undone_on_error(self.remove):
                self._make()
        return DEVICE

    def remove(self) -> None:
        """Remove the cable and the computer's rules. Idempotent; errors are collected, and every part is ended."""
        self._endings.close()

    def _make(self) -> None:
        near = f"hn{secrets.token_hex(5)}"
        lock = os.open(
            state_directory(), os.O_RDONLY | os.O_DIRECTORY
        )  # two runs would find the same addresses free
        try:
            lock_what_others_can_open(lock, f"state directory {state_directory()}")
            subnet = self._free_subnet()
            ours, theirs = list(subnet.hosts())
            self._journal.record("link", name=near, network=self._network)
            self._endings.add(lambda: self._remove_device(near))
            ip_batch(
                [
                    f"link add name {near} type veth peer name {DEVICE} netns /proc/{os.getpid()}/ns/net",
                    f"link set dev {near} alias {self._journal.alias()}",
                    f"addr add {ours}/{subnet.prefixlen} dev {near}",
                    f"link set dev {near} up",
                ],
                prefix=self._prefix,
            )
        finally:
            os.close(lock)
        ip_batch(
            [
                f"addr add {theirs}/{subnet.prefixlen} dev {DEVICE}",
                f"link set dev {DEVICE} up",
                f"route add default via {ours}",
            ]
        )
        described = nat.translation(
            f"hybridnet-{self._journal.run}-{self._machine}", str(subnet), near, prefix=self._prefix
        )
        self._journal.record("nat", network=self._network, **described)
        self._endings.add(lambda: self._remove_rules(described))
        nat.install(described, self._prefix)
        self._endings.add(self._forwarding.restore)
        self._forwarding.enable()

    def _remove_device(self, device: str) -> None:
        run([*self._prefix, "ip", "link", "del", "dev", device])
        self._journal.gone("link", name=device, network=self._network)

    def _remove_rules(self, described: nat.Translation) -> None:
        nat.remove(described, self._prefix)
        self._journal.gone("nat", network=self._network, name=described["name"])

    def _free_subnet(self) -> ipaddress.IPv4Network:
        told = json.loads(run([*self._prefix, "ip", "-json", "-4", "route", "show", "table", "all"]))
        taken = [
            ipaddress.IPv4Network(route["dst"], strict=False) for route in told if route["dst"] != "default"
        ]
        for subnet in ADDRESSES.subnets(new_prefix=30):
            if not any(subnet.overlaps(network) for network in taken):
                return subnet
        raise EnvironmentLackError(
            f"every /30 of {ADDRESSES} is in use on this computer (ip route); end other runs: hybridnet clean"
        )
