# SPDX-License-Identifier: MIT
"""The switches of a machine: bridges of Open vSwitch, their ports and controllers, made and removed by fragments."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import Path

from hybridnet.agent.counters.flow_counts import flow_counts
from hybridnet.agent.counters.packet_sockets import dropped_at_sockets_of
from hybridnet.agent.counters.port_stats import PortRow
from hybridnet.agent.counters.utilization import running_ns
from hybridnet.agent.hosts.pairs import delete_each, delete_links, keep_stack_out, mark
from hybridnet.agent.switching.openvswitch import OpenVSwitch, OwnOpenVSwitch, RunningOpenVSwitch, listens
from hybridnet.agent.switching.patches import Patches
from hybridnet.agent.switching.upcalls import LostUpcalls
from hybridnet.describe.schema.plans import Fragment, SwitchPlan
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.observe.results.machines import SwitchingCounters
from hybridnet.system.command import ip_batch
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.tun import TUN
from hybridnet.system.vswitch import (
    RUN_DIRECTORY,
    TIMEOUT_S,
    datapath_type,
    put_setting_back,
    remove_bridges,
    running_daemons,
    vsctl,
)

__all__ = ["Switching"]

PORTS_PER_TRANSACTION = 50  # even: see `add_ports`
TRANSACTION_S = (
    300.0  # the ports of one open in a turn of the daemon's main loop, which is long where memory is slow
)
STATUS_INTERVAL_MS = 5000  # even; the shortest that ovs-vswitchd accepts
_INTERVAL = "stats-update-interval"
_DATAPATH_TAP = "ovs-netdev"
"""The device of the userspace datapath: it comes with the first bridge and goes with the last."""

INTERFACE_OPTIONS = {
    "afxdp": ["type=afxdp", "options:n_rxq=1", "options:xdp-mode=native"],
    "afpacket": [],
    "system": [],
}


class Switching:
    """The switches of one machine."""

    def __init__(self, journal: Journal, directory: Path, *, own_files: bool) -> None:
        """
        Args:
            directory: where the daemons' logs go.
            own_files: whether the machine has an Open vSwitch of its own. If not, one that runs already is used, and
                only our bridges are added to it.
        """
        self._journal = journal
        self._directory = directory
        self._own_files = own_files
        self._daemons: OpenVSwitch | None = None
        self._port_type = ""
        self._plans: dict[str, SwitchPlan] = {}
        self._portals: set[tuple[str, str]] = set()  # ports behind which a link is simulated
        self._upcalls: LostUpcalls | None = None  # of the daemon that runs
        self._lost_in_changes = 0
        self._lost, self._lost_at = 0, 0.0
        self._patches = Patches(journal, self.vsctl)
        self._status_interval_ms = STATUS_INTERVAL_MS
        self._interval_before: str | None = None  # of an Open vSwitch that is not ours, once it is changed
        # The devices of the bridges. Open vSwitch makes them such that they outlive it.
        self._taps: dict[str, None] = {}  # in order
        self._bridges: dict[str, None] = {}  # in an Open vSwitch that is not ours

    def __contains__(self, name: object) -> bool:
        return name in self._plans

    def is_patch(self, switch: str, port: str) -> bool:
        """Whether a port is the end of a patch, and so no device."""
        return (switch, port) in self._patches

    @property
    def running(self) -> bool:
        """Whether there is an Open vSwitch."""
        return self._daemons is not None

    def is_shared(self) -> bool:
        """Whether `start` uses, or would use, an Open vSwitch that runs already."""
        if self._daemons is None:
            return not self._own_files and listens(RUN_DIRECTORY / "db.sock")
        return isinstance(self._daemons, RunningOpenVSwitch)

    @property
    def frames(self) -> str:
        """Whose frames the ports take; see `hybridnet.agent.hosts.pairs`. A plan's port type where nothing runs."""
        return self._port_type if self._daemons is None else self._daemons.frames

    def start(self, port_type: str, pmd_cpus: list[int] | None = None) -> None:
        """Start Open vSwitch, or use the one that runs: see `hybridnet.agent.switching.openvswitch`, also for the
        errors."""
        if self._daemons is not None:
            if port_type != self._port_type:
                raise MachineError(
                    f"switching runs with port type {self._port_type}; "
                    f"destroy the network before asking for {port_type}"
                )
            return
        if self.is_shared():
            self._daemons = RunningOpenVSwitch(port_type)
        else:
            self._daemons = OwnOpenVSwitch(
                self._journal, self._directory, port_type, pmd_cpus, own_files=self._own_files
            )
        self._port_type = port_type

    def add_switches(self, plan: Fragment, progress: Callable[[str], object]) -> None:
        """Make the bridges of a fragment, without ports."""
        switches = plan["switches"]
        if not switches:
            return
        datapath = datapath_type(self._port_type)
        names = [switch["name"] for switch in switches]
        self._plans |= {switch["name"]: {**switch, "ports": []} for switch in switches}
        taps: list[str] = []
        if isinstance(self._daemons, RunningOpenVSwitch):
            for name in names:
                self._journal.record("bridge", name=name)
            self._bridges |= dict.fromkeys(names)
        elif datapath == "netdev":
            _require_tun(names[0])
            taps = [tap for tap in (*names, _DATAPATH_TAP) if tap not in self._taps]
            self._taps |= dict.fromkeys(taps)
            for tap in taps:
                self._journal.record("link", name=tap, network=network_namespace())
        if isinstance(self._daemons, OwnOpenVSwitch):
            self._daemons.expect(names)
        self._make_bridges(switches, taps, progress)

    def _make_bridges(
        self, switches: Sequence[SwitchPlan], taps: Sequence[str], progress: Callable[[str], object]
    ) -> None:
        datapath, marked = datapath_type(self._port_type), f"external_ids:hybridnet={self._journal.run}"
        self._transact("bridges", ([*_bridge(switch, datapath), marked] for switch in switches), progress)
        ip_batch([mark(tap, self._journal) for tap in taps])
        ours = [] if self._bridges else [_DATAPATH_TAP, "ovs-system"]
        keep_stack_out([*(switch["name"] for switch in switches), *ours])

    def add_ports(self, plan: Fragment, progress: Callable[[str], object]) -> None:
        """Make the ports of a fragment. `obey_controllers` comes last: a controller meets complete switches."""
        portal_ports = {(portal["node"], portal["interface"]) for portal in plan["portals"]}
        peers: dict[tuple[str, str], str] = {}
        for pair in plan["pairs"]:
            if pair["kind"] == "patch":
                a, b = pair["a"], pair["b"]
                peers[a["node"], a["interface"]] = b["interface"]
                peers[b["node"], b["interface"]] = a["interface"]
        numbers: dict[tuple[str, str], int] = {}
        for switch in (*plan["switches"], *plan["switch_parts"]):
            own = self._plans[switch["name"]]
            own["ports"] = [*own["ports"], *switch["ports"]]
            numbers |= {(switch["name"], port["name"]): port["number"] for port in switch["ports"]}
        self._patches.add(numbers, peers)
        self._portals |= portal_ports & numbers.keys()
        ports = {end: self._words_of_port(end, number) for end, number in numbers.items()}
        names = {port for _, port in ports}
        # Both ends of a patch come in one transaction, which has an even number of ports: an end without the other is
        # an error, which the daemon takes back only some time after the other has come.
        ordered = [ports.pop(end) for end in peers] + list(ports.values())
        self._transact("switch ports", ordered, progress)
        if names:
            self._refuse_broken_ports(names)

    def _words_of_port(self, end: tuple[str, str], number: int) -> list[str]:
        kind = self._patches.kind(end) if end in self._patches else INTERFACE_OPTIONS[self._port_type]
        return _port(*end, number, kind, is_portal=end in self._portals)

    def take_out(self, name: str) -> None:
        """Remove a bridge that stays in the plan, until `put_back`: its controllers lose it, and its flows are gone.

        What is gone already is no error. Its ports' devices stay.
        """
        self.vsctl("--if-exists", "del-br", name)

    def put_back(self, name: str) -> None:
        """Make a bridge again that `take_out` has removed, as its plan says, with its ports and without flows or
        controllers. Does nothing where it is there."""
        if name in self.vsctl("list-br").split():
            return
        switch = self._plans[name]
        # Where it was the last bridge, the device of the datapath went with it and comes again.
        taps = [tap for tap in (name, _DATAPATH_TAP) if tap in self._taps]
        self._make_bridges([switch], taps, lambda text: None)
        ports = [self._words_of_port((name, port["name"]), port["number"]) for port in switch["ports"]]
        self._transact("switch ports", ports, lambda text: None)

    def obey_controllers(
        self, progress: Callable[[str], object], switches: Iterable[SwitchPlan] | None = None
    ) -> None:
        """Tell switches of a fragment, or all, their controllers."""
        told = self._plans.values() if switches is None else switches
        with_controllers = [_controllers(switch) for switch in told if _targets(switch)]
        self._transact("controllers", with_controllers, progress)

    def remove_ports(self, plan: Fragment) -> None:
        """Remove the ports of a fragment. What is gone already is no error."""
        gone: list[tuple[str, str]] = []
        for switch in (*plan["switches"], *plan["switch_parts"]):
            if (own := self._plans.get(switch["name"])) is None:
                continue
            own["ports"] = [port for port in own["ports"] if port not in switch["ports"]]
            gone += [(switch["name"], port["name"]) for port in switch["ports"]]
        commands = (["--if-exists", "del-port", *end] for end in gone)
        self._transact("switch ports removed", commands, lambda text: None)
        self._patches.remove(gone)
        self._portals -= set(gone)

    def remove_switches(self, plan: Fragment) -> None:
        """Remove the bridges of a fragment. What is gone already is no error."""
        names = [switch["name"] for switch in plan["switches"] if switch["name"] in self._plans]
        if isinstance(self._daemons, RunningOpenVSwitch):
            self._remove_bridges(names)
        else:
            commands = (["--if-exists", "del-br", name] for name in names)
            self._transact("bridges removed", commands, lambda text: None)
        taps = [name for name in names if name in self._taps]
        delete_each(taps, self._journal)
        for name in taps:
            del self._taps[name]
        for name in names:
            del self._plans[name]

    def connected(self) -> dict[str, bool]:
        """Return, for each switch that has a controller, whether one is connected.

        The daemon writes this into its database every 5 s, and at once when that interval is changed. So whenever a
        switch is not connected, as far as the database says, a change asks for the present state.
        """
        answer = self._connected()
        if not all(answer.values()):
            self._status_interval_ms ^= 1
            if self._bridges and self._interval_before is None:
                self._keep_interval()
            # Without --no-wait this returns once the daemon has taken the new interval in.
            setting = f"other_config:{_INTERVAL}={self._status_interval_ms}"
            self.vsctl("set", "Open_vSwitch", ".", setting)
            answer = self._connected()
        return answer

    def _connected(self) -> dict[str, bool]:
        text = self.vsctl(
            *("--format=json", "--", "--columns=name,controller", "list", "Bridge"),
            *("--", "--columns=_uuid,is_connected,target", "list", "Controller"),
        )
        bridges, controllers = (json.loads(line)["data"] for line in text.strip().splitlines())
        # A passive one is where somebody may connect, not what the switch looks for.
        state = {uuid[1]: bool(up) for uuid, up, target in controllers if not target.startswith("p")}
        answer = {}
        for name, column in bridges:
            uuids = [item[1] for item in column[1]] if column[0] == "set" else [column[1]]
            uuids = [uuid for uuid in uuids if uuid in state]
            if uuids and name in self._plans:
                answer[name] = any(state[uuid] for uuid in uuids)
        return answer

    def vsctl(self, *words: str, timeout_s: float = TIMEOUT_S) -> str:
        """Run `ovs-vsctl` with the daemons of this machine. Raises as `hybridnet.system.vswitch.vsctl`."""
        daemons = running_daemons() if self._daemons is None else self._daemons.daemons
        return vsctl(daemons, *words, timeout_s=timeout_s)

    def set_port_state(self, switch: str, port: str, up: bool) -> None:
        """Set the link of a patch port up or down, as `hybridnet.agent.switching.patches` says.

        Datapath flows from before are gone when this returns: until the daemon has looked through them they would go on
        dropping, or passing, what they did.
        """
        self._patches.set_link((switch, port), up=up)
        if self._daemons is not None:
            self._daemons.tell("revalidator/wait")

    def pid(self) -> int | None:
        """The process of Open vSwitch; None where there is none."""
        return None if self._daemons is None else self._daemons.pid()

    def processes(self) -> dict[str, int]:
        """Those of Open vSwitch's daemons, by name; none where it does not run."""
        return {} if self._daemons is None else {each.name: each.pid for each in self._daemons.daemons}

    def sockets(self) -> tuple[Path, Path] | None:
        """The control socket of ovs-vswitchd, and the socket of its database; None where it does not run."""
        pid = self.processes().get("ovs-vswitchd")
        return None if pid is None else (RUN_DIRECTORY / f"ovs-vswitchd.{pid}.ctl", RUN_DIRECTORY / "db.sock")

    def counters(self, age_s: float = 0.0) -> SwitchingCounters | None:
        """Its counters; of what it has lost as of at most `age_s` ago.

        The kernel's datapath loses what finds its queue full, that of Open vSwitch what it cannot decide on. What may
        have been lost while the switches changed does not count. With `age_s` the last 1.25 s may be missing. None
        without switches.
        """
        if not self._plans:
            return None
        if time.monotonic() >= self._lost_at + age_s:
            self._lost = self._lost_since_changes(settled=not age_s)
            self._lost_at = time.monotonic()
        pid = self.pid()
        return {
            "ran_ns": {} if pid is None else running_ns(pid),
            "lost_upcalls": self._lost,
        }

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """The switches get or lose ports meanwhile: packets come from ports that Open vSwitch does not know yet."""
        before = self._most_lost()
        try:
            yield
        finally:
            self._lost_in_changes += self._most_lost() - before
            self._lost_at = 0.0

    def _lost_since_changes(self, *, settled: bool) -> int:
        upcalls = self._lost_upcalls()
        # Where no more can have been lost than while switches changed, there is nothing to wait for.
        if upcalls is None or upcalls.most() <= self._lost_in_changes:
            return 0
        return max(upcalls.count(settled=settled) - self._lost_in_changes, 0)

    def _most_lost(self) -> int:
        upcalls = self._lost_upcalls()
        return 0 if upcalls is None else upcalls.most()

    def _lost_upcalls(self) -> LostUpcalls | None:
        pid = self.pid()
        if pid is None:
            return None
        control = RUN_DIRECTORY / f"ovs-vswitchd.{pid}.ctl"
        if self._upcalls is None or self._upcalls.control != control:
            self._upcalls = LostUpcalls(control)
        return self._upcalls

    def socket_drops(self) -> dict[str, int]:
        """Frames that Open vSwitch was too slow to read from its ports' packet sockets, by port."""
        pid = self.pid()
        return {} if pid is None else dropped_at_sockets_of(pid)

    def patch_counters(self, ends: Iterable[tuple[str, str]]) -> dict[tuple[str, str], PortRow]:
        """What patch ports have counted, as `hybridnet.agent.switching.patches` says."""
        return self._patches.counters(ends)

    def flow_counts(self) -> dict[str, int]:
        """How many flows each switch has; one that does not answer is left out."""
        return flow_counts(RUN_DIRECTORY, list(self._plans))

    def stop(self) -> None:
        """Remove the bridges, and the Open vSwitch if it is ours. Idempotent; errors are collected, and every part is
        ended."""
        Endings(
            self._remove_devices,
            self._end_daemons,
            self._put_interval_back,
            self._patches.close,
            lambda: self._remove_bridges(list(self._bridges)),
        ).close()

    def _remove_bridges(self, names: list[str]) -> None:
        """From an Open vSwitch that is not ours."""
        if names:
            remove_bridges(names, self._journal.run)
            for name in names:
                self._journal.gone("bridge", name=name)
                del self._bridges[name]

    def _keep_interval(self) -> None:
        told = self.vsctl("--if-exists", "get", "Open_vSwitch", ".", f"other_config:{_INTERVAL}")
        self._interval_before = told.strip().strip('"')
        self._journal.record("vswitch_setting", key=_INTERVAL, before=self._interval_before)

    def _put_interval_back(self) -> None:
        if self._interval_before is not None:
            put_setting_back(_INTERVAL, self._interval_before)
            self._journal.gone("vswitch_setting", key=_INTERVAL)
            self._interval_before = None

    def _remove_devices(self) -> None:
        delete_links(list(self._taps), self._journal)
        self._taps = {}

    def _end_daemons(self) -> None:
        if self._daemons is not None:
            self._daemons.stop()
        self._daemons, self._plans, self._port_type = None, {}, ""
        self._upcalls, self._lost_in_changes = None, 0
        self._portals.clear()
        self._patches.forget()
        self._status_interval_ms = STATUS_INTERVAL_MS

    def _transact(self, what: str, commands: Iterable[list[str]], progress: Callable[[str], object]) -> None:
        pending = list(commands)
        for first in range(0, len(pending), PORTS_PER_TRANSACTION):
            chunk = pending[first : first + PORTS_PER_TRANSACTION]
            words = [word for command in chunk for word in ("--", *command)]
            self.vsctl(*words, timeout_s=TRANSACTION_S)
            progress(f"{what}: {first + len(chunk)} of {len(pending)}")

    def _refuse_broken_ports(self, names: Container[str]) -> None:
        text = self.vsctl("--format=json", "--columns=name,ofport,error", "find", "Interface", "error!=[]")
        broken = [row for row in json.loads(text)["data"] if row[0] in names]
        if broken:
            name, _, error = broken[0]
            hint = ""
            if self._port_type == "afxdp":
                hint = f" (an AF_XDP port takes 75 MB; its cause is in {self._directory}/ovs-vswitchd.log)"
            raise MachineError(
                f"{len(broken)} switch ports could not be opened, the first is {name}: {error}{hint}"
            )


