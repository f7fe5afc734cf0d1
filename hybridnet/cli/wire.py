# SPDX-License-Identifier: MIT
"""``hybridnet wire``: join two interfaces by a simulated link, and change one that runs."""

from __future__ import annotations

import argparse
import json
import signal
import threading
import time
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hybridnet.cli.network import add_wait_argument
from hybridnet.describe.options import Option, table
from hybridnet.describe.options.flags import default_of, flags, meaning_of, metavar_of
from hybridnet.describe.options.read import bounds_of
from hybridnet.describe.quantities import parse_delay
from hybridnet.describe.values import choice, shown, whole
from hybridnet.errors import UsageError
from hybridnet.observe.results.console import print_table
from hybridnet.tools.wire import BACKENDS, Wire
from hybridnet.tools.wire.options import parse_list
from hybridnet.tools.wire.report import status_line
from hybridnet.tools.wire.state import WAYS, set_wire

SUMMARY = "Join two interfaces by a simulated link (or change one that runs: wire set NAME)."
EXAMPLES = """  sudo hybridnet wire eth1 eth2 --rate "100 Mbit/s" --delay 10ms
  sudo hybridnet wire eth1 eth2 --delay 5ms --forward "rate=10 Mbit/s,queue=100" --backward "rate=1 Mbit/s"
  sudo hybridnet wire eth1 eth2 --rate "10 Mbit/s" --delay 20ms --jitter 2ms --loss 0.1% --aqm codel --ecn yes
  sudo hybridnet wire eth1 eth2 --slots "500ms@12 Mbit/s+200ms@1 Mbit/s" --loss scripted:segments=3+7+9
  sudo hybridnet wire eth1 eth2 --forward "trace=lte.up,queue=50" --backward "trace=lte.down"
  sudo hybridnet wire eth1 eth2 --portal pcap --duration 60s --json
  sudo hybridnet wire set eth1-eth2 --rate "20 Mbit/s"   from another terminal
  sudo hybridnet wire set eth1-eth2 --loss none --forward "rate=none,delay=50ms"

SIGINT (Ctrl-C) or SIGTERM ends a wire; it puts the interfaces' settings back and prints its verdict.
"""
STATUS_PERIOD_S = 1.0
BATCH = "segments_per_flush"  # of a portal: what --batch sets

