# SPDX-License-Identifier: MIT
"""The hosts of a machine: their namespaces, addresses, routes, and all processes in them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from hybridnet.agent.fragments import with_part, without_part
from hybridnet.agent.hosts import host_namespaces
from hybridnet.agent.hosts.device_counters import Carrier, DeviceCounters, Row
from hybridnet.agent.hosts.device_settings import Found, names_now, settings_of
from hybridnet.agent.hosts.etc_hosts import HostNames
from hybridnet.agent.hosts.host_namespaces import NETWORK_DIRECTORY
from hybridnet.agent.hosts.images import HostImages, shell_command
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.describe.schema.plans import HostInterface, HostPlan
from hybridnet.errors import MachineError
from hybridnet.system.command import ip_batch, ip_tries, run
from hybridnet.system.ending import Endings
from hybridnet.system.entrances import Entrance, write_entrances
from hybridnet.system.journal import Journal
from hybridnet.system.name_servers import COMPUTERS, reachable_servers
from hybridnet.system.netlink import ip_lines, set_features
from hybridnet.system.ways import Way


class Hosts:
    """Makes, changes and removes the hosts of one machine."""

    def __init__(self, journal: Journal, inside: NamespaceThread, *, own_files: bool) -> None:
        """`own_files`: whether `NETWORK_DIRECTORY` is the machine's own; if not, the names there are journaled."""
        self._journal = journal
        self._inside = inside
        self._own_files = own_files
        self._plans: dict[str, HostPlan] = {}
        self._networks: dict[str, int] = {}  # the inode of each host's network namespace
        self._mounts: dict[str, int] = {}  # a descriptor of each host's mount namespace
        self._uts: dict[str, int] = {}  # and of its name's, where it has one
        self._counters: dict[str, DeviceCounters] = {}  # by namespace; the empty one is the machine's
        self._counting = threading.Lock()  # of what is in there
        self.host_names = HostNames(journal.directory / "hosts")
        self.images = HostImages(journal)
        self._private_directories: list[Path] = []

    def __contains__(self, name: object) -> bool:
        return name in self._plans

    @property
    def names(self) -> list[str]:
        """The hosts that exist, in the order of the plan."""
        return list(self._plans)

    def create(self, plans: list[HostPlan]) -> None:
        """Make the namespaces of hosts, beside those that are there. Their only device is a loopback that is down."""
        if not plans:
            return
        others = self.names
        self._make_network_directory()
        of_computer = [plan for plan in plans if plan["name"] not in self.images]
        for path in sorted({path for plan in of_computer for path in _directories(plan)}):
            self._make_mount_point(Path(path))
        self._plans |= {plan["name"]: {**plan, "interfaces": [], "routes": [], "arp": []} for plan in plans}
        hosts_file = self.host_names.file
        reached = reachable_servers()
        servers = {} if reached is None else {str(COMPUTERS): reached}
        program = subprocess.Popen(
            [sys.executable, "-I", host_namespaces.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._journal.environment(),
        )
        assert program.stdin is not None
        assert program.stdout is not None
        hosts: list[host_namespaces.Host] = [
            {
                "name": plan["name"],
                "private_dirs": plan["private_dirs"],
                "files": {**(servers if plan.get("reaches_outside") else {}), **plan.get("files", {})},
                "hosts_file": hosts_file,
                "image": self.images[plan["name"]].root if plan["name"] in self.images else None,
            }
            for plan in plans
            if self.namespace(plan["name"])
        ]
        wanted = {"hosts": hosts, "others": others}
        try:
            with contextlib.suppress(BrokenPipeError):  # its output says why
                program.stdin.write(json.dumps(wanted) + "\n")
                program.stdin.flush()
            if line := program.stdout.readline():
                for name, pid in json.loads(line).items():
                    self._mounts[name] = os.open(f"/proc/{pid}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
                    if hosts_file is not None:
                        self._uts[name] = os.open(f"/proc/{pid}/ns/uts", os.O_RDONLY | os.O_CLOEXEC)
                    self._take_name(name, os.stat(f"/proc/{pid}/ns/net").st_ino)
                with contextlib.suppress(BrokenPipeError):
                    program.stdin.write("taken\n")  # it names the namespaces, and ends
                    program.stdin.flush()
        finally:
            _, words = program.communicate()
        if program.returncode != 0:
            raise MachineError(
                f"the namespaces of {len(plans)} hosts could not be made: {words.strip()[-500:]}"
            )
        self._tell_entrances()

    def configure(self, parts: list[HostPlan], offloads: dict[str, list[str]]) -> None:
        """Give hosts addresses, routes and neighbours, once their devices are there.

        Args:
            parts: hosts of a fragment, or parts of hosts.
            offloads: the arguments for `ethtool -K`, by device name.
        """
        by_name = {part["name"]: part for part in parts}
        for name, part in by_name.items():
            self._plans[name] = with_part(self._plans[name], part)
            if not self.namespace(name):
                self._configure(part, offloads)
        inside = [name for name in by_name if self.namespace(name)]
        self._inside.run_each(inside, lambda name: self._configure(by_name[name], offloads))

    def strip(self, parts: list[HostPlan]) -> None:
        """Take routes and neighbours from hosts, and forget interfaces, whose devices go next. What is gone already is
        no error.
        """
        for part in parts:
            plan = self._plans[part["name"]] = without_part(self._plans[part["name"]], part)
            if part["routes"] or part.get("arp"):
                where = self.namespace(part["name"])
                self._inside.run(where, lambda part=part, kept=plan["interfaces"]: _strip(part, kept))  # type: ignore[misc]

    def settings(self, devices: Mapping[str, Collection[str]]) -> dict[str, Found]:
        """What devices of hosts have now: what the plan says, and what somebody has set since.

        Args:
            devices: names of devices, by host.
        """
        planned = {
            host: [each for each in self._plans[host]["interfaces"] if each["name"] in own]
            for host, own in devices.items()
        }
        return {
            host: self._inside.run(self.namespace(host), lambda own=own: settings_of(own))  # type: ignore[misc]
            for host, own in planned.items()
        }

    def set_again(self, settings: Mapping[str, Found]) -> None:
        """Give devices, which were made anew, what `settings` has found; what cannot be is left out."""
        for host, found in settings.items():
            self._inside.run(self.namespace(host), lambda lines=found.lines: ip_tries(lines))  # type: ignore[misc]

    def restore_addressing(self, name: str) -> None:
        """Set routes and IPv6 addresses of the plan again: the kernel forgets them when a device goes down."""
        plan = self._plans[name]
        lines = [line.replace("addr add", "addr replace", 1) for line in _addresses(plan) if ":" in line]
        lines += [line.replace("route add", "route replace", 1) for line in _routes(plan)]
        # A route over another device of the host that is still down cannot be set, and was not asked for.
        if lines:
            self._inside.run(self.namespace(name), lambda: ip_tries(lines))

    def namespace(self, name: str) -> str:
        """The network namespace of a host, as `NamespaceThread` takes it: empty for one that lives in the machine's."""
        plan = self._plans.get(name)
        return "" if plan is not None and plan.get("in_namespace") is False else name

    def namespaces(self) -> dict[str, tuple[str, int]]:
        """Of each host its namespace, as above, and the inode, which no other namespace has while this one is there."""
        return {name: (self.namespace(name), self._networks.get(name, 0)) for name in list(self._plans)}

    def counters(self, wanted: Mapping[str, Collection[str]]) -> dict[str, dict[str, Row]]:
        """What devices have counted, in the order of the namespaces, which are named as above. A namespace or a device
        that is not there is left out.

        Args:
            wanted: the names of devices, by namespace.
        """
        found = {}
        for namespace, devices in wanted.items():
            if devices and (counters := self._counters_of(namespace)) is not None:
                with contextlib.suppress(OSError):  # its host is just being removed
                    found[namespace] = counters.read(devices)
        return found

    def carriers(self, wanted: Mapping[str, Collection[str]]) -> dict[str, Carrier]:
        """The carriers of devices, whose names differ on a machine. What is not there is left out.

        Args:
            wanted: as `counters`.
        """
        found: dict[str, Carrier] = {}
        for namespace, devices in wanted.items():
            if devices and (counters := self._counters_of(namespace)) is not None:
                with contextlib.suppress(OSError):  # its host is just being removed
                    found |= counters.carriers(devices)
        return found

    def _counters_of(self, namespace: str) -> DeviceCounters | None:
        """They stay open until the host is removed. None: there is no such host."""
        if namespace not in self._counters:
            with self._counting:
                if namespace and namespace not in self._networks:
                    return None
                if namespace not in self._counters:
                    self._counters[namespace] = self._inside.run(namespace, DeviceCounters)
        return self._counters.get(namespace)

    def _close_counters(self, namespaces: Collection[str]) -> None:
        with self._counting:
            for namespace in namespaces:
                if (counters := self._counters.pop(namespace, None)) is not None:
                    counters.close()

    def prefix(self, name: str) -> list[str]:
        """Return the prefix that makes a program of the computer run in the host; an empty one for an empty name.

        Raises:
            MachineError: no such host.
        """
        return list(self.way(name).tools)

    def way(self, name: str) -> Way:
        """How a program gets into the host; for an empty name it stays on the machine.

        Raises:
            MachineError: no such host.
        """
        if not name:
            return Way()
        if name not in self._plans:
            raise MachineError(
                f"host {name} does not exist on this machine, which has {len(self._plans)} hosts"
            )
        return self._entrance(name).way()

    def processes(self, hosts: list[str]) -> list[int]:
        """The processes in the network namespaces of hosts."""
        inodes = {self._networks[name] for name in hosts if name in self._networks}
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and _inode(f"/proc/{entry}/ns/net") in inodes:
                found.append(int(entry))
        return found

    def kill_processes(self, hosts: list[str] | None = None) -> None:
        """End every process in some hosts, or in all: SIGTERM, and SIGKILL for those that are still there after 2 s."""
        hosts = self.names if hosts is None else hosts
        for number, seconds in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 10.0)):
            deadline = time.monotonic() + seconds
            descriptors = [fd for pid in self.processes(hosts) if (fd := _signalled(pid, number)) is not None]
            for descriptor in descriptors:
                _await_end(descriptor, deadline)
                os.close(descriptor)

    def destroy(self) -> None:
        """End the processes and remove the namespaces; their devices vanish with them. If one part raises an error, the
        others are still ended, and it is raised at the end."""
        self._close_counters([""])
        if not self._plans and not self._private_directories:
            self.images.destroy()
            return
        Endings(
            self.images.destroy,
            self.host_names.forget,
            self._remove_mount_points,
            lambda: self.remove(self.names),
        ).close()

    def remove(self, names: list[str]) -> None:
        """The same with some hosts. One that is not there is no error."""
        names = [name for name in names if name in self._plans]
        Endings(lambda: self._remove_namespaces(names), lambda: self.kill_processes(names)).close()
        for name in names:
            del self._plans[name]
        self.images.remove(names)

    def _remove_namespaces(self, hosts: list[str]) -> None:
        mounted = {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
        ours = {f"{NETWORK_DIRECTORY}/{n}": self._networks[n] for n in hosts if n in self._networks}
        named = [path for path, inode in ours.items() if path in mounted and _inode(path) == inode]
        if named:
            run(["umount", "--lazy", *named])
        for path in named:
            os.unlink(path)
        if not self._own_files:
            for path, inode in ours.items():
                self._journal.gone("namespace", path=path, inode=inode)
        for name in hosts:
            self._networks.pop(name, None)
        self._close_counters(hosts)
        for descriptors in (self._mounts, self._uts):
            for name in hosts:
                if name in descriptors:
                    os.close(descriptors.pop(name))
        self._tell_entrances()

    def _tell_entrances(self) -> None:
        """Those of the hosts that there are now, and who have their namespaces if they have some."""
        there = [name for name in self._plans if name in self._networks or not self.namespace(name)]
        write_entrances(self._journal.directory, {name: self._entrance(name) for name in there})

    def _entrance(self, name: str) -> Entrance:
        if not self.namespace(name):
            return Entrance()
        own = f"/proc/{os.getpid()}/fd"
        entrance = Entrance(
            f"{NETWORK_DIRECTORY}/{name}",
            f"{own}/{self._mounts[name]}",
            f"{own}/{self._uts[name]}" if name in self._uts else None,
        )
        if name not in self.images:
            return entrance
        image = self.images[name]
        variables = dict(image.environment)
        return replace(entrance, environment=variables, folder=image.folder, shell=shell_command())

    def _make_network_directory(self) -> None:
        directory = Path(NETWORK_DIRECTORY)
        if not self._own_files and not directory.exists():
            self._make_mount_point(directory)
        directory.mkdir(exist_ok=True)

    def _take_name(self, name: str, inode: int) -> None:
        if not self._own_files:
            self._journal.record("namespace", path=f"{NETWORK_DIRECTORY}/{name}", inode=inode)
        self._networks[name] = inode

    def _remove_mount_points(self) -> None:
        while self._private_directories:
            directory = self._private_directories[-1]
            if directory.is_dir() and not any(directory.iterdir()):
                directory.rmdir()
            self._journal.gone("directory", path=str(directory))
            self._private_directories.pop()

    def _make_mount_point(self, directory: Path) -> None:
        missing = [path for path in (directory, *directory.parents) if not path.exists()]
        for path in reversed(missing):
            self._journal.record("directory", path=str(path))
            self._private_directories.append(path)
            path.mkdir()

    def _configure(self, plan: HostPlan, offloads: dict[str, list[str]]) -> None:
        renamed = [line for interface in plan["interfaces"] for line in _renamed(interface)]
        lines = ["link set dev lo up"] if self.namespace(plan["name"]) else []
        lines += _addresses(plan)
        lines += [f"link set dev {interface['name']} up" for interface in plan["interfaces"]]
        lines += _routes(plan)
        try:
            if renamed:
                ip_batch(renamed)
            names = _names(plan, self._plans[plan["name"]]["interfaces"])
            lines += [
                f"neigh replace {a['address']} lladdr {a['mac']} dev {names[a['interface']]}"
                for a in plan.get("arp", [])
                if a["interface"] in names  # else a script has removed it
            ]
            for interface in plan["interfaces"]:
                if wanted := offloads.get(interface["name"]):
                    set_features(interface["name"], wanted)
            ip_lines(lines)
        except MachineError as error:
            raise MachineError(f"host {plan['name']}: {error}") from None


def _directories(plan: HostPlan) -> list[str]:
    """What must be there for a host's private directories."""
    found = [
        [each] if isinstance(each, str) else [each["at"], each["source"]] for each in plan["private_dirs"]
    ]
    return [path for each in found for path in each]


def _strip(part: HostPlan, kept: list[HostInterface]) -> None:
    names = _names(part, kept)
    lines = [line.replace("route add", "route del", 1) for line in _routes(part)]
    lines += [
        f"neigh del {a['address']} dev {names[a['interface']]}"
        for a in part.get("arp", [])
        if a["interface"] in names
    ]
    ip_tries(lines)


def _names(part: HostPlan, interfaces: list[HostInterface]) -> dict[str, str]:
    """What the devices are called now at which a part of a host has neighbours, in the host's namespace. Those that
    come or go with the part have the names of the plan.

    Args:
        interfaces: of the whole host.
    """
    own = {each["name"]: each["name"] for each in part["interfaces"]}
    others = {a["interface"] for a in part.get("arp", [])} - own.keys()
    return {**names_now([each for each in interfaces if each["name"] in others]), **own}


def _renamed(interface: HostInterface) -> list[str]:
    """What gives a device the name that its host knows. The network's stays a second one, by which all find it that
    speak to the kernel.
    """
    inside = interface.get("inside", interface["name"])
    if inside == interface["name"]:
        return []
    return [
        f"link set dev {interface['name']} name {inside}",
        f"link property add dev {inside} altname {interface['name']}",
    ]


def _addresses(plan: HostPlan) -> list[str]:
    return [
        f"addr add {address} dev {interface['name']}{' nodad' if ':' in address else ' brd +'}"
        for interface in plan["interfaces"]
        for address in interface["addresses"]
    ]


def _routes(plan: HostPlan) -> list[str]:
    lines = []
    for route in plan["routes"]:
        via = f" via {route['via']}" if route.get("via") else ""
        device = f" dev {route['interface']}" if route.get("interface") else ""
        lines.append(f"route add {route['prefix']}{via}{device}")
    return lines


def _inode(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None


def _signalled(pid: int, number: signal.Signals) -> int | None:
    """Signal a process, and return a descriptor that becomes readable when it ends."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    try:
        signal.pidfd_send_signal(descriptor, number)
    except ProcessLookupError:
        os.close(descriptor)
        return None
    return descriptor


def _await_end(descriptor: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