def _require_tun(switch: str) -> None:
    """Raise EnvironmentLackError where the userspace datapath cannot make a bridge's own device."""
    try:
        os.close(os.open(TUN, os.O_RDWR | os.O_CLOEXEC))
    except OSError as error:
        raise EnvironmentLackError(
            f"switch {switch}: Open vSwitch in user space makes its devices by {TUN}, which cannot be opened "
            f"({error.strerror}); as root: chmod 666 {TUN}, in a container: --device {TUN}; or do without Open "
            "vSwitch: --switches simulated"
        ) from None


def _bridge(switch: SwitchPlan, datapath: str) -> list[str]:
    name = switch["name"]
    tree = switch.get("spanning_tree")
    in_band = "false" if switch.get("in_band") else "true"
    settings = [f"{tree}_enable=true"] if tree else []
    if "priority" in switch:
        settings.append(f"other_config:{tree or 'stp'}-priority={switch['priority']}")
    return [
        *("add-br", name, "--", "set", "Bridge", name, f"datapath_type={datapath}"),
        *(f"other_config:datapath-id={switch['dpid']}", f"other_config:disable-in-band={in_band}"),
        f"other_config:dp-desc={name}",  # what a controller and `ovs-ofctl dump-desc` call it
        *(f"fail_mode={switch['fail_mode']}", f"protocols=[{','.join(switch['protocols'])}]"),
        *settings,
    ]


def _port(switch: str, port: str, number: int, kind: list[str], *, is_portal: bool) -> list[str]:
    external = ["external_ids:hybridnet=portal"] if is_portal else []
    return [
        "add-port",
        switch,
        port,
        "--",
        "set",
        "Interface",
        port,
        f"ofport_request={number}",
        *kind,
        *external,
    ]


def _targets(switch: SwitchPlan) -> list[str]:
    """Its controllers, and where it takes connections itself."""
    passive = [f"ptcp:{switch['listen_port']}:127.0.0.1"] if "listen_port" in switch else []
    return [*switch["controllers"], *passive]


def _controllers(switch: SwitchPlan) -> list[str]:
    name = switch["name"]
    # A switch tries again after at most this long, so that one which met a controller still starting is soon there.
    wait_ms = switch.get("reconnect_ms", 1000)
    command: list[str] = []
    rows = [f"@{name}-{number}" for number, _ in enumerate(_targets(switch))]
    for row, target in zip(rows, _targets(switch), strict=True):
        command += [
            f"--id={row}",
            "create",
            "Controller",
            f'target="{target}"',
            f"max_backoff={wait_ms}",
            "--",
        ]
    return [*command, "set", "Bridge", name, f"controller=[{','.join(rows)}]"]
