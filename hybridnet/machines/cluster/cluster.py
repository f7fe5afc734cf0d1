# SPDX-License-Identifier: MIT
"""The machines of a run, on Dask distributed.

    with Cluster.local(["m1", "m2"]) as cluster:
        cluster.call("m1", "build", plan=plan)
        print(cluster.call("m1", "run_command", node="h1", text="ip addr")["output"])

There are four ways to get machines, which then all work alike: `local`, namespaces on this computer; `kernels`,
kernels in simulated time; `ssh`, other computers; `connect`, the workers of an existing Dask scheduler. Each machine
runs one agent (`hybridnet.agent`), in a Dask worker with one thread and no nanny, named like the machine. A verb is
an async function on that worker's event loop which hands the work to a thread, so a long command in one host does not
hold up others.

Where the head is killed, its machines notice the end of their standard input or SSH connection and clean up, and the
run's guardian (`hybridnet.system.guardian`) removes what is left.

Nothing is retried and nothing is moved. If an agent dies, its machine is lost and calls to it raise MachineError; the
others go on until they are told to clean up. `restarting` starts a lost machine again, where somebody asks for it, and
`joining` and `remove` let machines come and go.

Dask takes half a second to import. So it is imported where it is first used, when local machines have already begun to
import it, too.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from hybridnet.agent.hosts.neighbours import NeighbourLimits
from hybridnet.describe.values import number, shown, text
from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, UsageError
from hybridnet.kernel.whole_run import run_again
from hybridnet.machines.cluster.kernels import kernels_of_run
from hybridnet.machines.cluster.machines import Answers, Arrival, Call, Calls, Loss
from hybridnet.machines.cluster.messenger import Messenger
from hybridnet.machines.cluster.names import distinct, several
from hybridnet.machines.cluster.presence import GRACE_S, Presence
from hybridnet.machines.cluster.roll import Roll
from hybridnet.machines.cluster.starters import LocalStarter, SshStarter, Starter
from hybridnet.machines.workers.fabric import Fabric
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.cleaning import clean_remote, remove_run_directory
from hybridnet.system.ending import Endings, undone_on_error, uninterrupted
from hybridnet.system.guardian import Guardian
from hybridnet.system.journal import Entry, Journal, read_entries
from hybridnet.system.log import info, warn
from hybridnet.system.loopback import require_loopback
from hybridnet.system.process_limits import require_address_space
from hybridnet.system.process_watch import Part
from hybridnet.system.rootless import refuse_rootless
from hybridnet.system.simulated_time import time_is_simulated

if TYPE_CHECKING:
    from hybridnet.agent.machine.facts import Facts
    from hybridnet.machines.workers.lean_dask import Client, Security

LOCAL_GRACE_S = 10.0  # for which a machine on this computer may be silent
AGENTS_LONGER_S = 5.0  # than the head an agent waits for the other side
CLEAN_LOST_S = 25.0


class Cluster:
    """The machines of one run; a context manager. Made by `local`, `ssh` or `connect`. Usable from any thread."""

    def __init__(self, journal: Journal) -> None:
        """Not for direct use."""
        self.journal = journal
        self.on_progress: Callable[[str, str], object] = lambda machine, text: None
        self.on_lost: Callable[[str], object] = lambda machine: None
        self._roll = Roll(lambda machine: self.on_lost(machine))
        self._messenger = Messenger(
            journal,
            self._roll.worker_came,
            self._roll.worker_went,
            lambda machine, said: self.on_progress(machine, said),
        )
        self._addresses: dict[str, str] = {}
        self._starter: Starter
        self._unclear: set[str] = set()  # names of machines that have left, but perhaps not wholly
        self._restarts = threading.Lock()  # one machine after the other
        self._ending = Endings()  # of all but the journal
        self._owner = os.getpid()
        self._guardian = Guardian(journal.directory)
        atexit.register(self._close_at_exit)
        self._guardian.start()

    # -- making one -------------------------------------------------------------------------------------------------

    @classmethod
    def local(
        cls,
        names: Sequence[str] = ("m1", "m2"),
        *,
        on_head_address: Callable[[str], object] = lambda address: None,
    ) -> Cluster:
        """Machines that are namespaces on this computer: they share its processors and files, and nothing else.

        In simulated time, where the run has a kernel for each machine (`kernels`), they are those.

        Args:
            names: of the machines.
            on_head_address: called with this computer's address toward them, before they are started: what it begins
                comes up beside them.

        Raises:
            EnvironmentLackError: not root.
            MachineError: a machine did not come up.
        """
        machines = distinct(names)
        if not callable(on_head_address):
            raise UsageError(f"on_head_address {shown(on_head_address)} cannot be called; give a function")
        if (told := kernels_of_run()) is not None:
            on_head_address(told.head)
            return cls.ssh(told.machines(machines))
        _need_root("local machines")
        require_loopback()
        require_address_space()
        self = cls(Journal.create())
        with undone_on_error(self.close):
            fabric = Fabric(self.journal)
            self._ending.add(fabric.close)
            on_head_address(fabric.head_address)
            limits = NeighbourLimits(self.journal)
            self._ending.add(limits.restore)
            limits.raise_for(0)
            self._starter = LocalStarter(self.journal, fabric, machines)
            self._ending.add(self._end_machines)
            dask_names = {name: self._starter.launch(name) for name in machines}
            self._ending.add(self._messenger.end)
            self._messenger.start(fabric.head_address)  # while they make their namespaces
            self._ending.add(
                self._end_machines
            )  # again: now that there is a scheduler, they end before it does
            for name in machines:
                self._addresses[name] = self._starter.start_agent(name, self._messenger.meeting)
            self._await_agents(dask_names)
            self._watch_presence(LOCAL_GRACE_S)
        return self

    @classmethod
    def kernels(
        cls, names: Sequence[str] = ("m1", "m2"), *, out: str | os.PathLike[str] | None = None, seed: int = 1
    ) -> Cluster:
        """Machines that are kernels of their own, in one simulated time; see `hybridnet.kernel.several`.

        In real time this runs the whole script again, in a kernel beside them, and ends with its exit code. There it
        returns them.

        Args:
            names: of the machines.
            out: the run directory; None: one in ``runs``.
            seed: of everything random in the kernels.

        Raises:
            EnvironmentLackError, ExperimentError: see `hybridnet.kernel.whole_run.run_again`.
            UsageError: the run has one kernel, or too few.
            MachineError: a machine did not come up.
        """
        machines = distinct(names)
        if not time_is_simulated():
            raise SystemExit(
                run_again(
                    [sys.executable, *sys.orig_argv[1:]],
                    out,
                    seed,
                    lambda line: info(f"*** {line}\n"),
                    machines,
                )
            )
        if (told := kernels_of_run()) is None:
            raise UsageError(
                "this run has one kernel, and machines with kernels of their own begin with it: leave --time out, or "
                f"write --machines {len(machines)}"
            )
        return cls.ssh(told.machines(machines))

    @classmethod
    def ssh(
        cls,
        hosts: Sequence[str | SshMachine],
        *,
        spare: Sequence[str | SshMachine] = (),
        python: str | None = None,
        head_address: str | None = None,
        grace_s: float = GRACE_S,
    ) -> Cluster:
        """Machines that are other computers.

        Args:
            hosts: ``"user@host"``, or `SshMachine` to say more.
            spare: hosts that are not machines yet, and may join while a network runs; those without a name of their own
                are numbered on.
            python: the interpreter on hosts given as text; default: as `SshMachine` has it.
            head_address: this computer as the hosts see it; default: what their sshd says.
            grace_s: for how many seconds a host may be out of reach before it is given up, at least 5.

        Raises:
            MachineError: a host could not be reached, or hybridnet does not start there; the message quotes ssh.
            EnvironmentLackError: a host has another hybridnet than this computer.
        """
        for what, given in (("python", python), ("head_address", head_address)):
            if given is not None:
                text(given, f"machines over SSH: {what}")
        number(grace_s, "machines over SSH: grace_s", 5, 1e6)
        wanted = _ssh_machines(several(hosts, "hosts"), python)
        waiting = _ssh_machines(several(spare, "spare hosts"), python) if spare else []
        all_names = distinct([host.name or f"m{at}" for at, host in enumerate([*wanted, *waiting], 1)])
        names, spare_names = all_names[: len(wanted)], all_names[len(wanted) :]
        self = cls(Journal.create())
        with undone_on_error(self.close):
            self._ending.add(self._messenger.end)
            self._messenger.start("0.0.0.0", grace_s + 2 * AGENTS_LONGER_S)
            hosts_of = dict(zip(names, wanted, strict=True))
            places = {**hosts_of, **dict(zip(spare_names, waiting, strict=True))}
            self._starter = SshStarter(self.journal, places, head_address, grace_s + AGENTS_LONGER_S)
            self._ending.add(self._end_machines)
            dask_names = {name: self._starter.launch(name) for name in names}
            for name in names:
                self._addresses[name] = self._starter.start_agent(name, self._messenger.meeting)
            self._await_agents(dask_names)
            self._watch_presence(grace_s)
        return self

    @classmethod
    def connect(
        cls,
        scheduler_address: str,
        *,
        security: Security | None = None,
        workers: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
        timeout: float = 20.0,
        grace_s: float = GRACE_S,
    ) -> Cluster:
        """Machines of an existing Dask cluster: one per worker, which must run as root and have hybridnet.

        Args:
            scheduler_address: for example ``"tls://10.0.0.1:8786"``.
            security: the client's certificates; default: those of Dask's configuration.
            workers: the names of the workers to use; default: all, or as many as there are `names`.
            names: of the machines, in the workers' order; default: the workers' own.
            timeout: how long the scheduler may take to answer, in seconds.
            grace_s: as for `ssh`.

        Raises:
            UsageError: the scheduler's address is not of TLS, or there is no certificate to show it.
            MachineError: the scheduler does not answer, or lacks such workers.
        """
        from hybridnet.machines.cluster.existing import client_of, require_sound, workers_of
        from hybridnet.machines.cluster.worker_starter import WorkerStarter

        shown_there = require_sound(scheduler_address, security, workers, names, timeout, grace_s)
        self = cls(Journal.create())
        with undone_on_error(self.close):
            client = client_of(scheduler_address, shown_there, timeout)
            self._ending.add(self._messenger.end)
            self._messenger.use(client)
            beside = workers_of(client, scheduler_address, workers, names)
            silence_s, any_worker = grace_s + AGENTS_LONGER_S, names is not None
            self._starter = WorkerStarter(self.journal, client, beside, silence_s, any_worker=any_worker)
            self._ending.add(self._end_machines)
            dask_names = {name: self._starter.launch(name) for name in beside}
            for name in beside:
                self._addresses[name] = self._starter.start_agent(name, self._messenger.meeting)
            self._await_agents(dask_names)
            self._watch_presence(grace_s)
        return self

    # -- using it ---------------------------------------------------------------------------------------------------

    @property
    def machines(self) -> list[str]:
        """The machines' names, in the order in which they were asked for."""
        return self._roll.machines

    @property
    def client(self) -> Client:
        """The Dask client, for your own tasks: a task pinned by ``resources={"machine:m1": 1}`` runs on m1."""
        return self._messenger.client

    def address(self, machine: str) -> str:
        """The machine's IPv4 address toward the other machines."""
        self._roll.check(machine)
        return self._addresses[machine]

    def facts(self, machine: str) -> Facts:
        """What the machine has: see `hybridnet.agent.machine.facts`."""
        answer: Facts = self.call(machine, "facts")
        return answer

    def call(self, machine: str, verb: str, **arguments: Any) -> Any:
        """Run a verb of `hybridnet.agent.machine.agent.Agent` on a machine, and wait for its result.

        Raises:
            UsageError: there is no such machine or verb, or the verb does not take these arguments.
            MachineError: the machine is lost, or the verb failed; the message says which, and why.
            HybridnetError: any other that the verb raises.
        """
        return self._begin(machine, verb, arguments)()

    def call_all(self, calls: Calls) -> Answers:
        """Run one verb on each of several machines at the same time, and wait for all.

        Args:
            calls: the verb and its arguments, by machine.

        Raises:
            The error of the first machine, in the order of `calls`, whose call failed.
        """
        answers, errors = self._callseveral(calls)
        for machine in calls:
            if machine in errors:
                raise errors[machine]
        return answers

    def call_left(self, calls: Calls) -> Answers:
        """The same on those machines that are left: one that is lost, before or meanwhile, has no answer.

        Raises:
            The error of the first machine that is not lost, in the order of `calls`, whose call failed.
        """
        answers, errors = self._callseveral(calls)
        for machine in calls:
            if machine in errors and machine not in self._roll.losses:
                raise errors[machine]
        return answers

    def _callseveral(self, calls: Calls) -> tuple[Answers, dict[str, HybridnetError]]:
        """What each machine answered, or raised."""
        waiting: dict[str, Callable[[], Any]] = {}
        answers: Answers = {}
        errors: dict[str, HybridnetError] = {}
        for machine, (verb, arguments) in calls.items():
            try:
                waiting[machine] = self._begin(machine, verb, arguments)
            except HybridnetError as error:
                errors[machine] = error
        for machine, answer in waiting.items():
            try:
                answers[machine] = answer()
            except HybridnetError as error:
                errors[machine] = error
        return answers, errors

    def lost(self) -> dict[str, Loss]:
        """The machines that are lost."""
        return self._roll.losses

    @contextlib.contextmanager
    def restarting(self, machine: str) -> Iterator[Call]:
        """Start a lost machine again, after what is left of it has ended for certain. The block gets what calls its new
        agent; for everybody else the machine is lost until the block has ended, and stays so if the block raises.

        Raises:
            UsageError: there is no such machine, or it is not lost.
            MachineError: what is left of it cannot be ended, or it does not come up; it is lost as before.
            EnvironmentLackError: it has another hybridnet by now.
        """
        self._roll.check(machine)
        with self._restarts:
            if machine not in self._roll.losses:
                raise UsageError(f"machine {machine} is not lost, so it cannot return")
            self._starter.clear(machine)
            ended: Future[None] = Future()
            try:
                worker = self._start(machine, ended)
                yield partial(self._ask, machine, worker, ended)
                self._roll.admit(machine, worker, ended)
            except BaseException:
                self._starter.give_up(machine)
                raise

    @contextlib.contextmanager
    def joining(self, machine: str) -> Iterator[Arrival]:
        """Start a machine that is none of the cluster so far. The block gets what calls its agent; for everybody else
        there is no such machine until the block has ended, and if the block raises, nothing is left of it.

        Raises:
            UsageError: there is such a machine, or no place for one of that name.
            MachineError: it does not come up.
            EnvironmentLackError: it has another hybridnet.
        """
        with self._restarts:
            if machine in self._roll.machines:
                raise UsageError(f"machine {machine} is already in the cluster, so it cannot join")
            self._starter.make_place(machine)
            if machine in self._unclear:
                self._starter.clear(machine)
                self._unclear.discard(machine)
            ended: Future[None] = Future()
            try:
                worker = self._start(machine, ended)
                yield Arrival(partial(self._ask, machine, worker, ended), self._addresses[machine])
                self._roll.admit(machine, worker, ended)
            except BaseException:
                try:
                    self._forget(machine)
                except HybridnetError as error:  # what led to it says more
                    warn(f"*** Warning: not everything could be removed: {error}\n")
                raise

    def remove(self, machine: str) -> dict[str, Snapshot | None]:
        """Let a machine leave while the others run on. It is none of the cluster at once, and nothing is left of it
        when this returns.

        Returns:
            What its agent's verb `destroy` answers.

        Raises:
            UsageError: there is no such machine, or it is the last.
            MachineError: it is lost, so that nobody knows what is left of it; or it could not be ended.
        """
        self._roll.check(machine)
        with self._restarts:
            if machine in self._roll.losses:
                raise MachineError(
                    f"machine {machine} cannot leave, because it is lost; start it again first"
                )
            if len(self._roll.machines) == 1:
                raise UsageError(f"machine {machine} is the last of the cluster, which needs one")
            worker, ended = self._roll.agent(machine)
            self._roll.forget(machine)
            try:
                final: dict[str, Snapshot | None] = self._ask(machine, worker, ended, "destroy")
            finally:
                self._forget(machine)
            return final

    def processes(self) -> dict[str, Part]:
        """The guardian's, and those of the machines."""
        pid = self._guardian.pid
        guardian = {} if pid is None else {"the guardian": Part(pid)}
        return {**guardian, **self._starter.processes()}

    def close(self) -> None:
        """Let every agent clean up, end the machines, and remove the run's directory.

        Idempotent; errors are collected, and every part is ended; a second call ends what is left, and does nothing
        where nothing is. A program that ends without it, and is not killed, closes its clusters then.
        """
        self._roll.close()
        with self._restarts, uninterrupted("the machines"):
            self._ending.close()
            left = self._clean_lost()
            self.journal.close()  # last: until then it lists what is left
            if left:
                warn(f"*** {'; '.join(left)}; `hybridnet clean` does it once it can be reached\n")
            else:
                remove_run_directory(self.journal.directory)
            self._guardian.end()
        atexit.unregister(self._close_at_exit)

    def _close_at_exit(self) -> None:
        if os.getpid() == self._owner:  # a fork of this program has not made the machines
            self.close()

    def _end_machines(self) -> None:
        self._starter.end(self.lost())

    def _clean_lost(self) -> list[str]:
        """Remove what lost machines on other computers may have left, all at the same time, as most cannot be reached.
        Returns what went wrong, for each.
        """
        failed: list[str] = []

        def clean(entry: Entry) -> None:
            try:
                clean_remote(entry["name"], entry["clean"], lambda text: None, CLEAN_LOST_S)
            except MachineError as error:
                failed.append(str(error))

        # Plain threads: Python ends its pools before a program that ends closes its clusters.
        cleaning = [
            threading.Thread(target=clean, args=(entry,), name=f"cleaning {entry['name']}")
            for entry in read_entries(self.journal.directory)
            if entry["kind"] == "ssh_machine" and entry["name"] in {*self._roll.losses, *self._unclear}
        ]
        for thread in cleaning:
            thread.start()
        for thread in cleaning:
            thread.join()
        return failed

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _begin(self, machine: str, verb: str, arguments: Mapping[str, object]) -> Callable[[], Any]:
        """Send a verb to a machine. What is returned waits for its result, and raises what `call` does."""
        worker, ended = self._roll.agent(machine)
        return self._messenger.send(machine, worker, ended, verb, arguments)

    def _ask(self, machine: str, worker: str, ended: Future[None], verb: str, **arguments: Any) -> Any:
        """What a verb of the agent at this worker returns."""
        return self._messenger.send(machine, worker, ended, verb, arguments)()

    def _await_agents(self, dask_names: dict[str, str]) -> None:
        """Wait until the agent of every machine has joined; if one ends before that, raise its error."""
        ends = {name: self._roll.expect(name) for name in dask_names}
        for name, ended in ends.items():
            self._watch_end(name, ended)
        for name, dask_name in dask_names.items():
            self._roll.join(name, self._joined(name, dask_name, ends[name]))

    def _watch_end(self, machine: str, ended: Future[None]) -> None:
        self._starter.watch(machine, partial(self._roll.start_ended, machine, ended))

    def _joined(self, machine: str, dask_name: str, ended: Future[None]) -> str:
        """The address of a machine's agent, once that has joined; see `Roll.await_joined`."""
        find, look = partial(self._messenger.find, dask_name), partial(self._starter.look, machine)
        return self._roll.await_joined(machine, find, ended, look)

    def _start(self, machine: str, ended: Future[None]) -> str:
        """Start a machine of which nothing is there. Returns the address of its agent's worker."""
        dask_name = self._starter.launch(machine)
        address = self._starter.start_agent(machine, self._messenger.meeting)
        before = self._addresses.setdefault(machine, address)
        if address != before:
            raise MachineError(
                f"machine {machine} had the address {before} and has {address} now, where nobody looks for it; give it "
                "the one that it had, or start the network anew"
            )
        self._watch_end(machine, ended)
        return self._joined(machine, dask_name, ended)

    def _forget(self, machine: str) -> None:
        """End a machine that leaves, or has not joined, and remove what it leaves."""
        self._addresses.pop(machine, None)
        self._unclear.add(machine)
        self._starter.retire(machine)
        self._unclear.discard(machine)

    def _watch_presence(self, grace_s: float) -> None:
        """Ask machines from now on whether they are there, and tell their agents that we are."""

        def question(machine: str) -> Future[None]:
            return self._messenger.show_presence(self._roll.worker(machine))

        presence = Presence(self.machines, question, self._roll.lose, grace_s)
        self._roll.watch_presence(presence)
        self._ending.add(presence.end)


def _ssh_machines(hosts: Sequence[Any], python: str | None) -> list[SshMachine]:
    """Raises UsageError: one is no host; or EnvironmentLackError within --rootless."""
    if hosts:
        refuse_rootless("machines over SSH")
    machines = [SshMachine(host, python=python) if isinstance(host, str) else host for host in hosts]
    for host in machines:
        if not isinstance(host, SshMachine):
            raise UsageError(f"host {shown(host)} is not a machine; write 'user@host', or an SshMachine")
    return machines


def _need_root(what: str) -> None:
    if os.geteuid() != 0:
        raise EnvironmentLackError(f"{what} need root; run with sudo, or `hybridnet run --rootless`")
