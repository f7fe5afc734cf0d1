# SPDX-License-Identifier: MIT
"""Does a plan fit, and which port type suits it: judged before anything is made.

How frames get from a veth into Open vSwitch decides how fast a SimpleNet is:

    system    the kernel's datapath: super-packets stay whole, nothing to choose, wherever the module exists
    afpacket  userspace datapath, packet sockets, all served by one thread that visits every bridge on every
              turn: fastest for one bridge (super-packets stay whole), 2.4 ms a turn for 63; also where the
              memory is too small for AF_XDP ports, or Open vSwitch is not the run's
    afxdp     userspace datapath, AF_XDP sockets, served by polling threads: the same for 1 bridge as for 63,
              at 75 MB and 0.2 s a port
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict, final

from hybridnet.describe.schema.plans import MachinePlan
from hybridnet.errors import PlanError
from hybridnet.plan.choices.options import MachineSpec

__all__ = ["Estimate", "Switching", "choose_port_types", "judge_fit", "ports_of"]

# From this many bridges on a machine, AF_XDP ports beat packet sockets: a turn of the one thread takes about
# 40 us for each bridge, so this is where a packet waits longer for its turn than the rest of its way takes.
AFXDP_FROM_BRIDGES = 8

# Measured with 32 ports in one bring-up on two cores, four times: 64 MiB of frame buffers, which Open vSwitch 3.1
# fixes, and rings; 0.16 to 0.22 s.
AFXDP_PORT_BYTES = 75 * 10**6
AFXDP_PORT_SECONDS = 0.2
AFXDP_SHARE = 0.5  # of the memory that is available: the rest is the hosts' and their programs'
# An allowance for a host's namespace, its veth and one small process in it.
HOST_BYTES = 4 * 10**6


# An AF_XDP frame, with the room before it, lies within one page of 4 KiB.
AFXDP_MOST_MTU = 3000


@dataclass(frozen=True)
class Switching:
    """What the port type of a machine follows from.

    Args:
        bridges: how many bridges of Open vSwitch it has.
        wanted: what the network says; ``"auto"`` leaves the choice to `choose_port_types`.
        datapaths: what switches ask for with datapath=, ``"kernel"`` or ``"user"``, by switch.
        most_mtu: of all ports of switches, in bytes.
        ports: how many of them are devices.
    """

    machine: MachineSpec
    bridges: int
    wanted: str
    datapaths: Mapping[str, str] = field(default_factory=dict)
    most_mtu: int = 1500
    ports: int = 0


def choose_port_types(machines: Sequence[Switching]) -> dict[str, str]:
    """The port type of each machine. Those on one computer share its memory.

    Raises:
        PlanError: what the switches ask for contradicts itself, or the port type that the network asks for.
    """
    types = {each.machine.name: _suited(each) for each in machines}
    asked = {each.machine.name: each for each in machines}
    for together in _by_computer(each.machine for each in machines):
        with_memory = [asked[machine.name] for machine in together if types[machine.name] == "afxdp"]
        available, ports = _available(together), sum(each.ports for each in with_memory)
        if available is not None and ports * AFXDP_PORT_BYTES > AFXDP_SHARE * available:
            types |= {each.machine.name: "afpacket" for each in with_memory if each.wanted == "auto"}
    return types


def _suited(asked: Switching) -> str:
    """The port type of one machine, if there is memory for it."""
    machine, wanted = asked.machine, asked.wanted
    by_datapath = {datapath: switch for switch, datapath in asked.datapaths.items()}
    if len(by_datapath) > 1:
        raise PlanError(
            f"machine {machine.name}: switch {by_datapath['kernel']} asks for datapath='kernel' and "
            f"{by_datapath['user']} for 'user'; a machine has one of them: give all its switches the same, or put them "
            "on two machines"
        )
    for datapath, switch in by_datapath.items():
        if wanted != "auto" and (wanted == "system") != (datapath == "kernel"):
            raise PlanError(
                f"switch {switch}: datapath={datapath!r} contradicts port_type={wanted!r} of the network; leave one out"
            )
    if asked.most_mtu > AFXDP_MOST_MTU and wanted == "afxdp":
        raise PlanError(
            f"machine {machine.name}: AF_XDP ports take no MTU of {asked.most_mtu}, at most {AFXDP_MOST_MTU}; leave "
            "port_type= out"
        )
    if wanted == "afxdp" and not machine.afxdp:
        raise PlanError(
            f"machine {machine.name}: port_type='afxdp' needs AF_XDP, which its Open vSwitch, its kernel or its rights "
            "do not give (hybridnet doctor); leave port_type= out"
        )
    if wanted != "auto":
        return wanted
    if "kernel" in by_datapath or (machine.kernel_datapath and "user" not in by_datapath):
        return "system"
    # AF_XDP ports need settings of the whole daemon.
    few_or_large = asked.bridges < AFXDP_FROM_BRIDGES or asked.most_mtu > AFXDP_MOST_MTU
    return "afpacket" if few_or_large or machine.shared_switching or not machine.afxdp else "afxdp"


def ports_of(plan: MachinePlan) -> int:
    """Count the ports of a machine plan's switches that are devices; patch ports are not."""
    switches = {switch["name"] for switch in plan["switches"]}
    on_pairs = sum(
        pair[end]["node"] in switches
        for pair in plan["pairs"]
        if pair["kind"] == "veth"
        for end in ("a", "b")
    )
    return on_pairs + sum(portal["node"] in switches for portal in plan["portals"])


