# SPDX-License-Identifier: MIT
"""What a machine has counted: all that a verdict needs of it, as plain data. Differences are taken in the head.

Counters only grow, and reading them all takes a few milliseconds. `hybridnet.observe.results.machines` says what each
is worth.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from hybridnet.agent.hosts.device_counters import Carrier, Row
from hybridnet.describe.schema.elements import other_portals
from hybridnet.describe.schema.plans import MachinePlan
from hybridnet.system import cgroups

_IDLE, _IOWAIT, _STEAL = 3, 4, 7  # of a line of /proc/stat


def processors() -> dict[str, int]:
    """Of the processors that this process may use: ``count``, ``ticks_per_second``, and how many ticks of each were
    ``idle_ticks`` or ``stolen_ticks`` by the hypervisor, all together.
    """
    return parse_processors(Path("/proc/stat").read_text(), os.sched_getaffinity(0))


def parse_processors(text: str, cpus: Iterable[int]) -> dict[str, int]:
    """Parse /proc/stat; see `processors`."""
    rows = {
        int(number): [int(value) for value in values.split()]
        for number, values in re.findall(r"^cpu(\d+) (.*)$", text, re.MULTILINE)
    }
    ours = [rows[cpu] for cpu in cpus if cpu in rows]
    return {
        "count": len(ours),
        "ticks_per_second": os.sysconf("SC_CLK_TCK"),
        "idle_ticks": sum(row[_IDLE] + row[_IOWAIT] for row in ours),
        "stolen_ticks": sum(row[_STEAL] for row in ours),
    }


@cache
def own_groups() -> tuple[Path, ...]:
    """The control groups that decide on this process's processor time: its own, and those above it."""
    hierarchy = cgroups.find().get("cpu")
    if hierarchy is None:
        return ()
    return groups_above(Path("/proc/self/cgroup").read_text(), hierarchy)


def groups_above(text: str, hierarchy: cgroups.Hierarchy) -> tuple[Path, ...]:
    """Parse /proc/self/cgroup; see `own_groups`."""
    for _, controllers, path in (line.split(":", 2) for line in text.splitlines()):
        if controllers == "" if hierarchy.version == 2 else "cpu" in controllers.split(","):
            own = hierarchy.root / path.strip("/")
            return own, *(above for above in own.parents if above.is_relative_to(hierarchy.root))
    return ()


def quotas(groups: Iterable[Path]) -> dict[str, list[int]]:
    """Of each control group with a quota of processor time: in how many of its periods something ran, and in how many
    of them the quota was used up.
    """
    found = {}
    for group in groups:
        with suppress(OSError):  # a first group has no such file; or it is not visible from here
            rows = dict(line.split() for line in (group / "cpu.stat").read_text().splitlines())
            if periods := int(rows.get("nr_periods", 0)):
                found[str(group)] = [periods, int(rows["nr_throttled"])]
    return found


def softnet_dropped() -> int:
    """Frames that the kernel dropped because a processor's backlog was full, on the whole computer."""
    return parse_softnet(Path("/proc/net/softnet_stat").read_text())


def parse_softnet(text: str) -> int:
    """Parse /proc/net/softnet_stat, a line for each processor: the second of its columns, in hexadecimal."""
    return sum(int(line.split()[1], 16) for line in text.splitlines())


def memory() -> dict[str, int]:
    """``killed_programs`` for lack of memory; ``stalled_us``: for how long all programs waited for memory; where the
    kernel does not count that, ``reclaims``: how often a program had to free some first.
    """
    pressure = Path("/proc/pressure/memory")
    try:
        said = pressure.read_text()
    except OSError:  # not in this kernel, or switched off
        said = ""
    return parse_memory(Path("/proc/vmstat").read_text(), said)


def parse_memory(vmstat: str, pressure: str) -> dict[str, int]:
    """Parse /proc/vmstat and /proc/pressure/memory, which may be empty; see `memory`."""
    rows = {name: int(value) for name, value in re.findall(r"^(oom_kill|allocstall\w*) (\d+)", vmstat, re.M)}
    counted = {"killed_programs": rows.get("oom_kill", 0)}
    if full := re.search(r"^full .*total=(\d+)", pressure, re.MULTILINE):
        counted["stalled_us"] = int(full[1])
    else:
        counted["reclaims"] = sum(value for name, value in rows.items() if name != "oom_kill")
    return counted


