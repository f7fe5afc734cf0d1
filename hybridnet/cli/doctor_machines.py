# SPDX-License-Identifier: MIT
"""What `hybridnet doctor --ssh` finds out: each machine's own findings, and the ways between machines."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hybridnet.cli.doctor_opinions import Finding
from hybridnet.describe.quantities import format_delay
from hybridnet.errors import MachineError
from hybridnet.machines.cluster.machines import VerbCall
from hybridnet.machines.workers import way_probe
from hybridnet.system.python_command import python_module

if TYPE_CHECKING:
    from hybridnet.machines.cluster import Cluster

__all__ = ["Way", "examine_machines", "measure_ways", "opinions_of"]

FILL_S = 1.0
_PATIENCE_S = 60.0
MOST_OFFSET_S = 0.1
MOST_DRIFT_PPM = 100.0
MOST_RTT_S = 0.5e-3
LEAST_BANDWIDTH_BPS = 1e9
_PROBE = way_probe.__name__
_OFFLOADS = ("tcp-segmentation-offload", "generic-receive-offload", "tx-checksumming")


@dataclass(frozen=True)
class Way:
    """The way from one machine to another, measured there and back.

    Args:
        a, b: the machines.
        rtt_s: median round trip of small datagrams.
        bandwidth_bps, back_bps: of one TCP connection from a to b, and from b to a.
        clock_offset_s: time of day of b less that of a.
        drift_ppm, drift_error_ppm: how much faster b's CLOCK_MONOTONIC is than a's, and by how much that may be wrong.
        lost: datagrams without an answer.
    """

    a: str
    b: str
    rtt_s: float
    bandwidth_bps: float
    back_bps: float
    clock_offset_s: float
    drift_ppm: float
    drift_error_ppm: float
    lost: int

    def to_json(self) -> dict[str, object]:
        """As data, with what to do about it."""
        return {**asdict(self), "opinions": opinions_of(self)}


def opinions_of(way: Way) -> list[str]:
    """What is worth knowing about a way, each with its cure; empty: nothing.

    Example:
        >>> opinions_of(Way("a", "b", 1e-4, 9e9, 9e9, 0.0, 1.0, 2.0, 0))
        []
    """
    said = []
    if way.rtt_s > MOST_RTT_S:
        least = format_delay(round(way.rtt_s * 1e9)).replace(" ", "")
        said.append(
            f"links between them whose delay is less than the round trip of {way.rtt_s * 1e3:.2f} ms show it → "
            f"--cut-delay {least}"
        )
    slower = min(way.bandwidth_bps, way.back_bps)
    if slower < LEAST_BANDWIDTH_BPS:
        said.append(
            f"all cut links share {slower / 1e6:.0f} Mbit/s → put the machines on a faster network "
            "(--ssh HOST/ADDRESS gives their addresses there)"
        )
    if abs(way.clock_offset_s) > MOST_OFFSET_S:
        said.append(
            f"times of day differ by {way.clock_offset_s:.3g} s: logs do not line up; peering compares clocks itself → "
            "apt-get install chrony on both"
        )
    if abs(way.drift_ppm) - way.drift_error_ppm > MOST_DRIFT_PPM:
        said.append(
            f"clocks drift apart by {way.drift_ppm:.0f} ppm: one of them is bad → choose another clock source "
            "(/sys/devices/system/clocksource)"
        )
    if way.lost:
        said.append(f"{way.lost} datagrams were lost: cut links lose packets, too → check the network")
    return said


def examine_machines(cluster: Cluster) -> dict[str, list[Finding]]:
    """Each machine's own `hybridnet doctor`, and its device toward the others."""
    programs = {
        machine: python_module("hybridnet.cli", cluster.facts(machine)["executable"])
        for machine in cluster.machines
    }
    calls: dict[str, VerbCall] = {
        machine: ("exec", {"argv": [*program, "doctor", "--json"], "timeout": _PATIENCE_S})
        for machine, program in programs.items()
    }
    found = {}
    for machine, done in cluster.call_all(calls).items():
        if done["status"] not in (0, 3):
            raise MachineError(f"machine {machine}: doctor: {done['stderr'].decode(errors='replace')[-300:]}")
        others = [other for other in cluster.machines if other != machine]
        own = [Finding(**each) for each in json.loads(done["stdout"])]
        found[machine] = [
            Finding("kernel", "has", cluster.facts(machine)["kernel"]),
            *own,
            *(_device_findings(cluster, machine, cluster.address(others[0])) if others else ()),
        ]
    return found


