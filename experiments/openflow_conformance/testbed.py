# SPDX-License-Identifier: MIT
"""Ryu's switch tester over a network of ours: a tester, which is Open vSwitch, and a target, joined by three links.

::

    Ryu ──── tester ═══ 1, 2, 3 ═══ target ──── Ryu

The tester sends each packet by its port 1; what the target lets out of its port 2 comes back to Ryu. Ryu's program is
as it is. When it stops in the middle, which it does where a switch sends what it does not expect, the case counts as
failed, and a new one goes on with the next.
"""

from __future__ import annotations

import contextlib
import json
import queue
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet import Cluster, Net, RemoteController, Topo
from hybridnet.errors import ControllerError
from hybridnet.experiments.common.switch_kinds import SWITCH_KINDS
from hybridnet.experiments.openflow_conformance.case import Case
from hybridnet.experiments.openflow_conformance.packets import USUAL
from hybridnet.run.controllers.process import ControllerProcess, free_port
from hybridnet.run.controllers.relay import Relay

__all__ = ["Result", "run_cases"]

PORTS = 3
RECONNECT_MS = 1000
"""Between a switch's attempts to reach Ryu, which starts after it."""
DELAY = "10us"
"""Of the links: what is sent into one has left Open vSwitch, as it would leave for another computer."""
SILENCE_S = 25.0
"""The longest that the tester says nothing: the longest case sends for 8 s, and waits 3 s for what does not come."""
PROTOCOLS = {"1.3": "OpenFlow13", "1.0": "OpenFlow10"}
_RESULT = re.compile(r"^\s+(?P<title>\S.*?)\s+(?P<word>OK|ERROR)$")
_END = re.compile(r"^OK\(\d+\) / ERROR\(\d+\)|---  Test end  ---")


@dataclass(frozen=True)
class Result:
    """What became of a case. `detail`: the tester's own words for why it failed; empty where it passed."""

    title: str
    category: str
    version: str
    passed: bool
    detail: str
    stopped: bool = False
    """The tester stopped in this case."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class TesterAndTarget(Topo):
    """The two switches."""

    def build(self, target: str, version: str) -> None:
        self.addSwitch("s1", protocols=PROTOCOLS[version], reconnectms=RECONNECT_MS, **SWITCH_KINDS[target])
        self.addSwitch("s2", reconnectms=RECONNECT_MS)
        for port in range(1, PORTS + 1):
            self.addLink("s1", "s2", port1=port, port2=port, delay=DELAY)


def run_cases(
    cluster: Cluster,
    target: str,
    cases: Sequence[Case],
    progress: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Run cases against a target, in their order.

    Args:
        cluster: with the machine of both switches; Ryu runs here.
        target: one of `SWITCH_KINDS`.
        progress: called with each result as it comes.

    Raises:
        HybridnetError: the network does not start.
    """
    results: list[Result] = []
    for version in PROTOCOLS:
        left = [case for case in cases if case.version == version]
        while left:
            done = _run(cluster, target, version, left, progress)
            if done[-1].stopped and len(done) == 1 and results and results[-1].stopped:
                raise ControllerError(f"Ryu's switch tester does not run: {done[0].detail}")
            results += done
            left = left[len(done) :]
    return results


def _run(
    cluster: Cluster, target: str, version: str, cases: Sequence[Case], progress: Callable[[Result], None]
) -> list[Result]:
    """One life of the tester. Returns the results of a first part of the cases, at least of one."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    port = free_port()
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        told = [_told_apart(case.to_json(), number) for number, case in enumerate(cases)]
        Path(directory, "cases.json").write_text(json.dumps(["hybridnet", *told]))
        relay = Relay("0.0.0.0", ("127.0.0.1", port))
        stack.callback(relay.close)
        meet = RemoteController("c0", port=relay.port)
        topo = TesterAndTarget(target=target, version=version)
        net = Net(topo, cluster=cluster, controller=meet, waitConnected=False)
        stack.enter_context(net)
        net["s2"].cmd("ovs-appctl upcall/disable-megaflows")
        ryu = ControllerProcess(
            ["ryu.tests.switch.tester"],
            port=port,
            arguments=_arguments(directory, version),
            on_line=lines.put,
        )
        stack.enter_context(ryu)
        return _collect(cases, lines, progress)


def _told_apart(told: dict[str, Any], number: int) -> dict[str, Any]:
    """A case with an address of its own in its packets.

    Open vSwitch's datapath may keep what it did with a packet for some milliseconds after the flow has gone, barrier or
    not. Where it keeps single flows only, not groups of them, no packet of a case looks like one of another.
    """
    named = {field for field in ("eth_src", "arp_sha") if f'"{field}"' in json.dumps(told)}
    usual = USUAL["eth_dst" if named else "eth_src"]
    text = usual.to_bytes(6, "big").hex(":")
    own = (usual & ~(0xFFFF << 16) | number << 16).to_bytes(6, "big").hex(":")
    apart: dict[str, Any] = json.loads(json.dumps(told).replace(text, own))
    return apart


def _arguments(directory: str, version: str) -> list[str]:
    options = {
        "target": f"{1:016x}",
        "tester": f"{2:016x}",
        "dir": directory,
        "target-version": PROTOCOLS[version].lower(),
        "tester-version": "openflow13",
    }
    return [word for name, value in options.items() for word in (f"--test-switch-{name}", value)]


def _collect(
    cases: Sequence[Case], lines: queue.SimpleQueue[str], progress: Callable[[Result], None]
) -> list[Result]:
    """Read results until all are there, or the tester is silent."""
    results: list[Result] = []
    said: list[str] = []

    def ended(passed: bool, detail: str = "", stopped: bool = False) -> None:
        case = cases[len(results)]
        results.append(Result(case.title, case.category, case.version, passed, detail, stopped))
        progress(results[-1])

    pending = False  # a failed case, whose reason is the next line
    deadline = time.monotonic() + SILENCE_S
    while len(results) < len(cases):
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            ended(False, f"the tester stopped: {' | '.join(said[-3:])}", stopped=True)
            return results
        said.append(line.strip())
        if pending:
            pending = False
            ended(False, line.strip())
            deadline = time.monotonic() + SILENCE_S
            continue
        found = _RESULT.match(line)
        if found and found["title"] == cases[len(results)].title:
            deadline = time.monotonic() + SILENCE_S
            if found["word"] == "OK":
                ended(True)
            else:
                pending = True
        elif _END.match(line):
            break
    return results
