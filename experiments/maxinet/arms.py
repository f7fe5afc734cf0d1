# SPDX-License-Identifier: MIT
"""The three networks that are compared. Each is a context manager: built on entry, gone on exit.

All of them are two binary trees of switches with hosts at the leaves, one per machine, under one Ryu with the same
application, and all of their flows are run by the same program (``flow_runner.py``).

* ``hybrid``: hybridnet's SimpleNets, their roots on emulation portals of simcore instances, a cut link between them.
* ``tunnel``: the same SimpleNets, their roots joined by a kernel tunnel instead.
* ``maxinet``: a Mininet on each machine, their roots joined by the same kernel tunnel, as MaxiNet builds it.
* ``maxinet-patch``: that with Mininet's patch links (``OVSLink``) between the switches of a machine, which MaxiNet does
  not use, but which is the fastest that its parts can do.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from hybridnet.describe.topo import Topo
from hybridnet.errors import MachineError
from hybridnet.experiments.maxinet.datapath import READ_BACK, Datapath
from hybridnet.experiments.maxinet.runner_client import RunnerClient
from hybridnet.experiments.maxinet.scale import Scale
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.run.controllers.kinds import Controller
from hybridnet.run.net import Net, own_address_toward
from hybridnet.topologies.tree import add_tree, switches_in_tree
from hybridnet.topologies.two_trees import TwoTrees

SENDERS, RECEIVERS = "m1", "m2"

TUNNEL_DEVICE = "tunnel0"
TUNNEL_ID = 42
TUNNEL_MTU = 1450
"""What VXLAN's headers (50 bytes) leave of a 1500-byte MTU."""

BOOT_LIMIT_S = 300.0


class _Arm(ABC):
    """What the arms have in common: a flow runner on each machine."""

    name = ""
    open_vswitch = True
    """Its switches are Open vSwitch's, whose datapath is read back."""
    meets = True
    """It also runs the demand that the hybrid arm meets."""

    def __init__(self, cluster: Cluster, scale: Scale, datapath: Datapath, logs: Path) -> None:
        self.cluster = cluster
        self.scale = scale
        self.datapath = datapath
        self.settings: dict[str, Any] = {}
        self.boot_s = 0.0
        self._log = logs / f"controller-{self.name}.log"
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        began = time.monotonic()
        with ExitStack() as undo:
            self._build(undo)
            self.boot_s = time.monotonic() - began
            if self.open_vswitch:
                self.settings["open_vswitch"] = {
                    machine: self.datapath.check(
                        self.name, machine, _run_on(self.cluster, machine, READ_BACK).decode()
                    )
                    for machine in (SENDERS, RECEIVERS)
                }
            runners = [
                undo.enter_context(RunnerClient(self.cluster, machine, "flow_runner.py"))
                for machine in (SENDERS, RECEIVERS)
            ]
            self.sender, self.receiver = (runner.request for runner in runners)
            self._exit = undo.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    def snapshots(self) -> list[Snapshot]:
        """No instance, no snapshot."""
        return []

    @property
    @abstractmethod
    def controller(self) -> Controller:
        """The arm's."""

    @property
    def controller_pid(self) -> int:
        """The controller's process."""
        process = self.controller.process
        assert process is not None
        assert process.pid is not None
        return process.pid

    @abstractmethod
    def _build(self, undo: ExitStack) -> None:
        """Build the network; what removes it goes to ``undo``."""


class _SimpleNets(_Arm):
    """Hybridnet's own switches and hosts."""

    net: Net
    switches: str | None = None
    """As of `Net`."""

    def netns(self, host: str) -> str:
        return f"/run/netns/{host}"

    def address(self, host: str) -> str:
        address: str = self.net[host].IP()
        return address

    @property
    def controller(self) -> Controller:
        """The network's."""
        return self._controller

    @abstractmethod
    def _topo(self) -> Topo:
        """What is built."""

    def _build(self, undo: ExitStack) -> None:
        self._controller = Controller("c0", log=self._log)
        self.net = Net(
            self._topo(),
            controller=self._controller,
            cluster=self.cluster,
            port_type=self.datapath.port_type,
            switches=self.switches,
        )
        undo.enter_context(self.net)
        self.settings = {"between_switches": "patch ports"}