def measure_ways(cluster: Cluster, tell: Callable[[str], object]) -> list[Way]:
    """Every pair of machines, one after the other: two at once would share the network.

    Args:
        tell: called with each pair before it is measured.

    Raises:
        MachineError: a machine does not answer another.
    """
    ways = []
    for a, b in itertools.combinations(cluster.machines, 2):
        tell(f"{a} and {b}")
        there, back = _measure(cluster, a, b), _measure(cluster, b, a)
        ways.append(
            Way(
                a,
                b,
                there["rtt_s"],
                there["bandwidth_bps"],
                back["bandwidth_bps"],
                there["clock_offset_s"],
                there["drift_ppm"],
                there["drift_error_ppm"],
                there["lost"] + back["lost"],
            )
        )
    return ways


def _measure(cluster: Cluster, machine: str, other: str) -> way_probe.Way:
    """From a machine to another, which serves meanwhile."""
    address = cluster.address(other)
    token = secrets.token_hex(way_probe.TOKEN_BYTES).encode() + b"\n"
    program = [*python_module(_PROBE, cluster.facts(other)["executable"]), "serve", address]
    server = cluster.call(other, "start_process", node="", command=program, stdin=True)["number"]
    try:
        cluster.call(other, "write_process", number=server, data=token)
        line = cluster.call(other, "read_process", number=server, timeout=_PATIENCE_S)
        if not line:
            raise MachineError(f"machine {other}: it cannot listen at {address}")
        port = json.loads(line)["port"]
        client = [
            *python_module(_PROBE, cluster.facts(machine)["executable"]),
            "measure",
            address,
            str(port),
            str(FILL_S),
        ]
        done = cluster.call(machine, "exec", argv=client, input=token, timeout=_PATIENCE_S)
        if done["status"] != 0:
            words = done["stderr"].decode(errors="replace").strip()[-300:]
            raise MachineError(f"machine {machine} does not reach {other} at {address}: {words}")
        answer: way_probe.Way = json.loads(done["stdout"])
        return answer
    finally:
        cluster.call(other, "close_process", number=server)


def _device_findings(cluster: Cluster, machine: str, toward: str) -> list[Finding]:
    """The device by which a machine reaches another: its MTU and its offloads."""
    route = _output(cluster, machine, ["ip", "-json", "route", "get", toward])
    device = json.loads(route)[0]["dev"]
    mtu = int(_output(cluster, machine, ["cat", f"/sys/class/net/{device}/mtu"]))
    offloads = _output(cluster, machine, ["ethtool", "-k", device])
    on = [name for name in _OFFLOADS if f"{name}: on" in offloads]
    off = [name for name in _OFFLOADS if name not in on]
    found = f"{device}, {mtu} bytes"
    if mtu < 1500:
        means = "peering datagrams with full frames are fragmented"
        of_mtu = Finding(
            "MTU between machines", "note", found, means, f"ip link set {device} mtu 1500 or more"
        )
    else:
        of_mtu = Finding("MTU between machines", "has", found)
    if off:
        means = "peering and tunnels take more processor time for each packet"
        cure = f"ethtool -K {device} tso on gro on tx on"
        return [
            of_mtu,
            Finding("offloads between machines", "note", f"without {', '.join(off)}", means, cure),
        ]
    return [of_mtu, Finding("offloads between machines", "has", ", ".join(on))]


def _output(cluster: Cluster, machine: str, argv: list[str]) -> str:
    done = cluster.call(machine, "exec", argv=argv)
    if done["status"] != 0:
        words = done["stderr"].decode(errors="replace").strip()[-300:]
        raise MachineError(f"machine {machine}: `{' '.join(argv)}` failed: {words}")
    output: str = done["stdout"].decode(errors="replace")
    return output
