# SPDX-License-Identifier: MIT
"""CLI: the ``mininet>`` prompt.

    mininet> h1 ping -c1 h2         a command in a host; names of hosts stand for their addresses
    mininet> pingall

Commands that are not listed by `help` and do not begin with a node's name are errors.
"""

from __future__ import annotations

import atexit
import cmd
import contextlib
import inspect
import os
import readline
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hybridnet.errors import HybridnetError, UsageError
from hybridnet.run.net import Net
from hybridnet.run.node import Node
from hybridnet.run.prompt.terminals import terminal_of
from hybridnet.system.log import error, output
from hybridnet.system.terminal import Terminal

__all__ = ["CLI"]

LOOK_MS = 100  # for the output of a command, and for a ^C
MOST_INTERRUPTS = 3
HISTORY = Path.home() / ".hybridnet_history"


class CLI(cmd.Cmd):
    """A prompt for a running network; returns when the user leaves it.

    Args:
        net: the network.
        script: a file of commands to run instead of asking.
    """

    prompt = "mininet> "

    def __init__(self, net: Net, script: str | None = None, **_: Any) -> None:
        super().__init__()
        self.net = net
        self._locals: dict[str, object] = {"net": net}
        self._terminals: list[Terminal] = []
        self._sources: list[Path] = []  # files whose commands run now
        if script is not None:
            self._to_the_end(lambda: self.do_source(script))
            return
        if sys.stdin.isatty():
            _remember_history()
        else:
            # In simulated time, who types sits at a terminal outside.
            if not os.environ.get("HYBRIDNET_AT_TERMINAL"):
                self.prompt = ""
            self.use_rawinput = False
        self._to_the_end(self._loop)

    def running(self) -> Net:
        """The network as hybridnet runs it."""
        return self.net

    def _to_the_end(self, ask: Callable[[], object]) -> None:
        """Take commands, and close the terminals that they opened."""
        try:
            ask()
        finally:
            for terminal in self._terminals:
                terminal.close()

    def _loop(self) -> None:
        while True:
            try:
                self.cmdloop()
                return
            except KeyboardInterrupt:
                output("\nInterrupt\n")

    def onecmd(self, line: str) -> bool:
        """Run one line; print an error and go on."""
        try:
            return bool(super().onecmd(line))
        except HybridnetError as problem:
            error(f"*** {problem}\n")
        except BrokenPipeError:  # nobody reads what the prompt prints
            raise
        except Exception as problem:  # of a script's own node, link or command: no reason to lose the network
            if os.environ.get("HYBRIDNET_DEBUG"):
                raise
            error(f"*** {type(problem).__name__}: {problem}\n")
        return False

    def emptyline(self) -> bool:
        """An empty line does nothing."""
        return False

    def default(self, line: str) -> bool | None:  # type: ignore[override]
        """NODE COMMAND: run a command in a node."""
        if line == "EOF":
            output("\n")
            return True
        name, _, text = line.partition(" ")
        if name not in self.net or not isinstance(self.net[name], Node):
            known = name in self.net.topo.simulated()
            error(
                f"*** {name} is simulated and runs no commands; ping it from a host\n"
                if known
                else f"*** Unknown command: {line}; `help` lists the commands\n"
            )
            return None
        if not text.strip():
            error(f"*** Enter a command for node: {name} <command>\n")
            return None
        self._run_in(self.net[name], " ".join(self._replaced(word) for word in text.split(" ")))
        return None

    def _replaced(self, word: str) -> str:
        node = self.net.nameToNode.get(word)
        return (node.IP() or word) if isinstance(node, Node) else word

    def _run_in(self, node: Node, text: str) -> None:
        """Show the output as it comes; ^C goes to the command. One that does not end by it, as a shell, keeps its node
        and not the prompt.
        """
        pressed = 0
        with _noted_interrupts() as heard:
            node.sendCmd(text)
            while node.waiting:
                sys.stdout.write(node.monitor(timeoutms=LOOK_MS))
                sys.stdout.flush()
                if heard and node.waiting:
                    pressed += len(heard)
                    heard.clear()
                    node.sendInt()
                    if pressed >= MOST_INTERRUPTS:
                        error(
                            f"\n*** {node}: ^C does not end `{text}`; it goes on, and {node} takes no other command "
                            "until it ends. Programs get no input here: open a terminal with xterm or "
                            "`hybridnet exec`\n"
                        )
                        return

    # Looking

    def do_help(self, line: str) -> None:
        """help [COMMAND]: list the commands, or say what one does."""
        if line.strip():
            super().do_help(line.strip())
            return
        names = [name for name in self.get_names() if name.startswith("do_")]
        told = {inspect.getdoc(getattr(self, name)) or name.removeprefix("do_") for name in names}
        for text in sorted({*told, str(CLI.default.__doc__)}, key=str.lower):
            output(f"  {text}\n")

    def do_nodes(self, _: str) -> None:
        """nodes: list all nodes."""
        output(f"available nodes are: \n{' '.join(sorted(self.net))}\n")

    def do_net(self, _: str) -> None:
        """net: list each node's interfaces, and what they are connected to."""
        for node in [*self.net.hosts, *self.net.switches]:
            ends = []
            for intf in node.intfList():
                far = (
                    None
                    if intf.link is None
                    else intf.link.intf2
                    if intf.link.intf1 is intf
                    else intf.link.intf1
                )
                ends.append(f"{intf}:{far}")
            output(f"{node} {' '.join(ends)}\n")

    def do_links(self, _: str) -> None:
        """links: list the links, and what each became."""
        for link in self.net.links:
            output(f"{link} ({link.kind})\n")

    def do_intfs(self, _: str) -> None:
        """intfs: list the interfaces of each node."""
        for node in [*self.net.hosts, *self.net.switches]:
            output(f"{node}: {','.join(node.intfNames())}\n")

    def do_dump(self, _: str) -> None:
        """dump: print everything about each node."""
        for node in [*self.net.hosts, *self.net.switches]:
            output(f"{node!r}\n")

    def do_plan(self, _: str) -> None:
        """plan: print what was built on which machine."""
        output(f"{self.running().plan}\n")

    def do_machines(self, _: str) -> None:
        """machines: list the machines and their addresses."""
        cluster = self.running().cluster
        for machine in cluster.machines:
            output(f"{machine} {cluster.address(machine)}\n")

    # Trying

    def do_pingall(self, line: str) -> None:
        """pingall [TIMEOUT]: ping between all hosts."""
        self.net.pingAll(line.strip() or None)

    def do_pingpair(self, _: str) -> None:
        """pingpair: ping between the first two hosts."""
        self.net.pingPair()

    def do_pingmatrix(self, line: str) -> None:
        """pingmatrix [COUNT [FILE.json or FILE.csv]]: round trips and losses between all hosts, all at once."""
        words = line.split()
        self._told(self.running().ping_matrix(count=_number(words, 1)), words)

    def do_iperfmatrix(self, line: str) -> None:
        """iperfmatrix [SECONDS [FILE.json or FILE.csv]]: a TCP flow between each pair of hosts, one after the other."""
        words = line.split()
        self._told(self.running().iperf_matrix(seconds=_number(words, 1)), words)

    def _told(self, matrix: Any, words: list[str]) -> None:
        output(f"{matrix}\n")
        if len(words) > 1:
            try:
                text = matrix.csv() if words[1].endswith(".csv") else matrix.dumps() + "\n"
                Path(words[1]).write_text(text, encoding="utf-8", newline="")
            except OSError as problem:
                error(f"*** {words[1]}: {problem.strerror}\n")

    def do_iperf(self, line: str) -> None:
        """iperf [HOST HOST]: one TCP flow."""
        self._iperf(line.split(), "TCP", "10M")

    def do_iperfudp(self, line: str) -> None:
        """iperfudp [RATE [HOST HOST]]: one UDP flow; the rate is like 10M."""
        rate, *hosts = line.split() or ["10M"]
        self._iperf(hosts, "UDP", rate)

    def _iperf(self, names: list[str], protocol: str, rate: str) -> None:
        if len(names) not in (0, 2):
            error(f"*** {len(names)} hosts are given; give two, or none for the first and the last\n")
            return
        self.net.iperf([self.net[name] for name in names] or None, l4Type=protocol, udpBw=rate)

    def do_link(self, line: str) -> None:
        """link NODE NODE up|down: set the links between two nodes."""
        words = line.split()
        if len(words) != 3:
            error("*** write: link NODE NODE up|down\n")
            return
        self.net.configLinkStatus(*words)

    def do_dpctl(self, line: str) -> None:
        """dpctl COMMAND [ARGUMENTS]: run ovs-ofctl on every switch."""
        if not line.strip():
            error("*** write: dpctl COMMAND [ARGUMENTS]\n")
            return
        try:
            words = shlex.split(line)
        except ValueError as problem:
            error(f"*** dpctl {line}: {problem}\n")
            return
        for switch in self.net.switches:
            output(f"*** {switch} {'-' * 60}\n{switch.dpctl(*words)}")

    # Outside the network

    def do_sh(self, line: str) -> None:
        """sh COMMAND: run a command on this computer."""
        subprocess.call(line, shell=True)

    def do_exec(self, line: str) -> None:
        """exec MACHINE COMMAND: run a command on a machine."""
        machine, _, command = line.partition(" ")
        if not command.strip():
            error("*** write: exec MACHINE COMMAND\n")
            return
        done = self.running().cluster.call(machine, "exec", argv=command)
        output(done["stdout"].decode(errors="replace") + done["stderr"].decode(errors="replace"))

    def do_py(self, line: str) -> None:
        """py EXPRESSION: evaluate Python; `net` and the nodes have their names, as in py r1.vtysh("show ip route")."""
        try:
            with self._names() as names:
                value = eval(line, names)
                # Text as it is, as at Mininet's prompt: it is mostly what a program has said, in lines.
                shown = value.removesuffix("\n") if isinstance(value, str) else repr(value)
                output(f"{shown}\n")
        except Exception as problem:  # the user's own code: report whatever it raises
            error(f"*** {type(problem).__name__}: {problem}\n")

    def do_px(self, line: str) -> None:
        """px STATEMENT: execute Python."""
        try:
            with self._names() as names:
                exec(line, names)
        except Exception as problem:  # as above
            error(f"*** {type(problem).__name__}: {problem}\n")

    @contextlib.contextmanager
    def _names(self) -> Iterator[dict[str, object]]:
        """One dictionary, so that comprehensions and functions find everything. The nodes are in it meanwhile; a
        variable goes before a node.
        """
        nodes = {name: node for name, node in self._scope().items() if name not in self._locals}
        self._locals.update(nodes)
        try:
            yield self._locals
        finally:
            self._locals.pop("__builtins__", None)  # which Python puts there
            for name in nodes:
                if self._locals.get(name) is nodes[name]:
                    del self._locals[name]

    def _scope(self) -> dict[str, object]:
        return dict(self.net.nameToNode)

    def do_source(self, line: str) -> None:
        """source FILE: run the commands in a file."""
        file = Path(line.strip()).absolute()
        if file in self._sources:
            error(f"*** {line.strip()}: it runs itself; take the command out of the file\n")
            return
        try:
            lines = file.read_text().splitlines()
        except OSError as problem:
            error(f"*** {line.strip()}: {problem.strerror}\n")
            return
        except UnicodeDecodeError:
            error(f"*** {line.strip()}: it is not text in UTF-8; give a file of commands\n")
            return
        self._sources.append(file)
        try:
            for text in lines:
                if text.strip() and not text.lstrip().startswith("#") and self.onecmd(text):
                    return
        finally:
            self._sources.pop()

    def do_time(self, line: str) -> None:
        """time COMMAND: run a command and print how long it took."""
        start = time.monotonic()
        self.onecmd(line)
        output(f"*** Elapsed time: {time.monotonic() - start:.6f} secs\n")

    def do_xterm(self, line: str) -> None:
        """xterm NODE ...: open a terminal for each node: a window where there is a display, else one of tmux."""
        if not line.split():
            error("*** write: xterm NODE ...\n")
        for name in line.split():
            node = self.net.nameToNode.get(name)
            if not isinstance(node, Node):
                error(f"*** xterm {name}: it is neither a host nor a switch; `nodes` lists them\n")
                continue
            made = terminal_of(node, self.running().cluster.journal)
            if made.how and not self._terminals:
                output(f"*** the terminals are windows of tmux: {made.how}\n")
            self._terminals.append(made)

    # Leaving

    def do_exit(self, _: str) -> bool:
        """exit: leave the prompt."""
        return True

    do_quit = do_exit


@contextlib.contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """^C is noted and not raised: raised, it would lose the output that is on its way, such as ping's statistics."""
    heard: list[int] = []
    if threading.current_thread() is not threading.main_thread():  # which alone gets signals
        yield heard
        return
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) or signal.SIG_DFL
    try:
        yield heard
    finally:
        signal.signal(signal.SIGINT, before)


def _number(words: list[str], default: int) -> int:
    if not words:
        return default
    try:
        return int(words[0])
    except ValueError:
        raise UsageError(f"{words[0]!r} is not a whole number; write for example 10") from None


def _remember_history() -> None:
    try:
        if HISTORY.exists():
            readline.read_history_file(HISTORY)
    except OSError as problem:
        error(f"*** {HISTORY}: {problem.strerror}; what is typed here is not remembered\n")
        return
    readline.set_history_length(1000)
    if os.access(HISTORY.parent, os.W_OK):
        atexit.register(readline.write_history_file, HISTORY)
