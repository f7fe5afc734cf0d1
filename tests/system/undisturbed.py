# SPDX-License-Identifier: MIT
"""Runs that nobody disturbs, of five kinds, in turn: how many does the verdict call what?

    python -m tests.system.undisturbed 20          # so many of each kind
    python -m tests.system.undisturbed 20 --busy   # with TCP as fast as it goes, not UDP at 10 Mbit/s

On a computer with nothing else to do, each that is not *trusted* is a false alarm. On a busy one, its verdicts say so.

How even the computer is, without hybridnet: once in each round a process that does nothing else wakes up every
millisecond, before all others (SCHED_FIFO). The last lines say how late.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from hybridnet import Net
from hybridnet.topologies import SingleSwitchTopo, TwoTrees
from tests.system.computer import run_on_a_computer
from tests.system.harm import Small
from tests.system.port_type import PORT_TYPE

SCRIPT = """
from mininet.net import Mininet
from mininet.link import TCLink
from mininet.topo import LinearTopo

net = Mininet(topo=LinearTopo(3), link=TCLink)
net.start()
net.configLinkStatus("s1", "s2", "down")
net.configLinkStatus("s1", "s2", "up")
net["s1"].cmd("ip link set dev s1-eth1 down; ip link set dev s1-eth1 up")
net.pingAll()
net["h1"].cmd("ping -c 20 -i 0.05", net["h2"].IP())
net.iperf(seconds=1, l4Type=PROTOCOL)
"""


def emulated(protocol: str) -> str:
    """A switch and two hosts, with a ping and a flow, as the others."""
    with Net(SingleSwitchTopo(k=2), port_type=PORT_TYPE) as net:
        net.pingAll()
        net["h1"].cmd("ping -c 40 -i 0.05", net["h2"].IP())
        net.iperf(seconds=1, l4Type=protocol)
    return str(net.verdict())


def hybrid(protocol: str) -> str:
    """A simulated link between an Open vSwitch and a Linux bridge, with a ping and a flow."""
    with Net(Small(), port_type=PORT_TYPE) as net:
        net.pingAll()
        net["h1"].cmd("ping -c 40 -i 0.05", net["h2"].IP())
        net.iperf(seconds=1, l4Type=protocol)
    return str(net.verdict())


def two_machines(protocol: str) -> str:
    """Two machines with a cut link of 5 ms."""
    with Net(TwoTrees(depth=1, bw=100, delay="5ms"), port_type=PORT_TYPE) as net:
        net.pingAll()
        net.iperf(seconds=1, l4Type=protocol)
    return str(net.verdict())


def simulated_switches(protocol: str) -> str:
    """Simulated OpenFlow switches under Ryu, and real hosts."""
    with Net(TwoTrees(depth=1, bw=100, delay="5ms"), switches="simulated") as net:
        net.pingAll()
        net["h1"].cmd("ping -c 40 -i 0.05", net["h2"].IP())
        net.iperf(seconds=1, l4Type=protocol)
    return str(net.verdict())


def mininet(protocol: str) -> str:
    """A script for Mininet, on a computer of its own."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(f"PROTOCOL = {protocol!r}\n{SCRIPT}")
        done = run_on_a_computer([".venv/bin/hybridnet", "run", str(script)])
    return done.err.rpartition("Verdict: ")[2].splitlines()[0]


def wake_ups_ns(seconds: float = 3.0) -> list[int]:
    """How late a process wakes up that wants to every millisecond, as long as a run lasts."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        late, due = [], time.monotonic_ns()
        for _ in range(round(1000 * seconds)):
            due += 1_000_000
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
            late.append(time.monotonic_ns() - due)
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return late


KINDS: list[Callable[[str], str]] = [emulated, hybrid, two_machines, simulated_switches, mininet]


def main(times: int, protocol: str) -> int:
    """Print a line for each run that is not trusted, and the sums. Returns how many these were, at most 100."""
    words: dict[str, Counter[str]] = {kind.__name__: Counter() for kind in KINDS}
    began = time.monotonic()
    bare: list[list[int]] = []
    for number in range(times):
        bare.append(wake_ups_ns())
        for kind in KINDS:
            verdict = kind(protocol)
            word = verdict.split(":")[0]
            words[kind.__name__][word] += 1
            if word != "trusted":
                print(f"{number + 1} {kind.__name__}: {verdict}", flush=True)
    for name, counts in words.items():
        print(f"{name:20}", ", ".join(f"{count} {word}" for word, count in counts.items()))
    uneven = sum(sorted(late)[-4] > 1_000_000 for late in bare)
    print(f"bare wake-ups: more than 1 in 1000 over 1 ms late in {uneven} of {times} rounds of 3 s, ", end="")
    print(f"at most {max(max(late) for late in bare) / 1e6:.2f} ms")
    print(f"{5 * times} runs in {time.monotonic() - began:.0f} s")
    return min(
        100, sum(count for counts in words.values() for word, count in counts.items() if word != "trusted")
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("times", type=int, help="runs of each kind")
    parser.add_argument("--busy", action="store_true", help="TCP as fast as it goes, not UDP at 10 Mbit/s")
    arguments = parser.parse_args()
    sys.exit(main(arguments.times, "TCP" if arguments.busy else "UDP"))
