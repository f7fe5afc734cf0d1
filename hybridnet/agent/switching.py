# SPDX-License-Identifier: MIT
"""Open vSwitch on a machine: its own database and daemon, and the bridges of a machine plan.

Open vSwitch is told ``xdp-mode=native``, which is what it finds for veth by itself: while it looks, it makes and
discards the 64 MiB of a port's frame buffers once for each mode that fails. Its packet threads sleep when idle
(``pmd-maxsleep``), so they do not compete for the processor with the thread that adds the ports. A port then takes
about 0.2 s (Debian's 3.1, 32 ports at once on two cores), most of it for the memory. With these buffers in huge
pages, 8 + 8 flows (176 Mbit/s) over two trees of 64 hosts keep two cores 71 to 80 % busy instead of 86 to 91 % (three
runs each, alternating).
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from hybridnet.agent.pairs import delete_links, keep_stack_out, mark
from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.command import ip_batch, lacking, run
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal, network_namespace
from hybridnet.system.priority import Priority, prefix, raise_session

RUN_DIRECTORY = Path("/run/openvswitch")  # the machine's own: see hybridnet.machines.init
SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
PORTS_PER_TRANSACTION = 50  # even: see `build`
IDLE_SLEEP_US = 50
READY_SECONDS = 30.0
STATUS_INTERVAL_MS = 5000  # even; the shortest that ovs-vswitchd accepts

HUGE_PAGES = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""For ovs-vswitchd: the C library (2.35 or newer; an older one ignores it) asks for huge pages where the kernel gives
them on request. The packet memory of AF_XDP ports is what is large there."""

INTERFACE_OPTIONS = {
    "afxdp": ["type=afxdp", "options:n_rxq=1", "options:xdp-mode=native"],
    "afpacket": [],
    "system": [],
}