Tables = Mapping[str, Mapping[str, Row]]
"""The rows of devices by name, of each network namespace, as `hybridnet.agent.hosts.hosts.Hosts` names and reads
them."""


def counted_devices(plan: MachinePlan, namespaces: Mapping[str, str]) -> dict[str, set[str]]:
    """The devices whose counters say what the plan's links have carried and lost, by network namespace.

    Args:
        namespaces: of each host that is there.
    """
    wanted = _of_hosts(plan, namespaces, set())
    patched: set[str] = set()  # which are no devices
    for pair in plan["pairs"]:
        for end in (pair["a"], pair["b"]):
            if pair["kind"] == "patch":
                patched.add(end["interface"])
            else:
                wanted.setdefault(namespaces.get(end["node"], ""), set()).add(end["interface"])
    return {**wanted, "": (wanted[""] | _machines(plan)) - patched}


def device_drops(plan: MachinePlan, namespaces: Mapping[str, str], tables: Tables) -> dict[str, int]:
    """Frames dropped at the plan's interfaces because the queue behind them was full, where there are any.

    At a veth the sender counts what its other end did not take (``tx_dropped``). A host's ``rx_dropped`` is no such
    figure: it counts frames of protocols that the host does not know, LLDP for example. That of an AF_XDP port is: the
    frames that found no room in its ring.

    Args:
        namespaces: of each host that is there.
        tables: of `counted_devices`.
    """
    wanted = _of_hosts(plan, namespaces, _machines(plan))
    rings = _ports(plan) if plan["port_type"] == "afxdp" else set()
    found: dict[str, int] = {}
    for namespace, names in wanted.items():
        table = tables.get(namespace, {})
        for device in names & table.keys():
            row = table[device]
            dropped = row.tx_dropped + (row.rx_dropped if not namespace and device in rings else 0)
            if dropped:
                found[device] = found.get(device, 0) + dropped
    return found


def _of_hosts(plan: MachinePlan, namespaces: Mapping[str, str], outside: set[str]) -> dict[str, set[str]]:
    """The interfaces of hosts by network namespace, with the devices `outside` of theirs."""
    found = {"": outside}
    for host in plan["hosts"]:
        if host["name"] in namespaces:
            names = {interface["name"] for interface in host["interfaces"]}
            found.setdefault(namespaces[host["name"]], set()).update(names)
    return found


def mtu_mismatches(plan: MachinePlan, carriers: Mapping[str, Carrier]) -> dict[str, tuple[int, str, int]]:
    """The devices that may send larger packets than the other ends of their pairs take: their own MTU, and the name and
    the MTU of the other end. What is too large is dropped there. A portal's device sends what the interface at the
    other end of the link does; where that is a device of the computer, nobody knows what it sends.
    """
    interfaces = {portal["name"]: portal["interface"] for portal in plan["portals"]}
    others = other_portals(plan["instances"])
    ways = []  # a device, what its frames come from, and where they go
    for pair in plan["pairs"]:
        a, b = pair["a"]["interface"], pair["b"]["interface"]
        ways += [(a, a, b), (b, b, a)]
    for portal in plan["portals"]:
        interface, device = portal["interface"], portal["device"]
        origin = interfaces.get(others.get(portal["name"], ""), device)
        ways += [(interface, interface, device), (device, origin, interface)]
    found = {}
    for end, origin, other in ways:
        if origin in carriers and other in carriers and carriers[origin].mtu > carriers[other].mtu:
            found[end] = (carriers[origin].mtu, other, carriers[other].mtu)
    return found


def _ports(plan: MachinePlan) -> set[str]:
    """Of switches."""
    return {port["name"] for switch in plan["switches"] for port in switch["ports"]}


def _machines(plan: MachinePlan) -> set[str]:
    """Those of the machine's own namespace that belong to no host."""
    ends = {end for portal in plan["portals"] for end in (portal["interface"], portal["device"])}
    return _ports(plan) | ends | {port for node in plan.get("nodes", ()) for port in node["ports"]}
