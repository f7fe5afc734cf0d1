# SPDX-License-Identifier: MIT
"""``hybridnet generate``: send frames of a schedule or a file at an interface, or count them at another."""

from __future__ import annotations

import argparse
import json
import signal
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hybridnet.describe.quantities import format_delay, format_rate, parse_delay
from hybridnet.errors import UsageError
from hybridnet.observe.results import Word
from hybridnet.observe.results.console import print_table
from hybridnet.tools.generate import BACKENDS, GAPS, Generator, Receiver
from hybridnet.tools.generate.report import judge_receiver, receiver_line, sender_line

SUMMARY = "Send the frames of a schedule or a pcap file from an interface, or count them at another."
EXAMPLES = """  sudo hybridnet generate eth1 --rate 12500pps --size 100 --duration 60s
  sudo hybridnet generate eth1 --rate "1 Gbit/s" --size 1400 --duration 10s --trains
  sudo hybridnet generate eth1 --schedule "1000pps for 5s, 0pps for 1s, 5000pps for 5s" --gaps poisson
  sudo hybridnet generate eth1 --pcap recorded.pcap --speed 2 --loop 10
  sudo hybridnet generate eth1 --pcap recorded.pcap --rate "100 Mbit/s"
  sudo hybridnet generate --receive eth2 --silence 2s --json

SIGINT (Ctrl-C) or SIGTERM ends it; it then reports what has passed. The exit code is 4 when frames did not leave
when they were due, or when the receiver could not count everything that came.
"""
STATUS_PERIOD_S = 1.0

