# SPDX-License-Identifier: MIT
"""``hybridnet join``: this computer as a guest of a network that runs on another one."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hybridnet.errors import UsageError

if TYPE_CHECKING:
    from hybridnet.tools.join import Ticket

SUMMARY = (
    "Join a network that runs on another computer, as its guest: an interface here, behind a simulated link."
)
EXAMPLES = """  ssh SERVER sudo hybridnet ticket | sudo hybridnet join SERVER   the ticket by SSH
  sudo hybridnet join 192.0.2.7 --ticket laptop.ticket            a ticket that was copied here

SIGINT (Ctrl-C) or SIGTERM leaves; the interface, its addresses and routes go.
"""
MOST_TICKET_BYTES = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """HOST, and the ticket."""
    parser.add_argument(
        "host", metavar="HOST", help="the computer on which the network runs: a name or an IPv4 address"
    )
    parser.add_argument(
        "--ticket",
        metavar="FILE",
        help="what `hybridnet ticket` printed on that computer (default: standard input)",
    )
    parser.add_argument(
        "--device",
        metavar="NAME",
        help="the name of the interface on this computer (default: as in the network)",
    )
    parser.add_argument("--json", action="store_true", help="print the figures and the verdict as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Stay until it is told to leave, or the run is gone. Returns 4 when the verdict is that it cannot be trusted."""
    from hybridnet.tools.join import Guest

    ticket = _ticket(arguments.ticket)
    left = threading.Event()
    console = Console(stderr=True, highlight=False)
    with Guest(arguments.host, ticket, device=arguments.device) as guest:
        # Before, they end it as any other command.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: left.set())
        addresses = ", ".join(ticket.addresses) or "no address"
        console.print(
            f"joined as {ticket.guest}: {guest.device} has {addresses}; Ctrl-C leaves",
            markup=False,
            soft_wrap=True,
        )
        with Live(console=console, auto_refresh=False, transient=True) as live:

            def show(before: Any, now: Any) -> None:
                if console.is_terminal:
                    live.update(Text(_line(before, now)), refresh=True)

            guest.watch(left.wait, show)
    return _report(guest, arguments.json)


def _ticket(file: str | None) -> Ticket:
    from hybridnet.tools.join import read_ticket

    if file is None and sys.stdin.isatty():
        raise UsageError(
            "join: there is no ticket; write `ssh HOST sudo hybridnet ticket | sudo hybridnet join HOST`, or give "
            "--ticket FILE"
        )
    try:
        if file is None:
            return read_ticket(sys.stdin.read(MOST_TICKET_BYTES))
        with open(file, encoding="utf-8") as text:
            return read_ticket(text.read(MOST_TICKET_BYTES))
    except OSError as error:
        raise UsageError(f"join: the ticket cannot be read: {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(
            "join: the ticket cannot be read: it is not text; `hybridnet ticket` prints one"
        ) from None


def _line(before: Any, now: Any) -> str:
    """What passed between two looks, and how long the way takes."""
    from hybridnet.tools.join.guest import peer_of

    seconds = (now["time_ns"] - before["time_ns"]) / 1e9
    first, last = peer_of(before), peer_of(now)
    rates = (
        f"{way} {8e-6 * (last[key] - first[key]) / seconds:.2f} Mbit/s"
        for way, key in (("out", "sent_bytes"), ("in", "received_bytes"))
    )
    late = last["late_packets"] - first["late_packets"]
    parts = [*rates, f"round trip {last['least_round_trip_ns'] / 1e6:.2f} ms", f"{late} late"]
    return "   ".join([*parts, "the run is silent"] if last["peer_silent"] else parts)


def _report(guest: Any, as_json: bool) -> int:
    assert guest.verdict is not None
    figures = guest.figures()
    if as_json:
        print(json.dumps({**figures, "verdict": guest.verdict.to_json()}, indent=2))
    else:
        dropped = ", ".join(f"{count} {reason}" for reason, count in figures["dropped"].items()) or "none"
        print(
            f"{figures['seconds']:.0f} s: {figures['sent_packets']} packets sent, {figures['received_packets']} "
            f"received, {figures['late_packets']} late, {figures['lost_packets']} lost on the way; dropped: {dropped}"
        )
        print(guest.verdict)
    return int(guest.verdict.exit_code)
