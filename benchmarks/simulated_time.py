# SPDX-License-Identifier: MIT
"""What simulated time costs: until the first command, for a packet, for a host, and how fast time passes under loads.

Two switches with eight hosts each, a simulated link of 1 Gbit/s and 1 ms between them: in one instance of one kernel
(A), and on two machines that are kernels of their own (B), where two instances peer. All costs are processor time of
the kernels and what runs in them, as the computer counts it: what else it does matters little. A packet is a UDP
datagram of 1,400 bytes that goes from one host to the other, or a full segment of TCP with its share of the
acknowledgements.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.result import Result
from hybridnet.errors import ExperimentError
from hybridnet.kernel.build import find_kernel
from hybridnet.kernel.process import Command, run_in_kernel

PAIRS = 8
PINGS_PER_S = 10
RATE_MBPS, DATAGRAM_BYTES, SEGMENT_BYTES = 100, 1400, 1448
SECONDS = {"idle": 10.0, "pings": 2.0, "1 UDP": 0.5, "1 TCP": 0.5, "8 UDP": 0.2, "8 TCP": 0.2}
"""How long each load lasts: nothing, 8 pairs that ping ten times a second, flows of 100 Mbit/s."""
LEAD_S = 0.3
"""Before and after what is measured: programs start and end."""
PACKET_GOALS_MS = {"one kernel": 0.2, "a kernel for each machine": 0.15}
BOOT_GOAL_S = 1.0
HOSTS = (2, 34)
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
ROOT = Path(__file__).resolve().parent.parent

NETWORK = """
from hybridnet import Net, Topo

class Joined(Topo):
    def build(self, pairs, machines):
        for number, machine in enumerate((machines[0], machines[-1]), 1):
            self.addSwitch(f"s{number}", machine=machine)
            for host in range((number - 1) * pairs, number * pairs):
                self.addLink(self.addHost(f"h{host + 1}", machine=machine), f"s{number}")
        self.addLink("s1", "s2", bw=1000, delay="1ms")

def says(*figures):
    print("AT", *figures, sep="|", flush=True)
"""

BOOT = """
with Net(Joined(1, ["m1"])) as net:
    net["h1"].cmd("true")
    says()
