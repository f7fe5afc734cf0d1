# SPDX-License-Identifier: MIT
"""The daemons of Open vSwitch on a machine: its own, or those that run there already.

A machine with files of its own gets a database and a daemon of its own. Where the machine is this computer (mode
"here"), a packaged Open vSwitch that runs is used as it is; else one of ours is started at its usual place, where
`ovs-vsctl` looks, and removed at the end.

Ours is told ``xdp-mode=native``, which is what it finds for veth by itself: while it looks, it makes and discards the
64 MiB of a port's frame buffers once for each mode that fails. Its packet threads sleep when idle (``pmd-maxsleep``),
so they do not compete for the processor with the thread that adds the ports. A port then takes about 0.2 s (Debian's
3.1, 32 ports at once on two cores), most of it for the memory. With these buffers in huge pages, 8 + 8 flows
(176 Mbit/s) over two trees of 64 hosts keep two cores 71 to 80 % busy instead of 86 to 91 % (three runs each,
alternating).
"""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Protocol

from hybridnet.errors import EnvironmentLackError, MachineError
from hybridnet.system.command import lacking, run
from hybridnet.system.daemon import LOOK_S, Daemon, Vigil
from hybridnet.system.ending import Endings
from hybridnet.system.huge_pages import HUGE_PAGES
from hybridnet.system.interruption import heed
from hybridnet.system.journal import Journal, network_namespace, start_time
from hybridnet.system.netlink import has_family
from hybridnet.system.priority import Priority, prefix, raise_session
from hybridnet.system.rootless import in_user_namespace
from hybridnet.system.vswitch import OVSDB_SERVER, RUN_DIRECTORY, VSWITCHD, running_daemons, vsctl

__all__ = [
    "OpenVSwitch",
    "OwnOpenVSwitch",
    "RunningOpenVSwitch",
    "kernel_datapath",
    "listens",
]

SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
IDLE_SLEEP_US = 50
READY_SECONDS = 30.0
POLL_S = 0.005
END_SECONDS = 2.0  # it has nothing to save
CLEANUP_SECONDS = 20.0


class OpenVSwitch(Protocol):
    """A running Open vSwitch, as the switches of a machine use it."""

    frames: str
    """Whose frames its ports take: those of "afxdp", "afpacket" or "system"; see `hybridnet.agent.hosts.pairs`."""

    @property
    def daemons(self) -> list[Daemon]:
        """Its processes, on which whoever waits for it relies."""

    def pid(self) -> int | None:
        """The process of ovs-vswitchd; None: it has ended."""

    def tell(self, *command: str) -> None:
        """Run an `ovs-appctl` command of ovs-vswitchd."""

    def stop(self) -> None:
        """End what was begun for it. Idempotent; errors are collected, and every part is ended."""


