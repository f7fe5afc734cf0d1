# SPDX-License-Identifier: MIT
"""A running network under test: traffic in it, and its counters once it is quiet."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridnet import Host, Net, Topo

Snapshot = Mapping[str, Any]

TRANSFERS = {"links": "accepted_packets", "portals": "accepted_segments", "peers": "accepted_packets"}


class Lossy(Topo):
    """h1 ── s1 ┄┄ r1 ┄┄ h2: a wire, and simulated links, of which the second loses every third packet to h2."""

    def build(self) -> None:  # type: ignore[override]
        for host in ("h1", "h2"):
            self.addHost(host)
        self.addSwitch("s1")
        self.addSimRouter("r1")
        self.addLink("h1", "s1")
        self.addLink("s1", "r1", delay="1ms")
        self.addLink("r1", "h2", delay="1ms", params1={"loss": {"model": "periodic", "every": 3}})


def start_iperf3(server: Host, client: Host, *options: str, port: int = 5201) -> Any:
    """Starts an iperf3 server and, once it listens, a client. `finish_iperf3` waits for its report."""
    serving = server.popen(["iperf3", "-s", "-1", "-p", str(port), "--forceflush"], stderr=subprocess.STDOUT)
    lines: list[str] = []
    while not lines or "listening" not in lines[-1]:
        line = serving.stdout.readline()
        assert line, f"iperf3 -s on {server} ended: {lines}"
        lines.append(line)
    sending = client.popen(["iperf3", "-c", str(server.IP()), "-p", str(port), "-J", *options])
    return serving, sending


def finish_iperf3(started: Any) -> dict[str, Any]:
    """The `end` of the client's report."""
    serving, sending = started
    out, err = sending.communicate()
    serving.communicate()
    report = json.loads(out)
    assert "error" not in report, (report.get("error"), err)
    end: dict[str, Any] = report["end"]
    return end


def rtts_ms(net: Net, source: str, address: str, count: int) -> list[float]:
    """The round trips of `count` pings, sorted; none may be lost."""
    machine = net[source].machine
    [answer] = net.cluster.call(
        machine, "ping_pairs", pairs=[(source, address)], count=count, interval_s=0.05, wait_s=5.0
    )
    assert answer["received"] == count
    return sorted(answer["rtts_ms"])


def snapshots(net: Net) -> dict[str, Snapshot]:
    """Of each machine that has an instance."""
    return {machine: snapshot for machine, snapshot in net.snapshot().items() if snapshot is not None}


def quiet_snapshots(net: Net, patience_s: float = 20.0) -> dict[str, Snapshot]:
    """Snapshots between which and the ones before nothing passed, so that they are of one instant."""
    deadline = time.monotonic() + patience_s
    before = snapshots(net)
    while True:
        time.sleep(0.2)  # longer than anything is under way in these networks
        after = snapshots(net)
        if passed(before) == passed(after):
            return after
        assert time.monotonic() < deadline, f"the network is not quiet after {patience_s} s"
        before = after


def passed(of: Mapping[str, Snapshot]) -> dict[tuple[str, str, str], int]:
    return {
        (machine, section, row["name"]): row[figure]
        for machine, snapshot in of.items()
        for section, figure in TRANSFERS.items()
        for row in snapshot[section]
    }


def only(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The one row of a section that has one."""
    [row] = rows
    return row


def wait_until(condition: Callable[[], bool], patience_s: float = 5.0) -> None:
    """Returns once the condition holds; fails the test when it does not within ``patience_s`` seconds."""
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {patience_s} s"
        time.sleep(0.01)
