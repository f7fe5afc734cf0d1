# SPDX-License-Identifier: MIT
"""Looking at a running network: who reaches whom, and how fast. `Net.ping`, `pingAll` and `iperf` use this."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybridnet.errors import ExperimentError, MachineError, UsageError
from hybridnet.node import Host
from hybridnet.node.popen import Popen
from hybridnet.quantities import parse_rate
from hybridnet.system.log import output
from hybridnet.values import choice, number, plain, shown, whole
from hybridnet.values import text as values_text

if TYPE_CHECKING:
    from hybridnet.cluster import Machines

__all__ = ["format_bandwidth", "iperf", "iperf_pair", "patience", "ping_all"]

MOST_SECONDS = 86_400

Calls = dict[str, tuple[str, dict[str, Any]]]


def ping_all(cluster: Machines, hosts: Sequence[Host], wait_s: float) -> float:
    """Ping once from every host to every other; print Mininet's table. Returns the percentage of lost pings.

    The hosts of one machine take turns as the source; the machines, and the pings of one source, run side by
    side.
    """
    output("*** Ping: testing ping reachability\n")
    rows: dict[str, list[str]] = {}
    shown = sent = received = 0
    for turn in _turns(hosts):
        calls: Calls = {}
        targets: dict[str, list[Host]] = {}
        for source in turn:
            others = [host for host in hosts if host is not source and host.IP() is not None]
            targets[source.name] = others
            pairs = [(source.name, host.IP()) for host in others]
            calls[source.machine or ""] = ("ping_pairs", {"pairs": pairs, "count": 1, "wait_s": wait_s})
        answers = cluster.call_all(calls)
        for source in turn:
            found = answers[source.machine or ""]
            sent += len(found)
            received += sum(ping["received"] for ping in found)
            rows[source.name] = [
                host.name if ping["received"] else "X"
                for host, ping in zip(targets[source.name], found, strict=True)
            ]
        while shown < len(hosts) and hosts[shown].name in rows:
            output(f"{hosts[shown].name} -> {' '.join(rows[hosts[shown].name])} \n")
            shown += 1
    if not sent:
        output("*** Warning: No packets sent\n")
        return 0.0
    lost = 100.0 * (sent - received) / sent
    output(f"*** Results: {lost:.0f}% dropped ({received}/{sent} received)\n")
    return lost


def patience(timeout: Any) -> float:
    """How long to wait for a ping, in seconds: a number, or the text of one; None is a second. Raises UsageError."""
    try:
        seconds = 1.0 if timeout is None else float(timeout)
        if isinstance(timeout, bool) or not 0 < seconds <= MOST_SECONDS:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"ping: timeout {shown(timeout)} is not a number of seconds; write for example 2"
        ) from None
    return seconds


def iperf_pair(ends: Sequence[Host], protocol: str, rate: str, seconds: float, port: int) -> list[str]:
    """What `hybridnet.Net.iperf` prints and returns for its client and server."""
    if len(ends) != 2 or ends[0] is ends[1]:
        raise UsageError(
            f"iperf: {shown([str(end) for end in ends])} are not two hosts; give a client and a server"
        )
    client, server = ends
    output(f"*** Iperf: testing {plain(protocol)} bandwidth between {client} and {server}\n")
    received, sent = iperf(server, client, protocol=protocol, rate=rate, seconds=seconds, port=port)
    result = [format_bandwidth(received), format_bandwidth(sent)]
    if protocol == "UDP":
        result.insert(0, rate)
    output(f"*** Results: {result}\n")
    return result


def iperf(
    server: Host,
    client: Host,
    *,
    protocol: str = "TCP",
    rate: str = "10M",
    seconds: float = 5,
    port: int = 5001,
    congestion_control: str = "cubic",
) -> tuple[float, float]:
    """One iperf3 flow. Returns what the server received and what the client sent, in bit/s.

    Raises:
        UsageError: unknown protocol, or the server has no address.
        ExperimentError: iperf3 failed; the message quotes it.
    """
    choice(protocol, "iperf: protocol", ("TCP", "UDP"))
    number(seconds, "iperf: seconds", 0.1, MOST_SECONDS)
    whole(port, "iperf: port", 1, 65535)
    offered = _iperf_rate(rate)
    if server.IP() is None:
        raise UsageError(f"iperf: host {server} has no address; give it an ip=")
    with server.popen(
        ["iperf3", "-s", "-1", "-p", str(port), "--forceflush"], stderr=subprocess.STDOUT
    ) as serving:
        _await_line(serving, "Server listening", server)
        argv = ["iperf3", "-c", str(server.IP()), "-p", str(port), "-t", f"{seconds:g}", "-J"]
        argv += ["-u", "-b", offered] if protocol == "UDP" else ["-C", congestion_control]
        out, err, _ = client.pexec(argv)
        report = _report(out, err, client)
    end = report["end"]
    if protocol == "TCP":
        return end["sum_received"]["bits_per_second"], end["sum_sent"]["bits_per_second"]
    total = end["sum"]
    return total["bits_per_second"] * (1 - total["lost_percent"] / 100), total["bits_per_second"]


def format_bandwidth(bits_per_second: float) -> str:
    """As iperf writes it.

    Example:
        >>> format_bandwidth(9.412e9)
        '9.41 Gbits/sec'
    """
    for factor, unit in ((1e9, "Gbits/sec"), (1e6, "Mbits/sec"), (1e3, "Kbits/sec")):
        if bits_per_second >= factor:
            return f"{bits_per_second / factor:.3g} {unit}"
    return f"{bits_per_second:.3g} bits/sec"


def _turns(hosts: Sequence[Host]) -> list[list[Host]]:
    """The first host of each machine, then the second of each, and so on."""
    by_machine: dict[str, list[Host]] = {}
    for host in hosts:
        by_machine.setdefault(host.machine or "", []).append(host)
    longest = max((len(group) for group in by_machine.values()), default=0)
    return [[group[turn] for group in by_machine.values() if turn < len(group)] for turn in range(longest)]


def _await_line(program: Popen, wanted: str, server: Host) -> None:
    lines = []
    assert program.stdout is not None
    read: Callable[[], str] = program.stdout.readline
    while line := read():
        lines.append(line)
        if wanted in line:
            return
    raise ExperimentError(
        f"iperf: the server on {server} did not start: {' '.join(lines).strip() or 'it printed nothing'}"
    )


def _iperf_rate(rate: Any) -> str:
    """Mininet's "10M", or a rate with a unit; as iperf3 takes it."""
    values_text(rate, "iperf: udpBw")
    factors = {"K": "kbit/s", "M": "Mbit/s", "G": "Gbit/s"}
    text = f"{rate[:-1]} {factors[rate[-1].upper()]}" if rate[-1:].upper() in factors else rate
    return str(parse_rate(text, "iperf: udpBw"))


def _report(out: str, err: str, client: Host) -> dict[str, Any]:
    try:
        report: dict[str, Any] = json.loads(out)
    except ValueError:
        said = err.strip() or out.strip()[-300:]
        raise MachineError(
            f"iperf: the client on {client} gave no report: {said or 'it printed nothing'}"
        ) from None
    if "error" in report:
        raise ExperimentError(f"iperf: the client on {client} failed: {report['error']}")
    return report