class OwnOpenVSwitch:
    """A database and a daemon of ours.

    Args:
        directory: where the database and the logs go.
        port_type: "afxdp", "afpacket" or "system", for all switches: some settings hold for the whole daemon.
        pmd_cpus: for "afxdp", the processors whose threads serve the ports; None: one thread, which Open vSwitch
            places.
        own_files: whether `RUN_DIRECTORY` is the machine's own; if not, what is made there is journaled.

    Raises:
        EnvironmentLackError: Open vSwitch, or for "system" its kernel module, is not there.
        MachineError: a daemon did not start; the message quotes the end of its log.
    """

    def __init__(
        self,
        journal: Journal,
        directory: Path,
        port_type: str,
        pmd_cpus: list[int] | None,
        *,
        own_files: bool,
    ) -> None:
        self.frames = port_type
        self._journal = journal
        self._directory = directory
        self._own_files = own_files
        self._files: list[Path] = []  # in RUN_DIRECTORY, where it is not the machine's own
        self._made_directory = False
        self._daemons: list[subprocess.Popen[bytes]] = []
        self.daemons: list[Daemon] = []
        self._vswitchd: subprocess.Popen[bytes] | None = None
        for command in ("ovsdb-tool", "ovsdb-server", "ovs-vswitchd", "ovs-vsctl"):
            if shutil.which(command) is None:
                raise lacking(command)
        try:
            self._start(port_type, pmd_cpus)
        except BaseException:
            self.stop()
            raise

    def _start(self, port_type: str, pmd_cpus: list[int] | None) -> None:
        if port_type == "system":
            self._claim_kernel_datapath()
        self._directory.mkdir(parents=True, exist_ok=True)
        if not self._own_files:
            self._make_run_directory()
            self._take(RUN_DIRECTORY / "db.sock")
        database = self._directory / "conf.db"
        run(["ovsdb-tool", "create", str(database), SCHEMA])
        self._spawn(OVSDB_SERVER, [str(database), f"--remote=punix:{RUN_DIRECTORY}/db.sock"])
        self._await_socket(RUN_DIRECTORY / "db.sock")
        settings = {
            "afxdp": [f"other_config:pmd-maxsleep={IDLE_SLEEP_US}"],
            "afpacket": ["other_config:userspace-tso-enable=true"],
            "system": [],
        }[port_type]
        if port_type == "afxdp" and pmd_cpus:
            settings.append(f"other_config:pmd-cpu-mask={sum(1 << cpu for cpu in set(pmd_cpus)):#x}")
        settings.append(f"external_ids:hybridnet={self._journal.run}")
        vsctl(self.daemons, "--no-wait", "init", "--", "set", "Open_vSwitch", ".", *settings)
        self._vswitchd = self._spawn(VSWITCHD, [f"unix:{RUN_DIRECTORY}/db.sock"])
        self._await_socket(self._control(VSWITCHD, self._vswitchd.pid))

    def expect(self, bridges: list[str]) -> None:
        """Bridges are about to be made: their sockets go with the daemon, unless it is killed."""
        if not self._own_files:
            for name in bridges:
                self._take(RUN_DIRECTORY / f"{name}.mgmt")
                self._take(RUN_DIRECTORY / f"{name}.snoop")

    def pid(self) -> int | None:
        """The process of ovs-vswitchd; None: it has ended."""
        return None if self._vswitchd is None or self._vswitchd.poll() is not None else self._vswitchd.pid

    def tell(self, *command: str) -> None:
        """Run an `ovs-appctl` command of ovs-vswitchd."""
        assert self._vswitchd is not None
        control = self._control(VSWITCHD, self._vswitchd.pid)
        run(["ovs-appctl", "-t", str(control), *command], relying_on=self.daemons[-1:])

    def stop(self) -> None:
        """End the daemons, and remove their files. Idempotent; errors are collected, and every part is ended.

        The kernel's datapath outlives them, and is asked to go. Where there is none, the process simply ends: asked to
        go it would close the ports one by one, which takes 10 s for 64 hosts instead of 0.2 s.
        """
        Endings(self._forget, *(partial(self._end_daemon, daemon) for daemon in self._daemons)).close()

    def _end_daemon(self, daemon: subprocess.Popen[bytes]) -> None:
        if daemon.poll() is None and daemon is self._vswitchd and self.frames == "system":
            try:
                self.tell("exit", "--cleanup")
                daemon.wait(CLEANUP_SECONDS)
            except (MachineError, subprocess.TimeoutExpired):
                daemon.kill()  # it does not answer any more; its devices are removed by name afterwards
        if daemon.poll() is None:
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
        daemon.wait()

    def _forget(self) -> None:
        if self._own_files:
            for path in RUN_DIRECTORY.glob("*"):
                path.unlink(missing_ok=True)
        while self._files:
            self._files[-1].unlink(missing_ok=True)
            self._journal.gone("file", path=str(self._files.pop()))
        if self._made_directory:
            if not any(RUN_DIRECTORY.iterdir()):
                RUN_DIRECTORY.rmdir()
            self._journal.gone("directory", path=str(RUN_DIRECTORY))
            self._made_directory = False
        if self.frames == "system":
            self._journal.gone("datapath", name="ovs-system", network=network_namespace())
        shutil.rmtree(self._directory, ignore_errors=True)

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

    def _make_run_directory(self) -> None:
        if not RUN_DIRECTORY.exists():
            self._journal.record("directory", path=str(RUN_DIRECTORY))
            self._made_directory = True
            RUN_DIRECTORY.mkdir(mode=0o700)

    def _take(self, path: Path) -> None:
        self._journal.record("file", path=str(path))
        self._files.append(path)

    @staticmethod
    def _control(command: str, pid: int) -> Path:
        return RUN_DIRECTORY / f"{command}.{pid}.ctl"

    def _spawn(self, command: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        log = self._directory / f"{command}.log"
        # unixctl and pid files go where ovs-appctl looks for them
        pid_file = RUN_DIRECTORY / f"{command}.pid"
        if not self._own_files:
            self._take(pid_file)
        argv = [
            *prefix(Priority.SWITCHES),
            shutil.which(command) or command,
            *arguments,
            f"--log-file={log}",
            f"--pidfile={pid_file}",
            "-vconsole:off",
            "-vsyslog:off",
        ]
        with (self._directory / f"{command}.stderr").open("wb") as stderr:
            # The packet memory of AF_XDP ports is what is large there.
            daemon = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                env={**self._journal.environment(), "OVS_RUNDIR": str(RUN_DIRECTORY), **HUGE_PAGES},
                start_new_session=True,
            )
        self._daemons.append(daemon)
        logs = [self._directory / f"{command}.stderr", log]
        self.daemons.append(
            Daemon(command, daemon.pid, logs, self._control(command, daemon.pid), daemon.poll)
        )
        self._journal.process(daemon.pid, command)
        if not self._own_files:
            self._take(RUN_DIRECTORY / f"{command}.{daemon.pid}.ctl")
        raise_session(daemon.pid, Priority.SWITCHES)
        return daemon

    def _await_socket(self, path: Path) -> None:
        """Wait until the last daemon listens. There is no event for it: Open vSwitch only makes its socket."""
        daemon = self.daemons[-1]
        vigil = Vigil(self.daemons, ask=False)
        deadline = time.monotonic() + READY_SECONDS
        look_at = 0.0
        while not listens(path):
            heed()
            if (now := time.monotonic()) >= look_at:
                vigil.look()
                look_at = now + LOOK_S
            if now > deadline:
                raise MachineError(
                    f"{daemon.name} is not ready after {READY_SECONDS:g} s; the end of its log: "
                    f"{daemon.words() or 'nothing'}"
                )
            time.sleep(POLL_S)


