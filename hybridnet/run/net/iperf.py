# SPDX-License-Identifier: MIT
"""One iperf3 flow between two hosts. `Net.iperf` and `Net.iperf_matrix` use this.

iperf3 announces a UDP flow by a single datagram, and waits half a minute for the answer to it. Over a link that loses
packets the announcement is lost now and then, so a flow that does not begin soon is begun anew, for a while.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from hybridnet.describe.quantities import parse_rate
from hybridnet.describe.values import choice, number, plain, shown, text, whole
from hybridnet.errors import ExperimentError, MachineError, UsageError
from hybridnet.run.node import Host
from hybridnet.run.node.iperf_server import LASTED, interval_words, read_until, serve, without_idle_ends
from hybridnet.run.node.popen import Popen
from hybridnet.system.log import output

__all__ = ["Flow", "Found", "check_flow", "format_bandwidth", "iperf", "iperf_pair"]

MOST_SECONDS = 86_400
CONGESTION_CONTROL = "cubic"
BEGIN_SECONDS = 5.0  # a UDP flow that has not begun by then is begun anew
TRY_SECONDS = 60.0  # the longest that this goes on
CONNECT_SECONDS = 30.0  # the longest that a TCP flow begins; unlike Linux, which goes on for two minutes
END_SECONDS = 60.0  # the longest that the two ends exchange their figures, over a link that loses packets

_UNITS = {
    "k": (1e3, "Kbits"), "m": (1e6, "Mbits"), "g": (1e9, "Gbits"),
    "K": (8 * 2**10, "KBytes"), "M": (8 * 2**20, "MBytes"), "G": (8 * 2**30, "GBytes"),
}  # fmt: skip
"""Of iperf's option -f: bits per second in the unit, and its name."""

_BEGUN = re.compile(r"local \S+ port \d+ connected to")
_SENT = re.compile(r"([\d.]+) Kbits/sec +[\d.]+ ms +\d+/\d+ .*sender")
_RECEIVED = re.compile(r"([\d.]+) Kbits/sec +[\d.]+ ms +(\d+)/(\d+) .*receiver")
_FAILED = re.compile(r"iperf3: error - (.+)")
_LOST_BEGIN = ("unable to read from stream socket", "control socket has closed unexpectedly")


class Flow(NamedTuple):
    """What a flow is like. `rate` is what UDP offers: Mininet's ``"10M"``, or a rate with a unit."""

    protocol: str = "TCP"
    rate: str = "10M"
    seconds: float = 5
    port: int = 5001


class Found(NamedTuple):
    """What a flow did; rates in bit/s of payload."""

    received_bps: float
    sent_bps: float
    lost_percent: float | None = None  # of UDP's datagrams


def check_flow(flow: Flow, slow: int = 1) -> None:
    """Raise UsageError, UnitError: a value makes no sense; iperf3 itself runs `slow` times as long."""
    choice(flow.protocol, "iperf: protocol", ("TCP", "UDP"))
    number(flow.seconds, "iperf: seconds", 0.1, MOST_SECONDS / slow)
    whole(flow.port, "iperf: port", 1, 65535)
    _offered(flow.rate)


def iperf_pair(ends: Sequence[Host], flow: Flow, unit: str | None = None, slow: int = 1) -> list[str]:
    """What `hybridnet.Net.iperf` prints and returns for its client and server; `unit` as `format_bandwidth`, `slow` as
    `iperf`.
    """
    if unit is not None:
        choice(unit, "iperf: fmt", _UNITS)
    if len(ends) != 2 or ends[0] is ends[1]:
        raise UsageError(
            f"iperf: {shown([str(end) for end in ends])} are not two hosts; give a client and a server"
        )
    client, server = ends
    output(f"*** Iperf: testing {plain(flow.protocol)} bandwidth between {client} and {server}\n")
    found = iperf(server, client, flow, slow)
    result = [format_bandwidth(rate_bps, unit) for rate_bps in (found.received_bps, found.sent_bps)]
    if flow.protocol == "UDP":
        result.insert(0, flow.rate)
    output(f"*** Results: {result}\n")
    return result


def iperf(server: Host, client: Host, flow: Flow, slow: int = 1) -> Found:
    """Run one flow.

    Args:
        slow: wall seconds for a second of the flow; iperf3 is told, and says, wall seconds.

    Raises:
        UsageError, UnitError: a value makes no sense, or the server has no address.
        ExperimentError: iperf3 failed; the message quotes it.
    """
    check_flow(flow, slow)
    if server.IP() is None:
        raise UsageError(f"iperf: host {server} has no address; give it an ip=")
    wall = flow._replace(seconds=flow.seconds * slow, rate=f"{_offered(flow.rate) // slow} bit/s")
    found = (_udp if flow.protocol == "UDP" else _tcp)(server, client, wall)
    return found._replace(received_bps=found.received_bps * slow, sent_bps=found.sent_bps * slow)


