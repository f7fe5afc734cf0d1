# SPDX-License-Identifier: MIT
"""The machines of a run, on Dask distributed.

    with Cluster.local(["m1", "m2"]) as cluster:
        cluster.call("m1", "build", plan=plan)
        print(cluster.call("m1", "run_command", node="h1", text="ip addr")["output"])

There are three ways to get machines, which then all work alike: `local`, namespaces on this computer; `ssh`, other
computers; `connect`, the workers of an existing Dask scheduler. Each machine runs one agent (`hybridnet.agent`), in a
Dask worker with one thread and no nanny, named like the machine. A verb is an async function on that worker's
event loop which hands the work to a thread, so a long command in one host does not hold up others.

Where the head is killed, its machines notice the end of their standard input or SSH connection and clean up, and the
run's guardian (`hybridnet.system.guardian`) removes what is left.

Nothing is retried and nothing is moved. If an agent dies, its machine is lost and calls to it raise MachineError; the
others go on until they are told to clean up. `restarting` starts a lost machine again, where somebody asks for it.

Dask takes half a second to import. So it is imported where it is first used, when local machines have already begun to
import it, too.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any

from hybridnet.agent.neighbours import NeighbourLimits
from hybridnet.cluster.machines import Call, Loss
from hybridnet.cluster.presence import GRACE_S, Presence
from hybridnet.cluster.starters import LocalStarter, SshStarter, Starter
from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, UsageError
from hybridnet.machines.fabric import Fabric
from hybridnet.machines.ssh import SshMachine
from hybridnet.machines.topic import progress_topic
from hybridnet.system.cleaning import clean_remote, remove_run_directory
from hybridnet.system.ending import Endings, undone_on_error, uninterrupted
from hybridnet.system.guardian import Guardian
from hybridnet.system.journal import Journal, read_entries
from hybridnet.system.log import warn
from hybridnet.system.priority import run_in_real_time
from hybridnet.values import number, plain, shown, text

if TYPE_CHECKING:
    from distributed import Client, Security

JOIN_SECONDS = 60.0
AGENTS_LONGER_S = 5.0  # than the head an agent waits for the other side
CLEAN_LOST_S = 25.0
LOSS_KNOWN_S = 2.0  # after a connection broke
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,31}")


class Cluster:
    """The machines of one run; a context manager. Made by `local`, `ssh` or `connect`. Usable from any thread."""

    def __init__(self, journal: Journal) -> None:
        """Not for direct use."""
        self.journal = journal
        self.on_progress: Callable[[str, str], object] = lambda machine, text: None
        self.on_lost: Callable[[str], object] = lambda machine: None
        self._workers: dict[str, str] = {}  # the Dask address of each machine's agent
        self._addresses: dict[str, str] = {}
        self._lost: dict[str, Future[None]] = {}
        self._losses: dict[str, Loss] = {}
        self._changed = threading.Event()  # an agent has come or gone
        self._lock = threading.Lock()
        self._starter: Starter
        self._restarts = threading.Lock()  # one machine after the other
        self._ending = Endings()  # of all but the journal
        self._client: Client | None = None
        self._pem: dict[str, str] = {}
        self._closing = False
        self._presence: Presence | None = None
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

        Args:
            names: of the machines.
            on_head_address: called with this computer's address toward them, before they are started: what it begins
                comes up beside them.

        Raises:
            EnvironmentLackError: not root.
            MachineError: a machine did not come up.
        """
        machines = _distinct(names)
        if not callable(on_head_address):
            raise UsageError(f"on_head_address {shown(on_head_address)} cannot be called; give a function")
        _need_root("local machines")
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
            self._start_scheduler(fabric.head_address)  # while they make their namespaces
            self._ending.add(
                self._end_machines
            )  # again: now that there is a scheduler, they end before it does
            for name in machines:
                self._addresses[name] = self._starter.start_agent(name, self._meeting)
            self._await_agents(dask_names)
        return self

    @classmethod
    def ssh(
        cls,
        hosts: Sequence[str | SshMachine],
        *,
        python: str | None = None,
        head_address: str | None = None,
        grace_s: float = GRACE_S,
    ) -> Cluster:
        """Machines that are other computers.

        Args:
            hosts: ``"user@host"``, or `SshMachine` to say more.
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
        wanted = [
            SshMachine(host, python=python) if isinstance(host, str) else host
            for host in _several(hosts, "hosts")
        ]
        for host in wanted:
            if not isinstance(host, SshMachine):
                raise UsageError(f"host {shown(host)} is not a machine; write 'user@host', or an SshMachine")
        names = _distinct([host.name or f"m{number}" for number, host in enumerate(wanted, 1)])
        self = cls(Journal.create())
        with undone_on_error(self.close):
            self._start_scheduler("0.0.0.0", grace_s + 2 * AGENTS_LONGER_S)
            hosts_of = dict(zip(names, wanted, strict=True))
            self._starter = SshStarter(self.journal, hosts_of, head_address, grace_s + AGENTS_LONGER_S)
            self._ending.add(self._end_machines)
            dask_names = {}
            for name, host in hosts_of.items():
                clean = host.clean_command(self.journal.run, name)
                self.journal.record("ssh_machine", name=name, clean=clean, host=asdict(host))
                dask_names[name] = self._starter.launch(name)
            for name in names:
                self._addresses[name] = self._starter.start_agent(name, self._meeting)
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
        from distributed import Client, Security

        from hybridnet.cluster.worker_starter import WorkerStarter

        text(scheduler_address, "scheduler")
        number(timeout, f"scheduler {plain(scheduler_address)}: timeout", 0, 1e6)
        number(grace_s, f"scheduler {plain(scheduler_address)}: grace_s", 5, 1e6)
        for given in (workers, names):
            if given is not None:
                _distinct(given)
        if workers is not None and names is not None and len(workers) != len(names):
            raise UsageError(
                f"scheduler {plain(scheduler_address)}: {len(workers)} workers and {len(names)} names; "
                "give one for each"
            )
        if security is not None and not isinstance(security, Security):
            raise UsageError(
                f"scheduler {plain(scheduler_address)}: security {shown(security)} is not a Security; make one"
            )
        if not scheduler_address.startswith("tls://"):
            raise UsageError(
                f"scheduler {scheduler_address}: without TLS, whoever reaches it runs programs as root on its workers; "
                'start it and its workers with --tls-ca-file, --tls-cert and --tls-key, and write "tls://..."'
            )
        security = Security() if security is None else security
        if not security.get_tls_config_for_role("client")["cert"]:
            raise UsageError(
                f"scheduler {scheduler_address}: no certificate for the client; give security=, or set "
                "distributed.comm.tls in Dask's configuration"
            )
        self = cls(Journal.create())
        with undone_on_error(self.close):
            try:
                client = Client(scheduler_address, security=security, set_as_default=False, timeout=timeout)
            except (OSError, TimeoutError) as error:
                raise MachineError(
                    f"scheduler {scheduler_address} does not answer: {error}; is it running?"
                ) from None
            self._use_client(client)
            present = {
                str(info["name"]): address
                for address, info in client.scheduler_info(n_workers=-1)["workers"].items()
            }
            wanted = list(workers or present)
            if names is not None and workers is None:
                if len(wanted) < len(names):
                    raise MachineError(
                        f"scheduler {scheduler_address} has {len(wanted)} workers ({', '.join(wanted) or 'none'}), and "
                        f"{len(names)} machines are needed; start more"
                    )
                wanted = wanted[: len(names)]
            missing = [worker for worker in wanted if worker not in present]
            if missing or not wanted:
                raise MachineError(
                    f"scheduler {scheduler_address} has no worker {', '.join(missing) or 'at all'}; "
                    f"it has: {', '.join(present) or 'none'}"
                )
            machines = _distinct(names or wanted)
            workers_of = dict(zip(machines, wanted, strict=True))
            self._starter = WorkerStarter(self.journal, client, workers_of, grace_s + AGENTS_LONGER_S)
            self._ending.add(self._end_machines)
            dask_names = {name: self._starter.launch(name) for name in machines}
            for name in machines:
                self._addresses[name] = self._starter.start_agent(name, self._meeting)
            self._await_agents(dask_names)
            self._watch_presence(grace_s)
        return self

    # -- using it ---------------------------------------------------------------------------------------------------

    @property
    def machines(self) -> list[str]:
        """The machines' names, in the order in which they were asked for."""
        return list(self._workers)

    @property
    def client(self) -> Client:
        """The Dask client, for your own tasks: a task pinned by ``resources={"machine:m1": 1}`` runs on m1."""
        if self._client is None:
            raise MachineError("the cluster is closed")
        return self._client

    def address(self, machine: str) -> str:
        """The machine's IPv4 address toward the other machines."""
        self._check(machine)
        return self._addresses[machine]

    def facts(self, machine: str) -> dict[str, Any]:
        """What the machine has: see `hybridnet.agent.facts`."""
        answer: dict[str, Any] = self.call(machine, "facts")
        return answer

    def call(self, machine: str, verb: str, **arguments: Any) -> Any:
        """Run a verb of `hybridnet.agent.agent.Agent` on a machine, and wait for its result.

        Raises:
            UsageError: there is no such machine or verb, or the verb does not take these arguments.
            MachineError: the machine is lost, or the verb failed; the message says which, and why.
            HybridnetError: any other that the verb raises.
        """
        return self._begin(machine, verb, arguments)()

    def call_all(self, calls: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        """Run one verb on each of several machines at the same time, and wait for all.

        Args:
            calls: the verb and its arguments, by machine.

        Raises:
            The error of the first machine, in the order of `calls`, whose call failed.
        """
        answers, errors = self._call_several(calls)
        for machine in calls:
            if machine in errors:
                raise errors[machine]
        return answers

    def call_left(self, calls: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        """The same on those machines that are left: one that is lost, before or meanwhile, has no answer.

        Raises:
            The error of the first machine that is not lost, in the order of `calls`, whose call failed.
        """
        answers, errors = self._call_several(calls)
        for machine in calls:
            if machine in errors and machine not in self._losses:
                raise errors[machine]
        return answers

    def _call_several(
        self, calls: dict[str, tuple[str, dict[str, Any]]]
    ) -> tuple[dict[str, Any], dict[str, HybridnetError]]:
        """What each machine answered, or raised."""
        waiting: dict[str, Callable[[], Any]] = {}
        answers: dict[str, Any] = {}
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
        return dict(self._losses)

    @contextlib.contextmanager
    def restarting(self, machine: str) -> Iterator[Call]:
        """Start a lost machine again, after what is left of it has ended for certain. The block gets what calls its new
        agent; for everybody else the machine is lost until the block has ended, and stays so if the block raises.

        Raises:
            UsageError: there is no such machine, or it is not lost.
            MachineError: what is left of it cannot be ended, or it does not come up; it is lost as before.
            EnvironmentLackError: it has another hybridnet by now.
        """
        self._check(machine)
        with self._restarts:
            if machine not in self._losses:
                raise UsageError(f"machine {machine} is not lost, so it cannot return")
            self._starter.clear(machine)
            ended: Future[None] = Future()
            try:
                worker = self._start_again(machine, ended)
                yield functools.partial(self._ask, machine, worker, ended)
                self._have_back(machine, worker, ended)
            except BaseException:
                self._starter.give_up(machine)
                raise

    def close(self) -> None:
        """Let every agent clean up, end the machines, and remove the run's directory.

        Whatever one part raises, all parts end; a second call ends what is left, and does nothing where nothing is. A
        program that ends without it, and is not killed, closes its clusters then.
        """
        self._closing = True
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

        def clean(entry: dict[str, Any]) -> None:
            try:
                clean_remote(entry, lambda text: None, CLEAN_LOST_S)
            except MachineError as error:
                failed.append(str(error))

        # Plain threads: Python ends its pools before a program that ends closes its clusters.
        cleaning = [
            threading.Thread(target=clean, args=(entry,), name=f"cleaning {entry['name']}")
            for entry in read_entries(self.journal.directory)
            if entry["kind"] == "ssh_machine" and entry["name"] in self._losses
        ]
        for thread in cleaning:
            thread.start()
        for thread in cleaning:
            thread.join()
        return failed

    def _end_client(self) -> None:
        if (client := self._client) is None:
            return
        topics = ("all", progress_topic(self.journal.run)) if client.status == "running" else ()
        Endings(
            client.close, *(functools.partial(client.unsubscribe_topic, topic) for topic in topics)
        ).close()
        self._client = None

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside -----------------------------------------------------------------------------------------------------

    def _begin(self, machine: str, verb: str, arguments: dict[str, Any]) -> Callable[[], Any]:
        """Send a verb to a machine. What is returned waits for its result, and raises what `call` does."""
        self._check(machine)
        # First: a worker that is read later is of the same start, or of a later one.
        lost = self._lost[machine]
        return self._send(machine, self._workers[machine], lost, verb, arguments)

    def _ask(self, machine: str, worker: str, lost: Future[None], verb: str, **arguments: Any) -> Any:
        """What a verb of the agent at this worker returns."""
        return self._send(machine, worker, lost, verb, arguments)()

    def _send(
        self, machine: str, worker: str, lost: Future[None], verb: str, arguments: dict[str, Any]
    ) -> Callable[[], Any]:
        """Send a verb to the agent at a worker, which has ended once `lost` is done; see `_begin`."""
        from hybridnet.cluster.calls import ask

        if lost.done():
            lost.result()
        call = asyncio.run_coroutine_threadsafe(ask(self.client, worker, verb, arguments), self._loop)

        def answer() -> Any:
            either: list[Future[Any]] = [call, lost]
            wait(either, return_when=FIRST_COMPLETED)
            if lost.done() and not call.done():
                call.cancel()
                lost.result()
            try:
                result, error = call.result()
            except (OSError, TimeoutError, KeyError) as broken:  # distributed's, when the connection breaks
                wait([lost], LOSS_KNOWN_S)
                if lost.done():
                    lost.result()
                raise MachineError(
                    f"machine {machine}: its agent is gone while it ran {verb} ({broken})"
                ) from None
            if error is not None:
                raise error
            return result

        return answer

    def _start_scheduler(self, host: str, patience_s: float = 0.0) -> None:
        """Start it, and the client, with a certificate of the run; see `hybridnet.machines.certificates`."""
        from distributed import Client, SpecCluster

        from hybridnet.machines.certificates import make_certificate
        from hybridnet.machines.quiet import QuietScheduler, turn_down_housekeeping
        from hybridnet.machines.security import security_of

        logging.getLogger("distributed").setLevel(
            logging.CRITICAL
        )  # what matters is raised as an error of ours
        turn_down_housekeeping(patience_s)
        self._pem = make_certificate(self.journal.run)
        security = security_of(self._pem)
        options = {"host": host, "port": 0, "protocol": "tls://", "security": security}
        options["local_directory"] = str(self.journal.directory / "dask")  # else something stays in /tmp
        spec = {"cls": QuietScheduler, "options": options}
        cluster = SpecCluster(workers={}, scheduler=spec, security=security, silence_logs=logging.CRITICAL)
        self._ending.add(cluster.close)
        self._use_client(Client(cluster, security=security, set_as_default=False))
        self._port = int(cluster.scheduler_address.rpartition(":")[2])

    def _meeting(self, head_address: str) -> dict[str, Any]:
        """See `hybridnet.cluster.starters.Meeting`."""
        return {"scheduler": f"tls://{head_address}:{self._port}", "security": self._pem}

    def _use_client(self, client: Client) -> None:
        self._client = client
        self._ending.add(self._end_client)
        assert client.loop is not None
        self._loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop  # type: ignore[attr-defined]
        self._loop.call_soon_threadsafe(run_in_real_time)  # calls come through it, whatever the hosts do
        client.subscribe_topic("all", self._on_event)
        client.subscribe_topic(progress_topic(self.journal.run), self._on_progress_event)

    def _await_agents(self, dask_names: dict[str, str]) -> None:
        """Wait until the agent of every machine has joined; if one ends before that, raise its error."""
        for name in dask_names:
            self._lost[name] = Future()
            self._watch_end(name, self._lost[name])
        for name, dask_name in dask_names.items():
            self._workers[name] = self._joined(name, dask_name, self._lost[name])

    def _watch_end(self, machine: str, ended: Future[None]) -> None:
        self._starter.watch(machine, functools.partial(self._on_end, machine, ended))

    def _joined(self, machine: str, dask_name: str, ended: Future[None]) -> str:
        """Wait until an agent has joined. Returns the address of its worker; raises its error if it ends instead."""
        deadline = time.monotonic() + JOIN_SECONDS
        while not (address := self._find(dask_name)) and not ended.done():
            if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                break
            self._changed.clear()
        if ended.done():
            ended.result()
        if not address:
            raise MachineError(
                f"machine {machine}: its agent did not join within {JOIN_SECONDS:g} s; "
                "can it reach this computer (firewall), and does its python have hybridnet?"
            )
        return address

    def _start_again(self, machine: str, ended: Future[None]) -> str:
        """Start a machine of which nothing is left. Returns the address of its agent's worker."""
        dask_name = self._starter.launch(machine)
        address, before = self._starter.start_agent(machine, self._meeting), self._addresses[machine]
        if address != before:
            raise MachineError(
                f"machine {machine} had the address {before} and has {address} now, where nobody looks for it; give it "
                "the one that it had, or start the network anew"
            )
        self._watch_end(machine, ended)
        return self._joined(machine, dask_name, ended)

    def _have_back(self, machine: str, worker: str, ended: Future[None]) -> None:
        """From now on the machine is this agent, unless that has ended meanwhile."""
        with self._lock:
            if ended.done():
                ended.result()
            self._workers[machine] = worker
            self._lost[machine] = ended
            del self._losses[machine]
            if self._presence is not None:
                self._presence.watch(machine)

    def _find(self, dask_name: str) -> str:
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        return next((address for address, info in workers.items() if info["name"] == dask_name), "")

    def _on_event(self, event: tuple[float, dict[str, Any]]) -> None:
        message = event[1]
        if message.get("action") == "add-worker":
            self._changed.set()
        elif message.get("action") == "remove-worker":
            for machine, address in list(self._workers.items()):
                if address == message.get("worker"):
                    self._lose(
                        machine,
                        f"machine {machine}: its agent is gone; the machine's network is gone with it",
                    )

    def _on_end(self, machine: str, ended: Future[None], words: str) -> None:
        lines = [line for line in words.splitlines() if " - INFO - " not in line]
        # Of one that has run the end says enough, in one line; who waits for one that does not come up needs all.
        said = "; ".join(lines[-2:])[-300:] if machine in self._workers else "\n".join(lines)[-1500:]
        text = f"machine {machine}: its agent has ended; {said or 'it printed nothing'}"
        self._lose(machine, text, ended)
        self._changed.set()

    def _lose(self, machine: str, text: str, ended: Future[None] | None = None) -> None:
        """A machine has ended; `ended`: this start of it, which may be one that does not come up again."""
        with self._lock:
            current = self._lost[machine]
            if ended is not None and ended is not current:
                if not ended.done():
                    ended.set_exception(MachineError(text))
                return
            if self._closing or current.done():
                return
            self._losses[machine] = Loss(text, time.monotonic())
            current.set_exception(MachineError(text))
            if self._presence is not None:
                self._presence.forget(machine)
        if machine in self._workers:  # else it did not come up, which is an error of who made it
            warn(f"*** {text}\n")
            self.on_lost(machine)

    def _on_progress_event(self, event: tuple[float, dict[str, Any]]) -> None:
        self.on_progress(event[1]["machine"], event[1]["text"])

    def _check(self, machine: str) -> None:
        if self._closing:
            raise MachineError(f"machine {machine}: the cluster is closed")
        if not isinstance(machine, str) or machine not in self._workers:
            raise UsageError(f"there is no machine {machine}; there are {', '.join(self._workers)}")

    def _watch_presence(self, grace_s: float) -> None:
        """Ask machines elsewhere from now on whether they are there, and tell their agents that we are."""
        from hybridnet.cluster.calls import show_presence

        def question(machine: str) -> Future[None]:
            return asyncio.run_coroutine_threadsafe(
                show_presence(self.client, self._workers[machine]), self._loop
            )

        self._presence = Presence(self.machines, question, self._lose, grace_s)
        self._ending.add(self._presence.end)


def _distinct(names: Sequence[str]) -> list[str]:
    for name in _several(names, "machines"):
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise UsageError(
                f"machine {shown(name)}: a name begins with a letter and has at most 32 letters, digits, . _ -"
            )
    if len(set(names)) != len(names):
        raise UsageError(f"the machines' names repeat: {', '.join(names)}")
    return list(names)


def _several(given: Any, what: str) -> list[Any]:
    """A list or tuple with something in it; text is none, although Python can go through its letters."""
    if not isinstance(given, list | tuple):
        raise UsageError(f"{what} {shown(given)} are not a list; write for example ['m1', 'm2']")
    if not given:
        raise UsageError("a cluster needs at least one machine")
    return list(given)


def _need_root(what: str) -> None:
    if os.geteuid() != 0:
        raise EnvironmentLackError(f"{what} need root; run with sudo")
