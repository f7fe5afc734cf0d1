# SPDX-License-Identifier: MIT
"""Net: the live network.

    with Net(topo, controller=Ryu("c0", "my_app.py")) as net:
        net.pingAll()
        print(net["h1"].cmd("traceroute -n", net["h2"].IP()))

    describe ─▶ start ─▶ use ─▶ stop: everything is removed
                  └ machines, controllers, plan, build, switches connected

It has the constructor and the methods of Mininet's class of that name. What differs: everything is made in
`start`, in bulk, or not at all; an option that is not available is an error and not a warning.

Net is the one class that a script sees. Its parts do the work: `NetMachines`, `LiveNodes` and `Controllers` are what
there is, `boot` has the steps of starting, `Endings` what must end, `Running` has what acts on a network that runs,
`probes` and `batch` try it out, `Measuring` judges it.
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from inspect import signature
from os import PathLike
from typing import TYPE_CHECKING, Any

from hybridnet.describe.topo import Topo, find_loop, natural
from hybridnet.describe.values import flag, number, shown, whole
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.machines.cluster import Machines
from hybridnet.observe.results import on_loss as losing
from hybridnet.observe.results.limits import Limits
from hybridnet.observe.results.verdict import Verdict
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.plan.choices.from_command_line import asked
from hybridnet.plan.network import MachineSpec, Plan, PlanOptions, make_plan
from hybridnet.plan.network.switch_kinds import check_switches, switches_notes
from hybridnet.run.controllers.kinds import Controller
from hybridnet.run.live.page_options import checked_place, wanted
from hybridnet.run.net import batch, probes, startup
from hybridnet.run.net.arguments import check_arguments, plan_options
from hybridnet.run.net.batch import Completed
from hybridnet.run.net.controllers import Controllers, controller_targets
from hybridnet.run.net.convergence import await_convergence, speakers
from hybridnet.run.net.dry_run import describe_only
from hybridnet.run.net.guests import offer_tickets, withdraw_tickets
from hybridnet.run.net.instances import by_instance
from hybridnet.run.net.iperf import Flow, iperf_pair
from hybridnet.run.net.iperf_matrix import IperfMatrix, checked_pairs, measure_flows
from hybridnet.run.net.link_changes import LinkChanges
from hybridnet.run.net.losses import Losses
from hybridnet.run.net.machines import NetMachines
from hybridnet.run.net.measure import Mark, Measured, Measuring
from hybridnet.run.net.members import Members
from hybridnet.run.net.nodes import LiveNodes
from hybridnet.run.net.outages import Outages
from hybridnet.run.net.ping_matrix import PingMatrix, measure_pings
from hybridnet.run.net.ping_stream import PingStream
from hybridnet.run.net.returns import Returns
from hybridnet.run.net.run_output import Recorded, Sampling
from hybridnet.run.net.running_state import Running
from hybridnet.run.net.startup import own_address_toward
from hybridnet.run.net.structure import Structure, name_of
from hybridnet.run.net.time import be_in_time
from hybridnet.run.net.timeline_changes import read_timeline
from hybridnet.run.net.timelines import Status, Timeline, Timelines
from hybridnet.run.node import Host, Node, Switch
from hybridnet.system.ending import Endings, uninterrupted
from hybridnet.system.log import debug, info, warn

if TYPE_CHECKING:
    from hybridnet.run.live import Page
    from hybridnet.run.live.stepping import LiveStepper
    from hybridnet.run.net.captures import Capture
    from hybridnet.run.net.traces import Traced
    from hybridnet.simulate.flows import Workload
    from hybridnet.simulate.offline import FastForward, SimulationReport

__all__ = ["Net", "own_address_toward"]


class Net(Structure):
    """A network that can be started.

    Args:
        topo: the description; None: it is made with this object's addHost, addSwitch, addLink.
        switch, host: classes for the live nodes that do not say `cls`, or functools.partial of one. What they make of
            a node's options is what is built.
        controller: a class, a function of a name, an object, a list of these, or None for no controller.
        waitConnected: wait until every switch has its controller, at most so many seconds; True: a minute; False: do
            not.
        cluster: the machines, made already; "here": this computer itself is the one machine, as in Mininet, and has the
            network's interfaces, processes and bridges; None: namespaces on this computer, as many as `topo` names.
            What is not made already is made at `start` and ended at `stop`.
        switches: "simulated": the switches that do not say where they forward are simulated, under the same
            controllers; see docs/simulated_switches.md. "openvswitch": they are those of Open vSwitch. None: as
            `hybridnet run --switches` says, else "openvswitch".
        on_progress: called with the machine's name and what it has done, while building.
        reroute: simulated routers go around the links to an instance that has ended by itself, and get their ways back
            when `restart_instance` has started it again.
        on_loss: what becomes of the run when a machine is lost: "stop": what asks the whole network, or that machine,
            raises MachineError, and `hybridnet run` ends; "continue": the others go on without it, and links to it are
            down until `restart_machine`. The verdict names it in both cases. None: as `hybridnet run --on-loss` says,
            else "stop".
        time: "simulated": whoever runs the script gets it run again from its beginning, in a kernel of its own whose
            clocks stand still while programs compute, and this process ends with that one's exit code; see
            docs/time.md. "real": it is refused there. None: as `hybridnet run --time` says, else "real". The option
            `slow` is for real time: so many times slower than what is described.
        limits: what the verdict tolerates; None: `hybridnet.Limits()`.
        record_series: time between samples of a time series, such as ``"100ms"``, at least 1 ms; or a
            `hybridnet.Sampling`, which also says of what; None: no series of its own. See docs/recording.md.
        out: the run directory, also of `simulate`; None: that of `hybridnet run --out`, or, with `record_series`, a new
            one in ``runs``.
        options: fields of `hybridnet.PlanOptions`, such as port_type, seed, captures; three of them also have Mininet's
            names: ipBase, autoSetMacs, autoStaticArp. What `hybridnet run --instances`, `--peering`, `--slow` and
            `--wait` ask for holds where they do not say it.

    Raises:
        UsageError: an option does not exist, is not supported, its value makes no sense, or the command line asks for
            another one.
    """

    def __init__(
        self,
        topo: Topo | None = None,
        switch: Any = Switch,
        host: Any = Host,
        controller: Any = Controller,
        *,
        waitConnected: bool | float = True,
        cluster: Machines | str | None = None,
        switches: str | None = None,
        on_progress: Callable[[str, str], object] | None = None,
        reroute: bool = False,
        on_loss: str | None = None,
        time: str | None = None,
        limits: Limits | None = None,
        record_series: str | float | Sampling | None = None,
        out: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        check_arguments(topo, cluster, switches, on_loss, on_progress, waitConnected, reroute)
        self._options = plan_options(options, signature(Net).parameters)
        be_in_time(time, out, self._options)
        self._switches = asked().and_own_switches(switches)
        if topo is not None and switch is Switch:  # another class may say what else its nodes are
            check_switches(topo, self._switches)
        self._wait_connected = waitConnected
        self._reroute = reroute
        self._on_loss = on_loss
        self._on_progress = on_progress
        self._measuring = Measuring(self.stop, limits)
        self._recorded = Recorded(record_series, out)
        self._endings = Endings()
        super().__init__(
            Topo() if topo is None else topo,
            LiveNodes(host, switch, self.start, self._switches),
            Controllers(controller),
            NetMachines(cluster),
            self._await_switches_of,
        )
        self.final_counters: dict[str, Snapshot | None] = {}  # of each instance, once the network is stopped
        self.build()

    # Starting and stopping

    def start(self) -> None:
        """Make the network. If something fails, remove everything again before raising the error. A second call
        does nothing.

        Raises:
            PlanError, TopologyError, UnitError: the description cannot be built.
            EnvironmentLackError: this computer lacks something.
            MachineError, ControllerError: something could not be made, or a switch did not find its
                controller.
        """
        if self._started:
            return
        describe_only(self.topo)
        self.stop()  # what an earlier stop could not end
        self.build()
        if self.topo.switches():
            self._controllers.add_defaults(list(self._nodes))
        self._started = True
        try:
            self._start()
        except BaseException:
            try:
                self.stop()
            except HybridnetError as error:
                warn(f"*** Warning: not everything could be removed: {error}\n")
            raise

    def stop(self) -> None:
        """Remove the network, and end what was started for it: all of it, whatever one part raises. A second call
        tries again what could not end, and else does nothing.

        Raises:
            The first error of what could not end.
        """
        self._started = False
        if self._endings:
            with uninterrupted("the network"):
                try:
                    self._measuring.end()
                finally:
                    self._endings.close()

    def simulate(
        self,
        until: str | float,
        *,
        seeds: int | Sequence[int] = 1,
        parallel: int = 1,
        mpi: int | None = None,
        hosts: Sequence[str] = (),
        real_time: bool = False,
        jobs: int | None = None,
        trace_hash: bool = False,
        series: str | float | None = None,
        workloads: Sequence[Workload] = (),
        warmup: str | float = 0,
        precision: str | float | None = None,
        fast_forward: FastForward | None = None,
    ) -> SimulationReport:
        """Simulate the description in virtual time, as fast as it can, instead of building it. Needs no root.

        Args:
            until: simulated time, such as ``"60s"``; a number is seconds.
            seeds: how many replications, whose seeds count up from the network's `seed`, 1; or their seeds.
            parallel: so many parts of the network, each a thread; the results are those of one part.
            mpi: so many parts, each a process of an MPI job; None: threads.
            hosts: the machines of these processes, as ssh knows them; none: this computer.
            real_time: no faster than the wall clock, and no longer.
            jobs: so many replications at once; None: as many as there are processors for.
            trace_hash: take a digest of every packet at every link.
            series: simulated time between samples of all counters; None: the network's `record_series`, else none are
                taken.
            workloads: flows, whose completion times the report has; see docs/flows.md.
            warmup: flows that start earlier are not counted; a number is seconds.
            precision: only as many seeds as are enough for a mean slowdown within ± so many percent, such as
                ``"5 %"``; None: all.
            fast_forward: leave out time in which all flows are steady, with a stated error; see docs/flows.md. None:
                every packet is simulated.

        Returns:
            What the replications say together. With the network's `out` it is in that run directory, too.

        Raises:
            UsageError: a node is emulated, the network runs, or an argument makes no sense.
            PlanError, TopologyError: the description cannot be built.
        """
        self._refuse_slow("simulate")
        if self._started:
            raise UsageError("simulate: the network runs; simulate it before start(), or after stop()")
        from hybridnet.simulate.offline import simulate  # only who simulates waits for this import
        from hybridnet.simulate.offline.run_files import Keeper

        topo = self._described()
        keeper = Keeper(self._recorded.out)
        report = simulate(
            topo,
            until,
            options=self._options,
            seeds=seeds,
            parallel=parallel,
            mpi=mpi,
            hosts=hosts,
            real_time=real_time,
            jobs=jobs,
            trace_hash=trace_hash,
            series=self._recorded.series if series is None else series,
            workloads=workloads,
            warmup=warmup,
            precision=precision,
            fast_forward=fast_forward,
        )
        keeper.keep(report, topo, self._options)
        return report

    def stepping(self, seed: int | None = None, until: str | float = "365d") -> LiveStepper:
        """Simulate the description in virtual time, event by event, or as fast or as slowly as somebody watches it on
        its page; see docs/live.md. Needs no root.

        Args:
            seed: of the simulation; None: the network's `seed`.
            until: where simulated time ends, at most ``"365d"``; a number is seconds.

        Returns:
            The simulation, at time zero. It ends with its ``with`` block.

        Raises:
            UsageError: a node is emulated, the network runs, or an argument makes no sense.
            PlanError, TopologyError: the description cannot be built.

        Example:
            >>> with Net(Pair()).stepping() as simulation:  # doctest: +SKIP
            ...     simulation.run_until("20ms")
            ...     print(simulation.next_events(3), simulation.connections())
        """
        self._refuse_slow("stepping")
        if self._started:
            raise UsageError("stepping: the network runs; simulate it before start(), or after stop()")
        from hybridnet.run.live.stepping import LiveStepper  # only who simulates waits for this import

        number = self._options.seed if seed is None else seed
        return LiveStepper.of(self._described(), seed=number, until=until, options=self._options)

    def check(self) -> None:
        """Raise an error if a part of the network has ended, does not answer, or is not as it was made, and the network
        has not done that itself: a controller, a daemon of Open vSwitch, an instance, a bridge, a port, or a machine,
        unless the others go on without it. See docs/verdict.md.
        """
        self._controllers.check()
        try:
            self._measuring.check()
        except HybridnetError:
            self._controllers.check()  # one that has ended since tells more of it than the watch does
            raise
        self._of_each("check_parts")

    def __enter__(self) -> Net:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Using it while it runs

    def snapshot(self, *, of_elements: bool = True) -> dict[str, Any]:
        """The counters of each instance by its name; None for one that has ended by itself or with its machine, and for
        a machine that simulates nothing, by its name.

        Args:
            of_elements: include the counters of every link, node and interface. Without them, ``links``, ``nodes`` and
                ``interfaces`` are empty, and reading an instance with tens of thousands does not delay it by tens of
                milliseconds.
        """
        found = by_instance(self._of_each("snapshot", of_elements=flag(of_elements, "snapshot: of_elements")))
        names = [] if self.plan is None else self.plan.instances
        return {**dict.fromkeys(names), **found}

    def mark(self) -> Mark:
        """This moment, as the beginning of what `verdict` judges. Raises MachineError before `start`."""
        self._refuse_losses()
        return self._measuring.mark()

    def verdict(self, since: Mark | None = None, limits: Limits | None = None) -> Verdict:
        """What the results are worth: trusted, saturated or broken, and why; see docs/verdict.md.

        After `stop`, it judges what happened until then.

        Args:
            since: where what is judged begins; None: when `start` was done.
            limits: what is tolerated; None: the network's.

        Raises:
            MachineError: the network was never started.
            UsageError: the mark is not of this network since its last start.
        """
        return self._measuring.verdict(since, limits)

    def live(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        names: Sequence[str] = (),
        notebook: str | None = None,
    ) -> Page:
        """Serve this network as a page: rates, queues, captures, terminals, changes of links; see docs/live.md.

        Args:
            host: the address to listen at. Who reaches it and has the link can do everything on the machines, as root.
            port: 0: one that is free.
            names: further names of that address that a browser may use, such as ``["lab7"]``.
            notebook: the address of a notebook's server, as the browser has it: a cell that ends with the page shows
                it. Only pages of that server may.

        Returns:
            The page, which ends with a ``with`` block, and at the latest with the network. Its `url` is the link.

        Raises:
            UsageError: a value makes no sense, or the notebook's server is at another name than the page.
            MachineError: the network does not run, or nobody can listen there.
            EnvironmentLackError: the files of the page have not been fetched.

        Example:
            >>> with net.live() as page:  # doctest: +SKIP
            ...     print(page.url)
            http://127.0.0.1:43501/?token=…
        """
        _, running = self._now()
        place = checked_place(host, port, names, notebook)
        from hybridnet.run.live.network import Live  # only who looks waits for these imports
        from hybridnet.run.live.page import Page

        links = running.links
        live = Live(self, self._measuring.judge, lambda: frozenset(links.down), links.options, self._capture)
        page = Page(live, *place)
        self._endings.add(page.close)
        return page

    def measured(self, limits: Limits | None = None) -> Measured:
        """For `with`: what happens in the block is judged at its end, as `verdict`.

        Example:
            >>> with net.measured() as m:  # doctest: +SKIP
            ...     net.iperf()
            >>> print(m.verdict)  # doctest: +SKIP
            trusted: every limit held
        """
        return Measured(self._measuring, limits)

    def ping(
        self,
        hosts: Sequence[Any] | None = None,
        timeout: float | str | None = None,
        parallel: bool = False,
    ) -> float:
        """Ping once between all pairs of hosts, and print a table. Returns the percentage lost.

        Args:
            timeout: seconds to wait for an answer; None: one.
            parallel: all pairs side by side, by the agents themselves and not by `ping`: seconds for 128 hosts.
        """
        wait_s = probes.patience(timeout)
        probes.announce(hosts)
        ping = probes.ping_all_at_once if flag(parallel, "ping: parallel") else probes.ping_all
        lost_percent = ping(self.cluster, self._some_hosts(hosts, "ping"), wait_s, self.slow)
        if lost_percent == 100:
            self._measuring.lost_everything("a ping test got no answer at all")
        return lost_percent

    def pingAll(self, timeout: float | str | None = None, parallel: bool = False) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout, parallel=parallel)

    def ping_matrix(
        self,
        hosts: Sequence[Any] | None = None,
        count: int = 1,
        interval: float = 0.0,
        timeout: float | str | None = None,
    ) -> PingMatrix:
        """Ping between all ordered pairs of hosts, side by side. Returns round trips and losses.

        Args:
            hosts: default: all.
            count: requests of each pair, 1 to 1000; the first one may have to find out a MAC address.
            interval: seconds between two requests of a pair, at least.
            timeout: seconds to wait for an answer; None: one.

        Example:
            >>> matrix = net.ping_matrix(count=10)  # doctest: +SKIP
            >>> matrix.rtt_ms("h1", "h2"), matrix.lost("h1", "h2"), matrix.lost_percent  # doctest: +SKIP
            (0.081, 0, 0.0)
            >>> Path("pings.json").write_text(matrix.dumps())  # doctest: +SKIP
        """
        whole(count, "ping_matrix: count", 1, 1000)
        number(interval, "ping_matrix: interval", 0, 3600)
        wait_s = probes.patience(timeout)
        asked = self._some_hosts(hosts, "ping_matrix")
        matrix = measure_pings(self.cluster, asked, count, interval, wait_s, self.slow)
        if matrix.sent and not matrix.received:
            self._measuring.lost_everything("a ping test got no answer at all")
        return matrix

    def ping_stream(
        self, source: Node | str, target: Node | str, seconds: float, interval: float = 0.01
    ) -> PingStream:
        """Begin to ping from one host to another at a steady rate, beside what the script does next; return with the
        first answer, or a second later. Its `wait()` says which pings were answered, and for how long none was
        (`loss_time`). A run directory keeps them, and `hybridnet plot` draws for how long none was answered.

        Args:
            seconds: for how long pings leave; at most 30,000 of them.
            interval: seconds between two, 0.002 to 60; 100 a second by default.

        Raises:
            UsageError: a value makes no sense, or the target has no address.

        Example:
            >>> stream = net.ping_stream("h1", "h2", seconds=3)  # doctest: +SKIP
            >>> net.configLinkStatus("r1", "r2", "down", reroute=True)  # doctest: +SKIP
            >>> stream.wait().loss_time  # doctest: +SKIP
            0.02
        """
        self._now()
        ends = self._some_hosts([source, target], "ping_stream")
        return PingStream(ends[0], ends[1], seconds, interval, self.slow, self._recorded.pinged)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One iperf3 flow between two hosts (the first and the last); print and return what arrived and
        what was sent.

        For UDP the offered rate comes first, as in Mininet.

        Args:
            fmt: the unit of the rates, as for iperf's -f: k, m or g for Kbits to Gbits, K, M or G for KBytes to GBytes
                per second; None: by size.

        Raises:
            UsageError: there are not two hosts, or an option makes no sense.
            ExperimentError: iperf3 failed; the message quotes it.
        """
        ends = self._some_hosts(hosts, "iperf")
        if hosts is None:
            ends = [ends[0], ends[-1]] if len(ends) > 1 else ends
        return iperf_pair(ends, Flow(l4Type, udpBw, seconds, port), fmt, self.slow)

    def iperf_matrix(
        self,
        pairs: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        seconds: float = 1,
        port: int = 5001,
        parallel: int = 1,
    ) -> IperfMatrix:
        """One iperf3 flow for each pair of hosts. Returns what arrived, what was sent, and UDP's loss.

        Args:
            pairs: (client, server) pairs; default: all ordered pairs of all hosts that have an address.
            udpBw: what each UDP flow offers.
            seconds: how long each flow sends.
            port: the first of `parallel` TCP and UDP ports.
            parallel: how many flows run at a time, 1 to 128. They share the links, and this computer.

        Raises:
            UsageError: an option makes no sense. A flow that fails is a row with an `error`, and the others go on.

        Example:
            >>> matrix = net.iperf_matrix([("h1", "h2"), ("h2", "h1")], seconds=2)  # doctest: +SKIP
            >>> matrix.row("h1", "h2").received_bps  # doctest: +SKIP
            9412000000.0
        """
        wanted = None if pairs is None else [self._pair(pair) for pair in _listed(pairs)]
        able = [host for host in self._some_hosts(None, "iperf_matrix") if host.IP() is not None]
        flow = Flow(l4Type, udpBw, seconds, port)
        return measure_flows(checked_pairs(able, wanted), flow, parallel, self.slow)

    def run_all(self, commands: Mapping[Any, Any], timeout: float | None = None) -> dict[Any, Completed]:
        """Run commands in the shells of many nodes at the same time, with one call for each machine.

        Args:
            commands: of each node, by name or object, what `Node.cmd` takes: text, or a list of words.
            timeout: seconds after which a command is interrupted; None: none.

        Returns:
            Of each node, by the same name or object, its `Completed`: output and exit_code.

        Raises:
            UsageError: an unknown node, or an empty command.
            MachineError: the network is not started, a node is running another command, or a command did not end in
                time; every other one has ended.

        Example:
            >>> net.run_all({"h1": "hostname -I", "h2": ["cat", "/etc/hosts"]})["h1"].exit_code  # doctest: +SKIP
            0
        """
        if not isinstance(commands, Mapping):
            raise UsageError(f"run_all: {shown(commands)} is not a dictionary; write {{'h1': 'true'}}")
        return batch.run_all(
            self.cluster, {key: (self._node(key), command) for key, command in commands.items()}, timeout
        )

    def waitConverged(self, timeout: float = 60) -> float:
        """Wait until the routing daemons of all routers agree: each has the neighbours that the description gives it,
        and no table of routes has changed for six seconds.

        Args:
            timeout: the most seconds that it waits.

        Returns:
            After how many seconds the last change was seen, from the call on.

        Raises:
            UsageError: no node has routing daemons.
            MachineError: they do not agree in time, or do not answer; the message says who lacks whom.
        """
        self._now()
        return await_convergence(
            speakers(self._nodes.values()), number(timeout, "waitConverged: timeout", 0, 1e6)
        )

    def configLinkStatus(
        self, src: Node | str, dst: Node | str, status: str, *, reroute: bool = False
    ) -> None:
        """Set all links between two nodes ``"up"`` or ``"down"``: at their emulated ends, or in the simulation. A
        machine that the run goes on without has them so when it returns.

        Args:
            reroute: simulated routers get the routes of the network without the links that are down now.

        Raises:
            UsageError: no such link or status, or a timeline has still to set routes, which do not know of this.
        """
        _, running = self._now()
        running.timelines.follow()
        flag(reroute, "configLinkStatus: reroute")
        between = running.links.between(name_of(src), name_of(dst))
        running.timelines.check(Status.of(between, up=status == "up"))
        running.links.set_status(name_of(src), name_of(dst), status, self._nodes, running.losses.missed())
        if reroute:
            running.outages.go_around()

    def set_link(self, src: Node | str, dst: Node | str, key: int | None = None, **options: Any) -> None:
        """Change a link while it runs. On a simulated one nothing in flight is lost, overtaken or given another delay.
        A plain link becomes a simulated one, and what is on it in that moment is lost. A machine that the run goes on
        without, or an instance that has ended, has the change when it is started again.

        Args:
            src, dst: its nodes; with several links between them, `key` says which.
            options: those of `Topo.addLink` that change; params1 and params2 for one direction, where 1 is the node
                that `addLink` named first. None takes an option back. Routes stay as they were planned.

        Raises:
            TopologyError: there is no such link, or it has no such option.
            UnitError, PlanError: as `addLink` and the plan; then nothing has changed.
            UsageError: a timeline has still to change this link, with all its options as they were to be then.
            MachineError: an instance refused it; then nothing has changed, on no machine.
        """
        _, running = self._now()
        running.timelines.follow()
        plain = running.links.plain(name_of(src), name_of(dst), key, options)
        if plain is not None:
            self._simulate(plain, options)
            return
        step = running.links.step(name_of(src), name_of(dst), key, options, self._options.least_cut_delay_ns)
        running.timelines.check(step)
        running.links.make(step, running.losses.missed())

    def timeline(self, changes: Any, lead: float | None = None) -> Timeline:
        """Schedule changes of what is simulated, and links up and down, at instants of its clock.

        Args:
            changes: pairs of an instant and a change, or the path of a YAML file; see docs/timelines.md. An instant is
                seconds since the timeline's beginning, or text with a unit.
            lead: seconds from now until it begins; None: 0.3 s, and more for thousands of changes.

        Returns:
            What says which changes were made and when, waits for the last one, and cancels.

        Raises:
            UsageError, PlanError, TopologyError, UnitError: a change cannot be made, or another timeline would undo it.
                Nothing is scheduled.
            MachineError: a machine refused it. Nothing is scheduled.

        Example:
            >>> net.timeline([(1.0, {"link": ("r1", "r2"), "delay": "20ms"}),  # doctest: +SKIP
            ...               (2.0, {"link": ("r1", "r2"), "status": "down", "reroute": True})]).wait()
        """
        plan, running = self._now()
        if lead is not None:
            number(lead, "timeline: lead", 0, 1e6)
        return running.timelines.begin(
            read_timeline(changes),
            plan,
            self._options.least_cut_delay_ns,
            running.outages.routes_without,
            lead,
        )

    def capture(
        self, interface: str, file: str | PathLike[str], filter: str = "", most: str = "200 MB"
    ) -> Capture:
        """Begin to write down what passes at a simulated interface, in both directions.

        A run directory keeps the file, as it keeps those of ``captures=``.

        It ends with its ``with`` block, or `Capture.stop`, and at the latest with the network, its link, its instance
        or its machine; it does not begin again by itself. Several may run, one at each interface. The file has the time
        of day with nanoseconds, as those of ``captures=`` have. What finds no place in it, or comes faster than the
        disk takes it, is missing and counted, and nobody waits for it.

        Args:
            interface: of a simulated router, host or switch.
            file: an absolute path on the interface's machine; pcapng where it ends so, else pcap.
            filter: what to capture, in pcap-filter(7); empty: everything.
            most: the most that frames take in the file.

        Raises:
            UsageError, UnitError: there is no such simulated interface, or the filter makes no sense.
            MachineError: the network does not run, a capture runs there already, or the file cannot be written.

        Example:
            >>> with net.capture("r1-eth1", "/tmp/r1.pcap") as capture:  # doctest: +SKIP
            ...     net.pingAll()
            >>> print(capture.state().frames, capture.state().lost)  # doctest: +SKIP
            24 0
        """
        capture = self._capture(interface, file, filter, most)
        self._recorded.captured(capture.machine, capture.file)
        return capture

    def _capture(self, interface: Any, file: Any, filter: Any, most: Any) -> Capture:
        """The same, into a file that no run directory keeps."""
        plan, _ = self._now()
        from hybridnet.run.net.captures import begin_capture  # only who captures waits for this import

        return begin_capture(self.cluster, plan, interface, file, filter, most)

    def restart_instance(self, name: str) -> None:
        """Start an instance again: one that has ended by itself, or that runs, which is ended first.

        It simulates what its part of the network is now, from the beginning: applications start anew, and what was on
        its way in it is gone, as are the rest of its timelines and routes that one gave. Meanwhile the links from other
        instances to it are down. Captures and records of the new one have ``-2`` in their names, then ``-3``.

        Raises:
            UsageError: there is no such instance.
            MachineError: the network does not run, or the instance does not start; then it stays missing.
        """
        plan, running = self._now()
        running.timelines.follow()
        again = running.outages.restart(name)
        running.timelines.lose([name])
        self._recorded.began_again(plan.machine_of_instance[name], again)

    def restart_machine(self, name: str) -> None:
        """Start a machine that was lost again, while the others run on: ``on_loss="continue"``.

        What is left of it is ended and removed first. Then its nodes are made as the description and `set_link` say
        now, its switches find their controllers, and its instances begin anew, as with `restart_instance`; links that
        are down stay down, each node's `config` is called, and what the methods of nodes and interfaces have set is set
        again: addresses, MACs, default routes, routes, neighbours, interfaces up and down, processors. What ran in its
        hosts, what commands changed there, and the rest of its timelines are gone.

        Raises:
            UsageError: there is no such machine, it is not lost, or the run does not go on without it.
            MachineError: the network does not run; or what is left of the machine cannot be ended for certain, or it
                could not be built, and is lost as before; or it is back, but something could not be set again.
            ControllerError: it is back, but a switch did not find its controller.

        Example:
            >>> if "m2" in net.cluster.lost():  # doctest: +SKIP
            ...     net.restart_machine("m2")
        """
        plan, running = self._now()
        running.timelines.follow()
        self.build_seconds[name] = running.returns.restart(name, plan, self._nodes)
        running.timelines.lose([name, *(each for each, on in plan.machine_of_instance.items() if on == name)])

    @property
    def slow(self) -> int:
        """Wall seconds for a second of what is described: a script that waits itself, or reads a program's figures,
        multiplies by it. 1: as fast as described.
        """
        return self._options.slow

    # Inside

    def _refuse_slow(self, what: str) -> None:
        if self.slow != 1:
            raise UsageError(
                f"{what}: slow={self.slow} is for real time, and virtual time has a pace of its own; leave slow out"
            )

    def _start(self) -> None:
        asked().obeyed()
        topo = self._described()
        traced = self._recorded.traced(topo)
        captures = {**self._options.captures, **({} if traced is None else traced.captures)}
        asked_for = dataclasses.replace(self._options, captures=captures)
        names = self._machines.names(topo)
        if not self._machines.there or self.controllers:
            # A first plan, with made-up addresses: report what cannot be built before anything is started.
            specs = [MachineSpec(name, f"198.18.0.{at}") for at, name in enumerate(names, start=1)]
            make_plan(topo, specs, asked_for)
        self._controllers.check_machines(names)
        if self._options.record is not None:
            self._machines.require_folder(self._options.record)
        self._controllers.suit(find_loop(topo))
        cluster = self._machines.begin(
            names, self._controllers, self._endings, has_switches=bool(self.switches)
        )
        cluster.on_progress = self._on_progress or (lambda machine, text: debug(f"{machine}: {text}\n"))
        heads = {machine: own_address_toward(cluster.address(machine)) for machine in cluster.machines}
        specs = startup.machine_specs(cluster)
        options = dataclasses.replace(
            asked_for,
            token=secrets.token_hex(8),
            peering_key=secrets.token_hex(32),
            controllers=controller_targets(self.controllers, heads),
        )
        self.plan = plan = make_plan(topo, specs, options)
        if traced is not None:
            traced.check(plan, cluster)
            self._endings.add(traced.finish, once=True)
        self._left_counters = {}
        for note in (*switches_notes(topo, self._switches), *plan.notes):
            info(f"*** {note}\n")
        for warning in plan.warnings:
            info(f"*** Warning: {warning}\n")
        info(f"*** Building {startup.parts_text(self.hosts, self.switches, plan.links)}\n")
        self._make(plan, cluster)
        self._run(topo, plan, specs, options, traced)

    def _make(self, plan: Plan, cluster: Machines) -> None:
        """Have each machine make its part, and wait until the parts know each other."""
        self._endings.add(self._finish_record)
        self._endings.add(self._destroy)
        self.build_seconds = cluster.call_all(
            {
                machine: ("build", {"plan": part, "controllers": False})
                for machine, part in plan.machines.items()
            }
        )
        self._controllers.ready()  # a switch that finds none waits a second before it tries again
        told = [name for name, part in plan.machines.items() if startup.has_something_to_obey(part)]
        cluster.call_all({machine: ("obey_controllers", {}) for machine in told})
        self._endings.add(self._unbind)
        self.links = startup.bind_nodes(plan, dict(self._nodes.items()), cluster)
        startup.await_peers(cluster, plan.instances)
        self._await_switches(plan, list(self._nodes))

    def _run(
        self,
        topo: Topo,
        plan: Plan,
        specs: Sequence[MachineSpec],
        options: PlanOptions,
        traced: Traced | None,
    ) -> None:
        """Begin to follow what happens to what has been made, to judge it and to record it."""
        cluster = self.cluster
        self._endings.add(lambda: self._terminate(self._configured), once=True)
        links = LinkChanges(topo, plan, cluster)
        outages = Outages(cluster, links, self._planning, reroute=self._reroute)
        losses = Losses(cluster, outages, self._on_loss or losing.wanted())
        returns = Returns(
            cluster, links, outages, losses, self._measuring, self._recorded, self._await_switches
        )
        members = Members(cluster, self._controllers, self._measuring, self._recorded)
        timelines = Timelines(cluster, links, plan.slow)
        self._running = Running(specs, options, links, timelines, outages, losses, returns, members)
        self._endings.add(outages.close)
        outages.watch()
        self._endings.add(losses.close)
        losses.watch()
        self._configure(self._nodes.values())
        if plan.guests:
            self._endings.add(partial(withdraw_tickets, cluster.journal.directory))
            offer_tickets(cluster.journal.directory, plan.guests)
        self._measuring.begin(cluster, self.controllers, plan.slow)
        self._recorded.begin(plan, cluster, self._options.seed)
        if traced is not None:
            traced.begin(plan, cluster)
            self._endings.add(traced.end_connections)
        self._endings.add(self._recorded.end_series)
        if (where := wanted()) is not None:
            page = self.live(where.host, where.port, where.names)
            info(f"*** Live page: {page.url}\n*** Read-only page: {page.reading_url}\n")

    def _await_switches_of(self, plan: Plan, names: Sequence[str]) -> None:
        """Wait for the controllers of those of `names` that are switches and have some, as `waitConnected` says."""
        switches = startup.switches_with_controllers(plan)
        waiting = set(names) & set(switches)
        if self._wait_connected and waiting:
            machines = sorted({plan.machine_of[name] for name in waiting}, key=natural)
            patience_s = (
                startup.CONNECT_SECONDS if self._wait_connected is True else float(self._wait_connected)
            )
            startup.await_switches(
                self.cluster,
                machines,
                self._controllers.check,
                self._controllers.refusals,
                self._on_progress,
                patience_s,
            )
            self._controllers.settle(plan.machine_of, switches, waiting, patience_s)

    def _finish_record(self) -> None:
        self._recorded.finish(self.final_counters, lambda: self._measuring.verdict(None, None))

    def _unbind(self) -> None:
        for node in self._nodes.values():
            node.unbind()

    def _destroy(self) -> None:
        """Have every machine that is left take its part down; with machines of our own it goes with them at the
        latest.
        """
        self.plan, self.links, self._running = None, [], None
        if not self._machines.there:  # it has gone with the machines
            return
        try:
            answers = self.cluster.call_left(dict.fromkeys(self.cluster.machines, ("destroy", {})))
            self.final_counters = {**self._left_counters, **by_instance(answers)}
        except HybridnetError:
            if self._machines.given:
                raise
            debug("*** a machine could not remove its part; it goes with the machine\n")

    def _of_each(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """What each machine answers that is left. Raises as `_refuse_losses`."""
        self._refuse_losses()
        return self.cluster.call_left(dict.fromkeys(self.cluster.machines, (verb, arguments)))

    def _some_hosts(self, hosts: Any, what: str) -> list[Any]:
        if hosts is None:
            self._refuse_losses()
            lost = self.cluster.lost()
            return [host for host in self.hosts if host.machine not in lost]
        if not isinstance(hosts, Sequence) or isinstance(hosts, str | bytes):
            raise UsageError(f"{what}: {shown(hosts)} is not a list of hosts; write net.get('h1', 'h2')")
        return [self._node(host) for host in hosts]

    def _pair(self, pair: Any) -> tuple[Any, Any]:
        ends = self._some_hosts(pair, "iperf_matrix")
        if len(ends) != 2:
            raise UsageError(
                f"iperf_matrix: {shown(pair)} is not a pair of client and server; write ('h1', 'h2')"
            )
        return ends[0], ends[1]


def _listed(pairs: Any) -> Sequence[Any]:
    if not isinstance(pairs, Sequence) or isinstance(pairs, str | bytes):
        raise UsageError(f"iperf_matrix: {shown(pairs)} is not a list of pairs; write [('h1', 'h2')]")
    return pairs
