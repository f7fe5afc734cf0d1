# SPDX-License-Identifier: MIT
"""Flows of iperf3 between pairs of hosts on two machines, for benchmarks, and what arrives of them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack

from hybridnet import ExperimentError, Host, Net
from hybridnet.run.node.popen import Popen

__all__ = ["TCP", "Pairs", "await_each_other", "received", "start_flows", "udp"]

Pairs = list[tuple[Host, Host]]

TCP = ("-C", "cubic")
"""The options of a TCP flow without a limit."""
PORT = 5201
LASTING_S = 1000  # longer than all that is measured
PATIENCE_S = 60.0


def udp(rate: str) -> tuple[str, ...]:
    """The options of a UDP flow; rate "0": as fast as it goes."""
    return ("-u", "-b", rate, "-l", "1400")


def await_each_other(net: Net, pairs: Pairs) -> None:
    """Every host's pair has answered it: nothing has to be learned any more."""
    machine = pairs[0][0].machine
    assert machine is not None
    waiting = [(source.name, target.IP()) for source, target in pairs]
    limit = time.monotonic() + PATIENCE_S
    while waiting:
        answers = net.cluster.call(machine, "ping_pairs", pairs=waiting, wait_s=5.0)
        waiting = [pair for pair, ping in zip(waiting, answers, strict=True) if not ping["received"]]
        if waiting and time.monotonic() > limit:
            raise ExperimentError(f"{len(waiting)} hosts have no answer, {waiting[0][0]} for one")


def start_flows(pairs: Pairs, kinds: Sequence[Sequence[str]], ending: ExitStack) -> list[Popen]:
    """A flow of a kind for each of the first pairs; servers for all. What ends them goes to `ending`.

    Returns:
        The clients.
    """
    server = ["iperf3", "-s", "-p", str(PORT), "--forceflush"]
    servers = [ending.enter_context(target.popen(server, stderr=subprocess.STDOUT)) for _, target in pairs]
    for program in servers:
        assert program.stdout is not None
        while "listening" not in (line := program.stdout.readline()):
            if not line:
                raise ExperimentError("an iperf3 server ended before it listened")
    argv = ["-p", str(PORT), "-t", str(LASTING_S)]
    return [
        ending.enter_context(
            source.popen(
                ["iperf3", "-c", str(target.IP()), *argv, *kind],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.STDOUT,
            )
        )
        for (source, target), kind in zip(pairs, kinds, strict=False)
    ]


def received(net: Net, pairs: Pairs) -> tuple[int, int]:
    """Bytes that the receivers' interfaces have got so far, and the instant in nanoseconds."""
    machine = pairs[0][1].machine
    assert machine is not None
    interfaces = [(target.name, f"{target.name}-eth0") for _, target in pairs]
    answer = net.cluster.call(machine, "interface_counters", interfaces=interfaces)
    return sum(counter["rx_bytes"] for counter in answer["counters"]), answer["time_ns"]
