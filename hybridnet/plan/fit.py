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

from collections.abc import Mapping
from typing import Any

from hybridnet.errors import PlanError
from hybridnet.plan.options import MachineSpec

__all__ = ["choose_port_type", "judge_fit", "ports_of"]

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


def choose_port_type(
    machine: MachineSpec,
    bridges: int,
    wanted: str,
    datapaths: Mapping[str, str] | None = None,
    most_mtu: int = 1500,
    ports: int = 0,
) -> str:
    """The port type of a machine.

    Args:
        bridges: how many bridges of Open vSwitch it has.
        wanted: what the network says; ``"auto"`` leaves the choice to this function.
        datapaths: what switches ask for with datapath=, ``"kernel"`` or ``"user"``, by switch.
        most_mtu: of all ports of switches, in bytes.
        ports: how many of them are devices.

    Raises:
        PlanError: what the switches ask for contradicts itself, or the port type that the network asks for.
    """
    asked = {datapath: switch for switch, datapath in (datapaths or {}).items()}
    if len(asked) > 1:
        raise PlanError(
            f"machine {machine.name}: switch {asked['kernel']} asks for datapath='kernel' and {asked['user']} for "
            "'user'; a machine has one of them: give all its switches the same, or put them on two machines"
        )
    for datapath, switch in asked.items():
        if wanted != "auto" and (wanted == "system") != (datapath == "kernel"):
            raise PlanError(
                f"switch {switch}: datapath={datapath!r} contradicts port_type={wanted!r} of the network; leave one out"
            )
    if most_mtu > AFXDP_MOST_MTU and wanted == "afxdp":
        raise PlanError(
            f"machine {machine.name}: AF_XDP ports take no MTU of {most_mtu}, at most {AFXDP_MOST_MTU}; leave "
            "port_type= out"
        )
    if wanted != "auto":
        return wanted
    if "kernel" in asked or (machine.kernel_datapath and "user" not in asked):
        return "system"
    if bridges < AFXDP_FROM_BRIDGES or most_mtu > AFXDP_MOST_MTU:
        return "afpacket"
    # AF_XDP ports need settings of the whole daemon, and room for their packet memory.
    fits = machine.memory_bytes is None or ports * AFXDP_PORT_BYTES <= AFXDP_SHARE * machine.memory_bytes
    return "afxdp" if fits and not machine.shared_switching else "afpacket"


def ports_of(plan: Mapping[str, Any]) -> int:
    """Count the ports of a machine plan's switches that are devices; patch ports are not."""
    switches = {switch["name"] for switch in plan["switches"]}
    on_pairs = sum(
        pair[end]["node"] in switches
        for pair in plan["pairs"]
        if pair["kind"] == "veth"
        for end in ("a", "b")
    )
    return on_pairs + sum(portal["node"] in switches for portal in plan["portals"])


def judge_fit(machine: MachineSpec, plan: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what a machine plan will take: the figures, and a warning for each that is too much."""
    ports, hosts = ports_of(plan), len(plan["hosts"])
    memory = hosts * HOST_BYTES
    seconds = 0.0
    if plan["port_type"] == "afxdp":
        memory += ports * AFXDP_PORT_BYTES
        seconds = ports * AFXDP_PORT_SECONDS
    estimate = {
        "hosts": hosts,
        "switch_ports": ports,
        "memory_bytes": memory,
        "port_seconds": round(seconds, 1),
    }
    warnings = []
    if machine.memory_bytes is not None and memory > machine.memory_bytes:
        cure = (
            "; use port_type='afpacket', fewer hosts, or more machines" if seconds else "; use more machines"
        )
        warnings.append(
            f"machine {machine.name}: {hosts} hosts and {ports} {plan['port_type']} ports need about "
            f"{memory / 1e9:.1f} GB, and {machine.memory_bytes / 1e9:.1f} GB are available{cure}"
        )
    return estimate, warnings
