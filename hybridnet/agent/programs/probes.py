# SPDX-License-Identifier: MIT
"""Looking at hosts: pings between many pairs, and the counters of many devices."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypedDict, final

from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.programs import launch
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.command import lacking

_SENT = re.compile(r"(\d+) packets transmitted, (\d+) received")
_RTT = re.compile(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms")
_EACH = re.compile(r"time=([\d.]+) ms")
_NOT_FOUND = 127  # the exit status of who was to start a program that is not there


class Ping(TypedDict):
    """What `ping` printed, as numbers; of RTTs that there were."""

    sent: int
    received: int
    rtts_ms: list[float]  # in order
    rtt_min_ms: float | None
    rtt_avg_ms: float | None
    rtt_max_ms: float | None
    rtt_mdev_ms: float | None


@final
class PairPing(Ping):
    """The same of one pair."""

    host: str
    address: str


def parse_ping(text: str) -> Ping:
    """What `ping` printed. Raises MachineError: it is nothing that can be read."""
    counts = _SENT.search(text)
    if counts is None:
        raise MachineError(f"ping printed nothing that can be read: {text.strip()[-200:]!r}")
    summary = _RTT.search(text)
    least, mean, most, deviation = map(float, summary.groups()) if summary else (None,) * 4
    return {
        "sent": int(counts[1]),
        "received": int(counts[2]),
        "rtts_ms": [float(value) for value in _EACH.findall(text)],
        "rtt_min_ms": least,
        "rtt_avg_ms": mean,
        "rtt_max_ms": most,
        "rtt_mdev_ms": deviation,
    }


def _lost(count: int) -> Ping:
    """What `parse_ping` returns when none of `count` requests is answered."""
    return parse_ping(f"{count} packets transmitted, 0 received")


def ping_pairs(
    pairs: list[tuple[str, str]],
    prefix: Callable[[str], list[str]],
    *,
    count: int = 1,
    interval_s: float = 0.2,
    wait_s: float = 1.0,
    parallel: int = 32,
    extra: list[str] | None = None,
) -> list[PairPing]:
    """Ping many (host, address) pairs, at most `parallel` at once. Return one result per pair, in order.

    Args:
        count: echo requests per pair.
        interval_s: between two requests.
        wait_s: how long to wait for an answer.
        extra: more arguments for `ping`, for example ``["-s", "1400"]``.

    Raises:
        EnvironmentLackError: a host has no `ping`.
        MachineError: it failed otherwise than by a lost packet; the message quotes it.
    """

    def one(pair: tuple[str, str]) -> PairPing:
        host, address = pair
        argv = ["ping", "-n", "-c", str(count), "-i", f"{interval_s:g}", "-W", f"{wait_s:g}"]
        limit_s = count * max(interval_s, wait_s) + wait_s + 30
        done = launch.run([*argv, *(extra or []), address], prefix(host), os.environ, timeout=limit_s)
        said, complaint = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if done.returncode == _NOT_FOUND:
            raise EnvironmentLackError(f"host {host}: {lacking('ping')}")
        if "packets transmitted" not in said:
            words = complaint.strip() or said.strip() or f"exit status {done.returncode}"
            if (
                "unreachable" in words
            ):  # no route, as with its interface down: nothing was sent that could be answered
                return {"host": host, "address": address, **_lost(count)}
            raise MachineError(f"host {host}: ping {address} failed: {words}")
        return {"host": host, "address": address, **parse_ping(said)}

    with ThreadPoolExecutor(max(1, min(parallel, len(pairs)))) as pool:
        return list(pool.map(one, pairs))


def interface_counters(
    hosts: Hosts, inside: NamespaceThread, wanted: list[tuple[str, str]]
) -> list[dict[str, int]]:
    """The counters of many (network namespace, device) pairs, in order; an empty namespace is the machine's."""
    devices: dict[str, list[str]] = {}
    for namespace, device in wanted:
        devices.setdefault(namespace, []).append(device)
    found = hosts.counters(devices)
    answer = []
    for namespace, device in wanted:
        if device not in found.get(namespace, {}):
            there = inside.run(namespace, lambda: sorted(name for _, name in socket.if_nameindex()))
            where = f"host {namespace}" if namespace else "the machine"
            raise MachineError(f"{where} has no device {device}; it has {', '.join(there)}")
        answer.append(found[namespace][device]._asdict())
    return answer