"""

MEMORY = """
import sys
with Net(Joined(int(sys.argv[1]) // 2, ["m1"])) as net:
    net["h1"].cmd("ping -c 1", net["h2"].IP())
    says()
    net["h1"].cmd("true")
"""

LOADS = f"""
import sys, time
with Net(Joined({PAIRS}, sys.argv[1].split(","))) as net:
    pairs = [(net[f"h{{n}}"], net[f"h{{n + {PAIRS}}}"]) for n in range(1, {PAIRS} + 1)]
    for one, other in pairs:
        one.cmd("ping -c 1", other.IP())
    for load, seconds in {SECONDS!r}.items():
        flows, _, kind = load.partition(" ")
        lasts = {LEAD_S} + seconds + {LEAD_S}
        loaded, servers = pairs[:int(flows)] if kind else pairs if load == "pings" else [], []
        if kind:
            servers = [other.popen(["iperf3", "-s", "-1"]) for _, other in loaded]
            time.sleep({LEAD_S})
            how = ["-u", "-l", "{DATAGRAM_BYTES}", "-b"] if kind == "UDP" else ["--fq-rate"]
            words = ["iperf3", "-n", str(round(lasts * {RATE_MBPS}e6 / 8)), *how, "{RATE_MBPS}M", "-c"]
        else:
            words = ["ping", "-i", str(1 / {PINGS_PER_S}), "-c", str(round(lasts * {PINGS_PER_S}))]
        clients = [one.popen([*words, other.IP()]) for one, other in loaded]
        time.sleep({LEAD_S})
        says(time.monotonic())
        time.sleep(seconds)
        says(time.monotonic(), load)
        for each in clients + servers:
            each.communicate()
"""


def run() -> list[Result]:
    return [*_boot(), *_memory(), *_loads("one kernel", "m1"), *_loads("a kernel for each machine", "m1,m2")]


def _boot() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        before = sum(os.times()[2:4])
        run_in_kernel(find_kernel(), Command(["true"], directory=Path(folder)), lambda line: None)
        kernel_s, kernel_wall_s = sum(os.times()[2:4]) - before, time.monotonic() - began
    with _said(BOOT) as (run, lines):
        next(lines)
        network_s = _used(run.pid).processor_s
        network_wall_s = time.monotonic() - run.began
    name = "simulated_time/boot"
    return [
        Result(f"{name}/first command", kernel_s, "s of processor", BOOT_GOAL_S, less_is_better=True),
        Result(f"{name}/first command, wall", kernel_wall_s, "s"),
        Result(
            f"{name}/network's first command", network_s, "s of processor", BOOT_GOAL_S, less_is_better=True
        ),
        Result(f"{name}/network's first command, wall", network_wall_s, "s"),
    ]


def _memory() -> list[Result]:
    taken = []
    for hosts in HOSTS:
        with _said(MEMORY, str(hosts)) as (run, lines):
            next(lines)
            taken.append(_used(run.pid).memory_mib)
    few, many = HOSTS
    return [
        Result(f"simulated_time/memory/{few} hosts", taken[0], "MiB"),
        Result("simulated_time/memory/each further host", (taken[1] - taken[0]) / (many - few), "MiB"),
    ]


def _loads(where: str, machines: str) -> list[Result]:
    results = []
    several = ["--machines", machines] if "," in machines else []
    with _said(LOADS, machines, options=several) as (run, lines):
        for begins in lines:
            before, wall_s = _used(run.pid), time.monotonic()
            ends, load = next(lines)
            after, wall_s = _used(run.pid), time.monotonic() - wall_s
            lasted_s = float(ends) - float(begins[0])
            used_s = after.processor_s - before.processor_s
            name = f"simulated_time/{where}/{load}"
            results += [
                Result(f"{name}/simulated s per processor s", lasted_s / used_s, ""),
                Result(f"{name}/simulated s per wall s", lasted_s / wall_s, ""),
            ]
            flows, _, kind = load.partition(" ")
            if kind:
                size = DATAGRAM_BYTES if kind == "UDP" else SEGMENT_BYTES
                packets = int(flows) * SECONDS[load] * RATE_MBPS * 1e6 / 8 / size
                results += [
                    Result(
                        f"{name}/a packet",
                        1e3 * used_s / packets,
                        "ms of processor",
                        PACKET_GOALS_MS[where],
                        less_is_better=True,
                    ),
                    Result(
                        f"{name}/a packet, turns", (after.turns - before.turns) / packets, "turns of programs"
                    ),
                ]
    return results


@dataclass
class _Run:
    """A run of hybridnet: its process, and when it began by this computer's clock."""

    pid: int
    began: float


@contextmanager
def _said(
    script: str, *words: str, options: Sequence[str] = ()
) -> Iterator[tuple[_Run, Iterator[list[str]]]]:
    """Run a network in simulated time; the figures of what it says, as it says it."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "network.py").write_text(NETWORK + script)
        command = [sys.executable, "-m", "hybridnet.cli", "run", "--time", "simulated", *options]
        began = time.monotonic()
        with subprocess.Popen(
            [*command, "network.py", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as process:
            assert process.stdout is not None
            yield (
                _Run(process.pid, began),
                (line.strip().split("|")[1:] for line in process.stdout if line.startswith("AT")),
            )
            process.communicate()
            if process.returncode:
                raise ExperimentError(f"a network in simulated time ended with {process.returncode}")


@dataclass(frozen=True)
class _Used:
    """Up to now, by the kernels of a run and all that runs in them.

    Args:
        processor_s: seconds of processor time.
        turns: how often a kernel has waited for a program: for each system call, and each page that is touched first.
        memory_mib: the most that a kernel's process has had in memory, which is all its programs', too.
    """

    processor_s: float
    turns: int
    memory_mib: float


def _used(pid: int) -> _Used:
    kernels = _children(pid)
    used = [_processor_s(kernel) + sum(map(_processor_s, _children(kernel))) for kernel in kernels]
    status = [Path(f"/proc/{kernel}/status").read_text() for kernel in kernels]
    return _Used(
        sum(used),
        sum(_line(text, "voluntary_ctxt_switches") for text in status),
        sum(_line(text, "VmHWM") for text in status) / 1024,
    )


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _processor_s(pid: int) -> float:
    """Of a process, and of its children that have ended; 0 once it has."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, words[11:15])) / TICKS_PER_S


def _line(status: str, name: str) -> int:
    return int(status.split(f"\n{name}:")[1].split()[0])
