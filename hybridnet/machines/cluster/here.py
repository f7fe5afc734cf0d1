# SPDX-License-Identifier: MIT
"""One machine that is this computer itself, as in Mininet.

    with contextlib.closing(Here()) as here:
        here.call("here", "build", plan=plan)
        print(here.call("here", "run_command", node="h1", text="ip addr")["output"])

Its agent is an object of this process: no other program, no connection, nothing that listens. It works in the
computer's own namespaces, so bridges, interfaces, ``/var/run/openvswitch`` and process numbers are where Mininet has
them. One program at a time has such a network with switches, as the names of two would meet.

Verbs run in threads that do not keep the program from ending, and that last: the kernel ends an instance with the
thread that started it. (Those of `concurrent.futures` would not do: Python ends them before it waits for a script's own
threads, which may still run commands in hosts.)

However the program ends, nothing stays: `close` removes everything, at the latest when Python exits; after a
`kill -9` the guardian does (`hybridnet.system.guardian`), and if that was killed too, `hybridnet clean` or the next
such run.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hybridnet.agent.machine.agent import OTHER_VERBS_AT_ONCE, VERBS_AT_ONCE, Agent
from hybridnet.agent.programs.acts import note_programs
from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.machines.cluster.machines import Answers, Arrival, Call, Calls, Loss
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.cleaning import clean_run, is_alive, remove_run_directory
from hybridnet.system.ending import Endings, undone_on_error, uninterrupted
from hybridnet.system.guardian import Guardian
from hybridnet.system.journal import Journal, directories_in, read_entries, state_directory
from hybridnet.system.locks import lock_what_others_can_open
from hybridnet.system.log import info
from hybridnet.system.loopback import require_loopback
from hybridnet.system.priority import Priority, raise_thread
from hybridnet.system.process_limits import allow_open_files, require_address_space
from hybridnet.system.process_watch import Part

if TYPE_CHECKING:
    from hybridnet.agent.machine.facts import Facts

__all__ = ["HERE", "Here"]

HERE = "here"
"""The machine's name."""

ADDRESS = "127.0.0.1"

CLEANED_WITHIN_S = 120.0
"""How long another run of this kind, which begins, may take to remove what a killed one has left."""


class Here:
    """The one machine of a run on this computer. Has what `hybridnet.machines.cluster.Machines` says. Usable from any
    thread.

    Args:
        alone: refuse to begin beside another such run that is alone; False: for what has no switches.

    Raises:
        EnvironmentLackError: not root.
        MachineError: another run of this kind is there, and the message names it; or what a dead one left cannot be
            removed.
    """

    def __init__(self, *, alone: bool = True) -> None:
        if os.geteuid() != 0:
            raise EnvironmentLackError(
                "a network on this computer needs root; run with sudo, or `hybridnet run --rootless`"
            )
        require_loopback()
        require_address_space()
        self.on_progress: Callable[[str, str], object] = lambda machine, text: None
        self.on_lost: Callable[[str], object] = lambda machine: None
        self.journal = _begun(alone)
        self._owner = os.getpid()
        self._closing = False
        self._outlives = False
        self._waiting_threads = _Threads(VERBS_AT_ONCE)
        self._other_threads = _Threads(OTHER_VERBS_AT_ONCE)
        self._guardian = Guardian(self.journal.directory)
        self._ending = Endings(self._guardian.end, self._forget)
        atexit.register(self._close_at_exit)
        with undone_on_error(self.close):
            self.journal.process(os.getpid(), f"init of machine {HERE}")  # for `hybridnet exec`
            self._guardian.start()
            allow_open_files()
            self._agent = Agent(HERE, self.journal, own_network=False, own_files=False)
            note_programs(self._agent.acts)
            self._agent.on_progress = lambda text: self.on_progress(HERE, text)
            self._ending.add(self._agent.close)

    @property
    def machines(self) -> list[str]:
        """The one machine's name."""
        return [HERE]

    def address(self, machine: str) -> str:
        """The loopback address: controllers of ours listen there, as Mininet's do."""
        _check(machine)
        return ADDRESS

    def facts(self, machine: str) -> Facts:
        """What this computer has: see `hybridnet.agent.machine.facts`."""
        answer: Facts = self.call(machine, "facts")
        return answer

    def call(self, machine: str, verb: str, **arguments: Any) -> Any:
        """Run a verb of `hybridnet.agent.machine.agent.Agent`, and wait for its result.

        Raises:
            UsageError: there is no such machine or verb, or the verb does not take these arguments.
            HybridnetError: what the verb raises.
        """
        _check(machine)
        if self._closing:
            raise MachineError(f"machine {machine}: its network is closed")
        threads = self._waiting_threads if self._agent.waits(verb) else self._other_threads
        return threads.call(partial(self._agent.perform, verb, arguments))

    def call_all(self, calls: Calls) -> Answers:
        """Run one verb on each machine that `calls` names: this one, or none."""
        return {
            machine: self.call(machine, verb, **arguments) for machine, (verb, arguments) in calls.items()
        }

    call_left = call_all

    def lost(self) -> dict[str, Loss]:
        """None: it is lost with this process."""
        return {}

    def restarting(self, machine: str) -> contextlib.AbstractContextManager[Call]:
        """Refuse: it is never lost. Raises UsageError."""
        _check(machine)
        raise UsageError(f"machine {machine} is this computer and never lost, so it cannot return")

    def joining(self, machine: str) -> contextlib.AbstractContextManager[Arrival]:
        """Refuse: a network on this computer has no other machine. Raises UsageError."""
        raise UsageError(
            f"machine {machine} cannot join: this network is on this computer alone; leave machine= out, or give Net "
            "no cluster='here'"
        )

    def remove(self, machine: str) -> dict[str, Snapshot | None]:
        """Refuse likewise. Raises UsageError."""
        _check(machine)
        raise UsageError(
            f"machine {machine} is the only one of this network and cannot leave; stop the network"
        )

    def processes(self) -> dict[str, Part]:
        """The guardian's."""
        pid = self._guardian.pid
        return {} if pid is None else {"the guardian": Part(pid)}

    def outlive(self) -> None:
        """Have the guardian wait for the last program in a host, should this process end without `close`."""
        if not self._outlives:
            self.journal.record("left")
            self._outlives = True

    def leave(self) -> None:
        """Leave everything to the guardian, which removes it when the last program in a host ends, after this one."""
        self.outlive()
        self._ending = Endings()
        atexit.unregister(self._close_at_exit)

    def close(self) -> None:
        """Remove everything. Idempotent; errors are collected, and every part is ended; a second call ends what is
        left, and does nothing where nothing is.
        """
        self._closing = True
        with uninterrupted("the network"):
            self._ending.close()
        atexit.unregister(self._close_at_exit)

    def _close_at_exit(self) -> None:
        if os.getpid() == self._owner:  # a fork of this program has not made the network
            self.close()

    def _forget(self) -> None:
        self.journal.close()
        remove_run_directory(self.journal.directory)


