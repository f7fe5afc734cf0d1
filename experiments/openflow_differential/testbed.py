# SPDX-License-Identifier: MIT
"""Two switches side by side, a host at the ports of both, and a controller that tells both the same.

::

    h1 ═══ 4 links ═══ s1          h1's interfaces 0 to 3 are at ports 1 to 4 of s1,
       ═══ 4 links ═══ s2          4 to 7 at those of s2
"""

from __future__ import annotations

import contextlib
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hybridnet import Cluster, Net, RemoteController, Topo
from hybridnet.errors import HybridnetError
from hybridnet.experiments.common.programs import PYTHON
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.openflow_differential import injector, wire
from hybridnet.experiments.openflow_differential.frames import frame
from hybridnet.experiments.openflow_differential.known import clause_of
from hybridnet.experiments.openflow_differential.speaker import Connection, Speaker
from hybridnet.experiments.openflow_differential.tables import (
    IN_PORT,
    PORTS,
    TABLES,
    Pipeline,
    pipeline,
    source_of,
)

__all__ = ["Bench", "Deviation", "Judgement", "bench"]

FRAME_KINDS = ("tcp", "udp", "icmp", "arp", "tcp6", "udp6")
QUIET_MS, QUIET_ALONE_MS = 40, 300
# Goes back where it came from, through both switches; of no pipeline.
MOST_PRIORITY = 0xFFFF
MARKER_SOURCE, MARKER_COOKIE = 0x06_00_00_00_00_01, 1 << 48
MARKER = bytes.fromhex("060000000002") + MARKER_SOURCE.to_bytes(6) + b"\x88\xb5" + bytes(46)
RECONNECT_MS = 1000
BACK = wire.flow(
    0, MOST_PRIORITY, MARKER_COOKIE, {"eth_src": MARKER_SOURCE}, [wire.apply([wire.output(IN_PORT)])]
)
Sides = tuple[Counter[tuple[int, bytes]], Counter[tuple[int, bytes]]]


@dataclass(frozen=True)
class Deviation:
    """Where the two switches do not agree.

    Args:
        kind: "output", "counters" or "refused".
        table: the seed of the pipeline, which makes it again.
        words: what each of the two did.
        clause: why the first of the two is known to do so, and what the specification says; empty: it is not.
    """

    kind: str
    table: int
    words: str
    clause: str = ""


@dataclass
class Judgement:
    """What was compared, and what came of it. `late`: frames that differed at first, and not when they came alone."""

    pipelines: int = 0
    flows: int = 0
    groups: int = 0
    frames: int = 0
    leaving: int = 0
    counters: int = 0
    late: int = 0
    deviations: list[Deviation] = field(default_factory=list)

    @property
    def unexplained(self) -> list[Deviation]:
        return [deviation for deviation in self.deviations if not deviation.clause]


class SideBySide(Topo):
    """The network."""

    def build(self, left: str, right: str) -> None:
        self.addHost("h1")
        for name, target in (("s1", left), ("s2", right)):
            self.addSwitch(name, reconnectms=RECONNECT_MS, **SWITCH_KINDS[target])
            for port in range(1, PORTS + 1):
                self.addLink("h1", name, port2=port)