def hybrid_topo(scale: Scale) -> Topo:
    """The network of the hybrid arms."""
    return TwoTrees(
        depth=scale.depth,
        bw=scale.link_rate_bps / 1e6,
        delay=f"{scale.link_delay_ns}ns",
        machines=(SENDERS, RECEIVERS),
    )


class HybridArm(_SimpleNets):
    """Roots joined through simcore."""

    name = "hybrid"

    def _topo(self) -> Topo:
        return hybrid_topo(self.scale)

    def _build(self, undo: ExitStack) -> None:
        super()._build(undo)
        self.settings |= {
            "joint": "emulation portals, simcore instances, peering portals over UDP",
            "link_rate_bps": self.scale.link_rate_bps,
            "link_delay_ns": self.scale.link_delay_ns,
        }

    def snapshots(self) -> list[Snapshot]:
        return [
            snapshot for snapshot in self.net.snapshot(of_elements=False).values() if snapshot is not None
        ]


class SimulatedArm(HybridArm):
    """The same hosts, controller and link with simulated OpenFlow switches."""

    name = "hybrid-simulated"
    open_vswitch = False
    switches = "simulated"

    def _build(self, undo: ExitStack) -> None:
        super()._build(undo)
        self.settings["between_switches"] = "simulated links"


class _TwoRoots(Topo):
    """The two trees of ``TwoTrees`` with nothing between them."""

    roots: tuple[str, str]

    def build(self, depth: int) -> None:
        self.roots = (
            add_tree(self, depth, 2, machine=SENDERS),
            add_tree(
                self,
                depth,
                2,
                first_host=2**depth + 1,
                first_switch=switches_in_tree(depth, 2) + 1,
                machine=RECEIVERS,
            ),
        )


class TunnelArm(_SimpleNets):
    """Roots joined by a kernel tunnel: what the simulator between them changes when the network is full."""

    name = "tunnel"
    meets = False

    def _topo(self) -> Topo:
        topo = _TwoRoots(depth=self.scale.depth)
        self._roots = dict(zip((SENDERS, RECEIVERS), topo.roots, strict=True))
        return topo

    def _build(self, undo: ExitStack) -> None:
        super()._build(undo)
        for machine, root in self._roots.items():
            command, kind = _tunnel_command(self.cluster, machine)
            undo.callback(_run_on, self.cluster, machine, f"ip link del {TUNNEL_DEVICE}")
            self.cluster.call(machine, "note_links", names=[TUNNEL_DEVICE])
            _run_on(self.cluster, machine, command)
            _run_on(
                self.cluster,
                machine,
                f"ip link set {TUNNEL_DEVICE} up && ovs-vsctl add-port {root} {TUNNEL_DEVICE}",
            )
            undo.callback(_run_on, self.cluster, machine, f"ovs-vsctl del-port {root} {TUNNEL_DEVICE}")
            for host in self.net.hosts:
                if host.machine == machine:
                    _run_on(
                        self.cluster,
                        machine,
                        f"ip -n {host.name} link set {host.name}-eth0 mtu {TUNNEL_MTU}",
                    )
        self.settings |= {"joint": f"{kind}, kernel device in each root", "host_mtu": TUNNEL_MTU}


