# SPDX-License-Identifier: MIT
"""Flows that cross a chain of switches, each of which asks Ryu about each new flow: how long, how many a second.

The app (`setup_switch`) says for each switch how long after the one before it the same flow made it ask: the time of a
set-up, from one question to the next, with all that Ryu, its connections and a switch take.
"""

from __future__ import annotations

import queue
import re
import subprocess
import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

from hybridnet import Cluster, Net, Ryu
from hybridnet.errors import HybridnetError
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.controller_load import prober
from hybridnet.experiments.controller_load.chain import Chain

__all__ = ["SetUps", "measure"]

ALONE_SETUPS, LEAST_ALONE, WARM_UP = 800, 5, 2
"""About so many set-ups of flows that come alone, but at least so many flows, after some that do not count."""
AT_ONCE_SETUPS, LEAST_AT_ONCE = 2000, 4
ON_THE_WAY = 100
"""Of the many flows, so many are on their way: a switch that waits for the processor keeps the frames of all of them.

Open vSwitch's sockets hold 277 of the smallest (of 768 bytes with their descriptions, in 212,992), and each of its
connections to a controller 100 questions. Ryu, which answers one after the other, always has one to answer."""
PORT, FIRST_SOURCE = 7000, 20000
PATIENCE_S = 120.0
_SAID = re.compile(r"^setup_switch: (\d+) (\d+)$")


@dataclass(frozen=True)
class SetUps:
    """Milliseconds of one set-up of a flow that comes alone, and how many there are a second when many come at once."""

    p50_ms: float
    p99_ms: float
    per_second: float


def measure(cluster: Cluster, kind: str, count: int) -> SetUps:
    """One chain, on the cluster's machine; Ryu runs here.

    Raises:
        HybridnetError: a flow does not arrive.
    """
    took_ms: defaultdict[int, list[float]] = defaultdict(list)

    def hear(line: str) -> None:
        if said := _SAID.match(line):
            took_ms[int(said[1])].append(int(said[2]) / 1e6)

    controller = Ryu("c0", "setup_switch", on_line=hear)
    topo = Chain(count=count, switch=SWITCH_KINDS[kind])
    with Net(topo, cluster=cluster, controller=controller, autoStaticArp=True) as net:
        first, last = net.get("h1", "h2")
        script = Path(prober.__file__).read_text()
        taking = last.popen([PYTHON, "-c", script, "receive", str(PORT)])
        came: queue.SimpleQueue[str] = queue.SimpleQueue()

        def follow() -> None:
            for line in taking.stdout:
                came.put(line)

        threading.Thread(target=follow, daemon=True).start()
        _line(came)

        def send(number: int, flows: int) -> float:
            """Seconds until the last of so many flows has arrived; the first was sent at 0."""
            sender = first.popen(
                [PYTHON, "-c", script, "send", str(last.IP()), str(PORT), str(number), str(flows)],
                stdin=subprocess.PIPE,
            )
            sender.stdin.write("." * min(flows, ON_THE_WAY))
            arrivals: list[int] = []
            left = flows - ON_THE_WAY
            while len(arrivals) < flows:
                arrivals.append(int(_line(came).split()[1]))
                if left > 0 and len(arrivals) % (ON_THE_WAY // 2) == 0:
                    sender.stdin.write("." * min(left, ON_THE_WAY // 2))
                    left -= ON_THE_WAY // 2
            out, _ = sender.communicate()
            sent = [int(at) for _, at in map(str.split, out.splitlines())]
            return (max(arrivals) - min(sent)) / 1e9

        alone = max(LEAST_ALONE, ALONE_SETUPS // count)
        for number in range(WARM_UP + alone):
            send(FIRST_SOURCE + number, 1)
        counted = [
            each for number in range(alone) for each in took_ms.get(FIRST_SOURCE + WARM_UP + number, ())
        ]
        flows = max(LEAST_AT_ONCE, AT_ONCE_SETUPS // count)
        seconds = send(FIRST_SOURCE + WARM_UP + alone, flows)
        taking.terminate()
        taking.wait()
    if len(counted) < 2:
        raise HybridnetError(f"controller-load: of {alone} flows Ryu has set up {len(counted)}")
    cuts = quantiles(counted, n=100, method="inclusive")
    return SetUps(cuts[49], cuts[98], flows * count / seconds)


def _line(came: queue.SimpleQueue[str]) -> str:
    try:
        return came.get(timeout=PATIENCE_S)
    except queue.Empty:
        raise HybridnetError(f"controller-load: a flow is not set up within {PATIENCE_S:g} s") from None
