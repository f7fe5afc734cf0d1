# SPDX-License-Identifier: MIT
"""One fat tree and two workloads by hybridnet and by other simulators, in turns: processor time, how much is simulated
in it, and completion times.

::

    k = 8: 16 core, 32 aggregation, 32 edge routers, 128 hosts; every link 10 Gbit/s, 1 us, 100 packets, drop-tail
    permutation: each host sends 10 MB to the next one in a circle in random order, all at once
    incast: 32 hosts send 256 kB each to one, all at once

Which of the equally short ways a packet takes is drawn once for each router and destination, as a hash would do, and
is the same for all simulators. TCP is NewReno without SACK and timestamps, 1460 bytes a segment, an initial window of
ten, a window of 512 KiB at most, an acknowledgement for each segment, no timeout shorter than 250 ms: what each of them
has. A segment takes the time that 1514 bytes take at 10 Gbit/s, whatever a simulator counts of its frame.

    cmake -B build/ns3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DSIMCORE_BENCH_NS3=ON
    cmake --build build/ns3 --target ns3_side_by_side
    .venv/bin/python benchmarks/side_by_side.py --other ns-3=build/ns3/simcore/ns3_side_by_side --other htsim=PROGRAM

Not part of the suite: it needs ns-3 (Debian: libns3-dev), and three minutes for it. A PROGRAM is called with the name
of a file: the number of flows; of each a line of source, destination and bytes; of each edge and then each aggregation
router a line of 128 digits, up which of its four links it sends to each host. It prints a JSON object as that of ns-3
does.

Unit: processor seconds, of the simulation and of the whole program; events, and packets times links on their way, in a
processor second of the simulation; milliseconds. A packet that is delivered counts once, however often it was sent, and
so does its acknowledgement: the work is the same for all. No goals: figures for comparison.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result, machine
from hybridnet import Topo, Workload
from hybridnet.observe.results.commit import commit
from hybridnet.simulate.offline import simulate

PORTS = 8
HALF = PORTS // 2
POD = HALF * HALF  # hosts of one
HOSTS = PORTS * POD
LARGE, SMALL = 10_000_000, 256_000
FAN_IN = 32
MSS = 1460
BUFFER = 512 << 10  # 359 segments; ns-3 takes three times as long with 4 MiB
WARMUP = "5ms"  # in which neighbours find each other's addresses; the others know them
START = "10ms"
UNTIL = "60s"
TURNS = 3
LINK: dict[str, Any] = {"bw": 10_000, "delay": "1us", "max_queue_size": 100, "train_limit": "0ms"}
TCP: dict[str, Any] = {
    "preset": "rfc",
    "recovery": "newreno",
    "sack": False,
    "timestamps": False,
    "rack_tlp": False,
    "prr": False,
    "byte_counting": False,
    "delayed_ack": False,
    "nagle": "off",
    "initial_rto": "3s",
    "minimum_rto": "250ms",
    "send_buffer": BUFFER,
    "receive_buffer": BUFFER,
}


@dataclass(frozen=True)
class Flow:
    """So many bytes from one host to another, by their numbers."""

    source: int
    destination: int
    size: int

    @property
    def links(self) -> int:
        """On its way."""
        if self.source // HALF == self.destination // HALF:
            return 2
        return 4 if self.source // POD == self.destination // POD else 6

    @property
    def work(self) -> int:
        """Its segments and their acknowledgements, times the links on their way."""
        return 2 * -(-self.size // MSS) * self.links


@cache
def choices() -> list[list[int]]:
    """Of each edge and then each aggregation router, up which of its links it sends to each host."""
    random = Random("side by side: ways")
    return [[random.randrange(HALF) for _ in range(HOSTS)] for _ in range(2 * PORTS * HALF)]


@cache
def workloads() -> dict[str, list[Flow]]:
    """The flows of each, which all begin at once."""
    random = Random("side by side: flows")
    order = random.sample(range(HOSTS), HOSTS)
    receiver, *senders = random.sample(range(HOSTS), FAN_IN + 1)
    return {
        "permutation": [Flow(here, there, LARGE) for here, there in pairwise([*order, order[0]])],
        "incast": [Flow(sender, receiver, SMALL) for sender in senders],
    }


class FatTree(Topo):
    """Routers, which are told their routes."""

    def build(self) -> None:
        edges, aggregations = choices()[: PORTS * HALF], choices()[PORTS * HALF :]
        for core in range(HALF * HALF):
            self.addSimRouter(
                f"c{core}",
                routes=[(f"h{host}", f"a{host // POD * HALF + core // HALF}") for host in range(HOSTS)],
            )
        for number, up in enumerate(aggregations):
            pod, first = number // HALF, number % HALF * HALF
            routes = [
                (f"h{host}", f"e{host // HALF}" if host // POD == pod else f"c{first + up[host]}")
                for host in range(HOSTS)
            ]
            self.addSimRouter(f"a{number}", routes=routes)
        for number, up in enumerate(edges):
            first = number // HALF * HALF
            routes = [(f"h{host}", f"a{first + up[host]}") for host in range(HOSTS) if host // HALF != number]
            self.addSimRouter(f"e{number}", routes=routes)
        for number in range(PORTS * HALF):
            for port in range(HALF):
                self.addLink(f"a{number}", f"c{number % HALF * HALF + port}", **LINK)
                self.addLink(f"e{number}", f"a{number // HALF * HALF + port}", **LINK)
        for host in range(HOSTS):
            self.addSimHost(f"h{host}")
            self.addLink(f"h{host}", f"e{host // HALF}", **LINK)


def told(name: str, size: int, start: str) -> Workload:
    """The same flows as hybridnet has them, of so many bytes each."""
    flows = workloads()[name]
    if name == "permutation":  # one round of a ring
        circle = [f"h{flow.source}" for flow in flows]
        return Workload(size * HOSTS, pattern="all-reduce", rounds=1, hosts=circle, start=start, tcp=TCP)
    receiver = f"h{flows[0].destination}"
    hosts = [receiver, *(f"h{flow.source}" for flow in flows)]
    return Workload(
        size,
        pattern="incast",
        fan_in=FAN_IN,
        interval="100s",
        receiver=receiver,
        hosts=hosts,
        start=start,
        tcp=TCP,
    )


def hybridnet(name: str) -> dict[str, Any]:
    """Simulate here. Returns what the programs print."""
    flows = workloads()[name]
    both = [told(name, 1, "0"), told(name, flows[0].size, START)]
    [made] = simulate(FatTree(), UNTIL, seeds=[1], jobs=1, workloads=both, warmup=WARMUP).replications
    rows = [row for row in made.flows if row.counted]
    links = {key: value for key, value in made.figures.items() if ">" in key[0]}
    return {
        "completion_s": [row.completion_s for row in rows],
        "processor_s": made.processor_s,
        "events": made.events,
        "passages": sum(value for (_, figure), value in links.items() if figure == "delivered_packets"),
        "dropped": sum(value for (_, figure), value in links.items() if figure.startswith("dropped.")),
        "timeouts": sum(row.timeouts for row in rows),
    }


def write(path: Path, name: str) -> Path:
    """A workload and the ways, as the programs read them."""
    flows = workloads()[name]
    lines = [str(len(flows)), *(f"{flow.source} {flow.destination} {flow.size}" for flow in flows)]
    lines += ["".join(map(str, row)) for row in choices()]
    path.write_text("\n".join(lines) + "\n")
    return path


def timed(command: list[str]) -> dict[str, Any]:
    """What a program prints, and the processor time of all of it as `whole_s`."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return {**figures, "whole_s": spent() - before}


