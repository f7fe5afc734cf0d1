# SPDX-License-Identifier: MIT
"""Loss in capture: what Scussel and others 2015 found at 12,500 small packets a second, at that rate and ten times it.

Numbered UDP packets, 100 bytes each, from one host through a portal, a simulated link without limit or delay, and
another portal to a second host. The sender's numbers say how many are missing; the counters of the simulator and of the
receiver's socket say which of them were not lost in capture. See docs/inet.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from experiments.inet_parts import flood
from experiments.inet_parts.loss_report import PUBLISHED_PERCENT, LossRun, checks_of, table_of
from experiments.inet_parts.testbed import Arm, bridge_plan
from hybridnet.cluster import Cluster
from hybridnet.errors import ExperimentError, UsageError
from hybridnet.results import Check, Limits, RunDirectory, judge

SUMMARY = "loss in capture at 12,500 and 125,000 small packets a second, as in Scussel and others 2015"

MACHINE = "m1"
BACKENDS = ("packet", "pcap")
RATES = (12_500, 125_000)
RECEIVER_ADDRESS = "10.1.0.2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument("--seconds", type=float, default=60.0, metavar="S", help="per run (default: 60)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="of all runs in turn (default: 3)")
    parser.add_argument("--quick", action="store_true", help="2 s, one round, 1,250 and 12,500 packets/s")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("runs/inet-loss"),
        metavar="DIR",
        help="run directory (default: %(default)s)",
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Runs the experiment.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    seconds, rounds = (2.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    rates = tuple(rate // 10 for rate in RATES) if arguments.quick else RATES
    if seconds < 1 or rounds < 1:
        raise UsageError(f"inet-loss: --seconds {seconds:g} --rounds {rounds}: both must be at least 1")
    console = Console(stderr=arguments.json)
    directory = RunDirectory(arguments.out)
    directory.write_manifest(seed=1, facts={"seconds": seconds, "rounds": rounds, "rates": rates})
    runs: list[LossRun] = []
    with Cluster.local([MACHINE]) as cluster, Progress(console=console) as progress:
        task = progress.add_task("", total=rounds * len(BACKENDS) * len(rates))
        for number in range(1, rounds + 1):
            for rate in rates:
                for backend in BACKENDS:
                    progress.update(task, description=f"round {number}: {backend}, {rate:,}/s")
                    runs.append(_measure(cluster, backend, rate, number, seconds))
                    progress.advance(task)
    checks = checks_of(runs)
    directory.write_json(
        "loss.json",
        {
            "published_percent": PUBLISHED_PERCENT,
            "runs": [each.to_json() for each in runs],
            "checks": [check.to_json() for check in checks],
        },
    )
    columns = ("backend", "rate", "number", "sent", "received", "missing", "lost_in_capture", "kernel_drops")
    directory.write_csv(
        "loss.csv", columns, [tuple(getattr(each, column) for column in columns) for each in runs]
    )
    console.print(table_of(runs))
    console.print(f"run directory: {directory.path}", highlight=False)
    return checks


def _measure(cluster: Cluster, backend: str, rate: int, number: int, seconds: float) -> LossRun:
    """Builds the network, sends, counts, and removes it."""
    cluster.call(MACHINE, "build", plan=bridge_plan(MACHINE, Arm(backend, backend)))
    try:
        source = Path(flood.__file__).read_text(encoding="utf-8")
        program = [sys.executable, "-c", source]
        expected = str(round(rate * seconds))
        _execute(cluster, "h1", ["ping", "-n", "-c", "2", "-i", "0.1", RECEIVER_ADDRESS])  # ARP
        receiver = cluster.call(
            MACHINE, "start_process", node="h2", command=[*program, "receive", expected], merge=True
        )["number"]
        try:
            _await(cluster, receiver, b"ready\n", 30.0)
            before = cluster.call(MACHINE, "snapshot")
            sent = json.loads(
                _execute(
                    cluster,
                    "h1",
                    [*program, "send", RECEIVER_ADDRESS, str(rate), f"{seconds:g}"],
                    timeout_s=60 + 5 * seconds,
                )
            )
            received = json.loads(_await(cluster, receiver, b"}\n", 60.0))
            after = cluster.call(MACHINE, "snapshot")
        finally:
            cluster.call(MACHINE, "close_process", number=receiver)
        socket_drops = _udp_receive_errors(_execute(cluster, "h2", ["cat", "/proc/net/snmp"]))
    finally:
        cluster.call(MACHINE, "destroy")
    return LossRun(
        backend=backend,
        rate=rate,
        number=number,
        sent=sent["sent"],
        seconds=sent["seconds"],
        received=received["received"],
        duplicates=received["duplicates"],
        kernel_drops=sum(row["kernel_drops"] for row in after["portals"])
        - sum(row["kernel_drops"] for row in before["portals"]),
        receiver_drops=socket_drops,
        simulator_drops=_drops(before, after),
        verdict="trusted" if judge([([before], [after])], Limits()).trusted else "not trusted",
    )


def _drops(before: dict[str, Any], after: dict[str, Any]) -> dict[str, int]:
    """What portals and links dropped in between, by reason."""
    drops: dict[str, int] = {}
    for snapshot, sign in ((after, 1), (before, -1)):
        for row in (*snapshot["portals"], *snapshot["links"]):
            for reason, count in row["dropped"].items():
                drops[reason] = drops.get(reason, 0) + sign * count
    return {reason: count for reason, count in drops.items() if count}


def _udp_receive_errors(snmp: str) -> int:
    """RcvbufErrors of a namespace: datagrams that found a socket's buffer full."""
    names, values = (line.split() for line in snmp.splitlines() if line.startswith("Udp:"))
    return int(values[names.index("RcvbufErrors")])


def _await(cluster: Cluster, process: int, ending: bytes, patience_s: float) -> str:
    """What the program prints, until it ends with ``ending``."""
    output = b""
    while not output.endswith(ending):
        piece = cluster.call(MACHINE, "read_process", number=process, timeout=patience_s)
        if not piece:
            raise ExperimentError(
                f"inet-loss: the receiver said {output.decode(errors='replace')[-300:]!r} and then "
                + ("ended" if piece is None else f"nothing for {patience_s:g} s")
            )
        output += piece
    return output.decode()


def _execute(cluster: Cluster, node: str, command: list[str], timeout_s: float = 60.0) -> str:
    done = cluster.call(MACHINE, "exec", argv=command, node=node, timeout=timeout_s)
    if done["status"] != 0:
        raise ExperimentError(
            f"inet-loss: {node}: `{command[0]}` ended with status {done['status']}: {done['stderr'].decode()[-300:]}"
        )
    output: str = done["stdout"].decode()
    return output
