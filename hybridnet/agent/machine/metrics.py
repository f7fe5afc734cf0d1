# SPDX-License-Identifier: MIT
"""What one machine has counted and samples: for verdicts, for who watches the network, and as a time series."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TypedDict, final

from hybridnet.agent.counters import counters as machine_counters
from hybridnet.agent.counters.alone import computer_alone
from hybridnet.agent.counters.link_drops import LinkDrops
from hybridnet.agent.counters.utilization import Busy
from hybridnet.agent.counters.wires import patch_ends, wire_counters
from hybridnet.agent.hosts.device_counters import Carrier
from hybridnet.agent.hosts.hosts import Hosts
from hybridnet.agent.hosts.limits import HostLimits
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.agent.instances.instances import Instances
from hybridnet.agent.instances.sampler import HostsSource, InstancesSource, ProcessorsSource, Sampler, Taken
from hybridnet.agent.instances.series_selection import Chosen, chosen_of
from hybridnet.agent.instances.tracer import Traced, Tracer
from hybridnet.agent.machine.witnesses import Witnesses
from hybridnet.agent.programs import probes
from hybridnet.agent.switching.patches import REFRESHED_SECONDS
from hybridnet.agent.switching.switching import Switching
from hybridnet.agent.verbs import verb
from hybridnet.describe.schema.plans import MachinePlan
from hybridnet.errors import MachineError
from hybridnet.observe.results.machines import Counters, Look, Scrape
from hybridnet.observe.series.snapshot import LinkRow, Snapshot
from hybridnet.system.ending import Endings

__all__ = ["Counting"]


@final
class InterfaceCounters(TypedDict):
    """Of interfaces at one moment: see `hybridnet.agent.hosts.device_counters.Row`."""

    time_ns: int  # CLOCK_MONOTONIC
    counters: list[dict[str, int]]


class Counting:
    """Some of the agent's verbs.

    Args:
        machine: its name.
        plan: what is built now; None: nothing is.
        hosts, limits, switching, instances: which have counters.
        inside: the thread that reads those in namespaces.
        witnesses: of what happened to parts of the network.
    """

    def __init__(
        self,
        machine: str,
        plan: Callable[[], MachinePlan | None],
        hosts: Hosts,
        limits: HostLimits,
        switching: Switching,
        instances: Instances,
        inside: NamespaceThread,
        witnesses: Witnesses,
    ) -> None:
        self._machine, self._plan, self._inside = machine, plan, inside
        self._hosts, self._limits = hosts, limits
        self._switching, self._instances = switching, instances
        self._witnesses = witnesses
        self._busy: Busy | None = None
        self._link_drops = LinkDrops()
        self._sampler: Sampler | None = None
        self._tracer: Tracer | None = None

    def begin(self) -> None:
        """The network is built: watch from now on how busy its processors are."""
        self._busy = Busy(self._switching.pid)
        self._link_drops = LinkDrops()

    def end(self) -> None:
        """Sample and trace no longer. A second call does nothing."""
        Endings(self._end_busy, self._end_sampler, self._end_tracer).close()

    @verb
    def snapshot(self, of_elements: bool = True) -> dict[str, Snapshot | None]:
        """The counters of each instance by name, ``of_elements``: of its links, nodes and interfaces, too. None for one
        that has ended by itself.
        """
        return self._instances.ask_all("snapshot", of_elements=of_elements)

    @verb
    def link_sample(self, portal: str) -> LinkRow | None:
        """The counters of what is sent into a simulated link at a portal, as a row of ``links`` of a snapshot; None: no
        link begins there. It reads this link alone.
        """
        for instance in (self._plan() or {"instances": ()})["instances"]:
            for link in instance["links"]:
                if portal in (link["a"].get("portal"), link["b"].get("portal")):
                    said: Snapshot = self._instances.ask(
                        instance["name"], "sample", links=[link["name"]], interfaces=[]
                    )
                    return next((row for row in said["links"] if row["from"] == portal), None)
        return None

    @verb
    def processes(self) -> dict[str, list[int]]:
        """The process numbers of what makes the network on this machine: Open vSwitch (``switches``), and the
        ``instances``.
        """
        pid = self._switching.pid()
        return {"switches": [] if pid is None else [pid], "instances": self._instances.pids}

    @verb
    def counters(self) -> Counters:
        """All that a verdict needs of this machine, in one answer.

        Raises:
            MachineError: no network is built here, or an instance or Open vSwitch does not answer.
        """
        return self._counted(*self._devices_now())

    @verb
    def look(self, known: dict[str, int]) -> Look:
        """What somebody who watches the network twice a second needs of this machine, in one answer.

        Args:
            known: the ``generation`` of the links that the head knows, by instance.

        Raises:
            MachineError: as `counters`.
        """
        plan, namespaces, tables = self._devices_now()
        links = {
            name: self._instances.ask(name, "link_counts", known=known.get(name, 0))
            for name in self._instances.names
        }
        patches = self._switching.patch_counters(patch_ends(plan))
        return {
            "time_ns": time.monotonic_ns() // plan.get("slow", 1),
            "counters": self._counted(plan, namespaces, tables, REFRESHED_SECONDS),
            "wires": wire_counters(plan, namespaces, tables, patches),
            "links": links,
        }

    @verb
    def scrape(self) -> Scrape:
        """What a scrape of metrics needs of this machine beside `look`, in one answer.

        Raises:
            MachineError: as `counters`.
        """
        plan, namespaces, tables = self._devices_now()
        interfaces = []
        for host in plan["hosts"]:
            rows = tables.get(namespaces.get(host["name"], ""), {})
            for interface in host["interfaces"]:
                if (row := rows.get(interface["name"])) is not None:
                    came = (row.rx_bytes, row.rx_packets, row.rx_dropped)
                    sent = (row.tx_bytes, row.tx_packets, row.tx_dropped)
                    interfaces.append((host["name"], interface["name"], *came, *sent))
        return {
            "instances": self.snapshot(),
            "interfaces": interfaces,
            "flows": self._switching.flow_counts(),
        }

    @verb
    def start_series(
        self, interval_s: float, elements: str | list[str] | None = None, from_s: float = 0.0
    ) -> None:
        """Begins to sample what `hybridnet.agent.instances.series_selection.chosen_of` says of `elements`, every so
        many seconds, the first sample being that of second `from_s`.

        Raises:
            MachineError: no network is built here, or a series runs.
        """
        plan = self._plan()
        if plan is None or self._sampler is not None:
            state = "no network is built here" if plan is None else "one runs already"
            raise MachineError(f"a time series cannot begin: {state}")
        slow = plan.get("slow", 1)
        made: tuple[MachinePlan | None, Chosen] = (None, Chosen({}, {}, {}))

        def chosen() -> Chosen:
            nonlocal made
            if (plan := self._plan()) is not made[0]:  # a change makes another
                made = (plan, Chosen({}, {}, {}) if plan is None else chosen_of(plan, elements))
            return made[1]

        self._sampler = Sampler(
            interval_s,
            [
                ProcessorsSource(self._machine),
                InstancesSource(lambda: self._instances.names, self._instances.ask, chosen),
                HostsSource(self._inside, self._hosts, chosen),
            ],
            from_s,
            slow,
        )

    @verb
    def take_series(self, last: bool = False) -> Taken | None:
        """What was sampled since the last call: see `hybridnet.agent.instances.sampler.Sampler.take`; None without a
        series.

        Args:
            last: take one more sample, and end.
        """
        sampler = self._sampler
        if sampler is not None and last:
            self._end_sampler()
        return None if sampler is None else sampler.take()

    @verb
    def start_trace(self, hosts: dict[str, list[str]]) -> None:
        """Begins to write down the state of the TCP connections of these simulated hosts, by instance.

        Raises:
            MachineError: no network is built here, or a trace runs.
        """
        if self._plan() is None or self._tracer is not None:
            state = "no network is built here" if self._plan() is None else "one runs already"
            raise MachineError(f"a trace cannot begin: {state}")
        self._tracer = Tracer(hosts, self._instances.ask)

    @verb
    def end_trace(self) -> Traced | None:
        """Ends the trace. Returns what it has: see `hybridnet.agent.instances.tracer.Tracer.close`; None where there is
        none."""
        return self._end_tracer()

    @verb
    def interface_counters(self, interfaces: list[tuple[str, str]]) -> InterfaceCounters:
        """Counters of many (host, device) pairs, in order."""
        time_ns = time.monotonic_ns()
        return {
            "time_ns": time_ns,
            "counters": probes.interface_counters(
                self._hosts,
                self._inside,
                [(self._hosts.namespace(host), device) for host, device in interfaces],
            ),
        }

    def _devices_now(self) -> tuple[MachinePlan, dict[str, str], machine_counters.Tables]:
        """The plan, the network namespace of each host, and the counters of the plan's devices there."""
        plan = self._plan()
        if plan is None or self._busy is None:
            raise MachineError("no network is built here, so there is nothing to count")
        namespaces = {name: self._hosts.namespace(name) for name in self._hosts.names}
        wanted = machine_counters.counted_devices(plan, namespaces)
        return plan, namespaces, self._hosts.counters(wanted)

    def _counted(
        self,
        plan: MachinePlan,
        namespaces: dict[str, str],
        tables: machine_counters.Tables,
        age_s: float = 0.0,
    ) -> Counters:
        """What `counters` answers; of Open vSwitch as of at most `age_s` ago."""
        assert self._busy is not None
        found, carriers = self._drops_while_up(plan, namespaces, tables, all_carriers=not age_s)
        drops = Counter(found)
        drops.update(self._switching.socket_drops())
        started, outages = self._instances.outages.counts()
        return {
            **computer_alone(self._busy),
            "enforced": self._limits.enforced(),
            "drops": dict(drops),
            "mtu_mismatches": machine_counters.mtu_mismatches(plan, carriers),
            "switching": self._switching.counters(age_s),
            "instances": self.snapshot(of_elements=False),
            "started": started,
            "outages": outages,
            "incidents": self._witnesses.rows(),
        }

    def _drops_while_up(
        self,
        plan: MachinePlan,
        namespaces: dict[str, str],
        tables: machine_counters.Tables,
        *,
        all_carriers: bool,
    ) -> tuple[dict[str, int], dict[str, Carrier]]:
        """The drops at interfaces that had their carriers, and these. Of devices without drops carriers are asked only
        where a window of a verdict begins or ends, which takes a message for each.
        """
        drops = machine_counters.device_drops(plan, namespaces, tables)
        wanted = {
            namespace: [device for device in rows if all_carriers or device in drops]
            for namespace, rows in tables.items()
        }
        carriers = self._hosts.carriers(wanted)
        return self._link_drops.while_up(drops, carriers), carriers

    def _end_sampler(self) -> None:
        if self._sampler is not None:
            self._sampler.close()
            self._sampler = None

    def _end_tracer(self) -> Traced | None:
        tracer, self._tracer = self._tracer, None
        return None if tracer is None else tracer.close()

    def _end_busy(self) -> None:
        if self._busy is not None:
            self._busy.close()
            self._busy = None
