# SPDX-License-Identifier: MIT
"""Who sends and who receives: a column once with each pairing, over the same link, in real or in virtual time.

::

    sender ── router ── the column's link ── router ── receiver      captures at the routers' outer interfaces

A pairing with a Linux end runs in real time, many at once in one instance; simulated to simulated runs in virtual time.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hybridnet import Host, Net, Topo
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.linux_flows import prepare
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.differential import linux_end, wire
from hybridnet.experiments.differential.columns import PORT, Bulk, Column, End, Kind
from hybridnet.experiments.differential.real import no_trains_at_portals
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Verdict

ENDS: tuple[End, End] = ("sender", "receiver")
_LETTER = {"sender": "a", "receiver": "b"}
_ARRIVES_S = 0.5
_APART_S = 0.05
"""Between the beginnings of the pairs of a batch, so that they do not burst together."""
_START_S, _START_PER_PAIR_S = 5.0, 0.7
"""Simulated clients begin so long after the instance: by then all is built."""

Figures = dict[str, float | None]


@dataclass(frozen=True)
class Pairing:
    """Whose TCP is at each end."""

    sender: Kind
    receiver: Kind

    def __str__(self) -> str:
        return f"{self.sender} to {self.receiver}"

    def of(self, end: End) -> Kind:
        return self.sender if end == "sender" else self.receiver


LINUX = Pairing("Linux", "Linux")
SIMULATED = Pairing("simulated", "simulated")
MIXED = (Pairing("Linux", "simulated"), Pairing("simulated", "Linux"))


@dataclass(frozen=True)
class Pair:
    """A column with a pairing. Two of the same are different by the draws of their links."""

    column: Column
    pairing: Pairing


class Paths(Topo):
    """A path for each pair; ``begins_s`` is when each one's simulated client begins, on the simulation's clock."""

    def build(self, pairs: Sequence[Pair], begins_s: Sequence[float]) -> None:
        for number, (pair, begin_s) in enumerate(zip(pairs, begins_s, strict=True), start=1):
            column = pair.column
            for end in ENDS:
                name = _host(end, number)
                if pair.pairing.of(end) == "simulated":
                    other = _host(_other(end), number)
                    applications = [application(column, end, other, begin_s)]
                    self.addSimHost(name, ip=_address(end, number, "/24"), applications=applications)
                else:
                    self.addHost(name, ip=_address(end, number, "/24"))
                self.addSimRouter(_router(end, number))
            near, far = (_router(end, number) for end in ENDS)
            self.addLink(_host("sender", number), near)
            self.addLink(near, far, **column.way, params1=dict(column.there))
            self.addLink(far, _host("receiver", number))


def _host(end: End, number: int) -> str:
    return f"{_LETTER[end]}{number}"


def _router(end: End, number: int) -> str:
    return f"r{_LETTER[end]}{number}"


def _address(end: End, number: int, prefix: str = "") -> str:
    return f"10.{number}.{ENDS.index(end)}.1{prefix}"


def _other(end: End) -> End:
    return ENDS[1 - ENDS.index(end)]


def application(column: Column, end: End, other: str, begin_s: float) -> dict[str, Any]:
    """What a simulated end does."""
    does = column.does
    client = does.client == end
    common = {"port": PORT, "tcp": column.tcp.simulated(end)}
    if client:
        common |= {"destination": other, "start": f"{begin_s:g}s"}
    if isinstance(does, Bulk):
        if client and does.destination:
            common["destination"] = does.destination
        return common | {"kind": "tcp_bulk" if client else "tcp_discard"}
    sizes = {"request": f"{does.request} B", "response": f"{does.response} B"}
    if not client:
        return common | sizes | {"kind": "request_server"}
    think = {"mean_think": f"{does.think_s:g}s", "think_distribution": "constant", "count": does.count}
    return common | sizes | think | {"kind": "request_client"}


def program(column: Column, end: End, address: str, begin: float) -> dict[str, Any]:
    """What a Linux end does: the words of linux_end.py."""
    does = column.does
    words = {"role": "serve", "port": PORT, **column.tcp.linux(end)}
    words |= {"request": 1 << 62, "response": 0} if isinstance(does, Bulk) else {
        "request": does.request, "response": does.response
    }  # fmt: skip
    if does.client != end:
        return words
    words |= {"address": address, "begin": begin, "seconds": does.seconds}
    if isinstance(does, Bulk):
        return words | {"role": "send", "address": does.destination or address}
    return words | {"role": "ask", "count": does.count, "think_s": does.think_s}


def captures_of(pairs: Sequence[Pair], folder: str) -> dict[str, str]:
    """The captures that the pairs' figures are read from: interface and file."""
    return {
        f"{_router(end, number)}-eth{1 if end == 'sender' else 2}": f"{folder}/{end}{number}.pcap"
        for number, pair in enumerate(pairs, start=1)
        for end in ENDS
        if any(pair.column.seen_at(figure) == end for figure in pair.column.figures)
    }


