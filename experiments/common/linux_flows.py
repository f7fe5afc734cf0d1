# SPDX-License-Identifier: MIT
"""Flows of Linux TCP between emulated hosts, started together, and what became of them."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet import Host, Net
from hybridnet.errors import EnvironmentLackError, ExperimentError
from hybridnet.experiments.common import linux_flow
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.machines.cluster import Cluster

PORT = 5001
HEAD_START_S = 0.5
HEAD_START_PER_FLOW_S = 0.1
"""Until the interpreters of all senders are up: then they begin at one instant."""
_AVAILABLE = "/proc/sys/net/ipv4/tcp_available_congestion_control"


@dataclass(frozen=True)
class LinuxFlow:
    """What a sender saw of its own connection: rows of `linux_flow.COLUMNS`.

    Args:
        began: CLOCK_MONOTONIC when it was told to begin.
    """

    samples: list[tuple[float, ...]]
    began: float

    columns = linux_flow.COLUMNS

    def column(self, name: str) -> list[float]:
        place = self.columns.index(name)
        return [row[place] for row in self.samples]

    @property
    def throughput_bps(self) -> float:
        """Of what was acknowledged, from the SYN to the last sample."""
        return 8 * self.column("acknowledged_bytes")[-1] / self.column("time_s")[-1]


def require_algorithms(cluster: Cluster, machine: str, algorithms: Sequence[str]) -> None:
    """Check that a machine's kernel has these congestion controls.

    Raises:
        EnvironmentLackError: it lacks one.
    """
    available = cluster.call(machine, "exec", argv=["cat", _AVAILABLE])["stdout"].decode().split()
    if lacking := [name for name in algorithms if name not in available]:
        raise EnvironmentLackError(
            f"congestion control {lacking[0]}: the kernel of {machine} has {', '.join(available)}; load the module "
            f"tcp_{lacking[0]}, or run where the kernel has it"
        )


def clock_of(net: Net) -> Callable[[], float]:
    """CLOCK_MONOTONIC of the one machine of a network, which is not this computer's: in seconds."""
    assert net.plan is not None
    [machine] = net.plan.machines
    return lambda: float(net.cluster.call(machine, "clock")["monotonic_ns"]) / 1e9


def prepare(host: Host, *, trains: bool) -> None:
    """Make every connection of the host start afresh, and turn its trains off or leave them on.

    A kernel builds trains even where the device takes none, and cuts them up behind TCP; so their length is bounded.
    """
    host.execute(["sysctl", "-qw", "net.ipv4.tcp_no_metrics_save=1"])
    if not trains:
        for device in host.intfNames():
            host.execute(["ip", "link", "set", "dev", device, "gso_max_segs", "1"])
            host.execute(["ethtool", "-K", device, "tso", "off", "gso", "off", "gro", "off"])


def run_flows(
    pairs: Sequence[tuple[Host, Host]],
    algorithms: Sequence[str],
    seconds: float,
    every_s: float,
    begin: float = 0.0,
    clock: Callable[[], float] = time.monotonic,
) -> list[LinuxFlow]:
    """One flow for each pair of sender and receiver, all at once, for ``seconds``.

    Args:
        pairs: of sender and receiver; no host is in two of them.
        algorithms: congestion control of each.
        seconds: how long they send.
        every_s: interval of their samples.
        begin: CLOCK_MONOTONIC of the hosts' machine before which none begins.
        clock: that clock, as `clock_of` gives it; default: this computer's.

    Raises:
        ExperimentError: a flow did not start, or broke; the message quotes it.
    """
    program = [PYTHON, "-c", Path(linux_flow.__file__).read_text(encoding="utf-8")]
    with contextlib.ExitStack() as ending:

        def start(host: Host, *words: str) -> Any:
            # Without libraries of ours the interpreter starts in a few milliseconds.
            started = host.popen([program[0], "-I", "-S", *program[1:], *words], stderr=subprocess.PIPE)
            ending.callback(started.close)
            return started

        for _, receiver in pairs:
            receiving = start(receiver, "receive", str(PORT))
            if receiving.stdout.readline() != "ready\n":
                raise ExperimentError(f"receive in {receiver}: {receiving.communicate()[1][-300:]}")
        began = max(begin, clock() + HEAD_START_S + HEAD_START_PER_FLOW_S * len(pairs))
        sending = [
            start(
                sender, "send", str(receiver.IP()), str(PORT), algorithm, f"{seconds:g}", f"{every_s:g}", f"{began:.6f}"
            )
            for (sender, receiver), algorithm in zip(pairs, algorithms, strict=True)
        ]  # fmt: skip
        return [
            LinuxFlow(_samples(started, pair), began) for started, pair in zip(sending, pairs, strict=True)
        ]


def _samples(sending: Any, pair: tuple[Host, Host]) -> list[tuple[float, ...]]:
    said, complaint = sending.communicate()
    if sending.returncode != 0:
        raise ExperimentError(f"send from {pair[0]} to {pair[1]}: {complaint[-300:].strip()}")
    return [tuple(row) for row in json.loads(said)["samples"]]