class Switching:
    """The switches of one machine."""

    def __init__(self, journal: Journal, directory: Path) -> None:
        """`directory`: where the daemons' logs go."""
        self._journal = journal
        self._directory = directory
        self._daemons: list[subprocess.Popen[bytes]] = []
        self._vswitchd: subprocess.Popen[bytes] | None = None
        self._port_type = ""
        self._switches: list[str] = []
        self._status_interval_ms = STATUS_INTERVAL_MS
        # The devices of the bridges. Open vSwitch makes them such that they outlive it.
        self._taps: list[str] = []

    @property
    def running(self) -> bool:
        """Whether the daemons have been started."""
        return bool(self._daemons)

    def start(self, port_type: str, pmd_cpus: list[int] | None = None) -> None:
        """Start ovsdb-server and ovs-vswitchd.

        Args:
            port_type: "afxdp", "afpacket" or "system", for all switches: some settings hold for the whole daemon.
            pmd_cpus: for "afxdp", the processors whose threads serve the ports; None: one thread, which
                Open vSwitch places.

        Raises:
            EnvironmentLackError: Open vSwitch, or for "system" its kernel module, is not there.
            MachineError: a daemon did not start; the message quotes the end of its log.
        """
        if self.running:
            if port_type != self._port_type:
                raise MachineError(
                    f"switching runs with port type {self._port_type}; "
                    f"destroy the network before asking for {port_type}"
                )
            return
        for command in ("ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl"):
            if shutil.which(command) is None:
                raise lacking(command)
        self._port_type = port_type
        if port_type == "system":
            self._claim_kernel_datapath()
        self._directory.mkdir(parents=True, exist_ok=True)
        database = self._directory / "conf.db"
        run(["ovsdb-tool", "create", str(database), SCHEMA])
        self._spawn("ovsdb-server", [str(database), f"--remote=punix:{RUN_DIRECTORY}/db.sock"])
        self._await_socket("ovsdb-server", RUN_DIRECTORY / "db.sock")
        settings = {
            "afxdp": [f"other_config:pmd-maxsleep={IDLE_SLEEP_US}"],
            "afpacket": ["other_config:userspace-tso-enable=true"],
            "system": [],
        }[port_type]
        if port_type == "afxdp" and pmd_cpus:
            settings.append(f"other_config:pmd-cpu-mask={sum(1 << cpu for cpu in set(pmd_cpus)):#x}")
        run(
            [
                "ovs-vsctl",
                "--no-wait",
                "init",
                *(["--", "set", "Open_vSwitch", ".", *settings] if settings else []),
            ]
        )
        self._vswitchd = self._spawn("ovs-vswitchd", [f"unix:{RUN_DIRECTORY}/db.sock"])
        self._await_socket("ovs-vswitchd", RUN_DIRECTORY / f"ovs-vswitchd.{self._daemons[-1].pid}.ctl")
        # Without --no-wait this returns once the daemon has taken the configuration in.
        run(
            [
                "ovs-vsctl",
                "--timeout=30",
                "set",
                "Open_vSwitch",
                ".",
                f"external_ids:hybridnet={self._journal.run}",
            ]
        )

    def build(self, plan: dict[str, Any], progress: Callable[[str], object]) -> None:
        """Make the bridges, then their ports, then their controllers: a controller meets complete switches."""
        switches = plan["switches"]
        if not switches:
            return
        datapath = datapath_type(self._port_type)
        portal_ports = {(portal["node"], portal["interface"]) for portal in plan["portals"]}
        peers: dict[tuple[str, str], str] = {}
        for pair in plan["pairs"]:
            if pair["kind"] == "patch":
                a, b = pair["a"], pair["b"]
                peers[a["node"], a["interface"]] = b["interface"]
                peers[b["node"], b["interface"]] = a["interface"]
        self._switches = [switch["name"] for switch in switches]
        if datapath == "netdev":
            self._taps = [*self._switches, "ovs-netdev"]
            for tap in self._taps:
                self._journal.record("link", name=tap, network=network_namespace())
        self._transact("bridges", (_bridge(switch, datapath) for switch in switches), progress)
        ip_batch([mark(tap, self._journal) for tap in self._taps])
        keep_stack_out([*self._switches, "ovs-netdev", "ovs-system"])
        ports = {}
        for switch in switches:
            for port in switch["ports"]:
                end = (switch["name"], port["name"])
                if end in peers:
                    kind = ["type=patch", f"options:peer={peers[end]}"]
                else:
                    kind = INTERFACE_OPTIONS[self._port_type]
                ports[end] = _port(*end, port["number"], kind, is_portal=end in portal_ports)
        # Both ends of a patch come in one transaction, which has an even number of ports: an end without the other is
        # an error, which the daemon takes back only some time after the other has come.
        ordered = [ports.pop(end) for end in peers] + list(ports.values())
        self._transact("switch ports", ordered, progress)
        self._refuse_broken_ports()
        with_controllers = [_controllers(switch) for switch in switches if _targets(switch)]
        self._transact("controllers", with_controllers, progress)

    def connected(self) -> dict[str, bool]:
        """Return, for each switch that has a controller, whether one is connected.

        The daemon writes this into its database every 5 s, and at once when that interval is changed. So whenever a
        switch is not connected, as far as the database says, a change asks for the present state.
        """
        answer = self._connected()
        if not all(answer.values()):
            self._status_interval_ms ^= 1
            # Without --no-wait this returns once the daemon has taken the new interval in.
            setting = f"other_config:stats-update-interval={self._status_interval_ms}"
            run(["ovs-vsctl", "--timeout=30", "set", "Open_vSwitch", ".", setting])
            answer = self._connected()
        return answer

    def _connected(self) -> dict[str, bool]:
        text = run(
            [
                *("ovs-vsctl", "--format=json", "--", "--columns=name,controller", "list", "Bridge"),
                *("--", "--columns=_uuid,is_connected,target", "list", "Controller"),
            ]
        )
        bridges, controllers = (json.loads(line)["data"] for line in text.strip().splitlines())
        # A passive one is where somebody may connect, not what the switch looks for.
        state = {uuid[1]: bool(up) for uuid, up, target in controllers if not target.startswith("p")}
        answer = {}
        for name, column in bridges:
            uuids = [item[1] for item in column[1]] if column[0] == "set" else [column[1]]
            if uuids := [uuid for uuid in uuids if uuid in state]:
                answer[name] = any(state[uuid] for uuid in uuids)
        return answer

    def set_port_state(self, switch: str, port: str, up: bool) -> None:
        """Open or close a patch port, which is not a device whose link could be set.

        `down` tells the controller; for a patch port it does nothing else, so this stops its traffic too.
        Datapath flows from before are gone when this returns: until the daemon has looked through them they would go on
        dropping, or passing, what they did.
        """
        for action in ("up", "receive", "forward") if up else ("down", "no-receive", "no-forward"):
            run(["ovs-ofctl", "-O", "OpenFlow13", "mod-port", switch, port, action])
        self._tell_vswitchd("revalidator/wait")

    def stop(self) -> None:
        """End the daemons, and remove their devices and files. Whatever one part raises, all parts end.

        The kernel's datapath outlives them, and is asked to go. Where there is none, the process simply ends: asked to
        go it would close the ports one by one, which takes 10 s for 64 hosts instead of 0.2 s.
        """
        Endings(
            self._forget, self._remove_devices, *(partial(self._end_daemon, d) for d in self._daemons)
        ).close()

    def _end_daemon(self, daemon: subprocess.Popen[bytes]) -> None:
        if daemon.poll() is None and daemon is self._vswitchd and self._port_type == "system":
            try:
                self._tell_vswitchd("exit", "--cleanup")
                daemon.wait(20)
            except (MachineError, subprocess.TimeoutExpired):
                daemon.kill()  # it does not answer any more; its devices are removed by name afterwards
        if daemon.poll() is None:
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
        daemon.wait()

    def _remove_devices(self) -> None:
        delete_links(self._taps, self._journal)
        self._taps = []
        if self._port_type == "system":
            self._journal.gone("datapath", name="ovs-system", network=network_namespace())

    def _forget(self) -> None:
        for path in RUN_DIRECTORY.glob("*"):
            path.unlink(missing_ok=True)
        shutil.rmtree(self._directory, ignore_errors=True)
        if all(daemon.poll() is not None for daemon in self._daemons):
            self._daemons = []
        if not self._daemons and not self._taps:
            self._switches, self._port_type = [], ""
            self._status_interval_ms = STATUS_INTERVAL_MS

    def _tell_vswitchd(self, *command: str) -> None:
        assert self._vswitchd is not None
        run(["ovs-appctl", "-t", f"{RUN_DIRECTORY}/ovs-vswitchd.{self._vswitchd.pid}.ctl", *command])

    def _claim_kernel_datapath(self) -> None:
        if not kernel_datapath():
            raise EnvironmentLackError(
                'port type "system" needs the kernel module openvswitch, which this kernel does not have; '
                'use "afxdp" or "afpacket", or boot a distribution kernel'
            )
        if Path("/sys/class/net/ovs-system").exists():
            raise MachineError(
                'port type "system": another Open vSwitch uses the kernel datapath here (device ovs-system); '
                'stop it (systemctl stop openvswitch-switch; ovs-dpctl del-dp system@ovs-system) or use "afxdp"'
            )
        self._journal.record("datapath", name="ovs-system", network=network_namespace())

    def _spawn(self, command: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        log = self._directory / f"{command}.log"
        argv = [
            *prefix(Priority.SWITCHES),
            shutil.which(command) or command,
            *arguments,
            f"--log-file={log}",
            "-vconsole:off",
            "-vsyslog:off",
        ]
        # unixctl and pid files go to /run/openvswitch, where ovs-appctl looks for them
        daemon = subprocess.Popen(
            [*argv, f"--pidfile={RUN_DIRECTORY}/{command}.pid"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=(self._directory / f"{command}.stderr").open("wb"),
            env={**os.environ, "OVS_RUNDIR": str(RUN_DIRECTORY), **HUGE_PAGES},
            start_new_session=True,
        )
        self._daemons.append(daemon)
        self._journal.process(daemon.pid, command)
        raise_session(daemon.pid, Priority.SWITCHES)
        return daemon

    def _await_socket(self, command: str, path: Path) -> None:
        """Wait until the daemon listens. There is no event for it: Open vSwitch announces it only by its socket."""
        daemon = self._daemons[-1]
        deadline = time.monotonic() + READY_SECONDS
        while not _listens(path):
            if daemon.poll() is not None or time.monotonic() > deadline:
                words = b""
                for log in (self._directory / f"{command}.stderr", self._directory / f"{command}.log"):
                    words += log.read_bytes()[-800:] if log.exists() else b""
                state = "is not ready" if daemon.poll() is None else f"ended with status {daemon.returncode}"
                raise MachineError(
                    f"{command} {state}: {words.decode(errors='replace').strip() or 'it printed nothing'}"
                )
            time.sleep(0.01)

    def _transact(self, what: str, commands: Iterable[list[str]], progress: Callable[[str], object]) -> None:
        pending = list(commands)
        for first in range(0, len(pending), PORTS_PER_TRANSACTION):
            chunk = pending[first : first + PORTS_PER_TRANSACTION]
            argv = ["ovs-vsctl", "--timeout=300"]
            for command in chunk:
                argv += ["--", *command]
            run(argv, timeout=310)
            progress(f"{what}: {first + len(chunk)} of {len(pending)}")

    def _refuse_broken_ports(self) -> None:
        text = run(
            ["ovs-vsctl", "--format=json", "--columns=name,ofport,error", "find", "Interface", "error!=[]"]
        )
        broken = json.loads(text)["data"]
        if broken:
            name, _, error = broken[0]
            hint = ""
            if self._port_type == "afxdp":
                hint = f" (an AF_XDP port takes 75 MB; its cause is in {self._directory}/ovs-vswitchd.log)"
            raise MachineError(
                f"{len(broken)} switch ports could not be opened, the first is {name}: {error}{hint}"
            )


def datapath_type(port_type: str) -> str:
    """Open vSwitch's name for the datapath of such ports: ``system`` is the kernel's, ``netdev`` its own."""
    return "system" if port_type == "system" else "netdev"


def _listens(path: Path) -> bool:
    """Whether a connection to the socket is taken: its file is there a moment before it is listened at."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def kernel_datapath() -> bool:
    """Whether this kernel has, or can load, Open vSwitch's datapath."""
    if Path("/sys/module/openvswitch").exists():
        return True
    modprobe = shutil.which("modprobe")
    return (
        modprobe is not None and subprocess.run([modprobe, "-q", "openvswitch"], check=False).returncode == 0
    )


def _bridge(switch: dict[str, Any], datapath: str) -> list[str]:
    name = switch["name"]
    tree = switch.get("spanning_tree")
    in_band = "false" if switch.get("in_band") else "true"
    settings = [f"{tree}_enable=true"] if tree else []
    if "priority" in switch:
        settings.append(f"other_config:{tree or 'stp'}-priority={switch['priority']}")
    return [
        *("add-br", name, "--", "set", "Bridge", name, f"datapath_type={datapath}"),
        *(f"other_config:datapath-id={switch['dpid']}", f"other_config:disable-in-band={in_band}"),
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


def _targets(switch: dict[str, Any]) -> list[str]:
    """Its controllers, and where it takes connections itself."""
    passive = [f"ptcp:{switch['listen_port']}:127.0.0.1"] if "listen_port" in switch else []
    return [*switch["controllers"], *passive]


def _controllers(switch: dict[str, Any]) -> list[str]:
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
