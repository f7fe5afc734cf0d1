# SPDX-License-Identifier: MIT
"""What `Mininet` tries out: pings, flows, commands whose output it follows."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from itertools import chain
from statistics import fmean
from typing import Any

from hybridnet.compat.mininet.log import error, output
from hybridnet.compat.mininet.making import Making
from hybridnet.errors import ExperimentError
from hybridnet.run.net import probes

__all__ = ["Trying"]

PING_SECONDS = 10.0  # how long Mininet's `ping -c1` waits for an answer


class Trying(Making):
    """The tests of `hybridnet.compat.mininet.net.Mininet`."""

    def ping(self, hosts: Sequence[Any] | None = None, timeout: float | str | None = None) -> float:
        """Ping once between all pairs of hosts, and print a table. Returns the percentage lost."""
        wait = PING_SECONDS if timeout is None else timeout
        probes.announce(hosts)
        chosen = self._hosts(hosts)
        if any(host.IP() is not None and not _is_address(host.IP()) for host in chosen):
            return self._ping_one_by_one(chosen, wait)
        return self.running().ping(chosen, timeout=wait)

    def _ping_one_by_one(self, hosts: Sequence[Any], wait: float | str) -> float:
        """`ping` where scripts have given hosts what is no address, such as "no ip": nothing reaches these."""
        sent = received = 0
        for source in hosts:
            output(f"{source} -> ")
            for other in hosts:
                if other is source or other.IP() is None:
                    continue
                asked = (
                    source.cmd(f"LANG=C ping -c1 -W {wait} {other.IP()}") if _is_address(other.IP()) else ""
                )
                answered = _ping_numbers(asked)[1] > 0
                sent, received = sent + 1, received + answered
                output(f"{other if answered else 'X'} ")
            output("\n")
        lost = 100.0 * (sent - received) / sent if sent else 0.0
        output(f"*** Results: {int(lost)}% dropped ({received}/{sent} received)\n")
        return lost

    def pingAll(self, timeout: float | str | None = None) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def pingFull(
        self, hosts: Sequence[Any] | None = None, timeout: float | None = None
    ) -> list[tuple[Any, Any, tuple[float, ...]]]:
        """Ping once between all pairs of hosts.

        Returns:
            Of each pair (source, destination, (sent, received, least, mean, most, deviation of the round trip in ms)).
        """
        probes.announce(hosts)
        wait = "" if timeout is None else f"-W {timeout}"
        found = []
        for source in self._hosts(hosts):
            output(f"{source} -> ")
            for other in self._hosts(hosts):
                if other is not source:
                    numbers = _ping_numbers(source.cmd(f"LANG=C ping -c1 {wait} {other.IP()}"))
                    found.append((source, other, numbers))
                    output(f"{other if numbers[1] else 'X'} ")
            output("\n")
        output("*** Results: \n")
        for source, other, (sent, received, *times) in found:
            output(f" {source}->{other}: {sent:.0f}/{received:.0f}, ")
            output("rtt min/avg/max/mdev {:.3f}/{:.3f}/{:.3f}/{:.3f} ms\n".format(*times))
        return found

    def pingAllFull(self) -> list[Any]:
        """`pingFull` between all hosts."""
        return self.pingFull()

    def pingPairFull(self) -> list[Any]:
        """`pingFull` between the first two hosts."""
        return self.pingFull(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One flow between two hosts (the first and the last). Returns what arrived and what was sent; empty texts
        where nothing arrives, and that is said.
        """
        chosen = [self.hosts[0], self.hosts[-1]] if hosts is None else hosts
        net = self.running()
        pair = [net[host.name] for host in chosen]
        try:
            return net.iperf(pair, l4Type=l4Type, udpBw=udpBw, fmt=fmt, seconds=seconds, port=port)
        except ExperimentError as problem:
            error(f"*** {problem}\n")
            return [*([udpBw] if l4Type.upper() == "UDP" else []), "", ""]

    def runCpuLimitTest(self, cpu: float, duration: int = 5) -> list[float]:
        """Have busy loops run in all hosts, one for each processor: a share in real time is of each. Returns what each
        host takes of all processors in each second, in percent.

        The loops are programs of their own, and looked at from outside: what runs beside them in a host, even its
        shell, waits for its part of the host's share.
        """
        output(f"*** Testing CPU {cpu * 100:.0f}% bandwidth limit\n")
        hosts = self._hosts(None)
        loops: dict[Any, list[Any]] = {host: [] for host in hosts}
        try:
            for host in hosts:
                loops[host] = [
                    host.popen("echo; while :; do :; done", shell=True) for _ in range(self.numCores)
                ]
            for loop in chain(*loops.values()):
                loop.stdout.readline()  # it runs
            found: list[float] = []
            last = [_taken(loops[host]) for host in hosts]
            for _ in range(duration):
                time.sleep(1)
                for at, host in enumerate(hosts):
                    (began_s, before_s), (now_s, after_s) = last[at], _taken(loops[host])
                    found.append(100 * (after_s - before_s) / ((now_s - began_s) * self.numCores))
                    last[at] = now_s, after_s
        finally:
            for loop in chain(*loops.values()):
                loop.close()
        output(f"*** Results: {found}\n")
        return found

    def monitor(
        self, hosts: Sequence[Any] | None = None, timeoutms: float = -1
    ) -> Iterator[tuple[Any, str | None]]:
        """What the hosts' commands print: (host, line), or (None, None) where nothing came in `timeoutms`."""
        chosen = self._hosts(hosts)
        while any(host.waiting for host in chosen):
            said = False
            for host in chosen:
                if host.waiting and (text := host.monitor(timeoutms=50)):
                    said = True
                    for line in text.splitlines(keepends=True):
                        yield host, line
            if not said and timeoutms >= 0:
                yield None, None

    # What Mininet's own methods read from programs' output, for scripts that run these themselves

    @staticmethod
    def _parsePing(pingOutput: str) -> tuple[int, int]:
        """Pings sent and answered, as ping says."""
        sent, received, *_ = _ping_numbers(pingOutput)
        return int(sent), int(received)

    @staticmethod
    def _parsePingFull(pingOutput: str) -> tuple[float, ...]:
        """Pings sent and answered, and the least, mean, most and deviation of their round trips in ms, as ping says."""
        return _ping_numbers(pingOutput)

    @staticmethod
    def _parseIperf(iperfOutput: str) -> str:
        """The last rate that iperf says, such as "9.5 Mbits/sec"; empty if there is none."""
        rates = re.findall(r"([\d.]+ \w*bits/sec)", iperfOutput)
        return rates[-1] if rates else ""

    @property
    def cluster(self) -> Any:
        """The machines, once the network is made."""
        return self.running().cluster

    @property
    def plan(self) -> Any:
        """What was built on which machine."""
        return self.running().plan


def _taken(programs: Sequence[Any]) -> tuple[float, float]:
    """The time, and the processor time that programs have taken, in seconds."""
    looks = [program.times() for program in programs]
    return fmean(at_s for at_s, _ in looks), sum(took_s for _, took_s in looks)


def _is_address(ip: str) -> bool:
    try:
        IPv4Address(ip)
    except ValueError:
        return False
    return True


def _ping_numbers(said: str) -> tuple[float, ...]:
    counts = re.search(r"(\d+) packets transmitted, (\d+) (?:packets )?received", said)
    times = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", said)
    if counts is None:
        return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (*map(float, counts.groups()), *(map(float, times.groups()) if times else (0.0,) * 4))