class Bench:
    """A running network of two switches. `tampers`: changes what the second switch is told, to see that it shows."""

    def __init__(
        self, net: Net, switches: dict[int, Connection], openvswitch: list[str], tampers: bool
    ) -> None:
        self._net, self._switches, self._tampers = net, switches, tampers
        self._openvswitch = openvswitch
        script = Path(injector.__file__).read_text()
        interfaces = [f"h1-eth{number}" for number in range(2 * PORTS)]
        self._injector = net["h1"].popen([PYTHON, "-c", script, *interfaces], stdin=-1)
        self._answer()

    def compare(self, seeds: Sequence[int], frames: int, judgement: Judgement) -> None:
        """Tell both random pipelines, send both random frames through each, and add what differs to a judgement.

        Args:
            seeds: of the pipelines, at most `AT_ONCE`.
            frames: through each of them.
        """
        made = [pipeline(seed, number) for number, seed in enumerate(seeds)]
        words = {
            cookie: (seed, said)
            for seed, one in zip(seeds, made, strict=True)
            for cookie, said in one.words.items()
        }
        self._tell(seeds, made, judgement)
        sent: list[tuple[int, bytes]] = []
        of: list[int] = []  # of each frame, the seed of its pipeline
        for seed in seeds:
            rng = random.Random(f"frames of {seed}")
            sent += [self._frame(rng, seed, number, len(sent) + number) for number in range(frames)]
            of += [seed] * frames
        results = self._send(sent, QUIET_MS)
        odd = [number for number, (left, right) in enumerate(results) if left != right]
        counted = self._counters() if not odd else None
        for number in odd:
            port, data = sent[number]
            for switch in self._switches.values():
                switch.tell([])  # many odd ones take longer than a switch waits for an answer to its probes
            [again] = self._send([(port, data)], QUIET_ALONE_MS)
            if again[0] == again[1]:
                judgement.late += 1
            else:
                clause = clause_of(frame_out for _, frame_out in again[1])
                judgement.deviations.append(Deviation("output", of[number], _said(port, data, again), clause))
        judgement.pipelines += len(seeds)
        judgement.flows += sum(cookie > 0 for cookie in words)
        judgement.groups += sum(cookie < 0 for cookie in words)
        judgement.frames += len(sent)
        judgement.leaving += sum(sum(left.values()) for left, _ in results)
        if counted is not None:
            judgement.counters += len(counted[0])
            for cookie in sorted(counted[0].keys() | counted[1].keys()):
                one, other = counted[0].get(cookie), counted[1].get(cookie)
                if one != other:
                    seed, flow = words[cookie]
                    told = f"{flow}: s1 counts {one}, s2 {other} (packets, bytes)"
                    judgement.deviations.append(Deviation("counters", seed, told))

    def _tell(self, seeds: Sequence[int], made: Sequence[Pipeline], judgement: Judgement) -> None:
        refused = []
        for dpid, switch in self._switches.items():
            messages = [wire.delete_all(), BACK]
            for one in made:
                messages += one.messages
                if self._tampers and dpid == 2:
                    del messages[-1 - TABLES]  # the flow for what nothing else in its first table matches
            switch.errors.clear()
            switch.tell(messages)
            refused.append(sorted(switch.errors))
        if refused[0] != refused[1]:
            words = f"of the pipelines from this one on: s1 answers with errors {refused[0]}, s2 with {refused[1]}"
            judgement.deviations.append(Deviation("refused", seeds[0], words))

    def _frame(self, rng: random.Random, seed: int, number: int, mark: int) -> tuple[int, bytes]:
        return rng.randrange(PORTS), frame(rng, rng.choice(FRAME_KINDS), source_of(seed, number), mark)

    def _send(self, frames: list[tuple[int, bytes]], quiet_ms: int) -> list[Sides]:
        """What leaves each of the two for each frame: by which ports, which bytes."""
        marks = {data[-4:]: place for place, (_, data) in enumerate(frames)}
        told = [[port + side * PORTS, data.hex()] for port, data in frames for side in (0, 1)]
        self._injector.stdin.write(json.dumps([quiet_ms, MARKER.hex(), told]) + "\n")
        self._injector.stdin.flush()
        results: list[Sides] = [(Counter(), Counter()) for _ in frames]
        for interface, text in self._answer():
            data = bytes.fromhex(text)
            place = marks.get(data[-4:])
            if place is not None and data[6:7] == b"\x02":
                results[place][interface // PORTS][interface % PORTS + 1, data] += 1
        return results

    def _answer(self) -> Any:
        line = self._injector.stdout.readline()
        if not line:
            raise HybridnetError(f"the injector in h1 ended: {self._injector.communicate()}")
        return json.loads(line)

    def _counters(self) -> list[dict[int, tuple[int, int]]]:
        for name in self._openvswitch:  # counts in the datapath, and carries them up now and then
            self._net[name].cmd("ovs-appctl revalidator/purge")
        counted = [self._switches[dpid].counters() for dpid in (1, 2)]
        for each in counted:
            del each[MARKER_COOKIE]
        return counted

    def close(self) -> None:
        self._injector.stdin.close()
        self._injector.wait()


@contextlib.contextmanager
def bench(cluster: Cluster, left: str, right: str, *, tampers: bool = False) -> Iterator[Bench]:
    """Two switches of these kinds, as `SWITCH_KINDS` has them, on the cluster's machine."""
    with contextlib.ExitStack() as stack:
        speaker = Speaker()
        stack.callback(speaker.close)
        meet = RemoteController("c0", port=speaker.port)
        topo = SideBySide(left=left, right=right)
        net = Net(topo, cluster=cluster, controller=meet, waitConnected=False)
        stack.enter_context(net)
        openvswitch = [name for name, kind in (("s1", left), ("s2", right)) if kind == "openvswitch"]
        for name in openvswitch[:1]:
            net[name].cmd("ovs-appctl upcall/disable-megaflows")
        net["h1"].cmd("sysctl -qw net.ipv6.conf.all.disable_ipv6=1")  # it shall say nothing of its own
        made = Bench(net, speaker.await_switches({1, 2}), openvswitch, tampers)
        stack.callback(made.close)
        yield made


def _said(port: int, data: bytes, sides: Sides) -> str:
    out = [
        ", ".join(f"port {where}: {frame_out.hex()}" for where, frame_out in sorted(side)) or "nothing"
        for side in sides
    ]
    return f"by port {port + 1} came {data.hex()}; s1 sent {out[0]}; s2 sent {out[1]}"
