# SPDX-License-Identifier: MIT
"""A computer that is too slow for its background: as packets it is late, with ``fidelity="auto"`` it is not.

::

    h1 (emulated) ── r1 ══ r2 ══ r3 ══ r4 ── h2 (emulated)
    4 hosts ─────────┘                 └───── 4 hosts, 100 CUBIC flows each

The two emulated hosts ping each other 100 times a second through links of 5 Gbit/s that the background fills. Three
arms in turns: as packets; with ``fidelity="auto"``; and as packets at a twentieth of the speed (``slow=20``), which is
what a computer twenty times as fast would show.

Unit: broken verdicts, the mean round trip (ms), and the share of a link that is used; medians. Goals: the first arm
broken, the second not, and its link used as that of the third within 2 %.

Usage: ``sudo python benchmarks/fidelity.py [ROUNDS]``, default 3.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result
from hybridnet import Net, Topo
from hybridnet.observe.results.verdict import Word

ROUNDS = 3
GBPS = 5
CLASSES, FLOWS = 4, 100
SECONDS = 8
SLOW = 20
LINK = "r2-r3:r2-eth2>r3-eth1"
ARMS: dict[str, dict[str, Any]] = {
    "packets": {"fidelity": "packets"},
    "auto": {"fidelity": "auto", "error": "2%"},
    "slow": {"fidelity": "packets", "slow": SLOW},
}


class Background(Topo):
    """Four routers in a row, and flows along all of them."""

    def build(self) -> None:
        routers = [self.addSimRouter(f"r{number}") for number in range(1, 5)]
        for near, far in pairwise(routers):
            self.addLink(near, far, bw=1000 * GBPS, delay="2ms", max_queue_size=4000)
        for name, router in (("h1", "r1"), ("h2", "r4")):
            self.addHost(name)
            self.addLink(name, router, bw=1000, delay="1ms")
        for number in range(CLASSES):
            for side, router in (("a", "r1"), ("b", "r4")):
                self.addSimHost(f"{side}{number}")
                self.addLink(f"{side}{number}", router, bw=10_000, delay="1ms", max_queue_size=10_000)
            self.addFluid(
                f"a{number}", f"b{number}", {"model": "tcp_flows", "flows": FLOWS, "congestion": "cubic"}
            )


@dataclass(frozen=True)
class Seen:
    """What an arm showed."""

    broken: bool
    round_trip_ms: float
    use: float
    said: str


def look(options: dict[str, Any]) -> Seen:
    """Run an arm. The first two seconds are not judged: there flows begin."""
    with Net(Background(), controller=None, **options) as net:
        slow = net.slow
        ping = ["ping", "-q", "-i", f"{0.01 * slow:g}", net["h2"].IP()]
        patience = 60 + 2 * SECONDS * slow
        net["h1"].execute([*ping[:2], "-c", "200", *ping[2:]], timeout=patience)
        before = _link(net)
        with net.measured() as measured:
            said = net["h1"].execute([*ping[:2], "-c", str(100 * SECONDS), *ping[2:]], timeout=patience)
            after = _link(net)
    [mean] = re.findall(r"= [\d.]+/([\d.]+)/", said)
    carried = (after[0] - before[0]) * 8 / ((after[1] - before[1]) / 1e9)
    verdict = measured.verdict
    return Seen(verdict.word is Word.BROKEN, float(mean) / slow, carried / (GBPS * 1e9), str(verdict))


def _link(net: Net) -> tuple[int, int]:
    """What the link in the middle has carried (bytes), and when that was (simulated ns)."""
    [snapshot] = net.snapshot().values()
    [row] = [each for each in snapshot["links"] if each["name"] == LINK]
    return row["delivered_bytes"] + row.get("background_served_bytes", 0), snapshot["time_ns"]


def run(rounds: int = ROUNDS) -> list[Result]:
    """The arms in turns."""
    seen: dict[str, list[Seen]] = {arm: [] for arm in ARMS}
    for _ in range(rounds):
        for arm, options in ARMS.items():
            seen[arm].append(look(options))
            print(f"fidelity: {arm}: {seen[arm][-1].said}", flush=True)
    results = []
    for arm, each in seen.items():
        of = f"fidelity/{CLASSES * FLOWS} flows, {GBPS} Gbit/s/{arm}"
        broken = sum(one.broken for one in each)
        goal = {"packets": float(rounds), "auto": 0.0}.get(arm)
        results += [
            Result(f"{of}/broken verdicts", broken, f"of {rounds}", goal, less_is_better=arm == "auto"),
            Result(f"{of}/round trip", median(one.round_trip_ms for one in each), "ms"),
            Result(f"{of}/use of the link", median(one.use for one in each), ""),
        ]
    return results


if __name__ == "__main__":
    for result in run(*map(int, sys.argv[1:])):
        print(result)