class _Call:
    """A function that a thread of `_Threads` runs."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self._function = function
        self._done = threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Run it, in the thread."""
        try:
            self._value = self._function()
        except BaseException as error:
            self._error = error
        finally:
            self._done.set()

    def result(self) -> Any:
        """Wait for it. ^C ends the waiting, and not the function."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._value


class _Threads:
    """As many threads as there were calls at once, at most `most`; they last as long as the process."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._calls: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._free = 0  # threads that wait for a call which nobody has put yet
        self._count = 0

    def call(self, function: Callable[[], Any]) -> Any:
        """What `function` returns or raises in one of the threads."""
        if os.getpid() != self._owner:  # a fork of the program: it has none of its parent's threads
            self._begin()
        call = _Call(function)
        with self._lock:
            if self._free > 0:
                self._free -= 1
            elif self._count < self._most:
                self._count += 1
                threading.Thread(target=self._serve, name="verb", daemon=True).start()
        self._calls.put(call)
        return call.result()

    def _serve(self) -> None:
        raise_thread(Priority.AGENT)
        while True:
            call = self._calls.get()
            call.run()
            del call  # with what it returned
            with self._lock:
                self._free += 1


def _check(machine: str) -> None:
    if machine != HERE:
        raise UsageError(f"there is no machine {machine}; there is only {HERE}, this computer")


def _begun(alone: bool) -> Journal:
    """The journal of a new run of this kind.

    Raises:
        MachineError: see `Here`.
    """
    state = state_directory()
    state.mkdir(parents=True, exist_ok=True, mode=0o755)
    with _held(state):
        for directory in directories_in(state):
            entries = read_entries(directory)
            kinds = [entry for entry in entries if entry["kind"] == "here"]
            if not kinds:
                continue
            if is_alive(directory):
                owners = [entry["pid"] for entry in entries if entry["kind"] == "owner"]
                if os.getpid() in owners or not (alone and kinds[0]["alone"]):
                    continue
                raise MachineError(
                    f"run {directory.name} has a network on this computer, and the names of two would clash; end it "
                    f"first (hybridnet clean --run {directory.name}), or run this one on machines of its own: "
                    "hybridnet run --machines 1, or Net() without cluster='here'"
                )
            info(f"*** Removing what run {directory.name}, which was killed, left behind\n")
            clean_run(directory, lambda text: None)
        journal = Journal.create()
        journal.record("here", alone=alone)
        return journal


@contextlib.contextmanager
def _held(state: Path) -> Iterator[None]:
    """Hold the state directory's lock: two runs that begin at once find each other."""
    descriptor = os.open(state, os.O_RDONLY | os.O_CLOEXEC)
    try:
        lock_what_others_can_open(descriptor, f"state directory {state}", patience_s=CLEANED_WITHIN_S)
        yield
    finally:
        os.close(descriptor)
