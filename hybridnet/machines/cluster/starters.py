# SPDX-License-Identifier: MIT
"""How the machines of a cluster are started: on this computer, over SSH; see also
`hybridnet.machines.cluster.worker_starter`.

    launch ──▶ its processes run ──start_agent──▶ its agent joins the scheduler
    clear  ──▶ nothing is left of it, for certain ──launch──▶ …
    make_place ──▶ a machine of another name can be launched;   retire ──▶ it has ended, and nothing is left of it

A machine that is lost is started again in the same way, once `clear` has ended what is left of it. Each start has a
Dask name of its own, so the worker of an earlier one is never taken for it.

Dask is not imported here: that takes half a second, in which machines can begin.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from hybridnet.describe.values import shown
from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, UsageError
from hybridnet.machines.cluster.names import distinct
from hybridnet.machines.workers.edition import edition
from hybridnet.machines.workers.fabric import Fabric
from hybridnet.machines.workers.launch import LaunchedMachine
from hybridnet.machines.workers.lines import FirstLine, Meeting, Whereabouts
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.system.cleaning import clean_machine, clean_remote
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal, state_directory
from hybridnet.system.process_watch import Part
from hybridnet.system.python_command import python_module

__all__ = ["LocalStarter", "MeetingAt", "SshStarter", "Starter"]

MeetingAt = Callable[[str], Meeting]
"""Where an agent meets the head, by the head's address as it sees it."""


class Starter:
    """What the three have in common: machines that are processes of this computer, or are reached through one.

    Args:
        journal: of the run.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._launched: dict[str, LaunchedMachine] = {}
        self._starts: Counter[str] = Counter()

    def launch(self, machine: str) -> str:
        """Start a machine's processes, without waiting. Returns the Dask name that its agent will have."""
        dask_name = self._next_name(machine, machine)
        argv, first = self._command(machine, dask_name)
        self._launched[machine] = LaunchedMachine(machine, argv, first, self._journal)
        return dask_name

    def start_agent(self, machine: str, meeting: MeetingAt) -> str:
        """Wait for the machine's namespaces, and start its agent. Returns the machine's address toward the others.

        Raises:
            MachineError: it ended; the message quotes it.
            EnvironmentLackError: it has another hybridnet, or none.
        """
        raise NotImplementedError

    def watch(self, machine: str, on_end: Callable[[str], None]) -> None:
        """Call `on_end` with the machine's last words when it ends. Of what others keep, their scheduler tells."""
        if machine in self._launched:
            self._launched[machine].watch(on_end)

    def look(self, machine: str) -> None:
        """Whoever waits for a machine calls this. Raises MachineError: a process of it here is stopped."""
        if machine in self._launched:
            self._launched[machine].look()

    def processes(self) -> dict[str, Part]:
        """Those of the machines that are on this computer, by name. That one ends is told as the machine's loss."""
        return {
            f"the {what} of machine {name}": Part(pid, _noted_as_loss)
            for name, launched in self._launched.items()
            for what, pid in launched.processes()
            if what != "init"  # its agent watches it, wherever the machine is
        }

    def clear(self, machine: str) -> None:
        """End what is left of a machine, and remove what it leaves: afterwards it can be started again.

        Raises:
            MachineError, EnvironmentLackError: that is not certain; nothing has been started.
        """
        self._clean(machine)
        self.give_up(machine)
        for what in (f"machine {machine}", f"init of machine {machine}"):
            self._journal.gone("process", what=what)

    def make_place(self, machine: str) -> None:
        """Have a place for a machine that has not been launched, or has been retired.

        Raises:
            UsageError, MachineError: there is none; the message says which there are.
        """
        raise NotImplementedError

    def retire(self, machine: str) -> None:
        """End a machine that leaves: it removes its part itself, and what it does not is removed. Raises as `clear`."""
        if (launched := self._launched.get(machine)) is not None:
            launched.ask_to_end()
            launched.await_end()
        self.clear(machine)
        self._launched.pop(machine, None)

    def give_up(self, machine: str) -> None:
        """End this computer's side of a machine at once; what it made is removed by `clear`, or with the run."""
        if machine in self._launched:
            self._launched[machine].kill()

    def end(self, lost: Collection[str]) -> None:
        """End all machines: ask those that are not lost, and wait. Errors are collected, and every machine is ended."""
        launched = self._launched.items()
        Endings(
            *(partial(self._end_lost, name) if name in lost else each.await_end for name, each in launched),
            *(each.ask_to_end for _, each in launched),
        ).close()

    def _end_lost(self, machine: str) -> None:
        """End a machine that cannot be asked to."""
        self.give_up(machine)

    def _command(self, machine: str, dask_name: str) -> tuple[list[str], FirstLine]:
        """What starts a machine, and what its init is told."""
        raise NotImplementedError

    def _clean(self, machine: str) -> None:
        """See `clear`; on the machine's own computer."""
        raise NotImplementedError

    def _next_name(self, machine: str, usual: str) -> str:
        self._starts[machine] += 1
        number = self._starts[machine]
        return usual if number == 1 else f"{usual}:{number}"


