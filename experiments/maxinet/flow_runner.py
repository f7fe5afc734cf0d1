# SPDX-License-Identifier: MIT
"""Runs iperf3 flows in network namespaces of one machine and samples what arrives: the same code for every arm.

A program of its own, run inside a machine as root by any Python 3.11 or newer, with the standard library only. It reads
requests as JSON lines on standard input and answers each with one JSON line on standard output::

    {"verb": "quiet", "netns": ["/run/netns/h65", …]}
        has hosts solicit no IPv6 routers
    {"verb": "settle", "quiet_s": 3, "limit_s": 60}
        waits until the hypervisor has left the machine its processors for that long, and does not wait if it had
        done so before; answers {"waited_s": 33.1}
    {"verb": "servers", "flows": [{"host": "h65", "netns": "/run/netns/h65", "port": 5201}]}
        starts one-shot iperf3 servers, and answers when all of them listen
    {"verb": "ping", "flows": [{"host": "h1", "netns": …, "to": "10.0.0.65"}], "count": 3, "limit_s": 60}
        answers {"lost": ["h7", …]}: the hosts that did not get so many answers in that time
    {"verb": "sample", "period_s": 1.0, "processes": {"switches": [123], "instances": [124]}}
        begins to sample the receivers' interfaces, the computer's processor times, and how long the flows' programs
        ("hosts") and these processes have run; answers {"monotonic_s": of its clock, "computer": which it is,
        "cores": how many, "ticks_per_second"}
    {"verb": "clients", "flows": [{"host", "netns", "to", "port", "protocol", "rate_bps", "seconds",
                                    "datagram_bytes"}]}
        makes iperf3 clients ready in their namespaces: they wait
    {"verb": "go", "hosts": ["h1", …], "spread_s": 0.6}
        lets those hosts' clients begin one after the other, evenly over that time, and answers at once
    {"verb": "samples"}
        answers {"samples": what has been sampled until now}
    {"verb": "finish", "grace_s": 1}
        waits so long for what ends by itself, ends the rest, and answers with the samples and iperf3's own reports

When standard input ends, it ends everything that it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

LISTEN_LIMIT_S = 60.0
CONGESTION_CONTROL = "cubic"
DATAGRAMS_AT_ONCE = 4
LEAST_PACING_US, MOST_PACING_US = 1_000, 10_000
NO_SOLICITATIONS = """
for each in /proc/sys/net/ipv6/conf/*/router_solicitations; do [ ! -e $each ] || echo 0 > $each; done
"""
QUIET_STEAL = 0.01  # of the processors' time: what a hypervisor takes on an otherwise idle host
STEAL_PERIOD_S = 0.25
STEAL_KEPT_S = 10.0
CPUCLOCK_SCHED = 2  # of the kernel's include/linux/posix-timers_types.h: what the scheduler counted
SAMPLER_PRIORITY = 1  # of SCHED_FIFO: above every ordinary program, below a simcore instance
BEFORE_FLOWS = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK  # and what is started is an ordinary program again


class Flow:
    """One iperf3 process in one host's namespace, its report going to a file.

    ``held``: it waits for ``go()``, as a shell that reads a line. To start 64 processes takes seconds where the
    processor is busy with the flows that run already, so those seconds belong to no step.
    """

    def __init__(
        self, spec: dict[str, Any], arguments: Sequence[str], folder: str, held: bool = False
    ) -> None:
        self.host = spec["host"]
        hold = ["sh", "-c", 'read -r line && exec "$@" </dev/null', "sh"] if held else []
        self.port: int = spec["port"]
        self.report_path = os.path.join(folder, f"{self.host}-{self.port}.json")
        with open(self.report_path, "wb") as report:
            self.process = subprocess.Popen(
                [
                    "nsenter",
                    "--net=" + spec["netns"],
                    *hold,
                    "iperf3",
                    *arguments,
                    "--json",
                ],
                stdin=subprocess.PIPE if held else subprocess.DEVNULL,
                stdout=report,
                stderr=subprocess.STDOUT,
            )

    def go(self) -> None:
        assert self.process.stdin is not None, f"the flow of {self.host} is not held"
        with contextlib.suppress(BrokenPipeError):  # it has ended; its report says why
            self.process.stdin.write(b"\n")
            self.process.stdin.close()

    def wait_for_end(self, seconds: float) -> None:
        """At most so long. It stays a process that has ended, whose time can be read, until `end_all` asks for it."""
        if self.process.returncode is None:
            ended = os.pidfd_open(self.process.pid)
            try:
                select.select([ended], [], [], max(0.0, seconds))
            finally:
                os.close(ended)

    def report(self) -> Any:
        """iperf3's report, or what it printed instead."""
        with open(self.report_path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        try:
            return json.loads(text)
        except ValueError:
            return {"error": text[-500:].strip() or "iperf3 printed nothing"}


def protocol_arguments(spec: dict[str, Any]) -> list[str]:
    """How iperf3 sends, and keeps its rate; 0: as fast as it goes.

    TCP is paced by the kernel, so that a flow which was held up goes on at its rate: iperf3's own ``--bitrate`` is a
    mean since the flow's start, and it makes up for what it missed. For UDP the kernel would need the queue discipline
    fq, which not every kernel has. Instead of every millisecond, a slow UDP client wakes up for a few datagrams.
    """
    rate_bps, datagram_bytes = spec["rate_bps"], spec["datagram_bytes"]
    if spec["protocol"] == "udp":
        pacing_us = udp_pacing_us(rate_bps, datagram_bytes)
        sending = ["--udp", "--length", str(datagram_bytes)]
        return [*sending, "--bitrate", str(rate_bps), "--pacing-timer", str(pacing_us)]
    pacing = ["--fq-rate", str(rate_bps)] if rate_bps else []
    return ["--congestion", CONGESTION_CONTROL, "--bitrate", "0", *pacing]


def udp_pacing_us(rate_bps: int, datagram_bytes: int) -> int:
    """How often a UDP client wakes up, in microseconds."""
    return max(
        LEAST_PACING_US, min(8_000_000 * DATAGRAMS_AT_ONCE * datagram_bytes // rate_bps, MOST_PACING_US)
    )


class Sampler(threading.Thread):
    """Reads the receivers' interface counters and processor times at a fixed period.

    ``processes``: whose time is read, by what they are. All of them are there until it stops, be it as zombies.
    """

    def __init__(
        self, servers: Sequence[Flow], processes: Mapping[str, Sequence[int]], period_s: float
    ) -> None:
        super().__init__(daemon=True)
        self.period_s = period_s
        self.processes = processes
        self.failure = ""
        self.samples: list[dict[str, Any]] = []
        self.stopping = threading.Event()
        # An open file keeps showing the namespace that it was opened in, also after the process has ended.
        self.files = {
            flow.host: open(f"/proc/{flow.process.pid}/net/dev", encoding="ascii")  # noqa: SIM115
            for flow in servers
        }

    def run(self) -> None:
        # This thread alone, and not what the runner starts: a sampler that waits for its turn behind 64 flows measures
        # the scheduler.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(SAMPLER_PRIORITY))
        due = time.monotonic()
        while not self.stopping.is_set():
            try:
                self.samples.append(self.take())
            except OSError as error:
                self.failure = f"a process whose time is sampled has ended: {error}"
                break
            due += self.period_s
            self.stopping.wait(max(0.0, due - time.monotonic()))
        for file in self.files.values():
            file.close()

    def take(self) -> dict[str, Any]:
        counters = {}
        for host, file in self.files.items():
            file.seek(0)
            counters[host] = received(file.read())
        return {
            "monotonic_s": time.monotonic(),
            "received": counters,
            "processor": processor_times(),
            "ran_ns": {part: ran_ns(pids) for part, pids in self.processes.items()},
        }


def release(flows: Sequence[Flow], spread_s: float) -> None:
    """Let flows begin, evenly over some time.

    An iperf3 client that waits for its server's first word asks the kernel again and again without a pause. Sixteen
    that began at once kept the packet threads of Open vSwitch, of niceness -10, waiting for their cores for up to 9 s
    (Linux 6.18), and so kept that word from arriving; one after the other they do not.
    """
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(SAMPLER_PRIORITY))
    began = time.monotonic()
    for number, flow in enumerate(flows):
        time.sleep(max(0.0, began + spread_s * number / len(flows) - time.monotonic()))
        flow.go()


def received(net_dev: str) -> list[int]:
    """(bytes, packets) that all interfaces but loopback received, from the text of /proc/net/dev."""
    total = [0, 0]
    for line in net_dev.splitlines()[2:]:
        name, _, fields = line.partition(":")
        if name.strip() != "lo":
            values = fields.split()
            total[0] += int(values[0])
            total[1] += int(values[1])
    return total


def processor_times() -> list[int]:
    """(busy, idle, steal) of all cores together, in clock ticks, since the computer started."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, idle, iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return [user + nice + system + irq + softirq, idle + iowait, steal]


def ran_ns(pids: Iterable[int]) -> int:
    """How long these processes have run, all their threads together, also those that have ended, in nanoseconds.

    By the processor clock of each (clock_getcpuclockid(3)). /proc/PID/stat counts the same in hundredths of a second.
    """
    return sum(time.clock_gettime_ns(~pid << 3 | CPUCLOCK_SCHED) for pid in pids)


class StealWatch(threading.Thread):
    """Reads the processor times of the last `STEAL_KEPT_S` seconds, as long as the program runs."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.readings: deque[tuple[float, list[int]]] = deque(maxlen=round(STEAL_KEPT_S / STEAL_PERIOD_S))

    def run(self) -> None:
        while True:
            self.readings.append((time.monotonic(), processor_times()))
            time.sleep(STEAL_PERIOD_S)


def is_quiet(readings: Sequence[tuple[float, Sequence[int]]], quiet_s: float) -> bool:
    """Whether the hypervisor took at most ``QUIET_STEAL`` of the processors' time in the last ``quiet_s`` seconds.

    A hypervisor that is told of free memory takes it back: for half a minute after a network is gone whose switches
    had ten gigabytes of it, it took an eighth of the processors' time.

    Args:
        readings: (s, (busy, idle, steal)), the oldest first. If they do not reach back so far, the answer is no.
    """
    if not readings:
        return False
    last_s, last = readings[-1]
    earlier = [times for at_s, times in readings if at_s <= last_s - quiet_s]
    if not earlier:
        return False
    return last[2] - earlier[-1][2] <= QUIET_STEAL * (sum(last) - sum(earlier[-1]))


def listens(pid: int, port: int) -> bool:
    """Whether a TCP socket listens at the port in the network namespace of the process."""
    for table in ("tcp", "tcp6"):
        with open(f"/proc/{pid}/net/{table}", encoding="ascii") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port:
                    return True
    return False


class Runner:
    """Answers the requests, one method per verb."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.servers: list[Flow] = []
        self.clients: list[Flow] = []
        self.sampler: Sampler | None = None
        self.steal = StealWatch()
        self.steal.start()

    def quiet_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        asking = [
            subprocess.Popen(
                ["nsenter", "--net=" + netns, "sh", "-c", NO_SOLICITATIONS],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            for netns in request["netns"]
        ]
        failed = [netns for netns, asked in zip(request["netns"], asking, strict=True) if asked.wait() != 0]
        if failed:
            raise RuntimeError(f"{len(failed)} hosts still solicit IPv6 routers, {failed[0]} among them")
        return {}

    def settle_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        began = time.monotonic()
        while not is_quiet(list(self.steal.readings), request["quiet_s"]):
            if time.monotonic() > began + request["limit_s"]:
                break
            time.sleep(STEAL_PERIOD_S)
        return {"waited_s": round(time.monotonic() - began, 1)}

    def servers_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        for spec in request["flows"]:
            self.servers.append(
                Flow(spec, ["--server", "--one-off", "--port", str(spec["port"])], self.folder)
            )
        limit = time.monotonic() + LISTEN_LIMIT_S
        waiting = list(self.servers)
        while waiting:
            for flow in waiting:
                if flow.process.poll() is not None:
                    raise RuntimeError(f"iperf3 server at {flow.host} ended: {flow.report()}")
            waiting = [flow for flow in waiting if not listens(flow.process.pid, flow.port)]
            if waiting and time.monotonic() > limit:
                raise RuntimeError(
                    f"iperf3 server at {waiting[0].host} does not listen after {LISTEN_LIMIT_S:g} s"
                )
            time.sleep(0.02 if waiting else 0)
        return {}

    def ping_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        running = [
            (flow["host"], self._start_ping(flow, request["count"], request["limit_s"]))
            for flow in request["flows"]
        ]
        return {"lost": [host for host, process in running if process.wait() != 0]}

    def sample_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        hosts = [flow.process.pid for flow in self.servers + self.clients]
        self.sampler = Sampler(self.servers, {"hosts": hosts, **request["processes"]}, request["period_s"])
        self.sampler.start()
        return {
            "monotonic_s": time.monotonic(),
            "computer": Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip(),
            "cores": os.sysconf("SC_NPROCESSORS_ONLN"),
            "ticks_per_second": os.sysconf("SC_CLK_TCK"),
        }

    def samples_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self.sampler is not None, "sample first"
        return {"samples": list(self.sampler.samples)}

    def clients_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        for spec in request["flows"]:
            arguments = ["--client", spec["to"], "--port", str(spec["port"]), "--time", str(spec["seconds"])]
            self.clients.append(Flow(spec, arguments + protocol_arguments(spec), self.folder, held=True))
        return {}

    def go_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        hosts = set(request["hosts"])
        flows = [flow for flow in self.clients if flow.host in hosts]
        threading.Thread(target=release, args=(flows, request["spread_s"]), daemon=True).start()
        return {}

    def finish_verb(self, request: dict[str, Any]) -> dict[str, Any]:
        limit = time.monotonic() + request["grace_s"]
        for flow in self.clients + self.servers:
            flow.wait_for_end(limit - time.monotonic())
        samples = []
        if self.sampler is not None:
            self.sampler.stopping.set()
            self.sampler.join()
            samples, failure = self.sampler.samples, self.sampler.failure
            self.sampler = None
            if failure:
                raise RuntimeError(failure)
        unfinished = self.end_all()
        answer = {
            "samples": samples,
            "unfinished": unfinished,
            "clients": {flow.host: flow.report() for flow in self.clients},
            "servers": {flow.host: flow.report() for flow in self.servers},
        }
        self.clients, self.servers = [], []
        return answer

    def _start_ping(self, flow: dict[str, Any], count: int, limit_s: int) -> subprocess.Popen[bytes]:
        """A ping that ends with its ``count``th answer, or after ``limit_s`` seconds."""
        options = ["-q", "-n", "-i", "0.2", "-c", str(count), "-w", str(limit_s)]
        return subprocess.Popen(
            ["nsenter", "--net=" + flow["netns"], "ping", *options, flow["to"]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def end_all(self) -> list[str]:
        """End what still runs. Return the hosts where something did."""
        running = [flow for flow in self.clients + self.servers if flow.process.poll() is None]
        for number, patience_s in ((signal.SIGINT, 1.0), (signal.SIGKILL, 5.0)):
            for flow in running:
                if flow.process.poll() is None:
                    flow.process.send_signal(number)
            limit = time.monotonic() + patience_s
            for flow in running:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    flow.process.wait(max(0.0, limit - time.monotonic()))
        return [flow.host for flow in running]


def shallow_idle() -> None:
    """Keep idle processors of this machine in states that they leave at once, as the instances of the hybrid arm do
    (simcore/sys/shallow_idle.h), so that no arm's processors wake up faster than another's. The kernel ends it with
    this program; a machine that does not allow it does not allow it to instances either.
    """
    driver = ""
    with contextlib.suppress(OSError):
        driver = Path("/sys/devices/system/cpu/cpuidle/current_driver").read_text(encoding="ascii").strip()
    with contextlib.suppress(OSError):
        request = os.open("/dev/cpu_dma_latency", os.O_WRONLY)
        os.write(request, struct.pack("=i", 0 if driver == "haltpoll" else 2))


def main() -> None:
    shallow_idle()
    os.sched_setscheduler(0, BEFORE_FLOWS, os.sched_param(SAMPLER_PRIORITY))  # answers while the flows run
    # Beside this file, which goes with the run, whatever ends this program.
    with tempfile.TemporaryDirectory(
        prefix="flows-", dir=os.path.dirname(os.path.abspath(__file__))
    ) as folder:
        runner = Runner(folder)
        try:
            for line in sys.stdin:
                request = json.loads(line)
                try:
                    answer = getattr(runner, request["verb"] + "_verb")(request)
                except (OSError, RuntimeError) as error:
                    answer = {"error": str(error)}
                print(json.dumps(answer), flush=True)
        finally:
            runner.end_all()


if __name__ == "__main__":
    main()
