# SPDX-License-Identifier: MIT
"""A guest: this computer, with an interface in a network that runs on another one.

::

    programs ── laptop-eth0 (TAP) ── portal ── link ── peering portal ══ UDP, sealed ══ the run

It is one instance with one end of a cut link, in a process of its own. The interface belongs to that process: the
kernel removes it, with its addresses and routes, when the process ends, however it ends.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hybridnet.agent.instances.instance_process import InstanceProcess
from hybridnet.describe.values import text
from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.observe.results import Limits, Verdict, judge
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.cleaning import remove_run_directory
from hybridnet.system.command import ip_batch, run
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.guardian import Guardian
from hybridnet.system.journal import Journal
from hybridnet.tools.join.ticket import Ticket

__all__ = ["Guest"]

JOIN_SECONDS = 15.0
SILENCE_SECONDS = 10.0
"""A run that is not heard of for so long is gone."""
MOST_ASLEEP_SECONDS = 0.1
POLL_S = 0.05
SOCKET = "guest.sock"


class Guest:
    """This computer as a guest, from `start` until `close`. ``with`` starts and closes.

    Args:
        host: the computer where the run waits: a name, or an IPv4 address.
        ticket: what the run has said of the guest.
        device: what the interface is called here; None: as in the network.

    Raises:
        UsageError: the host has no IPv4 address.
        EnvironmentLackError: not root, or there is an interface of that name.
    """

    def __init__(self, host: str, ticket: Ticket, *, device: str | None = None) -> None:
        self.host, self.ticket = text(host, "join: host"), ticket
        self.device = ticket.device if device is None else text(device, "join: device")
        self.verdict: Verdict | None = None
        self._what = f"guest {ticket.guest}"
        self.address = _resolved(self.host)
        if os.geteuid() != 0:
            raise EnvironmentLackError(f"{self._what}: making an interface needs root; run it with sudo")
        if not 1 <= len(self.device.encode()) <= 15 or "/" in self.device:
            raise UsageError(
                f"{self._what}: {self.device!r} is not a name for an interface; write 1 to 15 letters"
            )
        if self.device in (name for _, name in socket.if_nameindex()):
            raise EnvironmentLackError(
                f"{self._what}: there is an interface {self.device} here already; choose another name with --device"
            )
        plan = ticket.plan(self.address)
        (portal,) = plan["emulation_portals"]
        portal["device"] = self.device
        self._plan = plan
        self._endings = Endings()
        self._process: InstanceProcess | None = None
        self._heard = self._slept = 0.0
        self._first: Snapshot | None = None  # since it has joined
        self._last: Snapshot | None = None

    def start(self) -> None:
        """Make the interface, and wait until the run has answered.

        Raises:
            MachineError: the run does not answer, or something could not be made.
            EnvironmentLackError: the way to the host would lead into the network.
        """
        with undone_on_error(self.close):
            journal = Journal.create()
            self._endings.add(lambda: remove_run_directory(journal.directory))
            self._endings.add(journal.close)
            guardian = Guardian(journal.directory)
            self._endings.add(guardian.end)
            guardian.start()
            self._process = InstanceProcess(
                self._plan, journal, journal.directory / "guest", journal.directory / SOCKET
            )
            self._endings.add(self._stop)
            self._process.await_ready()
            self._configure()
            self._await_answer()
            self._first = self._last
            self._heard, self._slept = time.monotonic(), _slept()

    def look(self) -> Snapshot:
        """The counters of the guest's instance, now.

        Raises:
            MachineError: the run has not been heard from for `SILENCE_SECONDS`, the instance has ended, or this
                computer was asleep, and the instance's clock with it.
        """
        last = self._ask()
        now = time.monotonic()
        if (asleep := _slept() - self._slept) > MOST_ASLEEP_SECONDS:
            raise MachineError(
                f"{self._what}: this computer was asleep for {asleep:.1f} s, and what the run knows of its clock is "
                "wrong now; join again"
            )
        if not peer_of(last)["peer_silent"]:
            self._heard = now
        elif now - self._heard > SILENCE_SECONDS:
            raise MachineError(
                f"{self._what}: the run at {self._where()} has not been heard from for {SILENCE_SECONDS:g} s; it has "
                "ended, the way there is cut, or another computer has joined with this ticket"
            )
        return last

    def watch(self, wait: Callable[[float], bool], on_look: Callable[[Snapshot, Snapshot], object]) -> None:
        """Look every second until told to end.

        Args:
            wait: waits so many seconds at most; whether to end.
            on_look: called with the last snapshot and this one.

        Raises:
            MachineError: as `look`.
        """
        before = self.look()
        while not wait(1.0):
            now = self.look()
            on_look(before, now)
            before = now

    def figures(self) -> dict[str, object]:
        """What has passed since it joined, and what the way to the run is like.

        Returns:
            seconds; sent, received, late and lost packets of the link; dropped at the way, by reason; the round trip of
            the way (least) and how long the slowest thousandth of packets took to come, in ns.
        """
        if self._first is None or self._last is None:
            raise UsageError(f"{self._what}: it has not joined; use `with`, or call start() first")
        before, after = peer_of(self._first), peer_of(self._last)
        dropped = {
            reason: count - before["dropped"].get(reason, 0) for reason, count in after["dropped"].items()
        }
        return {
            "guest": self.ticket.guest,
            "seconds": (self._last["time_ns"] - self._first["time_ns"]) / 1e9,
            **{
                key: after[key] - before[key]
                for key in (
                    "sent_packets",
                    "sent_bytes",
                    "received_packets",
                    "received_bytes",
                    "late_packets",
                    "lost_packets",
                )
            },
            "dropped": {reason: count for reason, count in dropped.items() if count},
            "round_trip_ns": after["least_round_trip_ns"],
            "transit_p999_ns": after["transit_p999_ns"],
        }

    def close(self) -> None:
        """Leave: the interface goes with its addresses and routes. Afterwards `verdict` is there, if it had joined. A
        second call does nothing.
        """
        self._endings.close()

    def __enter__(self) -> Guest:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self) -> Snapshot:
        if self._process is None:
            raise UsageError(f"{self._what}: it has not been started; use `with`, or call start() first")
        self._last = self._process.ask("snapshot")
        return self._last

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        final = process.stop()
        if final is None:
            process.check()  # raises, with its last words
        elif self._first is not None:
            self._last = final
            self.verdict = judge([([self._first], [final])], Limits())

    def _configure(self) -> None:
        """Give the interface what the ticket says; a TAP is up as soon as it is there."""
        addresses = self.ticket.addresses
        if not any(":" in address for address in addresses):  # it would speak of itself
            disable = Path(f"/proc/sys/net/ipv6/conf/{self.device}/disable_ipv6")
            if disable.exists():
                disable.write_text("1")
        ip_batch(
            [
                f"link set dev {self.device} address {self.ticket.mac}",
                *(
                    f"addr add {address} dev {self.device}{' nodad' if ':' in address else ''}"
                    for address in addresses
                ),
                *(f"route add {prefix} via {via} dev {self.device}" for prefix, via in self.ticket.routes),
            ]
        )
        (way,) = json.loads(run(["ip", "-json", "route", "get", self.address]))
        if way.get("dev") == self.device:
            taken = [ipaddress.ip_interface(address).network for address in addresses]
            prefixes = ", ".join(str(network) for network in taken)
            raise EnvironmentLackError(
                f"{self._what}: {self.host} ({self.address}) lies in the network that it would join ({prefixes}), and "
                "could not be reached any more; give the run's topology other addresses (--ip-base)"
            )

    def _await_answer(self) -> None:
        deadline = time.monotonic() + JOIN_SECONDS
        while not (row := peer_of(self._ask()))["synchronized"]:
            if time.monotonic() > deadline:
                why = (
                    "nobody listens there: the run has ended, or waits at another address"
                    if row["unreachable"]
                    else "the run has ended, the ticket is of another run, or UDP does not pass"
                )
                raise MachineError(
                    f"{self._what}: no answer from {self._where()} within {JOIN_SECONDS:g} s; {why}"
                )
            time.sleep(POLL_S)

    def _where(self) -> str:
        return f"{self.host}, UDP port {self.ticket.port}"


def peer_of(snapshot: Snapshot) -> Mapping[str, Any]:
    """What a snapshot of a guest's instance says of the run."""
    (row,) = snapshot["peers"]
    found: Mapping[str, Any] = row
    return found


def _slept() -> float:
    """For how many seconds this computer has been asleep since it was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)


def _resolved(host: str) -> str:
    try:
        found = socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_DGRAM)
    except (OSError, UnicodeError):
        raise UsageError(
            f"join: {host} has no IPv4 address that this computer knows; write one, or correct the name"
        ) from None
    return str(found[0][4][0])