def asked_of(pair: Pair, number: int, folder: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each capture of a pair, and the figures that are read from it."""
    column = pair.column
    by_end = {
        end: tuple(figure for figure in column.figures if column.seen_at(figure) == end) for end in ENDS
    }
    return [(f"{folder}/{end}{number}.pcap", figures) for end, figures in by_end.items() if figures]


def simulate(pair: Pair, seed: int) -> Figures:
    """A pair of simulated ends, in virtual time."""
    with tempfile.TemporaryDirectory(prefix="hybridnet-differential-") as folder:
        net = Net(Paths(pairs=[pair], begins_s=[1.0]), captures=captures_of([pair], folder), seed=seed)
        net.simulate(1.0 + pair.column.does.seconds + _ARRIVES_S, jobs=1)
        found: Figures = {}
        for path, figures in asked_of(pair, 1, folder):
            found |= wire.figures_of(path, pair.column.does.seconds, figures)
        return found


@dataclass(frozen=True)
class RealBatch:
    """Pairs that ran at once, what was read from each one's wire, and the verdict over all of them."""

    pairs: list[Pair]
    figures: list[Figures]
    verdict: Verdict

    def to_json(self) -> dict[str, Any]:
        return {
            "pairs": [
                {"column": pair.column.name, "pairing": str(pair.pairing), **figures}
                for pair, figures in zip(self.pairs, self.figures, strict=True)
            ],
            "verdict": self.verdict.to_json(),
        }


def run_pairs(cluster: Cluster, machine: str, pairs: Sequence[Pair], seed: int) -> RealBatch:
    """Build the network, let all pairs run, remove it, and read the captures."""
    folder = _execute(cluster, machine, ["mktemp", "-d", "-t", "hybridnet-differential-XXXXXX"]).strip()
    start_s = _START_S + _START_PER_PAIR_S * len(pairs)
    begins_s = [start_s + _APART_S * place for place in range(len(pairs))]
    topo = Paths(pairs=pairs, begins_s=begins_s)
    captures = captures_of(pairs, folder)
    try:
        with Net(
            topo, cluster=cluster, controller=None, port_type="afpacket", seed=seed, captures=captures
        ) as net:
            verdict = _run(net, pairs, begins_s)
        read = [_read(cluster, machine, pair, number, folder) for number, pair in enumerate(pairs, start=1)]
    finally:
        _execute(cluster, machine, ["rm", "-r", folder])
    return RealBatch(list(pairs), read, verdict)


def _run(net: Net, pairs: Sequence[Pair], begins_s: Sequence[float]) -> Verdict:
    [instance_epoch] = _clock(net)["epochs_ns"].values()
    ends: list[tuple[Host, dict[str, Any]]] = []
    for number, (pair, begin_s) in enumerate(zip(pairs, begins_s, strict=True), start=1):
        for end in ENDS:
            if pair.pairing.of(end) != "Linux":
                continue
            host = net[_host(end, number)]
            prepare(host, trains=False)
            no_trains_at_portals(net, host.name)
            tcp = pair.column.tcp
            settings = {"tcp_ecn": int(tcp.ecn), "tcp_timestamps": int(tcp.timestamps)}
            host.execute(["sysctl", "-qw", *(f"net.ipv4.{name}={value}" for name, value in settings.items())])
            words = program(pair.column, end, _address(_other(end), number), instance_epoch / 1e9 + begin_s)
            ends.append((host, words))
    running = []
    try:
        for role in ("serve", "client"):
            for host, words in ends:
                if (words["role"] == "serve") == (role == "serve"):
                    running.append((host, words, _start(host, words)))
        for host, words, started in running:
            if words["role"] == "serve" and started.stdout.readline() != "ready\n":
                raise ExperimentError(f"serve in {host}: {started.communicate()[1][-300:]}")
        ready_s = (_clock(net)["monotonic_ns"] - instance_epoch) / 1e9
        if ready_s > begins_s[0]:
            raise ExperimentError(
                f"differential: all was ready {ready_s:.1f} s after the instance began, and the first client begins "
                f"after {begins_s[0]:g} s; run it where less else runs"
            )
        time.sleep(begins_s[0] - ready_s)
        with net.measured() as measured:
            over = max(begin + pair.column.does.seconds for pair, begin in zip(pairs, begins_s, strict=True))
            time.sleep(over + _ARRIVES_S - begins_s[0])
    finally:
        for _, _, started in running:
            started.close()
    return measured.verdict


def _start(host: Host, words: Mapping[str, Any]) -> Any:
    text = Path(linux_end.__file__).read_text(encoding="utf-8")
    return host.popen([PYTHON, "-I", "-S", "-c", text, json.dumps(words)], stderr=subprocess.PIPE)


def _clock(net: Net) -> dict[str, Any]:
    assert net.plan is not None
    [machine] = net.plan.machines
    return dict(net.cluster.call(machine, "clock"))


def _read(cluster: Cluster, machine: str, pair: Pair, number: int, folder: str) -> Figures:
    """Figures of a pair, read where the captures are."""
    text = Path(wire.__file__).read_text(encoding="utf-8")
    found: Figures = {}
    for path, figures in asked_of(pair, number, folder):
        argv = [PYTHON, "-I", "-c", text, path, f"{pair.column.does.seconds:g}", *figures]
        found |= json.loads(_execute(cluster, machine, argv, f"{pair.column.name}, {pair.pairing}: "))
    return found


def _execute(cluster: Cluster, machine: str, argv: list[str], of: str = "") -> str:
    said = cluster.call(machine, "exec", argv=argv, node="")
    if said["status"] != 0:
        raise ExperimentError(f"{of}{argv[0]}: {bytes(said['stderr']).decode()[-300:].strip()}")
    return bytes(said["stdout"]).decode()
