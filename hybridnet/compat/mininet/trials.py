# SPDX-License-Identifier: MIT
"""Tests of Mininet's that hybridnet's own network has not, and what `ping` has said."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address
from itertools import chain
from statistics import fmean
from typing import Any

from hybridnet.compat.mininet.log import output
from hybridnet.errors import MachineError

__all__ = [
    "busy_shares",
    "is_address",
    "lines_of",
    "ping_address",
    "ping_full",
    "ping_numbers",
    "ping_one_by_one",
]

GRACE_S = 10.0  # for a ping to begin and end


def ping_one_by_one(hosts: Sequence[Any], wait: float | str) -> float:
    """`ping` where scripts have given hosts what is no address, such as "no ip": nothing reaches these. Returns the
    percentage lost.
    """
    sent = received = 0
    for source in hosts:
        output(f"{source} -> ")
        for other in hosts:
            if other is source or other.IP() is None:
                continue
            asked = source.cmd(f"LANG=C ping -c1 -W {wait} {other.IP()}") if is_address(other.IP()) else ""
            answered = ping_numbers(asked)[1] > 0
            sent, received = sent + 1, received + answered
            output(f"{other if answered else 'X'} ")
        output("\n")
    lost = 100.0 * (sent - received) / sent if sent else 0.0
    output(f"*** Results: {int(lost)}% dropped ({received}/{sent} received)\n")
    return lost


def ping_full(
    hosts: Sequence[Any], timeout: float | str | None = None, slow: int = 1
) -> list[tuple[Any, Any, tuple[float, ...]]]:
    """Ping once between all pairs of hosts, and print the times. Returns `ping_numbers` of each pair, of `slow` wall
    seconds for a second.
    """
    wait = "" if timeout is None else f"-W {slow * float(timeout):g}"
    found = []
    for source in hosts:
        output(f"{source} -> ")
        for other in hosts:
            if other is not source:
                sent, received, *times = ping_numbers(source.cmd(f"LANG=C ping -c1 {wait} {other.IP()}"))
                numbers = (sent, received, *(each / slow for each in times))
                found.append((source, other, numbers))
                output(f"{other if numbers[1] else 'X'} ")
        output("\n")
    output("*** Results: \n")
    for source, other, (sent, received, *times) in found:
        output(f" {source}->{other}: {sent:.0f}/{received:.0f}, ")
        output("rtt min/avg/max/mdev {:.3f}/{:.3f}/{:.3f}/{:.3f} ms\n".format(*times))
    return found


def ping_address(
    hosts: Sequence[Any], address: str, wait: float | str
) -> list[tuple[Any, str, tuple[float, ...]]]:
    """Have each host ping an address once, with the computer's ping: an image may have none. Returns `ping_numbers` of
    each.
    """
    found = []
    for source in hosts:
        argv = ["ping", "-c1", "-W", f"{float(wait):g}", address]
        try:
            said = source.execute(argv, timeout=float(wait) + GRACE_S)
        except MachineError:  # no answer
            said = ""
        found.append((source, address, ping_numbers(said)))
        output(f"{source} -> {address if found[-1][2][1] else 'X'} \n")
    return found


def ping_numbers(said: str) -> tuple[float, ...]:
    """Pings sent and answered, and the least, mean, most and deviation of their round trips in ms, as ping says."""
    counts = re.search(r"(\d+) packets transmitted, (\d+) (?:packets )?received", said)
    times = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", said)
    if counts is None:
        return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return (*map(float, counts.groups()), *(map(float, times.groups()) if times else (0.0,) * 4))


def is_address(ip: str) -> bool:
    """Whether it is one of IPv4."""
    try:
        IPv4Address(ip)
    except ValueError:
        return False
    return True


def busy_shares(hosts: Sequence[Any], processors: int, seconds: int) -> list[float]:
    """Have busy loops run in all hosts, one for each processor: a share in real time is of each. Returns what each host
    takes of all processors in each second, in percent.

    The loops are programs of their own, and looked at from outside: what runs beside them in a host, even its shell,
    waits for its part of the host's share.
    """
    loops: dict[Any, list[Any]] = {host: [] for host in hosts}
    try:
        for host in hosts:
            loops[host] = [host.popen("echo; while :; do :; done", shell=True) for _ in range(processors)]
        for loop in chain(*loops.values()):
            loop.stdout.readline()  # it runs
        found: list[float] = []
        last = [_taken(loops[host]) for host in hosts]
        for _ in range(seconds):
            time.sleep(1)
            for at, host in enumerate(hosts):
                (began_s, before_s), (now_s, after_s) = last[at], _taken(loops[host])
                found.append(100 * (after_s - before_s) / ((now_s - began_s) * processors))
                last[at] = now_s, after_s
    finally:
        for loop in chain(*loops.values()):
            loop.close()
    return found


def _taken(programs: Sequence[Any]) -> tuple[float, float]:
    """The time, and the processor time that programs have taken, in seconds."""
    looks = [program.times() for program in programs]
    return fmean(at_s for at_s, _ in looks), sum(took_s for _, took_s in looks)


def lines_of(hosts: Sequence[Any], timeoutms: float) -> Iterator[tuple[Any, str | None]]:
    """What the hosts' commands print: (host, line), or (None, None) where nothing came in `timeoutms`."""
    while any(host.waiting for host in hosts):
        said = False
        for host in hosts:
            if host.waiting and (text := host.monitor(timeoutms=50)):
                said = True
                for line in text.splitlines(keepends=True):
                    yield host, line
        if not said and timeoutms >= 0:
            yield None, None
