# SPDX-License-Identifier: MIT
"""Mininet's prompt: hybridnet's, for a network of this package."""

from __future__ import annotations

import os
import select
import sys
import time
from typing import Any

from hybridnet.compat.mininet.hosts import Node
from hybridnet.compat.mininet.log import error, output
from hybridnet.compat.mininet.term import makeTerms, runX11
from hybridnet.compat.mininet.util import connections
from hybridnet.run.net import Net
from hybridnet.run.prompt import shell

__all__ = ["CLI", "isReadable"]

_HOW_TO_SWITCH = "invalid number of args: switch <switch name>{start, stop}\n"
_LEFT = "exited by user command"


class CLI(shell.CLI):
    """A prompt for a network; returns when the user leaves it.

    Args:
        mininet: the network; it is made if that is not done.
        stdin: where commands come from.
        script: a file of commands to run instead of asking.
        cmd: further commands, one to a line, to run instead of asking.
    """

    def __init__(
        self,
        mininet: Any,
        stdin: Any = sys.stdin,
        script: str | None = None,
        cmd: str | None = None,
        **_: Any,
    ) -> None:
        mininet.make()
        self.mn = mininet
        self.inputFile = None
        if cmd is None:
            super().__init__(mininet, script=script)
            return
        super().__init__(mininet, script="/dev/null")
        for line in cmd.splitlines():
            if self.onecmd(line):
                break

    readlineInited = True

    @classmethod
    def initReadline(cls) -> None:
        """Nothing: a prompt at a terminal knows its history."""

    def isatty(self) -> bool:
        """Whether commands come from a terminal."""
        return os.isatty(self.stdin.fileno())

    def waitForNode(self, node: Node) -> None:
        """Wait until the command that runs in a node has ended, and print its output."""
        while node.waiting:
            output(node.monitor(timeoutms=1000))

    def run(self) -> None:
        """Ask until the user leaves; the constructor calls it, also that of a script's class."""
        super()._loop()

    def _loop(self) -> None:
        self.run()

    def default(self, line: str) -> bool | None:  # type: ignore[override]
        """NODE COMMAND: run a command in a node."""
        name, _, text = line.partition(" ")
        if name not in self.mn:
            error(f"*** Unknown command: {line}\n")
            return None
        if not text.strip():
            error(f"*** Please enter a command for node: {name} <cmd>\n")
            return None
        node = self.mn[name]
        if not isinstance(node, Node):
            output(node.cmd(text))
            return None
        self._run_in(node, " ".join(self._replaced(word) for word in text.split(" ")))
        return None

    def running(self) -> Net:
        """The network as hybridnet runs it."""
        network: Net = self.mn.running()
        return network

    def do_nodes(self, _: str) -> None:
        """nodes: list all nodes."""
        output(f"available nodes are: \n{' '.join(sorted(self.mn))}\n")

    def do_net(self, _: str) -> None:
        """net: list each node's interfaces, and what they are connected to."""
        for node in self.mn.values():
            output(f"{connections(node)}\n")

    def do_intfs(self, _: str) -> None:
        """intfs: list the interfaces of each node."""
        for node in self.mn.values():
            output(f"{node}: {','.join(node.intfNames())}\n")

    def do_ports(self, _: str) -> None:
        """ports: list the ports of each switch."""
        for switch in self.mn.switches:
            output(f"{switch} {' '.join(f'{intf}:{switch.ports[intf]}' for intf in switch.intfList())}\n")

    def do_dump(self, _: str) -> None:
        """dump: print everything about each node."""
        for node in self.mn.values():
            output(f"{node!r}\n")

    def do_links(self, _: str) -> None:
        """links: list the links and whether both ends are there."""
        for link in self.mn.links:
            output(f"{link} {link.status()}\n")

    def do_pingallfull(self, _: str) -> None:
        """pingallfull: ping between all hosts, with round-trip times."""
        self.mn.pingAllFull()

    def do_pingpairfull(self, _: str) -> None:
        """pingpairfull: ping between the first two hosts, with round-trip times."""
        self.mn.pingPairFull()

    def do_switch(self, line: str) -> None:
        """switch SWITCH start|stop: start or stop a switch."""
        words = line.split()
        if len(words) != 2 or words[1] not in ("start", "stop"):
            error(
                "invalid command: switch <switch name> {start, stop}\n" if len(words) == 2 else _HOW_TO_SWITCH
            )
            return
        switch = self.mn.nameToNode.get(words[0])
        if switch not in self.mn.switches:
            error(f"invalid switch: {words[0]}\n")
            return
        if words[1] == "start":
            switch.start(self.mn.controllers)
        else:
            switch.stop(deleteIntfs=False)

    def _iperf(self, names: list[str], protocol: str, rate: str) -> None:
        for name in names:
            if name not in self.mn:
                error(f"node '{name}' not in network\n")
                return
        if len(names) not in (0, 2):
            error("invalid number of args: iperf src dst\n")
            return
        super()._iperf(names, protocol, rate)

    def do_link(self, line: str) -> None:
        """link NODE NODE up|down: set the links between two nodes."""
        words = line.split()
        if len(words) != 3 or words[2] not in ("up", "down"):
            what = "type" if len(words) == 3 else "number of args"
            error(f"invalid {what}: link end1 end2 [up down]\n")
            return
        self.mn.configLinkStatus(*words)

    def do_wait(self, _: str) -> None:
        """wait: wait until each switch has its controller."""
        self.mn.waitConnected()

    def do_xterm(self, line: str, term: str = "xterm") -> None:
        """xterm NODE ...: open a terminal for each node."""
        if not line.split():
            error(f"usage: {term} node1 node2 ...\n")
        for name in line.split():
            if name in self.mn:
                makeTerms([self.mn[name]], term=term)
            else:
                error(f"node '{name}' not in network\n")

    def do_gterm(self, line: str) -> None:
        """gterm NODE ...: the same, with the terminal of GNOME."""
        self.do_xterm(line, term="gterm")

    def do_exit(self, _: str) -> str:  # type: ignore[override]
        """exit: leave the prompt."""
        return _LEFT

    def do_quit(self, line: str) -> str:  # type: ignore[override]
        """quit: leave the prompt."""
        return self.do_exit(line)

    def do_EOF(self, line: str) -> str:
        """EOF: leave the prompt."""
        output("\n")
        return self.do_exit(line)

    def do_x(self, line: str) -> None:
        """x NODE COMMAND: run a program with a window in a node."""
        name, _, command = line.partition(" ")
        if name not in self.mn or not command.strip():
            error("usage: x node [cmd args]...\n")
            return
        runX11(self.mn[name], command)

    def do_noecho(self, line: str) -> None:
        """noecho NODE COMMAND: run a command in a node without echo; nothing is echoed here anyway."""
        self.default(line)

    def do_time(self, line: str) -> None:
        """time COMMAND: run a command and print how long it took."""
        start = time.time()
        self.onecmd(line)
        sys.stdout.write(f"*** Elapsed time: {time.time() - start:.6f} secs\n")
        sys.stdout.flush()

    def do_py(self, line: str) -> None:
        """py EXPRESSION: evaluate Python and show what it gives, if that is anything."""
        try:
            with self._names() as names:
                if result := eval(line, names):
                    output(f"{result if isinstance(result, str) else repr(result)}\n")
        except Exception as problem:  # the user's own code: report whatever it raises
            output(f"{problem}\n")

    def _replaced(self, word: str) -> str:
        node = self.mn.nameToNode.get(word)
        intf: Any = node.defaultIntf() if isinstance(node, Node) else None
        return word if intf is None else intf.updateIP() or word

    @property
    def locals(self) -> dict[str, object]:
        """What `py` and `px` have set, with the network."""
        return self._locals

    def getLocals(self) -> dict[str, object]:
        """The variables of `py` and `px`, with the nodes by their names."""
        self._locals.update(self.mn.nameToNode)
        return self._locals

    def _scope(self) -> dict[str, object]:
        return {"net": self.mn, **self.mn.nameToNode}


def isReadable(poller: select.poll) -> bool | None:
    """Whether there is something to read of what is polled; None where nothing has happened."""
    happened = poller.poll(0)
    return bool(happened[0][1] & select.POLLIN) if happened else None