class LocalStarter(Starter):
    """Machines that are namespaces on this computer.

    Args:
        fabric: the network between them.
        machines: their names.
    """

    def __init__(self, journal: Journal, fabric: Fabric, machines: Sequence[str]) -> None:
        super().__init__(journal)
        self._fabric, self._machines = fabric, list(machines)

    def start_agent(self, machine: str, meeting: MeetingAt) -> str:
        """See `Starter`."""
        launched = self._launched[machine]
        init_pid = launched.await_namespaces()["init_pid"]
        self._journal.process(init_pid, f"init of machine {machine}")
        try:
            network = self._fabric.plug_in(machine, init_pid)
        except MachineError as error:  # for example because it has just ended
            raise launched.blamed(error) from None
        address = network["address"].partition("/")[0]
        agent: Whereabouts = {**meeting(self._fabric.head_address), "address": address}
        launched.start_agent({"network": network, "agent": agent})
        return address

    def make_place(self, machine: str) -> None:
        """See `Starter`: on this computer there always is one."""
        distinct([machine])
        if machine not in self._machines:
            self._machines.append(machine)

    def retire(self, machine: str) -> None:
        """See `Starter`."""
        super().retire(machine)
        self._fabric.unplug(machine)

    def _command(self, machine: str, dask_name: str) -> tuple[list[str], FirstLine]:
        cpus = sorted(os.sched_getaffinity(0))
        first: FirstLine = {
            "run": self._journal.run,
            "machine": machine,
            "state": str(state_directory()),
            "own_network": True,
            "worker_name": dask_name,
            # Open vSwitch would take the same processor for every machine's.
            "pmd_cpus": [cpus[self._machines.index(machine) % len(cpus)]],
        }
        return python_module("hybridnet.machines.workers.init"), first

    def _end_lost(self, machine: str) -> None:
        self.clear(machine)  # its control groups, say, are this computer's

    def _clean(self, machine: str) -> None:
        clean_machine(self._journal.directory / machine)


class SshStarter(Starter):
    """Machines that are other computers.

    Args:
        hosts: how to get to each, by the machine's name.
        head_address: this computer as the hosts see it; None: what their sshd says.
        silence_s: how long an agent may hear nothing of the head before it removes everything.
    """

    def __init__(
        self, journal: Journal, hosts: Mapping[str, SshMachine], head_address: str | None, silence_s: float
    ) -> None:
        super().__init__(journal)
        self._hosts, self._head_address, self._silence_s = dict(hosts), head_address, silence_s
        self._recorded: set[str] = set()

    def launch(self, machine: str) -> str:
        """See `Starter`."""
        host = self._hosts[machine]
        if machine not in self._recorded:
            self._recorded.add(machine)
            clean = host.clean_command(self._journal.run, machine)
            self._journal.record("ssh_machine", name=machine, clean=clean, host=asdict(host))
        return super().launch(machine)

    def make_place(self, machine: str) -> None:
        """See `Starter`."""
        if machine not in self._hosts:
            raise UsageError(
                f"there is no place for a machine {shown(machine)}; the hosts of this run are "
                f"{', '.join(self._hosts)}: give Cluster.ssh its host in spare=, before the network starts"
            )

    def retire(self, machine: str) -> None:
        """See `Starter`."""
        super().retire(machine)
        self._recorded.discard(machine)
        self._journal.gone("ssh_machine", name=machine)

    def start_agent(self, machine: str, meeting: MeetingAt) -> str:
        """See `Starter`."""
        launched, host = self._launched[machine], self._hosts[machine]
        try:
            words = launched.await_namespaces()
        except MachineError as error:
            raise _with_cure(error, host.target) from None
        _need_same_edition(words["edition"], f"machine {machine} ({host.target})", host.target)
        connection = words["ssh"]
        if len(connection) != 4:
            raise MachineError(f"machine {machine}: its sshd does not say who is connected (SSH_CONNECTION)")
        agent: Whereabouts = {**meeting(self._head_address or connection[0]), "address": connection[2]}
        launched.start_agent({"network": None, "agent": agent})
        return str(host.address or connection[2])

    def _command(self, machine: str, dask_name: str) -> tuple[list[str], FirstLine]:
        host = self._hosts[machine]
        first: FirstLine = {
            "run": self._journal.run,
            "machine": machine,
            "state": host.state,
            "own_network": False,
            "worker_name": dask_name,
            "silence_s": self._silence_s,
        }
        return host.start_command(self._journal.run, machine), first

    def _clean(self, machine: str) -> None:
        host = self._hosts[machine]
        command = host.clean_command(self._journal.run, machine)
        try:
            clean_remote(machine, command, lambda text: None)
        except MachineError as error:
            raise MachineError(
                f"machine {machine} cannot return before what is left of it has ended: {error}; try again once "
                f"`ssh {host.target}` works"
            ) from None


def _noted_as_loss() -> bool:
    """Of a machine's process: see `hybridnet.machines.cluster.roll`."""
    return False


def _with_cure(error: MachineError, target: str) -> HybridnetError:
    """The error of a host where hybridnet does not start, with what to do if it is not there at all."""
    if re.search(r"No module named '?hybridnet|python3'?: (No such file|not found)", str(error)):
        return EnvironmentLackError(f"{error}; hybridnet is not there: run `hybridnet deploy {target}`")
    return error


def _need_same_edition(there: str, what: str, target: str) -> None:
    """Head and agents speak one language only if they are of the same hybridnet."""
    if there != edition():
        raise EnvironmentLackError(
            f"{what} has hybridnet {there}, and this computer {edition()}; run `hybridnet deploy {target}`"
        )
