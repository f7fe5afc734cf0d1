# SPDX-License-Identifier: MIT
"""Flows of iperf3 between hosts, begun and ended by the page, each with the rate of every second."""

from __future__ import annotations

import contextlib
import itertools
import re
import subprocess
import threading
from dataclasses import dataclass, field

from hybridnet.describe.quantities import parse_rate
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.live.network import Live, UnknownNameError
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.node import Host
from hybridnet.run.node.iperf_server import LASTED, interval_words, serve, without_idle_ends
from hybridnet.run.node.popen import Popen
from hybridnet.system.ending import Endings

__all__ = ["MOST_SECONDS", "Flows"]

MOST_FLOWS = 64  # at once
MOST_KEPT = 256  # with those that have ended
MOST_SECONDS = 3600
FIRST_PORT = 6301
USUAL_RATE = "10 Mbit/s"  # of UDP
MOST_SAID = 20_000  # characters of an error

_INTERVAL = re.compile(r"\]\s+([\d.]+)-([\d.]+)\s+sec .*?([\d.]+) Kbits/sec(?!.*(sender|receiver))")
_TOTAL = re.compile(r"([\d.]+) Kbits/sec.*receiver")


@dataclass
class Flow:
    """One flow. `rates`: of each second, as the client sends them; `received_bps`: the mean, once it is done."""

    number: int
    client: str
    server: str
    protocol: str
    seconds: float
    programs: tuple[Popen, Popen]  # server and client
    state: str = "running"  # running, done, stopped, failed
    rates: list[tuple[float, float]] = field(default_factory=list)
    received_bps: float | None = None
    error: str = ""

    def to_json(self) -> Answer:
        names = (
            "number",
            "client",
            "server",
            "protocol",
            "seconds",
            "state",
            "rates",
            "received_bps",
            "error",
        )
        return {name: getattr(self, name) for name in names}


class Flows:
    """The flows that the page has begun."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._flows: dict[int, Flow] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def start(self, client: str, server: str, protocol: str, rate: str | None, seconds: float) -> Answer:
        """Begin one.

        Args:
            protocol: ``"TCP"``, or ``"UDP"`` that offers `rate`.
            rate: None: 10 Mbit/s of UDP.

        Raises:
            UnknownNameError: there is no such host.
            UsageError, UnitError: an end is no host, or has no address; or the rate makes no sense.
            ExperimentError: iperf3 did not start.
        """
        ends = self._host(server), self._host(client)
        address = ends[0].IP()
        if address is None or ends[0] is ends[1]:
            why = "has no address" if address is None else "would send to itself"
            raise UsageError(f"flow from {client} to {server}: {server} {why}; choose another host")
        if protocol == "TCP" and rate is not None:
            raise UsageError(
                f"flow from {client} to {server}: TCP sends as fast as it can, and has no rate; leave it out, or "
                "choose UDP"
            )
        what = f"flow from {client} to {server}: rate"
        offered = parse_rate(USUAL_RATE if rate is None else rate, what) if protocol == "UDP" else None
        with self._lock:
            if sum(flow.state == "running" for flow in self._flows.values()) >= MOST_FLOWS:
                raise UsageError(f"flow from {client} to {server}: {MOST_FLOWS} flows run; stop one of them")
            number = next(self._numbers)
        slow = self._live.plan.slow  # iperf3 is told, and says, wall seconds
        port = FIRST_PORT + number % 1000
        how = ["-C", "cubic"] if offered is None else ["-u", "-b", str(int(offered) // slow)]
        listening = serve(ends[0], port, [*interval_words(seconds * slow), "-f", "k"])
        try:
            to = ["-c", address, "-p", str(port), "-t", f"{seconds * slow:g}"]
            sending = ends[1].popen(
                ["iperf3", *to, "-i", f"{min(slow, 60)}", "-f", "k", "--forceflush", *how],
                stderr=subprocess.STDOUT,
            )
        except BaseException:
            listening.close()
            raise
        flow = Flow(number, client, server, protocol, seconds, (listening, sending))
        with self._lock:
            self._flows[number] = flow
            for old in [key for key, kept in self._flows.items() if kept.state != "running"][:-MOST_KEPT]:
                del self._flows[old]
        threading.Thread(target=self._follow, args=(flow, slow), name=f"flow {number}", daemon=True).start()
        return flow.to_json()

    def list(self) -> list[Answer]:
        """All of them, also those that have ended."""
        with self._lock:
            return [flow.to_json() for flow in self._flows.values()]

    def get(self, number: int) -> Answer:
        """One of them. Raises UnknownNameError."""
        return self._flow(number).to_json()

    def stop(self, number: int) -> Answer:
        """End one before its time; does nothing if it has ended. Raises UnknownNameError."""
        flow = self._flow(number)
        if flow.state == "running":
            flow.state = "stopped"
            Endings(*(program.close for program in flow.programs)).close()
        return flow.to_json()

    def close(self) -> None:
        """End all."""
        with self._lock:
            running = [flow.number for flow in self._flows.values() if flow.state == "running"]
        Endings(*(lambda number=number: self.stop(number) for number in running)).close()

    def _host(self, name: str) -> Host:
        node = self._live.node(name)
        if not isinstance(node, Host):
            raise UsageError(f"flow at {name}: it is a switch; choose a host")
        return node

    def _flow(self, number: int) -> Flow:
        with self._lock:
            if number not in self._flows:
                raise UnknownNameError(f"flow {number}: there is no such flow")
            return self._flows[number]

    def _follow(self, flow: Flow, slow: int = 1) -> None:
        """Reads what the client prints until it ends: figures of `slow` wall seconds for each of the flow."""
        listening, sending = flow.programs
        assert sending.stdout is not None
        said, mean_bps = "", None
        try:
            while line := sending.stdout.readline():
                said = (said + line)[-MOST_SAID:]
                if found := _INTERVAL.search(line):
                    flow.rates.append((float(found[2]) / slow, 1e3 * slow * float(found[3])))
                if found := _TOTAL.search(line):
                    mean_bps = 1e3 * slow * float(found[1])
            status = sending.wait(5)
            if mean_bps is not None and (lasted := LASTED.search(said)):
                mean_bps *= without_idle_ends(float(lasted[1]), flow.seconds * slow, listening)
        except (HybridnetError, subprocess.TimeoutExpired) as error:
            status, said = 1, str(error)
        finally:  # whatever it was, neither end stays; programs of a machine that is lost have ended with it
            with contextlib.suppress(HybridnetError):
                Endings(*(program.close for program in flow.programs)).close()
        if flow.state == "running":  # one that somebody stopped has no mean, whatever iperf3 says of it
            flow.received_bps = mean_bps
            flow.state = "done" if status == 0 and mean_bps is not None else "failed"
            flow.error = "" if flow.state == "done" else said.strip()[-300:]