# Options that only sending, or only counting, has.
OF_SENDING = (
    *(
        "rate",
        "schedule",
        "size",
        "gaps",
        "on",
        "off",
        "source_mac",
        "destination_mac",
        "source",
        "destination",
    ),
    *(
        "source_port",
        "pcap",
        "speed",
        "loop",
        "gather",
        "trains",
        "wait",
        "patience",
        "seed",
        "lateness_limit",
    ),
)
OF_RECEIVING = ("silence", "sent")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options: what is sent, when, from whom to whom; or what is counted."""
    parser.add_argument("device", metavar="DEVICE", help="an interface of this network namespace")
    parser.add_argument(
        "--receive", action="store_true", help="count numbered frames there instead of sending"
    )
    parser.add_argument("--duration", metavar="TIME", help="end after this long")
    parser.add_argument("--count", type=int, metavar="N", help="end after this many frames")
    parser.add_argument(
        "--port", type=int, metavar="N", help="destination UDP port of the frames (default: 5300)"
    )
    parser.add_argument(
        "--portal", choices=BACKENDS, help="how frames are written and read (default: packet)"
    )
    parser.add_argument(
        "--cpu", type=int, metavar="N", help="keep the thread that sends or counts on this core"
    )
    parser.add_argument(
        "--fifo", type=int, metavar="PRIORITY", help="run that thread in real time at this priority, 1 to 99"
    )
    parser.add_argument("--json", action="store_true", help="print the figures and the verdict as JSON")
    schedule = parser.add_argument_group("schedule")
    schedule.add_argument(
        "--rate", metavar="RATE", help='"12500pps" or "1 Gbit/s"; with --pcap, instead of the recorded times'
    )
    schedule.add_argument("--schedule", metavar="LIST", help='"1000pps for 5s, 0pps for 1s, 1 Gbit/s for 5s"')
    schedule.add_argument("--gaps", choices=GAPS, help="the gaps between frames (default: constant)")
    schedule.add_argument("--on", metavar="TIME", help="for --gaps on-off: mean time on (default: 10ms)")
    schedule.add_argument("--off", metavar="TIME", help="for --gaps on-off: mean time off (default: 10ms)")
    schedule.add_argument("--seed", type=int, metavar="N", help="seed of random gaps (default: 1)")
    frames = parser.add_argument_group("frames")
    frames.add_argument(
        "--size",
        type=int,
        metavar="BYTES",
        help="size of a frame in bytes, with its Ethernet header (default: 100)",
    )
    frames.add_argument(
        "--source-mac",
        metavar="MAC",
        help="source MAC address of the frames (default: the interface's own; with --pcap, as recorded)",
    )
    frames.add_argument(
        "--destination-mac",
        metavar="MAC",
        help="destination MAC address of the frames (default: one that no interface has; with --pcap, as recorded)",
    )
    frames.add_argument(
        "--source", metavar="ADDRESS", help="source IPv4 address of the frames (default: 198.18.0.1)"
    )
    frames.add_argument(
        "--destination",
        metavar="ADDRESS",
        help="destination IPv4 address of the frames (default: 198.18.0.2)",
    )
    frames.add_argument(
        "--source-port", type=int, metavar="N", help="source UDP port of the frames (default: 5300)"
    )
    recorded = parser.add_argument_group("recorded frames")
    recorded.add_argument("--pcap", type=Path, metavar="FILE", help="send these frames (pcap or pcapng)")
    recorded.add_argument("--speed", metavar="FACTOR", help="speed up the recorded times; 2 is twice as fast")
    recorded.add_argument("--loop", type=int, metavar="N", help="send the file this many times (default: 1)")
    sending = parser.add_argument_group("sending")
    sending.add_argument(
        "--gather", metavar="TIME", help="frames due within this time leave together (default: 0)"
    )
    sending.add_argument(
        "--trains",
        action="store_true",
        default=None,
        help="send frames that are due together as trains of equal segments; gathers for 50us without --gather",
    )
    sending.add_argument(
        "--wait",
        metavar="POLICY",
        help="how it waits until a frame is due: sleep, adaptive, or dedicated, which takes a core (default: sleep)",
    )
    sending.add_argument("--spin", dest="retired_spin", help=argparse.SUPPRESS)
    sending.add_argument(
        "--patience",
        metavar="TIME",
        help="how long to go on with late frames after the last one was due (default: 1s)",
    )
    sending.add_argument(
        "--lateness-limit",
        metavar="TIME",
        help="99.9 %% of the frames must leave within this, plus --gather (default: 1ms)",
    )
    counting = parser.add_argument_group("counting")
    counting.add_argument(
        "--silence", metavar="TIME", help="end when no frame has come for this long after the first"
    )
    counting.add_argument(
        "--sent",
        type=int,
        metavar="N",
        help="how many frames were sent; those that do not arrive count as missing",
    )


def run(arguments: argparse.Namespace) -> int:
    """Send or count. Return 4 when the schedule was not kept, or the count is not complete."""
    if arguments.retired_spin is not None:
        raise UsageError("generate: --spin no longer exists; write --wait dedicated, which never sleeps")
    foreign = OF_SENDING if arguments.receive else OF_RECEIVING
    for name in foreign:
        if getattr(arguments, name) is not None:
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"generate: {option} is an option of {'sending' if arguments.receive else 'counting'}; "
                f"leave it out, or {'leave out' if arguments.receive else 'add'} --receive"
            )
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: ended.set())
    return _receive(arguments, ended) if arguments.receive else _send(arguments, ended)


def _send(arguments: argparse.Namespace, ended: threading.Event) -> int:
    given = {name: getattr(arguments, name) for name in (*OF_SENDING, "duration", "count", "cpu")}
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.port is not None:
        options["destination_port"] = arguments.port
    if arguments.portal is not None:
        options["backend"] = arguments.portal
    console = Console(stderr=True, highlight=False)
    with Generator(arguments.device, fifo_priority=arguments.fifo, **options) as generator:
        console.print(f"sending at {arguments.device}: {generator.description}", markup=False, soft_wrap=True)
        _watch(generator, sender_line, ended, None, console)
    figures = {"device": arguments.device, **generator.figures()}
    verdict = generator.verdict
    if arguments.json:
        print(json.dumps({**figures, "notes": generator.notes, "verdict": verdict.to_json()}, indent=2))
    else:
        print_table(("frames", ""), _sender_rows(figures))
        for note in generator.notes:
            print(f"note: {note}")
        print(
            "the schedule was kept"
            if verdict.word is Word.TRUSTED
            else f"the schedule was NOT kept: {'; '.join(verdict.reasons)}"
        )
    return verdict.exit_code


def _receive(arguments: argparse.Namespace, ended: threading.Event) -> int:
    duration_s = (
        None if arguments.duration is None else parse_delay(arguments.duration, "generate: --duration") / 1e9
    )
    given = {name: getattr(arguments, name) for name in ("port", "count", "silence", "cpu")}
    options = {name: value for name, value in given.items() if value is not None}
    if arguments.portal is not None:
        options["backend"] = arguments.portal
    console = Console(stderr=True, highlight=False)
    with Receiver(arguments.device, fifo_priority=arguments.fifo, **options) as receiver:
        console.print(f"counting at {arguments.device}: {receiver.description}", markup=False, soft_wrap=True)
        _watch(receiver, receiver_line, ended, duration_s, console)
    counted = receiver.figures(arguments.sent)
    figures = {"device": arguments.device, **counted}
    verdict = judge_receiver(counted)
    if arguments.json:
        print(json.dumps({**figures, "notes": receiver.notes, "verdict": verdict.to_json()}, indent=2))
    else:
        print_table(("frames", ""), _receiver_rows(figures))
        for note in receiver.notes:
            print(f"note: {note}")
        print(
            "all that came was counted"
            if verdict.word is Word.TRUSTED
            else f"NOT all was counted: {'; '.join(verdict.reasons)}"
        )
    return verdict.exit_code


def _watch(
    part: Generator | Receiver,
    line: Callable[[Mapping[str, Any], Mapping[str, Any]], str],
    ended: threading.Event,
    duration_s: float | None,
    console: Console,
) -> None:
    """Wait until it ends by itself or is told to; on a terminal, show one line about the last second."""
    end = None if duration_s is None else time.monotonic() + duration_s
    before = part.report()
    shown = time.monotonic()
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while not ended.is_set() and (end is None or time.monotonic() < end):
            # The end of the thread cannot wake this one, so we look often.
            if part.wait(0.05):
                return
            if console.is_terminal and time.monotonic() - shown >= STATUS_PERIOD_S:
                now = part.report()
                live.update(Text(line(before, now)), refresh=True)
                before, shown = now, time.monotonic()


def _sender_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("due", f"{figures['due_packets']:,}"),
        ("sent", f"{figures['sent_packets']:,}"),
        ("dropped", _drops(figures["dropped"])),
        ("never left", f"{figures['unsent_packets'] + figures['waiting_packets']:,}"),
        ("rate", _rate(figures)),
        ("late p50, p99, p99.9, most", _percentiles(figures, "lateness")),
    ]


def _receiver_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("received", f"{figures['received_packets']:,}"),
        ("missing", f"{figures['missing_packets']:,}"),
        ("duplicate", f"{figures['duplicate_packets']:,}"),
        ("reordered", f"{figures['reordered_packets']:,}"),
        ("damaged", f"{figures['damaged_packets']:,}"),
        ("not of a generator", f"{figures['foreign_packets']:,}"),
        ("dropped by the kernel before they were read", f"{figures['capture_drops']:,}"),
        ("dropped", _drops(figures["dropped"])),
        ("rate", _rate(figures)),
        ("delay p50, p99, p99.9, most", _percentiles(figures, "delay")),
    ]


def _rate(figures: Mapping[str, Any]) -> str:
    if not figures["rate_bps"]:
        return "-"
    return f"{figures['rate_pps']:,.1f} frames/s, {format_rate(round(figures['rate_bps']))}"


def _percentiles(figures: Mapping[str, Any], name: str) -> str:
    return ", ".join(format_delay(figures[f"{name}_{key}_ns"]) for key in ("p50", "p99", "p999", "max"))


def _drops(drops: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in drops.items()) or "0"