def results_of(name: str, arm: str, runs: list[dict[str, Any]]) -> list[Result]:
    """Medians over the runs of one arm; completion times are the same in each."""
    case = f"side_by_side/{name}/{arm}"
    flows, times = workloads()[name], runs[0]["completion_s"]
    ended = sorted(1e3 * each for each in times if each is not None)
    if len(ended) < len(flows):
        return [Result(case, None, "", skipped=f"{len(flows) - len(ended)} flows did not finish in {UNTIL}")]
    processor_s = median(run["processor_s"] for run in runs)
    work = sum(flow.work for flow in flows)
    return [
        Result(f"{case}/processor", processor_s, "s"),
        Result(f"{case}/processor of the whole program", median(run["whole_s"] for run in runs), "s"),
        Result(f"{case}/events", runs[0]["events"] / processor_s / 1e6, "million/s"),
        Result(f"{case}/delivered packets x links", work / processor_s / 1e6, "million/s"),
        Result(f"{case}/packets over links, all that were sent", runs[0]["passages"] / 1e6, "million"),
        Result(f"{case}/dropped", runs[0]["dropped"], "packets"),
        Result(f"{case}/timeouts", runs[0]["timeouts"], ""),
        Result(f"{case}/completion/p50", median(ended), "ms"),
        Result(f"{case}/completion/p99", quantiles(ended, n=100, method="inclusive")[98], "ms"),
        Result(f"{case}/completion/longest", ended[-1], "ms"),
    ]


def compare(turns: int, others: dict[str, str]) -> list[Result]:
    """All arms, so many times, in turns."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        results = []
        for name in workloads():
            told_in = str(write(folder / name, name))
            commands = {"hybridnet": [sys.executable, __file__, "--simulate", name]}
            commands |= {arm: [program, told_in] for arm, program in others.items()}
            runs: dict[str, list[dict[str, Any]]] = {arm: [] for arm in commands}
            for _ in range(turns):
                for arm, command in commands.items():
                    runs[arm].append(timed(command))
            for arm, made in runs.items():
                results += results_of(name, arm, made)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare hybridnet's simulation with those of others.")
    parser.add_argument("--rounds", type=int, default=TURNS, help="of all, in turns (default: 3)")
    parser.add_argument(
        "--other", action="append", default=[], metavar="NAME=PROGRAM", help="another simulator; may repeat"
    )
    parser.add_argument("--out", type=Path, help="the JSON file to write")
    parser.add_argument("--simulate", choices=list(workloads()), help="only hybridnet's arm, as JSON")
    arguments = parser.parse_args()
    if arguments.simulate:
        print(json.dumps(hybridnet(arguments.simulate)))
        return
    others = dict(each.partition("=")[::2] for each in arguments.other)
    for name, program in others.items():
        if not shutil.which(program):
            parser.error(f"--other {name}={program}: there is no such program; write NAME=PROGRAM")
    rows = []
    for result in compare(arguments.rounds, others):
        print(result, flush=True)
        rows.append({**result.to_json(), "machine": machine(), "commit": commit()})
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
