# SPDX-License-Identifier: MIT
"""A guest beside this computer, in a network namespace that a cable joins to it: ping through its link of 5 ms, and TCP
in each direction. Beside it the cable alone. Then the cable takes 2 ms in each direction (netem), which the link hides.

Goal of ping: 0.5 ms above what the link takes, whatever the cable takes.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.result import Result
from hybridnet import ExperimentError, Host, Net, Topo
from tests.system.laptop import SERVER, Laptop, laptop, left

DELAY_MS = 5.0
ABOVE_MS = 0.5
CABLE_MS = 2.0
PINGS = 200
TCP_S = 5


class Visited(Topo):
    """h1 - s1 - laptop."""

    def build(self) -> None:
        self.addSimSwitch("s1")
        self.addLink(self.addHost("h1"), "s1")
        self.addLink(self.addGuest("laptop"), "s1", delay=f"{DELAY_MS}ms")


def run() -> list[Result]:
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="hn") as short, laptop(Path(short)) as guest:
        results += _ping("guest/cable", guest.ping_ms(SERVER, PINGS), None)
        with Net(Visited(), controller=None) as net:
            h1: Host = net["h1"]
            goal = 2 * DELAY_MS + ABOVE_MS
            process = guest.join(guest.ticket(net))
            results += _ping("guest/link", guest.ping_ms(h1.IP() or "", PINGS), goal)
            for way, options in (("sent", []), ("received", ["-R"])):
                results.append(Result(f"guest/tcp/{way}", _tcp(guest, h1, options), "Gbit/s"))
            try:
                _slow_down(guest)
                results += _ping("guest/slow/link", guest.ping_ms(h1.IP() or "", PINGS), goal)
                results += _ping("guest/slow/cable", guest.ping_ms(SERVER, PINGS), None)
            except subprocess.CalledProcessError as error:
                results.append(Result("guest/slow", None, "ms", skipped=f"no netem: {error.stderr.strip()}"))
            figures = left(process)
            results.append(Result("guest/late", figures["late_packets"], "packets"))
    return results


def _ping(name: str, round_trips_ms: list[float], goal: float | None) -> list[Result]:
    """Median and 99th percentile."""
    last = round_trips_ms[len(round_trips_ms) * 99 // 100]
    return [
        Result(f"{name}/p50", median(round_trips_ms), "ms", goal, less_is_better=True),
        Result(f"{name}/p99", last, "ms"),
    ]


def _tcp(guest: Laptop, server: Host, options: list[str]) -> float:
    """What one flow gets, in Gbit/s."""
    serving = server.popen(["iperf3", "-s", "-1", "--forceflush"], stderr=subprocess.STDOUT)
    said = ""
    while not re.search("listening", said):
        line = serving.stdout.readline()
        if not line:
            raise ExperimentError(f"guest: iperf3 -s ended: {said}")
        said += line
    command = ["iperf3", "-c", str(server.IP()), "-C", "cubic", "-t", str(TCP_S), "-J", *options]
    report = json.loads(guest.run(*command))
    serving.communicate()
    return float(report["end"]["sum_received"]["bits_per_second"]) / 1e9


def _slow_down(guest: Laptop) -> None:
    netem = ["root", "netem", "delay", f"{CABLE_MS}ms", "limit", "100000"]
    guest.run("tc", "qdisc", "add", "dev", "up0", *netem)
    subprocess.run(
        ["tc", "qdisc", "add", "dev", f"{guest.name}u", *netem], check=True, capture_output=True, text=True
    )
