# SPDX-License-Identifier: MIT
"""Harms each part of a running network in turn, from outside the run, and says what the verdict says of it.

    python -m tests.system.harm            # all of them, as a table; --json: as rows; NAME …: these alone

Every harm has a network of its own: two hosts, an Open vSwitch with a controller, a Linux bridge, and a simulated link
behind portals, in which a ping goes on. A harm that ends by itself is undone after its time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from hybridnet import LinuxBridge, Net, Topo
from hybridnet.errors import HybridnetError
from tests.system.daemons_harmed import can_freeze, frozen
from tests.system.port_type import PORT_TYPE


class Small(Topo):
    """h1 - s1 =(simulated link)= b1 - h2."""

    def build(self) -> None:
        self.addSwitch("s1")
        self.addSwitch("b1", cls=LinuxBridge)
        for host, switch in (("h1", "s1"), ("h2", "b1")):
            self.addHost(host)
            self.addLink(host, switch)
        self.addLink("s1", "b1", bw=100, delay="1ms")


class Running:
    """A network that runs, and the way to its parts that somebody has who is not of the run."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self._run = net.cluster.journal.run

    def outside(self, *command: str) -> str:
        """What a command prints that somebody else runs in the machine's namespaces."""
        enter = [sys.executable, "-m", "hybridnet.machines.workers.enter", self._run, "m1"]
        done = subprocess.run([*enter, *command], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, (command, done.stderr)
        return done.stdout

    def signal(self, pattern: str, number: int) -> None:
        """Send a signal to the machine's process whose command line begins so."""
        self.outside("pkill", f"-{number}", "-f", pattern)


@dataclass(frozen=True)
class Harm:
    """What is done to a part.

    Args:
        part: what the verdict calls it.
        does: what the verdict says happened.
        begin: does it.
        undo: takes it back, after `seconds`; None: nobody does.
    """

    name: str
    part: str
    does: str
    begin: Callable[[Running], object]
    undo: Callable[[Running], object] | None = None
    seconds: float = 0.3


@dataclass(frozen=True)
class Seen:
    """What was said of a harm."""

    name: str
    word: str
    reason: str
    named: bool
    timed: bool
    check: str
    exit_code: int


WIDE = {"s1-eth2p": "65535"}  # of the devices, what is not 1500
SLACK_S = 0.5  # from an event to its being noted, and of a mark, which takes a moment

DAEMONS = {"ovs-vswitchd": "^[^ ]*ovs-vswitchd unix", "ovsdb-server": "^[^ ]*ovsdb-server /"}
OUTER, AGENT = "the outer process of machine m1", "the agent of machine m1"
LOOP = (
    "add-port s1 x1 -- set Interface x1 type=patch options:peer=x2 -- "
    "add-port s1 x2 -- set Interface x2 type=patch options:peer=x1"
)
NO_LOOP = "del-port x1 -- del-port x2"
INSTANCE = "^[^ ]*python[^ ]* .*-m hybridnet[.]simulate[.]instance"


def _signal(pattern: str, number: int) -> Callable[[Running], object]:
    return lambda running: running.signal(pattern, number)


def _head(pid: Callable[[Running], int], number: int) -> Callable[[Running], object]:
    return lambda running: os.kill(pid(running), number)


def _outside(*command: str) -> Callable[[Running], object]:
    return lambda running: running.outside(*command)


def _ryu(running: Running) -> int:
    return int(running.net.controllers[0].pid or 0)


def _beside(name: str) -> Callable[[Running], int]:
    return lambda running: running.net.cluster.processes()[name].pid


def _init(running: Running) -> int:
    outer = _beside(OUTER)(running)
    return int(Path(f"/proc/{outer}/task/{outer}/children").read_text())


def _stop_itself(_running: Running) -> None:
    # It stands still from its last look on: the first sleep lets that be after the mark.
    subprocess.run(["sh", "-c", "sleep 0.3; kill -STOP $PPID; sleep 2.5; kill -CONT $PPID"], check=True)


def _freezing(
    pid: Callable[[Running], int],
) -> tuple[Callable[[Running], object], Callable[[Running], object]]:
    freezing = contextlib.ExitStack()
    return lambda running: freezing.enter_context(frozen(pid(running))), lambda _running: freezing.close()


def harms(stops: tuple[float, ...] = (0.3, 2.0, 10.0)) -> list[Harm]:
    """All of them; each process is stopped for each of these times, in seconds."""
    made = []
    for daemon, pattern in DAEMONS.items():
        made.append(Harm(f"kill {daemon}", daemon, "was killed by SIGKILL", _signal(pattern, signal.SIGKILL)))
        for seconds in stops:
            stop, go_on = (_signal(pattern, number) for number in (signal.SIGSTOP, signal.SIGCONT))
            made.append(Harm(f"stop {daemon} {seconds:g} s", daemon, "was stopped", stop, go_on, seconds))
    made.append(
        Harm("kill instance", "instance m1", "was killed by signal 9", _signal(INSTANCE, signal.SIGKILL))
    )
    for seconds in stops:
        stop, go_on = (_signal(INSTANCE, number) for number in (signal.SIGSTOP, signal.SIGCONT))
        made.append(Harm(f"stop instance {seconds:g} s", "instance m1", "was stopped", stop, go_on, seconds))
    for part, pid, ends in (
        ("controller c0", _ryu, True),
        ("the guardian", _beside("the guardian"), True),
        (OUTER, _beside(OUTER), False),  # with these three the machine ends
        ("the init", _init, False),
        (AGENT, _beside(AGENT), False),
    ):
        if ends:
            made.append(Harm(f"kill {part}", part, "was killed by SIGKILL", _head(pid, signal.SIGKILL)))
        for seconds in stops[:2]:
            stop, go_on = (_head(pid, number) for number in (signal.SIGSTOP, signal.SIGCONT))
            made.append(Harm(f"stop {part} {seconds:g} s", part, "was stopped", stop, go_on, seconds))
        if can_freeze():
            made.append(
                Harm(f"freeze {part} 0.3 s", part, "was frozen by its control group", *_freezing(pid))
            )
    if os.getpid() != 1:  # nobody inside stops the first process of a namespace
        made.append(
            Harm("stop the script 2.5 s", "the script", "stood still", _stop_itself, lambda _running: None)
        )
    for device, part in (
        ("s1-eth1", "port s1-eth1 of s1"),
        ("s1-eth2", "port s1-eth2 of s1"),
        ("s1-eth2p", "device s1-eth2p of portal p-s1-eth2"),
        ("b1-eth1", "port b1-eth1 of b1"),
        ("b1", "bridge b1"),
    ):
        remove, down, up, narrow = (
            _outside("ip", "link", *words)
            for words in (
                ("delete", "dev", device),
                ("set", "dev", device, "down"),
                ("set", "dev", device, "up"),
                ("set", "dev", device, "mtu", "600"),
            )
        )
        wide = _outside("ip", "link", "set", "dev", device, "mtu", WIDE.get(device, "1500"))
        made.append(Harm(f"remove {device}", part, "was removed", remove))
        made.append(Harm(f"{device} down for good", part, "was set down", down))
        made.append(Harm(f"{device} down 0.3 s", part, "was set down", down, up))
        made.append(Harm(f"{device} mtu 600", part, "was given an MTU of 600", narrow, wide))
    made.append(
        Harm(
            "b1-eth1 nomaster",
            "port b1-eth1 of b1",
            "was taken out of its bridge",
            _outside("ip", "link", "set", "dev", "b1-eth1", "nomaster"),
        )
    )
    removed = "was removed from Open vSwitch"
    made.append(Harm("del-br s1", "bridge s1", removed, _outside("ovs-vsctl", "--timeout=5", "del-br", "s1")))
    del_port = _outside("ovs-vsctl", "--timeout=5", "del-port", "s1-eth1")
    made.append(Harm("del-port s1-eth1", "port s1-eth1 of s1", removed, del_port))
    give, take = (_outside("ovs-vsctl", "--timeout=5", *words.split()) for words in (LOOP, NO_LOOP))
    made.append(Harm("a loop at s1 for good", "bridge s1", "was given the port x1", give))
    made.append(Harm("a loop at s1 0.3 s", "bridge s1", "was given the port x1", give, take))
    give = _outside("ip", "link", "add", "x1", "up", "master", "b1", "type", "veth", "peer", "name", "x2")
    take = _outside("ip", "link", "delete", "dev", "x1")
    free = _outside("ip", "link", "set", "dev", "x1", "nomaster")
    made.append(Harm("a port at b1 for good", "bridge b1", "was given the port x1", give))
    made.append(Harm("a port at b1 0.3 s", "bridge b1", "was given the port x1", give, free))
    made.append(Harm("a device at b1 0.3 s", "bridge b1", "was given the port x1", give, take))
    return made


def harm(each: Harm) -> Seen:
    """Build a network, harm it, and see what is said."""
    with Net(Small(), port_type=PORT_TYPE) as net:
        running = Running(net)
        assert net.pingAll(timeout=10) == 0
        time.sleep(1.0)  # what was started for this network is no part of the judged span's moment
        mark = net.mark()
        marked_s = time.monotonic()
        pinging = net["h1"].popen(["ping", "-i", "0.05", "-c", "20", net["h2"].IP()])
        from_s = time.monotonic() - marked_s
        each.begin(running)
        until_s = time.monotonic() - marked_s
        if each.undo is not None:
            time.sleep(each.seconds)
            each.undo(running)
        pinging.wait(60)
        verdict = net.verdict(since=mark)
        try:
            net.check()
            checked = "ok"
        except HybridnetError as error:
            checked = str(error)
    reasons = [line for line in verdict.reasons if each.part in line and each.does in line]
    return Seen(
        each.name,
        str(verdict.word),
        reasons[0] if reasons else "; ".join(verdict.reasons),
        bool(reasons),
        bool(reasons) and from_s - SLACK_S <= _told_s(reasons[0]) <= until_s + SLACK_S,
        checked,
        verdict.exit_code,
    )


def _told_s(reason: str) -> float:
    """When it happened, as a reason says it."""
    found = re.search(r"(?:after|from) ([\d.]+) s", reason)
    return float(found[1]) if found else math.nan


def main(arguments: list[str]) -> int:
    """Print the table. Returns 1 if something was not said."""
    parser = argparse.ArgumentParser(prog="python -m tests.system.harm", description=__doc__)
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args(arguments)
    rows = []
    for each in harms():
        if chosen.names and not any(name in each.name for name in chosen.names):
            continue
        seen = harm(each)
        rows.append(seen)
        print(
            f"{seen.name:32} {seen.word:9} named={seen.named!s:5} timed={seen.timed!s:5} exit={seen.exit_code} "
            f"check: {seen.check[:60]:60} {seen.reason[:150]}",
            flush=True,
        )
    if chosen.json is not None:
        chosen.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    bad = [row.name for row in rows if not (row.word == "broken" and row.named and row.timed)]
    print(f"{len(rows) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