def format_bandwidth(bits_per_second: float, unit: str | None = None) -> str:
    """As iperf writes it; by size, or in the unit of its option -f.

    Example:
        >>> format_bandwidth(9.412e9), format_bandwidth(9.412e9, "m"), format_bandwidth(8 * 1024 * 2.5, "K")
        ('9.41 Gbits/sec', '9412 Mbits/sec', '2.50 KBytes/sec')
    """
    if unit is not None:
        factor, word = _UNITS[unit]
        rate = bits_per_second / factor
        return f"{rate:.{2 if rate < 10 else 1 if rate < 100 else 0}f} {word}/sec"
    for factor, unit in ((1e9, "Gbits/sec"), (1e6, "Mbits/sec"), (1e3, "Kbits/sec")):
        if bits_per_second >= factor:
            return f"{bits_per_second / factor:.3g} {unit}"
    return f"{bits_per_second:.3g} bits/sec"


def _tcp(server: Host, client: Host, flow: Flow) -> Found:
    with serve(server, flow.port, interval_words(flow.seconds)) as serving:
        most = f"{CONNECT_SECONDS * 1000:.0f}"
        argv = [*_client(server, flow), "-J", "-C", CONGESTION_CONTROL, "--connect-timeout", most]
        out, err, _ = client.pexec(argv)
        end = _report(out, err, client)["end"]
        received = end["sum_received"]
        factor = without_idle_ends(received["seconds"], flow.seconds, serving)
    return Found(factor * received["bits_per_second"], end["sum_sent"]["bits_per_second"])


def _udp(server: Host, client: Host, flow: Flow) -> Found:
    argv = [*_client(server, flow), "-u", "-b", str(_offered(flow.rate)), "-f", "k", "--forceflush"]
    deadline = time.monotonic() + TRY_SECONDS
    while True:
        with (
            serve(server, flow.port, interval_words(flow.seconds)) as serving,
            client.popen(argv, stderr=subprocess.STDOUT) as sending,
        ):
            said = read_until(sending, _BEGUN, BEGIN_SECONDS)
            if _BEGUN.search(said):
                said += _rest(sending, flow, client)
                return _figures(said, flow, serving, client)
        failed = _FAILED.search(said)
        if failed is not None and not failed[1].startswith(_LOST_BEGIN):
            raise ExperimentError(f"iperf: the client on {client} failed: {failed[1]}")
        if time.monotonic() > deadline:
            raise ExperimentError(
                f"iperf: no UDP flow from {client} to {server} began within {TRY_SECONDS:g} s; does `{client} ping "
                f"{server}` get answers?"
            )


def _client(server: Host, flow: Flow) -> list[str]:
    return ["iperf3", "-c", str(server.IP()), "-p", str(flow.port), "-t", f"{flow.seconds:g}"]


def _rest(program: Popen, flow: Flow, client: Host) -> str:
    try:
        out, _ = program.communicate(timeout=flow.seconds + END_SECONDS)
    except subprocess.TimeoutExpired:
        raise ExperimentError(
            f"iperf: the client on {client} did not end within {END_SECONDS:g} s after its {flow.seconds:g} s"
        ) from None
    return str(out)


def _figures(said: str, flow: Flow, serving: Popen, client: Host) -> Found:
    sent, received, lasted = _SENT.search(said), _RECEIVED.search(said), LASTED.search(said)
    if sent is None or received is None or lasted is None:
        failed = _FAILED.search(said)
        raise ExperimentError(
            f"iperf: the client on {client} gave no result: {failed[1] if failed else said.strip()[-300:]}"
        )
    lost, total = int(received[2]), int(received[3])
    factor = without_idle_ends(float(lasted[1]), flow.seconds, serving)
    return Found(
        factor * 1e3 * float(received[1]), 1e3 * float(sent[1]), 100.0 * lost / total if total else None
    )


def _offered(rate: Any) -> int:
    """Mininet's "10M", or a rate with a unit; in bit/s."""
    text(rate, "iperf: udpBw")
    factors = {"K": "kbit/s", "M": "Mbit/s", "G": "Gbit/s"}
    written = f"{rate[:-1]} {factors[rate[-1].upper()]}" if rate[-1:].upper() in factors else rate
    return round(parse_rate(written, "iperf: udpBw"))


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
