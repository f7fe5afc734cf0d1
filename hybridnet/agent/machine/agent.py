# SPDX-License-Identifier: MIT
"""The agent: makes one machine's part of the network, as root, and removes it.

Its methods marked with `@verb`, and those of `Programs`, `Changes`, `Counting` and `Files`, are those that
`hybridnet.machines.cluster.Cluster.call` takes by name; arguments and results are plain data. Verbs may be called from
several threads at once: long commands in different hosts run side by side.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from hybridnet.agent.fragments import Stages, changed, remade, whole
from hybridnet.agent.hosts import echo
from hybridnet.agent.hosts.devices import HOST, OPENVSWITCH, OTHER, Devices
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.limits import HostLimits
from hybridnet.agent.hosts.name_conflicts import refuse_taken
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.hosts.neighbours import NeighbourLimits
from hybridnet.agent.hosts.pairs import Pairs
from hybridnet.agent.hosts.translations import Translations
from hybridnet.agent.instances.changes import Changes
from hybridnet.agent.instances.crossings import Crossings
from hybridnet.agent.instances.instances import Instances
from hybridnet.agent.instances.timelines import InterfaceTimelines
from hybridnet.agent.machine import facts as machine_facts
from hybridnet.agent.machine.facts import Capacity, Facts
from hybridnet.agent.machine.files import Files
from hybridnet.agent.machine.metrics import Counting
from hybridnet.agent.machine.witnesses import Witnesses
from hybridnet.agent.programs import probes
from hybridnet.agent.programs.acts import Acts
from hybridnet.agent.programs.image_commands import ImageCommands
from hybridnet.agent.programs.programs import Programs
from hybridnet.agent.switching.other_kinds import OtherKinds
from hybridnet.agent.switching.simulated_switches import SimulatedSwitches, simulated_link
from hybridnet.agent.switching.switching import Switching
from hybridnet.agent.verbs import perform, verb, waiting_verb, waits
from hybridnet.describe.schema.check import check
from hybridnet.describe.schema.elements import nodes_of
from hybridnet.describe.schema.plans import Fragment, HostLimit, HostPlan, InstancePlan, MachinePlan
from hybridnet.errors import HybridnetError, MachineError, PlanError, UsageError
from hybridnet.observe.results.machines import Outage
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.system.folders import require_folder
from hybridnet.system.grace_periods import hurried_grace_periods
from hybridnet.system.interruption import Interruption
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.priority import Priority, raise_thread
from hybridnet.system.ways import Way

SOCKETS = Path("/run/hybridnet-agent")  # the machine's own, as all of /run; short, as a socket's path must be
VERBS_AT_ONCE = 512  # a blocked command holds one: more hosts than this driven at once wait for each other
OTHER_VERBS_AT_ONCE = 64  # each of them ends by itself


class Agent:
    """The state of one machine: what has been built, which programs run."""

    def __init__(
        self,
        machine: str,
        journal: Journal,
        *,
        own_network: bool,
        own_files: bool = True,
        outside: int | None = None,
        pmd_cpus: list[int] | None = None,
        init: int | None = None,
    ) -> None:
        """
        Args:
            own_network: whether the machine has a network namespace of its own, as local machines do. If not, limits
                that hold for the whole computer are raised here, and set back.
            own_files: whether the machine has ``/run`` for itself. If not, it is this computer (mode "here"): names may
                be taken, an Open vSwitch that runs is used, and what would outlive the agent is journaled.
            outside: a descriptor of the network namespace that a machine with one of its own has left.
            pmd_cpus: the processors that serve AF_XDP ports, unless `build` is told others; default: one, which Open
                vSwitch chooses.
            init: the machine's first process, where it has one: see `hybridnet.machines.workers.init`.
        """
        self.machine = machine
        self._pmd_cpus = pmd_cpus
        self.journal = journal
        self.on_progress: Callable[[str], object] = lambda text: None
        self._waiting_threads = _threads(VERBS_AT_ONCE)
        self._other_threads = _threads(OTHER_VERBS_AT_ONCE)
        self.last_heard = time.monotonic()
        self._inside = NamespaceThread()
        self._hosts = Hosts(journal, self._inside, own_files=own_files)
        self._limits = HostLimits(journal, machine, self._slow)
        self._translations = Translations(
            journal, machine, self._hosts, self._inside, outside=outside, own_network=own_network
        )
        self._pairs = Pairs(journal, self._inside)
        self._crossings = Crossings(journal)
        self._others = OtherKinds(journal)
        self._switching = Switching(journal, journal.directory / "openvswitch", own_files=own_files)
        self._devices = Devices(journal, self._hosts, outside, self._switching.vsctl, self._others.add_port)
        self._simulated_switches = SimulatedSwitches(journal, own_files=own_files)
        self._own_files = own_files
        self._sockets = SOCKETS if own_files else journal.directory / "sockets"
        self._neighbours = None if own_network else NeighbourLimits(journal)
        self._instances = Instances(journal, self._sockets, lambda text: self.on_progress(text), outside)
        self._timelines = InterfaceTimelines(
            lambda node, interface, up: self._set_link(node, interface, up=up)
        )
        self.acts = Acts()
        self._witnesses = Witnesses(
            self.acts,
            "the agent" if own_files else None,
            init,
            self._switching.processes,
            self._switching.sockets,
            lambda: self._instances.processes,
        )
        self._counting = Counting(
            machine,
            lambda: self._plan,
            self._hosts,
            self._limits,
            self._switching,
            self._instances,
            self._inside,
            self._witnesses,
        )
        self._files = Files(journal)
        self._image_commands = ImageCommands(
            self._way, journal.environment(), journal.directory, self._hosts.images, self._limits
        )
        self._programs = Programs(self._way, journal.environment(), self._sockets, self._limits, self.acts)
        self._changes = Changes(self._instances, self._timelines, self._slow)
        self._building = threading.Lock()
        self._interruption = Interruption()  # of what builds
        self._change_interruption = Interruption()  # of the change that is made at the moment
        self._plan: MachinePlan | None = None
        self._closed = False

    @property
    def _parts(self) -> tuple[object, ...]:
        return self, self._programs, self._image_commands, self._changes, self._counting, self._files

    def _slow(self) -> int:
        """Wall seconds for a second of what is described."""
        return 1 if self._plan is None else self._plan.get("slow", 1)

    def waits(self, name: str) -> bool:
        """Whether a verb may wait for a program of the user's: see `hybridnet.agent.verbs`."""
        return waits(self._parts, name)

    def threads_for(self, name: str) -> ThreadPoolExecutor:
        """The threads in which a verb is to run."""
        return self._waiting_threads if self.waits(name) else self._other_threads

    def perform(self, name: str, arguments: Mapping[str, object]) -> Any:
        """Runs one verb, its own or one of its parts'; see `hybridnet.agent.verbs.perform`. What goes wrong names this
        machine.
        """
        self.last_heard = time.monotonic()
        if self._closed:
            raise MachineError(f"machine {self.machine}: its agent is shutting down")
        try:
            return perform(self._parts, name, arguments)
        except HybridnetError as error:
            raise type(error)(f"machine {self.machine}: {error}") from None

    # -- the machine ------------------------------------------------------------------------------------------------

    @verb
    def facts(self) -> Facts:
        """What this machine has: see `hybridnet.agent.machine.facts`."""
        return machine_facts.facts()

    @verb
    def check_folder(self, folder: str) -> None:
        """See `require_folder`."""
        require_folder(folder)

    @verb
    def capacity(self) -> Capacity:
        """What a plan takes into account."""
        return machine_facts.capacity(self._switching.is_shared())

    # -- the network ------------------------------------------------------------------------------------------------

    @verb
    def start_switching(self, port_type: str, pmd_cpus: list[int] | None = None) -> None:
        """Starts Open vSwitch: see `hybridnet.agent.switching.switching`. `build` does it too; alone it can be done
        earlier."""
        if port_type not in ("afxdp", "afpacket", "system"):
            raise UsageError(f'port type {port_type!r}: it is "afxdp", "afpacket" or "system"')
        with self._building, self._interruption.heeded():
            self._switching.start(port_type, pmd_cpus or self._pmd_cpus)

    @verb
    def build(
        self, plan: MachinePlan, pmd_cpus: list[int] | None = None, controllers: bool = True
    ) -> dict[str, float]:
        """Makes what a machine plan says. What fails is removed again before the error is raised.

        Args:
            controllers: tell the switches theirs; if not, `obey_controllers` does, once they listen.

        Returns:
            How many seconds each stage took.

        Raises:
            PlanError: the plan does not follow ``schema/machine.json``, or something is built already.
            MachineError, EnvironmentLackError: something could not be made.
        """
        check(plan, "machine", "machine plan")
        with self._building:
            if self._plan is not None:
                raise PlanError("a network is built here already; destroy it first")
            self._plan = plan
            with hurried_grace_periods(self.journal), undone_on_error(self._destroy):
                with self._interruption.heeded():
                    seconds = self._build(plan, pmd_cpus)
                    if controllers:
                        self.obey_controllers()
                return seconds

    @verb
    def obey_controllers(self) -> None:
        """Tells the switches their controllers."""
        with self._interruption.heeded():
            self._switching.obey_controllers(self.on_progress)

    @verb
    def change(self, remove: Fragment, add: Fragment) -> list[str]:
        """Removes one fragment of the machine plan and makes another: see `hybridnet.plan.network.difference`. If
        something fails, the machine is as before, except that processes in hosts that were removed already have ended.

        Returns:
            What was set at interfaces of hosts that were made anew, and they have no longer; in words.

        Raises:
            PlanError: a fragment does not follow ``schema/machine.json``, or nothing is built.
            MachineError, EnvironmentLackError: something could not be made.
        """
        check(remove, "machine", "what a change removes", part="fragment")
        check(add, "machine", "what a change adds", part="fragment")
        with self._building:
            if self._plan is None:
                raise PlanError("no network is built here, so nothing can change; build one first")
            stages = Stages()
            undo = Endings()
            self._change_interruption = Interruption("the change is undone")
            if self._closed:
                self._change_interruption.ask()
            with (
                self.acts.act(),
                hurried_grace_periods(self.journal),
                self._switching.changing(),
                undone_on_error(undo.close),
            ):
                settings = self._hosts.settings(remade(remove, add))
                undo.add(partial(self._hosts.set_again, settings))
                self._unsimulate(remove, stages)
                undo.add(partial(self._simulate, remove, Stages()))
                undo.add(partial(self._put_back, remove))
                self._unjoin(remove, stages)
                undo.add(partial(self._unmake, add, Stages()))
                with self._change_interruption.heeded():  # before anything lasting: images are fetched here
                    self._make(add, self._plan["port_type"], None, stages)
                undo.add(partial(self._unjoin, add, Stages()))
                self._join(add, stages)
                self._hosts.set_again(settings)
                self._switching.obey_controllers(self.on_progress, add["switches"])
                self._simulate(add, stages)
                undo.add(partial(self._unsimulate, add, Stages()))
                undo.add(partial(self._hosts.host_names.tell, remove["names"], add["names"]))
                self._hosts.host_names.tell(add["names"], remove["names"])
                self._unmake(remove, stages)
                self._plan = changed(self._plan, remove, add)
                self._witnesses.expect(self._plan)
            return [lost for found in settings.values() for lost in found.lost]

    @verb
    def interrupt_change(self) -> None:
        """Ends a change that is under way, as far as it may take long, and has it undone. Does nothing if none is."""
        self._change_interruption.ask()

    @verb
    def destroy(self) -> dict[str, Snapshot | None]:
        """Removes all that `build` and the hosts' programs made. Returns the final counters of each instance.

        Idempotent; errors are collected, and every part is ended; a second call ends what is left.
        """
        with self._building, hurried_grace_periods(self.journal):
            return self._destroy()

    @verb
    def switches_connected(self) -> dict[str, bool]:
        """Of each switch with a controller, whether it is connected."""
        connected = self._switching.connected() if self._switching.running else {}
        if self._simulated_switches:
            for answer in self._instances.ask_all("switches").values():
                connected |= (answer or {"connected": {}})["connected"]
        return connected

    @verb
    def limit_host(self, node: str, limit: HostLimit) -> None:
        """Changes what a host may take of the computer: see `hybridnet.agent.hosts.limits.HostLimits.set`."""
        check(limit, "machine", f"limit of {node}", part="limit")
        if node not in self._hosts:
            raise UsageError(f"there is no host {node} here, so nothing can limit it")
        shell = self._programs.shell_pid(node)
        own = [] if shell is None else [shell]
        running = self._hosts.processes([node]) if self._hosts.namespace(node) else own
        self._limits.set(node, limit, running)

    @verb
    def translate(self, node: str, subnet: str, interface: str) -> str:
        """Has a host translate addresses: see `hybridnet.agent.hosts.translations.Translations.add`."""
        check({"subnet": subnet, "interface": interface}, "machine", f"NAT of {node}", part="nat")
        if node not in self._hosts:
            raise UsageError(f"there is no host {node} here, so it cannot translate addresses")
        return self._translations.add(node, subnet, interface)

    @verb
    def take_device(self, device: str, node: str) -> None:
        """Gives a device of the computer to a host or switch while the network runs; see
        `hybridnet.agent.hosts.devices`."""
        with self._building, self.acts.act():
            if node in self._hosts:
                kind = HOST
            elif node in self._switching:
                kind = OPENVSWITCH
            elif node in self._others:
                kind = OTHER
            else:
                raise UsageError(f"there is no node {node} here that could take device {device}")
            self._devices.take(device, node, kind)

    @verb
    def take_out_switch(self, switch: str) -> None:
        """Removes a bridge until `put_back_switch`: see `hybridnet.agent.switching.switching.Switching.take_out`."""
        with self._building, self.acts.act(), self._switching.changing():
            self._check_bridge(switch)
            self._switching.take_out(switch)

    @verb
    def put_back_switch(self, switch: str) -> None:
        """Makes a bridge again that was taken out, without flows and controllers."""
        with self._building, self.acts.act(), self._switching.changing():
            self._check_bridge(switch)
            self._switching.put_back(switch)

    def _check_bridge(self, switch: str) -> None:
        if switch not in self._switching:
            raise UsageError(f"there is no bridge {switch} of Open vSwitch here")

    @verb
    def link_up(self, node: str, interface: str) -> None:
        """Sets an interface of a host or a switch up; a host gets the routes of its plan again. At a simulated switch
        it is the link that goes up.
        """
        self._set_link(node, interface, up=True)

    @verb
    def link_down(self, node: str, interface: str) -> None:
        """Sets an interface of a host or a switch down."""
        self._set_link(node, interface, up=False)

    @verb
    def restart_instance(self, plan: InstancePlan) -> None:
        """Starts an instance again: see `hybridnet.agent.instances.instances.Instances.restart`."""
        check(plan, "instance", f"plan of instance {plan.get('name')}")
        with self._building, self.acts.act():
            self._instances.restart(plan)
            self._witnesses.expect_processes()

    @verb
    def watch_programs(self, node: str, programs: dict[str, int]) -> None:
        """A node needs these processes of this machine, by name, from now on, and no others: one that ends or is
        stopped by somebody else breaks the verdict.
        """
        self._witnesses.expect_programs(node, programs)

    @waiting_verb
    def await_outages(self, known: int, seconds: float) -> list[Outage] | None:
        """Waits for instances that end by themselves: see
        `hybridnet.agent.instances.outage_log.OutageLog.await_more`."""
        return self._instances.outages.await_more(known, seconds)

    @verb
    def stop_watching(self) -> None:
        """`await_outages` waits no longer."""
        self._instances.outages.stop_watching()

    @verb
    def check_parts(self) -> None:
        """Raises MachineError when the process of an instance has ended, or another part is not as it was made."""
        self._instances.check()
        for row in self._witnesses.rows():
            if row["to_ns"] is not None:
                continue
            raise MachineError(f"{row['part']} {row['how']}, and not by this run")

    # -- hosts ------------------------------------------------------------------------------------------------------

    @verb
    def note_links(self, names: list[str]) -> None:
        """Writes down links that a program is about to make in the machine's own network namespace. Those that then get
        the alias of the run are removed with it, even if the program is killed.
        """
        for name in names:
            self.journal.record("link", name=name, network=network_namespace())

    @verb
    def programs_in(self, node: str) -> list[dict[str, int | str]]:
        """The processes in a node's own network namespace, by number and name, without the shell that runs its
        commands. A node that has no namespace of its own has none.
        """
        shells = self._programs.shell_pids()
        found: list[dict[str, int | str]] = []
        for pid in sorted(self._hosts.processes([node])):
            with contextlib.suppress(OSError):  # it has just ended
                if pid not in shells:
                    found.append({"pid": pid, "name": Path(f"/proc/{pid}/comm").read_text().strip()})
        return found

    @verb
    def daemons(self) -> list[str]:
        """The names of the programs in hosts that outlive their shells: those in sessions of their own."""
        shells = self._programs.shell_pids()
        names = []
        for pid in self._hosts.processes(self._hosts.names):
            with contextlib.suppress(OSError):  # it has just ended
                if os.getsid(pid) not in shells:
                    names.append(Path(f"/proc/{pid}/comm").read_text().strip())
        return sorted(set(names))

    @waiting_verb
    def ping_pairs(self, pairs: list[tuple[str, str]], **options: Any) -> list[probes.PairPing]:
        """Pings between many pairs at once: see `hybridnet.agent.programs.probes.ping_pairs`."""
        return probes.ping_pairs([(host, address) for host, address in pairs], self._hosts.prefix, **options)

    @waiting_verb
    def echo_pairs(self, pairs: list[tuple[str, str]], **options: Any) -> list[list[float]]:
        """The round trips of many pairs, all at once: see `hybridnet.agent.hosts.echo.echo_pairs`."""
        return echo.echo_pairs(self._inside, [(host, address) for host, address in pairs], **options)

    # -- the end ----------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Lets a building that is under way end now, as it is to be removed. No other begins."""
        self._closed = True
        self._interruption.ask()
        self._change_interruption.ask()

    def close(self) -> None:
        """Removes everything; the agent is of no use afterwards. Idempotent; errors are collected, and every part is
        ended."""
        self.interrupt()
        Endings(
            self.journal.close,
            self._files.close,
            *(
                partial(threads.shutdown, wait=False, cancel_futures=True)
                for threads in (self._waiting_threads, self._other_threads)
            ),
            self._inside.close,
            *([] if self._neighbours is None else [self._neighbours.restore]),
            self.destroy,
        ).close()

    def _build(self, plan: MachinePlan, pmd_cpus: list[int] | None) -> dict[str, float]:
        stages = Stages()
        fragment = whole(plan)
        self._make(fragment, plan["port_type"], pmd_cpus, stages)
        self._join(fragment, stages)
        self._simulate(fragment, stages)
        self._counting.begin()
        self._witnesses.begin(plan)
        return stages.seconds

    def _make(self, fragment: Fragment, port_type: str, pmd_cpus: list[int] | None, stages: Stages) -> None:
        """Makes the hosts and switches of a fragment, without interfaces."""
        if not self._own_files:
            refuse_taken(fragment)
        if self._neighbours is not None:
            self._neighbours.raise_for(len(self._hosts.names) + len(fragment["hosts"]))
        if fragment["switches"]:
            self._switching.start(port_type, pmd_cpus or self._pmd_cpus)
        stages.done("switching")
        if self._hosts.host_names.file is None:
            self._hosts.host_names.tell(fragment["names"])
        self._hosts.images.create(fragment["hosts"], self.on_progress)
        self._hosts.create(fragment["hosts"])
        self._limits.create(fragment["hosts"])
        stages.done("namespaces")
        if fragment["hosts"]:
            self.on_progress(f"{len(fragment['hosts'])} hosts")
        self._switching.add_switches(fragment, self.on_progress)
        self._others.create(fragment["nodes"])
        stages.done("switches")

    def _join(self, fragment: Fragment, stages: Stages) -> None:
        """Makes the interfaces of a fragment, and the links between them."""
        assert self._plan is not None
        offloads = self._pairs.create(fragment, self._switching.frames or self._plan["port_type"])
        self._crossings.create(fragment.get("crossings", []))
        self._others.add_ports([*fragment["nodes"], *fragment["node_parts"]])
        stages.done("pairs")
        self._hosts.configure([*fragment["hosts"], *fragment["host_parts"]], offloads)
        self._translations.create(fragment["hosts"])
        stages.done("addresses")
        self._switching.add_ports(fragment, self.on_progress)
        self._devices.take_all(fragment)
        stages.done("switches")

    def _simulate(self, fragment: Fragment, stages: Stages) -> None:
        """Has the instances simulate their parts of a fragment; starts those that are new."""
        for part in fragment["instances"]:
            self._simulated_switches.expect(part["nodes"])
        self._instances.simulate(fragment["instances"])
        stages.done("instance")

    def _unsimulate(self, fragment: Fragment, stages: Stages) -> None:
        """Removes the instances' parts of a fragment; ends those of which it is the whole."""
        self._instances.unsimulate(fragment["instances"])
        for part in fragment["instances"]:
            self._simulated_switches.forget(part["nodes"])
        stages.done("instance")

    def _unjoin(self, fragment: Fragment, stages: Stages) -> None:
        """Removes what `_join` makes of a fragment, or has made of it before it failed."""
        self._devices.give_all_back(fragment)
        self._switching.remove_ports(fragment)
        stages.done("switches")
        parts = [*fragment["hosts"], *fragment["host_parts"]]
        self._hosts.strip([part for part in parts if part["name"] in self._hosts])
        stages.done("addresses")
        self._pairs.remove(fragment)
        self._crossings.remove(fragment.get("crossings", []))
        stages.done("pairs")

    def _unmake(self, fragment: Fragment, stages: Stages) -> None:
        """Removes the hosts and switches of a fragment, and ends what runs there."""
        names = {node["name"] for node in nodes_of(fragment)}
        Endings(
            lambda: self._switching.remove_switches(fragment),
            lambda: self._others.remove([node["name"] for node in fragment["nodes"]]),
            lambda: self._forget_limits(fragment["hosts"]),
            *(partial(self._translations.forget, host["name"]) for host in fragment["hosts"]),
            lambda: self._hosts.remove([host["name"] for host in fragment["hosts"]]),
            lambda: self._programs.close_of(names),
            lambda: self._image_commands.close_of(names),
        ).close()
        stages.done("nodes")

    def _forget_limits(self, hosts: list[HostPlan]) -> None:
        for host in hosts:
            self._limits.forget(host["name"])

    def _put_back(self, fragment: Fragment) -> None:
        """Makes a fragment again that was removed, or the part of it that was."""
        assert self._plan is not None
        self._unjoin(fragment, Stages())
        gone: Fragment = {
            **fragment,
            "hosts": [host for host in fragment["hosts"] if host["name"] not in self._hosts],
            "switches": [switch for switch in fragment["switches"] if switch["name"] not in self._switching],
            "nodes": [node for node in fragment["nodes"] if node["name"] not in self._others],
        }
        self._make(gone, self._plan["port_type"], None, Stages())
        self._join(fragment, Stages())
        self._switching.obey_controllers(self.on_progress, gone["switches"])

    def _destroy(self) -> dict[str, Snapshot | None]:
        """Every part knows what is left of it, so a second call ends what the first could not."""
        Endings(
            self._limits.destroy,
            self._translations.destroy,
            self._pairs.destroy,
            self._crossings.destroy,
            self._others.destroy,
            self._hosts.destroy,
            self._devices.destroy,
            self._switching.stop,
            self._hosts.kill_processes,
            self._programs.close,
            self._image_commands.close,
            self._simulated_switches.forget,
            self._instances.close,
            self._timelines.close,
            self._counting.end,
            self._witnesses.end,
        ).close()
        self._plan = None
        return self._instances.final()

    def _way(self, node: str) -> Way:
        """How a program gets into a node: a switch's commands run on its machine, as in Mininet."""
        if not node or any(
            node in all_of_a_kind
            for all_of_a_kind in (self._switching, self._others, self._simulated_switches)
        ):
            return Way()
        return self._hosts.way(node)

    def _set_link(self, node: str, interface: str, *, up: bool) -> None:
        if self._plan is None:
            raise MachineError(f"no network is built here, so {node} has no interface {interface}")
        with self.acts.act():
            self._set_link_now(node, interface, up=up)

    def _set_link_now(self, node: str, interface: str, *, up: bool) -> None:
        assert self._plan is not None
        state = "up" if up else "down"
        if self._switching.is_patch(node, interface):
            self._switching.set_port_state(node, interface, up)
            return
        if node in self._simulated_switches:
            instance, link = simulated_link(self._plan["instances"], node, interface)
            self._instances.ask(instance, "set_link", link=link, up=up)
            return
        is_host = node in self._hosts
        where = self._hosts.namespace(node) if is_host else ""
        self._inside.run(where, lambda: _set_device(node, interface, state))
        if is_host and up:
            self._hosts.restore_addressing(node)


def _set_device(node: str, interface: str, state: str) -> None:
    done = subprocess.run(
        ["ip", "link", "set", "dev", interface, state], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise MachineError(f"node {node}: interface {interface} cannot be set {state}: {done.stderr.strip()}")


def _threads(most: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(most, "verb", initializer=raise_thread, initargs=(Priority.AGENT,))
