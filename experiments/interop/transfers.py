# SPDX-License-Identifier: MIT
"""The transfers of interop: real programs in a namespace, a simulated server, and a link between them that hurts.

::

    h1 (namespace) ── portal ── r1 ── 0.5 ms, loss, reordering, duplication, both ways ── server (simulated)
"""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from hybridnet import Net, Topo
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.programs import interpreter
from hybridnet.experiments.interop import byte_stream

RATE_MBPS = 1000
DELAY_MS = 0.5
LOSS_PERCENT, REORDER_PERCENT, DUPLICATE_PERCENT = 1.0, 1.0, 0.1
ECHO, IPERF3 = 7, 5201
INTERVAL_S = 0.5
"""Of iperf3's reports."""
LAST_WORD_S = 20.0
"""From the end of iperf3's client to the end of the server's test, at most."""
LEAST_BPS = 5e6
"""A transfer that is slower is given up."""
_RESETS = ("TcpEstabResets", "TcpOutRsts", "TcpExtTCPAbortOnTimeout", "TcpExtTCPAbortFailed")


class HurtingLink(Topo):
    """One real host, one simulated server."""

    def build(self, file_bytes: int) -> None:
        self.addHost("h1")
        self.addSimRouter("r1")
        self.addSimHost(
            "server",
            applications=[
                {"kind": "http_server", "path": "/file", "size": file_bytes},
                {"kind": "tcp_echo", "port": ECHO},
                {"kind": "iperf3_server", "port": IPERF3},
            ],
        )
        self.addLink("h1", "r1")
        self.addLink(
            "r1", "server", bw=RATE_MBPS, delay=f"{DELAY_MS}ms", loss=LOSS_PERCENT, reorder=REORDER_PERCENT,
            duplicate=DUPLICATE_PERCENT,
        )  # fmt: skip


@dataclass(frozen=True)
class Transfer:
    """What became of one.

    Args:
        name: the program, and which way the bytes went.
        bytes: that came.
        exact: whether they are those that were sent, by their SHA-256; of iperf3, whether both ends count the same.
        longest_gap_s: the longest time in which none came; of iperf3, whole intervals of its report.
        resets: connections that ended by one, or were given up, on either side.
    """

    name: str
    bytes: int
    seconds: float
    exact: bool
    longest_gap_s: float
    resets: int

    @property
    def mbps(self) -> float:
        return 8e-6 * self.bytes / self.seconds


def fetch(net: Net, file_bytes: int, times: int) -> Transfer:
    """curl fetches the file, so many times over one connection."""
    urls = " ".join([f"http://{server_of(net)}/file"] * times)
    return _stream(net, "curl, from the simulated server", f"curl -sS {urls}", file_bytes, times)


def echo(net: Net, size: int) -> Transfer:
    """nc sends the stream and gets it back: every byte goes both ways."""
    command = f"{_program(net, 'write', str(size))} | nc -N {server_of(net)} {ECHO}"
    return _stream(net, "nc, to the simulated server and back", command, size, 1)


def iperf3(net: Net, size: int, *, back: bool) -> Transfer:
    """iperf3 sends so many bytes, or has them sent.

    Its receiver stops reading when the test is over, so what came is a little less than what was sent, and coming back
    the sender is reset by iperf3 itself; so the check compares the counts of both ends, and a failed test counts as
    broken.
    """
    before = _application(net, "iperf3_server")
    words = ["iperf3", "-J", "-C", "cubic", "-i", f"{INTERVAL_S:g}", "-n", str(size), "-c", server_of(net)]
    done = net["h1"].popen([*words, "-R"] if back else words)
    said, complaint = done.communicate(timeout=_patience_s(size))
    report = json.loads(said) if said else {"error": complaint}
    if "error" in report:
        raise ExperimentError(f"iperf3 {'-R ' if back else ''}to the simulated server: {report['error']}")
    after = _ended_test(net, before)
    at_server, told = ("sent_bytes", "sum_sent") if back else ("received_bytes", "sum_received")
    end = report["end"]
    return Transfer(
        name=f"iperf3, {'from' if back else 'to'} the simulated server",
        bytes=end["sum_received"]["bytes"],
        seconds=end["sum_received"]["seconds"],
        exact=after[at_server] - before[at_server] == end[told]["bytes"] and end["sum_sent"]["bytes"] >= size,
        longest_gap_s=_longest_silence_s([each["sum"]["bytes"] for each in report["intervals"]]),
        resets=after["failed_tests"] - before["failed_tests"],
    )


def server_of(net: Net) -> str:
    """The simulated server's address."""
    assert net.plan is not None
    [machine] = net.plan.machines.values()
    [node] = [node for node in machine["instances"][0]["nodes"] if node["name"] == "server"]
    return str(node["interfaces"][0]["address"].partition("/")[0])


def _stream(net: Net, name: str, command: str, size: int, times: int) -> Transfer:
    """What ``command`` prints in h1, which should be the stream, ``times`` over."""
    resets = _resets(net)
    text = f"set -o pipefail; {command} | {_program(net, 'read')}"
    started = net["h1"].popen(["bash", "-c", text])
    said, complaint = started.communicate(timeout=_patience_s(size * times))
    if started.returncode != 0:
        raise ExperimentError(
            f"{name}: it ended with status {started.returncode}: {complaint.strip()[-300:]}"
        )
    came = json.loads(said)
    return Transfer(
        name=name,
        bytes=came["bytes"],
        seconds=came["seconds"],
        exact=came["sha256"] == byte_stream.digest(size, times),
        longest_gap_s=came["longest_gap_s"],
        resets=_resets(net) - resets,
    )


def _program(net: Net, *words: str) -> str:
    source = Path(byte_stream.__file__).read_text(encoding="utf-8")
    return shlex.join([interpreter(net.cluster, net["h1"].machine), "-c", source, *words])


def _patience_s(size: int) -> float:
    return 60 + 8 * size / LEAST_BPS


def _longest_silence_s(counts: list[int]) -> float:
    """How long the longest series of intervals without a byte lasted."""
    return max(
        (INTERVAL_S * len(list(run)) for silent, run in groupby(counts, lambda n: n == 0) if silent),
        default=0,
    )


def _application(net: Net, kind: str) -> dict[str, Any]:
    [snapshot] = net.snapshot().values()
    [row] = [row for row in snapshot["applications"] if row["name"].split(":")[1] == kind]
    return dict(row)


def _ended_test(net: Net, before: Mapping[str, Any]) -> dict[str, Any]:
    """The server's counters once it has heard the client's last word; until then it refuses the next test."""
    deadline = time.monotonic() + LAST_WORD_S
    while True:
        row = _application(net, "iperf3_server")
        if row["tests"] + row["failed_tests"] > before["tests"] + before["failed_tests"]:
            return row
        if time.monotonic() > deadline:
            raise ExperimentError(
                f"iperf3: the simulated server's test has not ended {LAST_WORD_S:g} s after the client's"
            )
        time.sleep(0.02)


def _resets(net: Net) -> int:
    """Connections that broke so far: as the host's TCP counts them, and as the server's applications do."""
    lines = net["h1"].execute(["nstat", "-asz", *_RESETS]).splitlines()
    of_host = sum(int(line.split()[1]) for line in lines if line.startswith(_RESETS))
    return of_host + int(_application(net, "http_server")["broken_connections"])