class MaxinetArm(_Arm):
    """Mininet's switches and hosts, roots joined by a kernel tunnel."""

    name = "maxinet"

    joint = "veth"
    """Between switches: MaxiNet uses Mininet's plain links."""

    @property
    def controller(self) -> Controller:
        """The remote one of both halves."""
        return self._controller

    def _build(self, undo: ExitStack) -> None:
        self._controller = controller = Controller("c0", log=self._log)
        undo.callback(controller.end)
        head = own_address_toward(self.cluster.address(SENDERS))
        controller.begin(head)
        self._pids: dict[str, int] = {}
        halves = []
        for index, machine in enumerate((SENDERS, RECEIVERS)):
            self.cluster.call(machine, "start_switching", port_type=self.datapath.mininet_port_type)
            undo.callback(self.cluster.call, machine, "destroy")
            command, kind = _tunnel_command(self.cluster, machine)
            undo.callback(_run_on, self.cluster, machine, f"ip link del {TUNNEL_DEVICE}")
            settings = half_settings(self.scale, self.datapath, index, self.joint) | {
                "controller_ip": head,
                "controller_port": controller.port,
                "tunnel_command": command,
                "alias": self.cluster.journal.alias(),
            }
            self.cluster.call(machine, "note_links", names=_devices_of_half(self.scale, index))
            half = RunnerClient(self.cluster, machine, "mininet_runner.py", [json.dumps(settings)])
            undo.enter_context(half)
            undo.callback(half.finish, BOOT_LIMIT_S)
            halves.append(half)
        for half in halves:  # both clean up at the same time
            undo.callback(half.end_input)
        mininet_s = []
        for half in halves:
            answer = half.read_line(BOOT_LIMIT_S)
            self._pids |= answer["hosts"]
            mininet_s.append(answer["seconds"])
        self.settings = {
            "mininet": _mininet_version(self.cluster, SENDERS),
            "mininet_boot_s": mininet_s,
            "between_switches": self.joint,
            "joint": f"{kind}, kernel device in each root",
            "host_mtu": TUNNEL_MTU,
            "host_offloads": "as they are" if self.datapath.type == "system" else "tx off",
        }

    def netns(self, host: str) -> str:
        return f"/proc/{self._pids[host]}/ns/net"

    def address(self, host: str) -> str:
        number = int(host.removeprefix("h"))
        return f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"


class MaxinetPatchArm(MaxinetArm):
    """The same with Mininet's patch links between switches."""

    name = "maxinet-patch"
    joint = "patch"


def half_settings(scale: Scale, datapath: Datapath, index: int, joint: str) -> dict[str, Any]:
    """What Mininet is told about the half on machine ``index``, save where its controller and its tunnel are."""
    return {
        "depth": scale.depth,
        "first_host": index * scale.hosts_per_machine + 1,
        "first_switch": index * switches_in_tree(scale.depth, 2) + 1,
        "datapath": datapath.mininet_name,
        "joint": joint,
        "tunnel_device": TUNNEL_DEVICE,
        "mtu": TUNNEL_MTU,
    }


def _devices_of_half(scale: Scale, index: int) -> list[str]:
    """What Mininet makes beside its hosts on machine ``index``, and the tunnel: each switch has its three ports."""
    first, count = index * switches_in_tree(scale.depth, 2) + 1, switches_in_tree(scale.depth, 2)
    ports = [f"s{switch}-eth{port}" for switch in range(first, first + count) for port in (1, 2, 3)]
    return [TUNNEL_DEVICE, *ports]


def _tunnel_command(cluster: Cluster, machine: str) -> tuple[str, str]:
    """How the tunnel to the other machine is made, and its kind: MaxiNet's gretap where there is one, else VXLAN."""
    other = RECEIVERS if machine == SENDERS else SENDERS
    ends = f"local {cluster.address(machine)} remote {cluster.address(other)}"
    ours = f" && ip link set dev {TUNNEL_DEVICE} alias {cluster.journal.alias()}"
    gretap = f"ip link add name {TUNNEL_DEVICE} type gretap {ends} key {TUNNEL_ID}{ours}"
    tried = cluster.call(machine, "exec", argv=gretap)
    if tried["status"] == 0:
        _run_on(cluster, machine, f"ip link del {TUNNEL_DEVICE}")
        return gretap, "gretap"
    return f"ip link add name {TUNNEL_DEVICE} type vxlan id {TUNNEL_ID} {ends} dstport 4789{ours}", "vxlan"


def _run_on(cluster: Cluster, machine: str, command: str) -> bytes:
    """Run a shell command on a machine; raise MachineError that quotes it when it fails."""
    done = cluster.call(machine, "exec", argv=command)
    if done["status"] != 0:
        raise MachineError(
            f"machine {machine}: `{command}` failed: {done['stderr'].decode(errors='replace').strip()}"
        )
    output: bytes = done["stdout"]
    return output


def _mininet_version(cluster: Cluster, machine: str) -> str:
    return _run_on(cluster, machine, "dpkg-query -W -f '${Version}' mininet").decode().strip()
