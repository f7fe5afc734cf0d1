# SPDX-License-Identifier: MIT
"""``hybridnet exec``: run a command on a machine or in a host of a running network, from another terminal."""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from hybridnet.describe.values import plain
from hybridnet.errors import EnvironmentLackError, UsageError
from hybridnet.machines.workers.ssh import SshMachine
from hybridnet.system.entrances import Entrance, read_entrances
from hybridnet.system.journal import Entry, read_entries, root_runs_something, start_time, state_directory

SUMMARY = "Run a command on a machine, or in a host, of a running network."
EXAMPLES = """  sudo hybridnet exec h1 ping -c 3 10.0.0.2
  sudo hybridnet exec h1 bash
  sudo hybridnet exec m1 ovs-ofctl -O OpenFlow13 dump-flows s1
  sudo hybridnet exec m2 ip netns
  sudo hybridnet exec m1 tcpdump -ni s1-eth1 -c 5
"""
_INIT = "init of machine "
_HOSTS_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """MACHINE and COMMAND."""
    parser.add_argument("--run", metavar="RUN", dest="run_name", help="which run, if several are running")
    parser.add_argument("machine", metavar="MACHINE", help="a machine or a host, such as m1 or h1")
    parser.add_argument(
        "command", nargs=argparse.REMAINDER, metavar="COMMAND ...", help="the command and its arguments"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command in the machine's namespaces. Returns its exit status."""
    if not arguments.command:
        raise UsageError("exec: no command is given; write for example `hybridnet exec m1 ovs-vsctl show`")
    needs_root = EnvironmentLackError("exec enters a machine's namespaces, which needs root; run with sudo")
    try:
        place = find_machine(arguments.machine, arguments.run_name)
    except PermissionError:  # a run of root's
        raise needs_root from None
    except UsageError:
        if root_runs_something():
            raise needs_root from None
        raise
    if place.host is None and os.geteuid() != 0:
        raise needs_root
    done = subprocess.run(place.enter(arguments.command), check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


@dataclass(frozen=True)
class Place:
    """Where a machine is: on this computer, in the namespaces of its init, or on another computer. With
    `host_entrance`, a host on it.
    """

    run: str
    machine: str
    init_pid: int | None
    host: SshMachine | None
    host_entrance: Entrance | None = None

    def enter(self, command: list[str]) -> list[str]:
        """What runs `command` there."""
        if self.host is not None:
            return self.host.enter_command(self.run, self.machine, command)
        into_host = [] if self.host_entrance is None else self.host_entrance.command()
        return [
            "nsenter",
            f"--target={self.init_pid}",
            "--net",
            "--mount",
            "--pid",
            "--uts",
            "--ipc",
            "--",
            *into_host,
            *command,
        ]


def find_machine(machine: str, run_name: str | None) -> Place:
    """Where a machine of a running network is, or the machine of a host on this computer.

    Raises:
        UsageError: no run, or more than one, has a machine or a host of that name.
    """
    found: dict[str, Place] = {}
    others: set[str] = set()
    hosts: list[str] = []
    switch_of: str | None = None
    for directory in _runs(run_name):
        for entry in _entries_of_living(directory):
            name = _machine_of(entry)
            if name is None:
                continue
            place = Place(directory.name, name, entry.get("pid"), _host_of(entry))
            if name == machine:
                found[directory.name] = place
                continue
            others.add(name)
            if place.host is not None:
                continue
            own = directory / name  # a network on this computer itself has none
            entrances = read_entrances(own if own.is_dir() else directory)
            hosts += entrances
            if machine in entrances:
                found.setdefault(directory.name, replace(place, host_entrance=entrances[machine]))
            elif _is_switch(place.init_pid, machine):
                switch_of = name
    if len(found) > 1:
        raise UsageError(
            f"machine {machine}: several runs have one of this name; choose with --run: {', '.join(sorted(found))}"
        )
    if not found:
        if switch_of is not None:
            raise UsageError(
                f"{machine} is a switch, whose commands run on its machine {switch_of}; write for example `hybridnet "
                f"exec {switch_of} ovs-ofctl -O OpenFlow13 dump-flows {machine}`"
            )
        raise UsageError(
            f"there is no machine or host {plain(machine)} on this computer; {_known(others, hosts)}"
        )
    return next(iter(found.values()))


def _known(machines: Collection[str], hosts: Collection[str]) -> str:
    from hybridnet.describe.topo.specs import natural

    if not machines:
        return "no network is running"
    named = sorted(hosts, key=natural)
    more = ", …" if len(named) > _HOSTS_SHOWN else ""
    of_hosts = f"the hosts {', '.join(named[:_HOSTS_SHOWN])}{more}, " if named else ""
    return f"the machines are {', '.join(sorted(machines))}, {of_hosts}and simulated nodes run no commands"


def _is_switch(init_pid: int | None, name: str) -> bool:
    """Whether a machine has an Open vSwitch bridge, or one of Linux, of this name."""
    if "/" in name:
        return False
    of_openvswitch = Path(f"/proc/{init_pid}/root/run/openvswitch/{name}.mgmt")
    return of_openvswitch.exists() or Path(f"/proc/{init_pid}/root/sys/class/net/{name}/bridge").exists()


def _runs(run_name: str | None) -> list[Path]:
    state = state_directory()
    directories = sorted(path for path in state.iterdir() if path.is_dir()) if state.is_dir() else []
    if run_name is None:
        return directories
    chosen = [path for path in directories if path.name == run_name]
    if not chosen:
        known = ", ".join(path.name for path in directories) or "none"
        raise UsageError(f"there is no run {run_name}; there are: {known}")
    return chosen


def _entries_of_living(directory: Path) -> list[Entry]:
    """Return the journal of a run's head, if that head lives; else nothing."""
    entries = read_entries(directory)
    owners = [entry for entry in entries if entry["kind"] == "owner"]
    return entries if all(start_time(owner["pid"]) == owner["start"] for owner in owners) else []


def _machine_of(entry: Entry) -> str | None:
    """The machine whose init an entry of the journal records, if that process is still the one that was
    recorded; whether another computer's is, that computer says.
    """
    if entry["kind"] == "ssh_machine":
        return entry["name"]
    if entry["kind"] != "process" or not entry["what"].startswith(_INIT):
        return None
    return entry["what"].removeprefix(_INIT) if start_time(entry["pid"]) == entry["start"] else None


def _host_of(entry: Entry) -> SshMachine | None:
    host = entry.get("host")
    return None if host is None else SshMachine(**{**host, "options": tuple(host["options"])})