# What else is counted of packets, and what that is called.
_CHANGED = {
    "duplicated_packets": "duplicated",
    "corrupted_packets": "damaged",
    "queue_marked_packets": "marked",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The interfaces, what happens between them, and how."""
    parser.add_argument("first", metavar="A", help="an interface of this network namespace; or: set")
    parser.add_argument("second", metavar="B", help="the other one; or, after set: the wire's name")
    for name, option in _flags().items():
        parser.add_argument(f"--{name.replace('_', '-')}", metavar=metavar_of(option), help=_help(option))
    for direction, way in (("forward", "from A to B"), ("backward", "from B to A")):
        parser.add_argument(
            f"--{direction}", metavar="LIST", help=f'{way} only: "rate=10 Mbit/s,delay=5ms,queue=100"'
        )
    parser.add_argument(
        "--portal", choices=BACKENDS, help="how frames are read and written (default: packet)"
    )
    parser.add_argument(
        "--batch",
        type=int,
        metavar="N",
        help="segments written to an interface at once (default: 192, pcap 64)",
    )
    add_wait_argument(parser, "adaptive")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the random numbers (default: 1)")
    parser.add_argument(
        "--record", metavar="FILE.pcapng", help="keep everything that crosses A and B, for hybridnet replay"
    )
    parser.add_argument("--name", help="the name by which `wire set` finds the wire (default: A-B)")
    parser.add_argument(
        "--duration", metavar="TIME", help="end after this long (default: run until ^C or SIGTERM)"
    )
    parser.add_argument("--json", action="store_true", help="print the figures and the verdict as JSON")


def _flags() -> dict[str, Option]:
    """The options of both directions; a plug-in's arguments are written behind its name."""
    return {name: option for name, option in flags(table("direction")).items() if option.kind != "map"}


def _help(option: Option) -> str:
    default = f" (default: {default_of(option)})" if default_of(option) else ""
    return f"{meaning_of(option)}{default}".replace("%", "%%")


def run(arguments: argparse.Namespace) -> int:
    """Run the wire until it is told to end. Returns 4 when its verdict is that it cannot be trusted."""
    if arguments.first == "set":
        return _set(arguments)
    duration_s = _duration_s(arguments.duration)
    backend = arguments.portal or "packet"
    if arguments.batch is not None:
        least, most = bounds_of(table(backend).planned[BATCH])
        whole(arguments.batch, "wire: --batch", int(least), int(most))
    if arguments.wait is not None:
        choice(arguments.wait, "wire: --wait", table("realtime").planned["wait"].choices)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    console = Console(stderr=True, highlight=False)
    with Wire(
        arguments.first,
        arguments.second,
        **_options(arguments),
        backend=backend,
        portal_options={} if arguments.batch is None else {BATCH: arguments.batch},
        realtime={} if arguments.wait is None else {"wait": arguments.wait},
        name=arguments.name,
        seed=1 if arguments.seed is None else arguments.seed,
        record=arguments.record,
    ) as wire:
        for key, source, target in _ways(wire):
            console.print(f"{source} > {target}: {wire.directions[key].text()}", markup=False, soft_wrap=True)
        _watch(wire, ended, duration_s, console)
    return _report(wire, arguments.json)


def _duration_s(text: str | None) -> float | None:
    """How long the wire runs; None: until it is told to end."""
    if text is None:
        return None
    nanoseconds = parse_delay(text, "wire: --duration")
    if nanoseconds == 0:
        raise UsageError(
            f"wire: --duration {shown(text)} is not above 0; write for example 60s, or leave it out"
        )
    return nanoseconds / 1e9


def _set(arguments: argparse.Namespace) -> int:
    for option in ("portal", "batch", "wait", "name", "duration", "seed", "record"):
        if getattr(arguments, option) is not None:
            raise UsageError(
                f"wire set: --{option} cannot be changed while a wire runs; end it and start another"
            )
    now = set_wire(arguments.second, **_options(arguments))
    if arguments.json:
        print(json.dumps({key: direction.to_json() for key, direction in now.items()}, indent=2))
    else:
        for key, way in WAYS:
            print(f"{way}: {now[key].text()}")
    return 0


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of directions, as `Wire` and `set_wire` take them."""

    def listed(way: str) -> Mapping[str, object] | None:
        text = getattr(arguments, way)
        return None if text is None else parse_list(text, f"wire: --{way}")

    common = {key: getattr(arguments, key) for key in _flags()}
    return {**common, "forward": listed("forward"), "backward": listed("backward")}


def _watch(wire: Wire, ended: threading.Event, duration_s: float | None, console: Console) -> None:
    """Waits for the end, with one line about the last second where somebody looks."""
    end = None if duration_s is None else time.monotonic() + duration_s
    before = wire.snapshot()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while not ended.is_set() and (end is None or time.monotonic() < end):
            left = STATUS_PERIOD_S if end is None else min(STATUS_PERIOD_S, end - time.monotonic())
            if ended.wait(max(left, 0.0)):
                return
            now = wire.snapshot()
            if console.is_terminal:
                live.update(Text(status_line(wire.a, wire.b, before, now)), refresh=True)
            before = now


def _report(wire: Wire, as_json: bool) -> int:
    assert wire.verdict is not None
    figures = wire.to_json()
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        rows = [_row(figures["directions"][key]) for key, _, _ in _ways(wire)]
        print_table(
            ("direction", "packets in", "packets out", "goodput", "changed", "dropped by the link"), rows
        )
        for portal, drops in figures["portal_drops"].items():
            if drops:
                print(f"dropped at {portal}: {_drops(drops)}")
        for note in figures["notes"]:
            print(f"note: {note}")
        print(wire.verdict)
    return wire.verdict.exit_code


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"{figures['from']} > {figures['to']}",
        str(figures["accepted_packets"]),
        str(figures["delivered_packets"]),
        f"{figures['goodput_bps'] / 1e6:.3f} Mbit/s",
        ", ".join(f"{figures[key]} {what}" for key, what in _CHANGED.items() if key in figures) or "none",
        _drops(figures["dropped"]) or "none",
    )


def _drops(drops: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in drops.items())


def _ways(wire: Wire) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    return ("a_to_b", wire.a, wire.b), ("b_to_a", wire.b, wire.a)
