# SPDX-License-Identifier: MIT
"""The programs in the nodes of one machine: persistent shells, programs with pipes of their own, terminals."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TypedDict, final

from hybridnet.agent.hosts.limits import HostLimits
from hybridnet.agent.programs import launch
from hybridnet.agent.programs.acts import Acts
from hybridnet.agent.programs.batch import CommandOutput, output_of, run_commands
from hybridnet.agent.programs.handles import handles
from hybridnet.agent.programs.piped_programs import OwnDescriptors, Process
from hybridnet.agent.programs.shell import Shell
from hybridnet.agent.programs.terminals import Terminals
from hybridnet.agent.verbs import verb, waiting_verb
from hybridnet.errors import MachineError, UsageError
from hybridnet.system.ending import Endings
from hybridnet.system.ways import Way

__all__ = ["Programs"]

PROCESSES_LIMIT = 4096


@final
class Ended(TypedDict):
    """Of a program that has ended; a negative status is a signal's."""

    status: int
    stdout: bytes
    stderr: bytes


@final
class CommandProgress(TypedDict):
    """Of a command that runs, or is done: then with its status."""

    output: str
    done: bool
    status: int | None
    last_pid: int | None


@final
class Started(TypedDict):
    """A program that runs, by its number."""

    number: int
    pid: int
    given: bool  # its streams are the descriptors of the caller


