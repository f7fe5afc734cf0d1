# SPDX-License-Identifier: MIT
"""What a plan depends on besides the description: the machines, and the choices of the run."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from hybridnet.describe.options import table
from hybridnet.describe.options.read import refuse_unknown
from hybridnet.describe.quantities import parse_percent
from hybridnet.describe.schema.check import check
from hybridnet.describe.schema.plans import RealTimePlan
from hybridnet.describe.topo.node_options import MOST_INSTANCES
from hybridnet.describe.topo.switch_options import DEFAULT_PROTOCOLS, FAIL_MODES, protocols
from hybridnet.describe.values import choice, flag, machine_name, shown, text, whole
from hybridnet.errors import PlanError, TopologyError
from hybridnet.plan.choices.families import IPV6_PREFIX_LENGTH
from hybridnet.plan.choices.peering import PeeringOptions
from hybridnet.plan.choices.pool import LEAST_POOL_BYTES, MOST_POOL_BYTES
from hybridnet.plan.choices.transports import LEAST_DELAY_NS

__all__ = [
    "AUTO",
    "BACKENDS",
    "FIDELITIES",
    "LEAST_CUT_DELAY_NS",
    "MOST_SLOW",
    "PORT_TYPES",
    "MachineSpec",
    "PlanOptions",
    "RealtimeOptions",
]

AUTO = "auto"

PORT_TYPES = (AUTO, "afxdp", "afpacket", "system")

# Of emulation portals at the ends of veth pairs. (A TAP portal is a device itself; see docs/portals.md.)
BACKENDS = ("packet", "pcap", "xdp")

LEAST_CUT_DELAY_NS = LEAST_DELAY_NS["udp"]  # between machines

FIDELITIES = ("fluid", "packets", AUTO)
LEAST_ERROR_PPM, MOST_ERROR_PPM = 10_000, 500_000

PEER_PORT = 47000
MOST_SEED = 2**64 - 1
MOST_SLOW = 1000  # as the schemas of plans have it, and simcore/realtime


@dataclass(frozen=True)
class MachineSpec:
    """A machine as the plan sees it.

    Args:
        name: what `machine=` says.
        address: IPv4 address at which the other machines reach it.
        kernel_datapath: its kernel has the openvswitch module.
        afxdp: its Open vSwitch and its kernel have AF_XDP sockets, for whoever runs there.
        memory_bytes: what is available there; None: not known, so the fit is not judged.
        shared_switching: an Open vSwitch runs there already, and keeps its settings.
        processors: the numbers of those that are for this machine alone; none: not known.
        computer: a name of the computer that it is on, the same for all machines there; empty: not known.
        network: the number of its network namespace, of those of the computer; None: not known, or its own.
    """

    name: str
    address: str
    kernel_datapath: bool = False
    memory_bytes: int | None = None
    shared_switching: bool = False
    processors: Sequence[int] = ()
    computer: str = ""
    afxdp: bool = True
    network: int | None = None

    def __post_init__(self) -> None:
        what = f"machine {machine_name(self.name, 'machine', error=PlanError)}:"
        if _parsed(ipaddress.IPv4Address, self.address) is None:
            raise PlanError(
                f"{what} address {shown(self.address)} is not an IPv4 address; write one like 198.18.0.1"
            )
        flag(self.kernel_datapath, f"{what} kernel_datapath", error=PlanError)
        flag(self.afxdp, f"{what} afxdp", error=PlanError)
        flag(self.shared_switching, f"{what} shared_switching", error=PlanError)
        if self.memory_bytes is not None:
            whole(self.memory_bytes, f"{what} memory_bytes", 0, 1 << 60, error=PlanError)
        if not isinstance(self.processors, Sequence) or isinstance(self.processors, str | bytes):
            raise PlanError(f"{what} processors {shown(self.processors)} are not a list; write (0, 1)")
        if self.network is not None:
            whole(self.network, f"{what} network", 0, (1 << 64) - 1, error=PlanError)
        for number in self.processors:
            whole(number, f"{what} processor", 0, 1 << 20, error=PlanError)
        if not isinstance(self.computer, str):
            raise PlanError(
                f"{what} computer {shown(self.computer)} is not text; write a name, or leave it out"
            )


class RealtimeOptions:
    """How the instances keep up with the wall clock.

    Args:
        options: those of the table of real time, by their names in plans; docs/portals.md has them all, with units,
            ranges and defaults. `wait` says how they wait for frames and events; with ``"auto"`` the plan chooses.

    Raises:
        PlanError: an option does not exist, or not any more, or its value is of another type or out of range.

    Example:
        >>> RealtimeOptions(policy="strict", lateness_limit_ns=200_000).options["policy"]
        'strict'
    """

    def __init__(self, **options: Any) -> None:
        refuse_unknown(options, table("realtime"), "realtime", PlanError)
        check(options, "instance", "realtime", "realtime")
        self.options: Mapping[str, Any] = options

    def to_json(self) -> RealTimePlan:
        """As the instance plan writes it; what nobody has said is the default."""
        defaults = {key: option.default for key, option in table("realtime").planned.items()}
        return cast(RealTimePlan, {**defaults, **self.options})


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """The choices of a run.

    Args:
        token: 16 hexadecimal digits that tell this run's peering datagrams from others'.
        seed: of every instance's random streams.
        port_type: how hosts' frames get into Open vSwitch; ``"auto"`` lets the plan choose per machine.
        controllers: OpenFlow targets such as ``"tcp:198.18.0.254:6653"``, for all machines or by machine
            name.
        fail_mode: of switches that do not say: ``"secure"`` or ``"standalone"``.
        protocols: versions of OpenFlow of switches that do not say: ``"OpenFlow13"``, several joined by commas, or a
            list.
        ip_base: where hosts without a simulated router get their addresses, as in Mininet.
        ip6_base: where all hosts and simulated routers get an IPv6 address too, one /64 for each segment, such as
            ``"fd00::/48"``; None: only those that the description gives one with ip6=.
        auto_set_macs: hosts' MAC addresses count from 00:00:00:00:00:01, as in Mininet.
        auto_static_arp: hosts know each other's MAC addresses from the start.
        host_names: each emulated host has a host name of its own, and all names of the network in its /etc/hosts.
        least_cut_delay_ns: a link between machines with less delay is refused.
        backend: of emulation portals: ``"packet"``, ``"pcap"`` or ``"xdp"``; see docs/portals.md.
        captures: simulated interface -> capture file on its machine, an absolute path; pcapng where its name ends so,
            else pcap.
        record: directory on each machine; everything that crosses an instance's portals goes into the file
            INSTANCE.pcapng there, for ``hybridnet replay``. None: nothing is recorded.
        pool_bytes: the most that all packets of an instance take together, 16 MiB to 1 TiB; one link may hold half of
            it. None: what its links' rates and delays need, at least 1 GiB.
        realtime: how the instances keep up with the wall clock.
        slow: wall seconds for a second of what is described, 1 to 1000: rates, delays and everything else that is
            simulated are slower by that; see docs/time.md.
        fidelity: what the classes of `addFluid` are: ``"fluid"``; ``"packets"``, TCP connections between simulated
            hosts; or ``"auto"``: packets, and fluid while their instance would be late. See "Fluid flows" in
            docs/topologies.md.
        error: of ``"auto"``: by how much a class may carry more or less as a fluid, a percentage from 1 % to 50 %.
        peer_port: the first port of peering.
        peering: the way between instances: `PeeringOptions`, a dictionary of its options, or a transport: ``"pcap"``.
        peering_key: of this run, 64 hexadecimal digits, for peering that is authenticated; a secret.
        instances_per_machine: over how many instances each machine's simulation is divided, where no node of the
            machine names one with instance=. ``"auto"``: one for each processor that is free for it. See
            docs/instances.md.
    """

    token: str
    seed: int = 1
    port_type: str = "auto"
    controllers: Sequence[str] | Mapping[str, Sequence[str]] = ()
    fail_mode: str = "secure"
    protocols: str | Sequence[str] = tuple(DEFAULT_PROTOCOLS)
    ip_base: str = "10.0.0.0/8"
    ip6_base: str | None = None
    auto_set_macs: bool = False
    auto_static_arp: bool = False
    host_names: bool = True
    least_cut_delay_ns: int = LEAST_CUT_DELAY_NS
    backend: str = "packet"
    captures: Mapping[str, str] = field(default_factory=dict)
    record: str | None = None
    pool_bytes: int | None = None
    realtime: RealtimeOptions = field(default_factory=RealtimeOptions)
    slow: int = 1
    fidelity: str = "fluid"
    error: str | float = "2%"
    peer_port: int = PEER_PORT
    peering: PeeringOptions | Mapping[str, Any] | str = field(default_factory=PeeringOptions)
    peering_key: str | None = field(default=None, repr=False)
    instances_per_machine: int | str = 1

    def __post_init__(self) -> None:
        if not isinstance(self.token, str) or not re.fullmatch(r"[0-9a-f]{16}", self.token):
            raise PlanError(
                f"token {shown(self.token)} is not 16 hexadecimal digits; use secrets.token_hex(8)"
            )
        whole(self.seed, "seed", 0, MOST_SEED, error=PlanError)
        whole(self.slow, "slow", 1, MOST_SLOW, error=PlanError)
        choice(self.port_type, "port_type", PORT_TYPES, error=PlanError)
        choice(self.fail_mode, "fail_mode", FAIL_MODES, error=PlanError)
        choice(self.fidelity, "fidelity", FIDELITIES, error=PlanError)
        if not LEAST_ERROR_PPM <= self.error_ppm <= MOST_ERROR_PPM:
            raise PlanError(f"error {shown(self.error)} is not from 1 % to 50 %; write for example '2%'")
        try:
            object.__setattr__(self, "protocols", tuple(protocols(self.protocols, "protocols")))
        except TopologyError as error:
            raise PlanError(str(error)) from None
        choice(self.backend, "backend", BACKENDS, error=PlanError)
        flag(self.auto_set_macs, "auto_set_macs", error=PlanError)
        flag(self.auto_static_arp, "auto_static_arp", error=PlanError)
        flag(self.host_names, "host_names", error=PlanError)
        whole(self.least_cut_delay_ns, "least_cut_delay_ns", 0, 3600 * 10**9, error=PlanError)
        whole(self.peer_port, "peer_port", 1, 65535, error=PlanError)
        if self.pool_bytes is not None:
            whole(self.pool_bytes, "pool_bytes", LEAST_POOL_BYTES, MOST_POOL_BYTES, error=PlanError)
        PeeringOptions.of(self.peering)
        if self.peering_key is not None and not _is_key(self.peering_key):
            raise PlanError(
                "peering_key is not 64 hexadecimal digits; use secrets.token_hex(32), or leave it out"
            )
        if self.instances_per_machine != AUTO:
            what = f"instances_per_machine (or {AUTO!r})"
            whole(self.instances_per_machine, what, 1, MOST_INSTANCES, error=PlanError)
        if not isinstance(self.realtime, RealtimeOptions):
            raise PlanError(
                f"realtime {shown(self.realtime)} is not a RealtimeOptions; write hybridnet.RealtimeOptions(...)"
            )
        if self.record is not None and not text(self.record, "record", error=PlanError).startswith("/"):
            raise PlanError(
                f"record {self.record!r} is not an absolute path, which each machine needs; write os.path.abspath(...)"
            )
        if _parsed(ipaddress.IPv4Network, self.ip_base) is None:
            raise PlanError(
                f"ip_base {shown(self.ip_base)} is not an IPv4 network; write one like 10.0.0.0/8"
            )
        if self.ip6_base is not None:
            self._check_ip6_base(self.ip6_base)
        self._check_captures()
        self._check_controllers()

    @property
    def error_ppm(self) -> int:
        """The error in parts per million. Raises UnitError: it is no percentage."""
        return round(1e6 * parse_percent(self.error, "error"))

    @staticmethod
    def _check_ip6_base(written: object) -> None:
        base = _parsed(ipaddress.IPv6Network, written)
        if base is None:
            raise PlanError(f"ip6_base {shown(written)} is not an IPv6 network; write one like fd00::/48")
        if base.prefixlen > IPV6_PREFIX_LENGTH:
            raise PlanError(
                f"ip6_base {written!r} holds no /64, which each segment gets; write one like fd00::/48"
            )

    def _check_captures(self) -> None:
        if not isinstance(self.captures, Mapping):
            raise PlanError(
                f"captures {shown(self.captures)} is not a dictionary; write {{'r1-eth1': '/tmp/r1.pcap'}}"
            )
        for interface, file in self.captures.items():
            text(interface, "captures: interface", error=PlanError)
            if not text(file, f"captures: file of {interface}", error=PlanError).startswith("/"):
                raise PlanError(
                    f"captures: file {file!r} of {interface} is not an absolute path, which its machine needs; "
                    "write os.path.abspath(...)"
                )

    def _check_controllers(self) -> None:
        by_machine = (
            self.controllers if isinstance(self.controllers, Mapping) else {"all machines": self.controllers}
        )
        for machine, targets in by_machine.items():
            if not isinstance(targets, Sequence) or isinstance(targets, str | bytes):
                raise PlanError(
                    f"controllers of {shown(machine)}: {shown(targets)} is not a list; write ['tcp:192.0.2.1:6653']"
                )
            for target in targets:
                text(target, f"controllers of {shown(machine)}: target", error=PlanError)

    def controllers_of(self, machine: str) -> list[str]:
        """The OpenFlow targets of the switches on one machine."""
        if isinstance(self.controllers, Mapping):
            return list(self.controllers.get(machine, ()))
        return list(self.controllers)


def _is_key(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None


def _parsed(parse: Any, written: object) -> Any:
    """What `parse` of ipaddress makes of text; None where it is none. Numbers, which it would take, are none."""
    try:
        if not isinstance(written, str):
            return None
        return parse(written) if parse is ipaddress.IPv4Address else parse(written, strict=False)
    except ValueError:
        return None