class RunningOpenVSwitch:
    """The computer's own Open vSwitch, which runs and goes on running; its settings stay as they are.

    Raises:
        MachineError: its database answers, but its daemon does not run.
        EnvironmentLackError: for port type "system", its kernel module is not there.
    """

    def __init__(self, port_type: str) -> None:
        if port_type == "afxdp":
            raise MachineError(
                'port type "afxdp" needs settings of its own, and the Open vSwitch that runs on this computer keeps '
                'its own; use "afpacket", or stop it (systemctl stop openvswitch-switch)'
            )
        if port_type == "system" and not kernel_datapath():
            raise EnvironmentLackError(
                'port type "system" needs the kernel module openvswitch, which this kernel does not have; '
                'use "afpacket"'
            )
        pid = self.pid()
        if pid is None or start_time(pid) is None:
            raise MachineError(
                f"Open vSwitch: its database answers at {RUN_DIRECTORY}/db.sock, but ovs-vswitchd does not run; start "
                "it (systemctl restart openvswitch-switch), or stop the database as well"
            )
        self.daemons = running_daemons()
        told = vsctl(self.daemons, "get", "Open_vSwitch", ".", "other_config")
        takes_segments = 'userspace-tso-enable="true"' in told
        self.frames = "afpacket" if port_type == "afpacket" and takes_segments else (
            "system" if port_type == "system" else "afxdp"
        )  # fmt: skip

    def tell(self, *command: str) -> None:
        """Run an `ovs-appctl` command of ovs-vswitchd."""
        control = f"{RUN_DIRECTORY}/{VSWITCHD}.{self.pid()}.ctl"
        run(["ovs-appctl", "-t", control, *command], relying_on=self.daemons[-1:])

    def stop(self) -> None:
        """Nothing: it goes on."""

    @staticmethod
    def pid() -> int | None:
        """The process of ovs-vswitchd; None: it does not say."""
        try:
            return int((RUN_DIRECTORY / "ovs-vswitchd.pid").read_text())
        except (OSError, ValueError):
            return None


def listens(path: Path) -> bool:
    """Whether a connection to the socket is taken: its file is there a moment before it is listened at."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
    return True


def kernel_datapath() -> bool:
    """Whether this kernel has, or can load, Open vSwitch's datapath, for root of the computer."""
    if in_user_namespace():
        return False
    if has_family("ovs_datapath"):
        return True
    modprobe = shutil.which("modprobe")
    return (
        modprobe is not None and subprocess.run([modprobe, "-q", "openvswitch"], check=False).returncode == 0
    )