class Programs:
    """Some of the agent's verbs.

    Args:
        way_of: how a program gets into a node.
        environment: of every program.
        sockets: a short path for the shells' sockets, made when the first shell starts.
        limits: of what hosts may take, which a program is put under.
        acts: hears of programs that may change the machine's own devices and switches.
    """

    def __init__(
        self,
        way_of: Callable[[str], Way],
        environment: Mapping[str, str],
        sockets: Path,
        limits: HostLimits,
        acts: Acts,
    ) -> None:
        self._way_of, self._environment = way_of, dict(environment)
        self._sockets, self._limits, self._acts = sockets, limits, acts
        acts.add(self._acting)
        self._shells: dict[str, Shell] = {}
        self._as_mininet: set[str] = set()  # the nodes whose shells are as Mininet's
        self._processes: dict[int, Process] = {}
        self._terminals = Terminals()
        self._numbers = handles()
        self._lock = threading.Lock()

    @waiting_verb
    def exec(
        self,
        argv: list[str] | str,
        timeout: float | None = 60.0,
        input: bytes | None = None,
        node: str = "",
        computers: bool = False,
    ) -> Ended:
        """Runs a program on the machine, or in a host, to its end.

        Args:
            computers: it is a program of the computer, and runs in a host that has an image with the computer's files.
        """
        way = self._way_of(node)
        command = ["/bin/sh", "-c", argv] if isinstance(argv, str) else argv
        command = [*self._limits.within(node), *([] if computers else way.within({})), *command]
        before = list(way.tools) if computers else way.before
        with self._act_at(node):
            done = launch.run(command, before, self._environment, input=input, timeout=timeout)
        return {"status": done.returncode, "stdout": done.stdout, "stderr": done.stderr}

    @waiting_verb
    def mininet_shells(self, nodes: list[str], begin: bool) -> None:
        """Has the shells of nodes be as Mininet's: see `hybridnet.agent.programs.shell.Shell`.

        Args:
            begin: start them now, and answer when they are ready: before that, subshells of theirs may be found by the
                same name. Else they start with their first commands, as all others do.
        """
        with self._lock:
            self._as_mininet |= set(nodes)
        for shell in [self._shell(node) for node in nodes if begin]:
            shell.await_ready()

    @waiting_verb
    def run_command(self, node: str, text: str, timeout: float | None = None) -> CommandOutput:
        """Runs a command in the node's persistent shell to its end."""
        with self._act_at(node):
            return output_of(self._shell(node).run(text, timeout))

    @waiting_verb
    def run_commands(
        self, commands: dict[str, str], timeout: float | None = None
    ) -> dict[str, CommandOutput]:
        """Runs a command in the shell of each of many nodes at once: see `hybridnet.agent.programs.batch`."""
        with self._act_at(min(commands, key=lambda node: bool(self._way_of(node).tools), default="")):
            return run_commands(self._shell, commands, timeout)

    @waiting_verb
    def start_command(self, node: str, text: str) -> None:
        """Starts a command in the node's persistent shell."""
        self._shell(node).start(text)

    @waiting_verb
    def read_command(self, node: str, timeout: float = 0.0) -> CommandProgress:
        """What the running command has printed."""
        with self._act_at(node):
            output = self._shell(node).read(timeout)
        return {
            "output": output.text,
            "done": output.done,
            "status": output.status,
            "last_pid": output.last_pid,
        }

    @waiting_verb
    def read_idle(self, node: str, timeout: float = 0.0) -> str:
        """What the node's programs in the background have printed, while no command runs."""
        return self._shell(node).read_idle(timeout)

    @waiting_verb
    def terminal(self, node: str) -> int:
        """The descriptor of the terminal of the node's shell; of use only in the agent's own process."""
        return self._shell(node).terminal()

    @verb
    def interrupt(self, node: str) -> None:
        """Presses ^C in the node's shell."""
        self._shell(node).interrupt()

    @verb
    def host_pid(self, node: str) -> int:
        """The process of the node's shell, in the machine's process numbers."""
        return self._shell(node).process.pid

    @verb
    def start_process(
        self,
        node: str,
        command: list[str] | str,
        env: dict[str, str] | None = None,
        cwd: str | None = None,
        merge: bool = False,
        stdin: bool = False,
        discard: list[str] | None = None,
        descriptors: OwnDescriptors | None = None,
        computers: bool = False,
    ) -> Started:
        """Starts a program with its own pipes; text goes through ``/bin/sh``.

        Args:
            env: added to the environment.
            cwd: its folder; None: that of this process, as far as the node has it.
            merge: standard error goes into standard output.
            stdin: whether `write_process` will be used; else standard input is empty.
            discard: of ``stdout`` and ``stderr``, what nobody will read.
            descriptors: of the caller, who is in this process; None: pipes that the other verbs read and write.
            computers: as of `exec`.
        """
        way = self._way_of(node)
        if way.image and not computers:
            prefix, command = [], self._in_image(way, command, env or {}, cwd)
        else:
            prefix = list(way.tools)
            prefix = (
                [*prefix, "env", "-C", cwd] if cwd else [*prefix, *launch.in_own_folder()] if prefix else []
            )
        if within := self._limits.within(node) if command else []:
            command = [*within, *(["/bin/sh", "-c", command] if isinstance(command, str) else command)]
        with self._lock:
            if len(self._processes) >= PROCESSES_LIMIT:
                raise MachineError(f"{PROCESSES_LIMIT} programs are open here; close those that have ended")
        environment = {**self._environment, **(env or {})}
        process = Process(
            node,
            command,
            prefix,
            environment,
            merge=merge,
            stdin=stdin,
            discard=discard or (),
            descriptors=descriptors,
        )
        number = next(self._numbers)
        with self._lock:
            self._processes[number] = process
        return {"number": number, "pid": process.pid, "given": descriptors is not None}

    @verb
    def poll_process(self, number: int) -> int | None:
        """The exit status of a program, None while it runs."""
        return self._process(number).poll()

    @waiting_verb
    def wait_process(self, number: int, timeout: float) -> int | None:
        """The same, waited for at most `timeout` seconds."""
        return self._process(number).wait(timeout)

    @verb
    def signal_process(self, number: int, signal: int, group: bool = False) -> None:
        """Sends a signal to a program, or to all of its process group."""
        self._process(number).signal(signal, group)

    @verb
    def process_times(self, number: int) -> tuple[float, float]:
        """An instant, and the processor time that a program's own process has taken until then, in seconds."""
        return self._process(number).times()

    @waiting_verb
    def read_process(
        self, number: int, stream: str = "stdout", most: int = 1 << 20, timeout: float = 0.0
    ) -> bytes | None:
        """Output of a program: b"" if there is none yet, None at its end."""
        return self._process(number).read(stream, most, timeout)

    @waiting_verb
    def write_process(self, number: int, data: bytes, end: bool = False) -> None:
        """Writes to a program's standard input."""
        self._process(number).write(data, end)

    @verb
    def close_process(self, number: int) -> None:
        """Ends a program if it runs, and forgets it."""
        process = self._process(number)
        with self._act_at(process.node):
            process.close()
        with self._lock:
            self._processes.pop(number, None)

    @verb
    def open_terminal(self, node: str, rows: int = 24, columns: int = 80) -> int:
        """Opens a terminal with a shell in a node: see `hybridnet.agent.programs.terminals`. Returns its number."""
        way, admit = self._way_of(node), self._limits.admission(node)
        return self._terminals.open(node, way, self._environment, (rows, columns), admit)

    @waiting_verb
    def read_terminal(self, number: int, timeout: float = 0.0) -> bytes | None:
        """What a terminal prints: b"" if that is nothing in time, None once its shell has ended."""
        return self._terminals[number].read(timeout)

    @verb
    def write_terminal(self, number: int, data: bytes) -> None:
        """Types into a terminal."""
        self._terminals[number].write(data)

    @verb
    def resize_terminal(self, number: int, rows: int, columns: int) -> None:
        """Gives a terminal another size."""
        self._terminals[number].resize(rows, columns)

    @verb
    def close_terminal(self, number: int) -> None:
        """Closes a terminal, with what runs in it; does nothing if that is done."""
        self._terminals.close(number)

    def shell_pid(self, node: str) -> int | None:
        """The process of a node's shell; None if it has none."""
        with self._lock:
            shell = self._shells.get(node)
        return None if shell is None else shell.process.pid

    def shell_pids(self) -> set[int]:
        """The processes of all shells."""
        with self._lock:
            return {shell.process.pid for shell in self._shells.values()}

    def close_of(self, nodes: Iterable[str]) -> None:
        """End what runs in some nodes. Whatever one raises, all end."""
        nodes = set(nodes)
        with self._lock:
            numbers = [number for number, process in self._processes.items() if process.node in nodes]
        Endings(
            partial(self._terminals.close_of, nodes),
            *(partial(self._end_one, self._shells, name) for name in nodes),
            *(partial(self._end_one, self._processes, number) for number in numbers),
        ).close()

    def close(self) -> None:
        """End all. Whatever one raises, all end; a second call ends what is left."""
        Endings(
            self._terminals.close_of,
            *(partial(self._end_one, self._shells, name) for name in list(self._shells)),
            *(partial(self._end_one, self._processes, number) for number in list(self._processes)),
            self._hang_up,
        ).close()

    @staticmethod
    def _in_image(
        way: Way, command: list[str] | str, environment: Mapping[str, str], cwd: str | None
    ) -> list[str]:
        """A program with what puts it into a node's image, and into a folder there."""
        if isinstance(command, str):
            command = [*way.shell, "-c", command]
        if cwd:
            command = [*way.shell, "-c", 'cd -- "$0" || exit; exec "$@"', cwd, *command]
        return [*way.within(environment), *command]

    def _act_at(self, node: str) -> AbstractContextManager[None]:
        """The run does something at a node: in the machine's own namespaces, if the node has none."""
        return nullcontext() if self._way_of(node).tools else self._acts.act()

    def _acting(self) -> bool:
        """Whether a program goes on that the run has started in the machine's own namespaces."""
        with self._lock:
            shells, processes = list(self._shells.items()), list(self._processes.values())
        return (
            any(shell.waiting and not self._way_of(node).tools for node, shell in shells)
            or any(process.poll() is None and not self._way_of(process.node).tools for process in processes)
            or any(not self._way_of(node).tools for node in self._terminals.nodes)
        )

    def _hang_up(self) -> None:
        """Tell all shells to end before any is waited for."""
        for shell in list(self._shells.values()):
            shell.hang_up()

    def _shell(self, node: str) -> Shell:
        with self._lock:
            shell = self._shells.get(node)
            if shell is None or shell.process.poll() is not None:
                if shell is not None:
                    shell.close()
                self._sockets.mkdir(mode=0o700, exist_ok=True)
                admit = self._limits.admission(node)
                way, as_mininet = self._way_of(node), node in self._as_mininet
                shell = Shell(node, way, self._environment, self._sockets, admit, as_mininet=as_mininet)
                self._shells[node] = shell
            return shell

    def _process(self, number: int) -> Process:
        with self._lock:
            process = self._processes.get(number)
        if process is None:
            raise UsageError(
                f"there is no program number {number} here; was it closed, or the network destroyed?"
            )
        return process

    def _end_one(self, programs: dict[Any, Any], key: str | int) -> None:
        """Ends a shell or a program, and forgets it."""
        if (program := programs.get(key)) is not None:
            program.close()
        with self._lock:
            programs.pop(key, None)