@final
class Estimate(TypedDict):
    """What a machine's plan will take."""

    hosts: int
    switch_ports: int
    memory_bytes: int
    port_seconds: float  # for which AF_XDP ports are made


def judge_fit(
    machines: Sequence[MachineSpec], plans: Mapping[str, MachinePlan]
) -> tuple[dict[str, Estimate], list[str]]:
    """Return what each machine's plan will take, and a warning for each computer of which it is too much."""
    estimates = {machine.name: _estimate(plans[machine.name]) for machine in machines}
    warnings = []
    for together in _by_computer(machines):
        available = _available(together)
        of_all = [estimates[machine.name] for machine in together]
        memory = sum(estimate["memory_bytes"] for estimate in of_all)
        if available is None or memory <= available:
            continue
        names = ", ".join(machine.name for machine in together)
        types = "/".join(sorted({plans[machine.name]["port_type"] for machine in together}))
        where = f"machine {names}" if len(together) == 1 else f"machines {names} of one computer"
        cure = "; use port_type='afpacket', fewer hosts, or" if "afxdp" in types else "; use"
        warnings.append(
            f"{where}: {sum(estimate['hosts'] for estimate in of_all)} hosts and "
            f"{sum(estimate['switch_ports'] for estimate in of_all)} {types} ports need about {memory / 1e9:.1f} GB, "
            f"and {available / 1e9:.1f} GB are available{cure} more computers"
        )
    return estimates, warnings


def _estimate(plan: MachinePlan) -> Estimate:
    ports, hosts = ports_of(plan), len(plan["hosts"])
    of_xdp = ports if plan["port_type"] == "afxdp" else 0
    return {
        "hosts": hosts,
        "switch_ports": ports,
        "memory_bytes": hosts * HOST_BYTES + of_xdp * AFXDP_PORT_BYTES,
        "port_seconds": round(of_xdp * AFXDP_PORT_SECONDS, 1),
    }


def _by_computer(machines: Iterable[MachineSpec]) -> list[list[MachineSpec]]:
    """Those on one computer together; one whose computer is not known by itself."""
    found: dict[tuple[str, str], list[MachineSpec]] = {}
    for machine in machines:
        found.setdefault((machine.computer, "" if machine.computer else machine.name), []).append(machine)
    return list(found.values())


def _available(machines: Iterable[MachineSpec]) -> int | None:
    """The memory of the computer that these machines are on; None: not known."""
    return min(
        (machine.memory_bytes for machine in machines if machine.memory_bytes is not None), default=None
    )
