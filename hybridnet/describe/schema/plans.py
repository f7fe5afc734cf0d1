# SPDX-License-Identifier: MIT
"""The plans of machines and instances as types, written by `hybridnet.describe.schema.typed`: run `make generated`."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict, final

__all__ = [
    "CapturePlan",
    "CpuLimit",
    "CrossingPlan",
    "DirectionPlan",
    "DirectoryPlan",
    "EmulationPortal",
    "Fragment",
    "HostInterface",
    "HostPlan",
    "HostRoute",
    "InstanceAddition",
    "InstanceChange",
    "InstancePart",
    "InstancePlan",
    "InstanceRemoval",
    "InstanceTimeline",
    "LinkChange",
    "MachinePlan",
    "NatPlan",
    "NeighbourPlan",
    "NodePlan",
    "OpenFlowPlan",
    "PairEnd",
    "PairPlan",
    "PeerPlan",
    "PortalPlan",
    "RealTimePlan",
    "RunningCapture",
    "SimulatedEnd",
    "SimulatedInterface",
    "SimulatedLink",
    "SimulatedNode",
    "SimulatedRoute",
    "StatusChange",
    "SwitchPlan",
    "SwitchPort",
    "TimelineEntry",
    "TunnelPlan",
]


@final
class CapturePlan(TypedDict):
    """The packets of a simulated interface go into a file."""

    interface: str
    file: str


@final
class CpuLimit(TypedDict):
    """What a host's processes may take of the processors."""

    share: NotRequired[float | None]
    """Processors' worth of time; null: all."""
    cores: NotRequired[list[int] | None]
    """The processors; null: all."""
    sched: NotRequired[str]
    period_us: NotRequired[int]


@final
class CrossingPlan(TypedDict):
    """To another instance: a veth pair within this machine, or the end of a VXLAN tunnel to another one."""

    device: str
    mtu: int
    other: NotRequired[str]
    """The pair's other end."""
    tunnel: NotRequired[TunnelPlan]
    """The end of a VXLAN tunnel."""


@final
class DirectionPlan(TypedDict):
    """What happens to packets one way over a link."""

    rate_bps: NotRequired[int | None]
    """Rate of each direction; none: no limit, and then nothing queues."""
    delay_ns: NotRequired[int]
    """Propagation delay of each direction."""
    queue_packets: NotRequired[int | None]
    """Queue length, the packet that is being sent included; further packets are dropped."""
    queue_bytes: NotRequired[int | None]
    """A bound in bytes besides."""
    overhead_bytes: NotRequired[int]
    """Added to every frame on the wire, each padded to the 60 B of Ethernet first; 24 B are Ethernet's
    preamble, gap and FCS."""
    train_limit_ns: NotRequired[int]
    """Longest time that one train of segments may occupy the link; 0: each packet alone, exact and slower."""
    rate_model: NotRequired[Any]
    extra_delay: NotRequired[Any]
    keep_order: NotRequired[bool]
    """Packets of different delay do not overtake each other."""
    loss: NotRequired[Any]
    duplicate: NotRequired[float]
    """Share of the packets that are sent twice."""
    corrupt: NotRequired[float]
    """Share of the packets in which one bit is flipped."""
    bit_error_rate: NotRequired[float]
    """Instead of corrupt: the share of all bits that are flipped, such as 1e-6."""
    reorder: NotRequired[Any]
    queue: NotRequired[Any]
    watch_queue: NotRequired[bool]
    """The queue keeps histograms of sojourn time and occupancy."""
    plugin: NotRequired[Any]


@final
class DirectoryPlan(TypedDict):
    """A directory that shows another one."""

    at: str
    source: str


@final
class EmulationPortal(TypedDict):
    """A device where packets enter and leave the simulation."""

    name: str
    device: str
    """A device of the machine's own network namespace; tap makes it if there is none."""
    backend: str
    filter: NotRequired[str]
    """Captures only what matches, in pcap-filter(7); empty: everything."""
    options: NotRequired[dict[str, Any]]
    """Of the backend; see docs/portals.md."""


@final
class Fragment(TypedDict):
    """What a machine makes or removes while it runs: hybridnet.plan.network.difference."""

    devices: NotRequired[list[str]]
    crossings: NotRequired[list[CrossingPlan]]
    """Of a machine that is built; none comes or goes later."""
    hosts: list[HostPlan]
    host_parts: list[HostPlan]
    """Of hosts that stay."""
    switches: list[SwitchPlan]
    nodes: list[NodePlan]
    node_parts: list[NodePlan]
    """Of nodes that stay."""
    names: dict[str, list[str]] | None
    switch_parts: list[SwitchPlan]
    """Of switches that stay."""
    pairs: list[PairPlan]
    portals: list[PortalPlan]
    instances: list[InstancePlan | InstancePart]
    """Parts of instances that run, and the whole of those that start."""


@final
class HostInterface(TypedDict):
    """An interface in a host's namespace."""

    name: str
    mac: str
    addresses: list[str]
    mtu: int


@final
class HostPlan(TypedDict):
    """A namespace with its interfaces, and what programs in it find."""

    name: str
    interfaces: list[HostInterface]
    routes: list[HostRoute]
    cpu: NotRequired[CpuLimit]
    nat: NotRequired[NatPlan]
    devices: NotRequired[list[str]]
    in_namespace: NotRequired[bool]
    """False: it lives in the machine's own namespaces."""
    private_dirs: list[str | DirectoryPlan]
    """Directories that are empty for this host, or show another one, `source`."""
    arp: NotRequired[list[NeighbourPlan]]
    """Static neighbour entries (autoStaticArp), in any of the host's subnets."""


@final
class HostRoute(TypedDict):
    """A way that a host knows."""

    prefix: str
    """Address/length, or "default"."""
    via: str | None
    """Null: on the link of `interface`."""
    interface: NotRequired[str | None]


@final
class InstanceAddition(TypedDict):
    """What an instance gains."""

    nodes: NotRequired[list[SimulatedNode]]
    interfaces: NotRequired[dict[str, list[SimulatedInterface]]]
    """Of nodes that are there, by node."""
    emulation_portals: NotRequired[list[EmulationPortal]]
    peers: NotRequired[list[PeerPlan]]
    links: NotRequired[list[SimulatedLink]]


@final
class InstanceChange(TypedDict):
    """Of a running instance: what it loses and gains, all of it or nothing; a name is either removed or
    added."""

    remove: NotRequired[InstanceRemoval]
    """What an instance loses, by name."""
    add: NotRequired[InstanceAddition]
    """What an instance gains."""
    routes: NotRequired[dict[str, list[SimulatedRoute]]]


@final
class InstancePart(TypedDict):
    """A part of an instance that runs: what it gains, or what it loses."""

    name: str
    nodes: list[SimulatedNode]
    interfaces: dict[str, list[SimulatedInterface]]
    """Of nodes that stay, by node."""
    emulation_portals: list[EmulationPortal]
    peers: list[PeerPlan]
    links: list[SimulatedLink]
    routes: dict[str, list[SimulatedRoute]]
    """Of nodes that stay."""


@final
class InstancePlan(TypedDict):
    """What one simcore instance simulates and where packets enter and leave it."""

    format: int
    name: str
    seed: int
    token: str
    """The run's; a peering datagram without it is foreign."""
    nodes: list[SimulatedNode]
    emulation_portals: list[EmulationPortal]
    peers: list[PeerPlan]
    links: list[SimulatedLink]
    captures: list[CapturePlan]
    record: NotRequired[str]
    """A .pcapng file on the instance's machine: everything that crosses a portal goes there, for `hybridnet
    replay`."""
    pool_bytes: NotRequired[int]
    """The most that all packets of the instance take together, and one link half of it; absent: 1 GiB."""
    moderation_ns: NotRequired[int]
    """How far apart the turns of a busy instance begin, unless it waits `dedicated`; it follows from the
    delays of its links; absent: 0."""
    realtime: RealTimePlan


@final
class InstanceRemoval(TypedDict):
    """What an instance loses, by name."""

    links: NotRequired[list[str]]
    portals: NotRequired[list[str]]
    peers: NotRequired[list[str]]
    nodes: NotRequired[list[str]]
    """With their interfaces."""
    interfaces: NotRequired[list[str]]
    """Of nodes that stay."""


@final
class InstanceTimeline(TypedDict):
    """Of a running instance: changes at instants of its simulated time."""

    timeline: str
    start_ns: NotRequired[int]
    """The instant of simulated time from which those of the entries count."""
    entries: list[TimelineEntry]


@final
class LinkChange(TypedDict):
    """What changes of each direction, as in set_link."""

    name: str
    a_to_b: NotRequired[dict[str, Any]]
    b_to_a: NotRequired[dict[str, Any]]


@final
class MachinePlan(TypedDict):
    """What the agent of one machine makes."""

    format: int
    machine: str
    port_type: str
    hosts: list[HostPlan]
    switches: list[SwitchPlan]
    names: NotRequired[dict[str, list[str]]]
    """Names by address: each host has one of its own, and these in its /etc/hosts. Absent: they have the
    computer's."""
    devices: NotRequired[list[str]]
    nodes: NotRequired[list[NodePlan]]
    pairs: list[PairPlan]
    portals: list[PortalPlan]
    crossings: NotRequired[list[CrossingPlan]]
    """Of cut links that emulation portals cross."""
    instances: list[InstancePlan]
    """What simulates on this machine, each with a name of its own in the network."""


@final
class NatPlan(TypedDict):
    """The host forwards, and gives what comes from `subnet` by `interface` an address of its way out."""

    subnet: str
    interface: str


@final
class NeighbourPlan(TypedDict):
    """The link-layer address of a neighbour."""

    address: str
    mac: str
    interface: str


@final
class NodePlan(TypedDict):
    """A switch of a kind that a package brings, such as a bridge of the Linux kernel."""

    kind: str
    """As registered: hybridnet.describe.kinds."""
    name: str
    ports: list[str]
    devices: NotRequired[list[str]]
    options: dict[str, Any]
    """Of the kind, those that are given, as it reads them."""


@final
class OpenFlowPlan(TypedDict):
    """What a simulated switch has of OpenFlow."""

    dpid: str
    """Datapath id."""
    protocols: NotRequired[list[str]]
    """That it speaks."""
    fail_mode: NotRequired[str]
    """Without a controller: only its flows, or as a bridge."""
    controllers: NotRequired[list[str]]
    """That it connects to."""
    listens: NotRequired[list[str]]
    """Where it takes connections."""
    longest_retry_ns: NotRequired[int]
    """Between two attempts to reach a controller."""
    table_size: NotRequired[int]
    """How many flows its tables hold together; more are refused (`OFPFMFC_TABLE_FULL`)."""
    setup_rate: NotRequired[float]
    """Modifications of flows, groups and meters that it takes per second, one after the other; each has its
    effect when its time is over; 0: they take no time."""


@final
class PairEnd(TypedDict):
    """Where one end of a pair is."""

    node: str
    interface: str
    mtu: NotRequired[int]


@final
class PairPlan(TypedDict):
    """Veth: host to host or host to switch; patch: switch to switch."""

    kind: str
    a: PairEnd
    b: PairEnd


@final
class PeerPlan(TypedDict):
    """A peering portal, and the way to the other."""

    name: str
    """Of the peer."""
    local: str
    """Address and port here; with `shm` a file, in the instance's directory, for what comes here."""
    remote: str
    """The same there; `any`: the peer is a guest, known by its key alone."""
    transport: NotRequired[str]
    """How datagrams travel: as `udp`; in a `tcp` connection; or in `shm`, memory that two instances of one
    computer share."""
    flush: NotRequired[str]
    """When a batch is sent: at the end of each turn of the loop; each packet alone; `longest_wait` after its
    first packet; or at `batch_size`, and no later than that."""
    longest_wait_ns: NotRequired[int]
    """How long a packet may wait in a batch, with `time` and `size`."""
    batch_size_bytes: NotRequired[int]
    """How large a batch is when it is sent, with `size`."""
    compression: NotRequired[str]
    """Of batches, by LZ4: never, always, or while it takes less time, as measured, than sending what it
    saves."""
    datagram_size_bytes: NotRequired[int | None]
    """The most that a datagram carries; more than the path carries is an error. Without one: what an MTU of
    1,500 bytes carries, or less if the path carries less; with `shm` the largest size there is."""
    buffer_bytes: NotRequired[int | None]
    """Of the socket or the ring, in each direction. Without one: 32 MiB for sockets, for bursts that the
    other end cannot take at once; 2 MiB for rings, which processors' caches hold."""
    receive_wait_ns: NotRequired[int]
    """How long to gather what comes before all of it is taken in together; 0: each datagram is taken in at
    once."""
    receive_size_bytes: NotRequired[int]
    """Gathering ends earlier when this much has come, as far as a turn of the loop notices; 0: it does
    not."""
    bulk_dscp: NotRequired[list[int]]
    """IP packets with one of these DSCPs are bulk: they have batches of their own and a socket of their own,
    on the next port, and never delay the others."""
    bulk_filter: NotRequired[str]
    """An expression of pcap-filter(7): packets that it matches are bulk, too."""
    clocks: NotRequired[str]
    """How the peer's clock is known: compared all the time; or told once, as the time of day, so that every
    error in it becomes an error of the delays."""
    clock_ahead_ns: NotRequired[int]
    """An error to experiment with: to the first instance of each pair, the clock of the second seems this far
    ahead of what it is."""
    clock_drift_ppm: NotRequired[int]
    """An error to experiment with: that clock also seems to gain this many millionths."""
    key: NotRequired[str]
    """The run's, 64 hexadecimal digits: datagrams are encrypted and authenticated."""


@final
class PortalPlan(TypedDict):
    """A veth pair: `interface` at the node, `device` in the machine's own namespace, where the instance reads
    it."""

    name: str
    node: str
    interface: str
    device: str
    mtu: NotRequired[int]


@final
class RealTimePlan(TypedDict):
    """How an instance keeps pace with the clock."""

    policy: NotRequired[str]
    """`best_effort` runs on when late and reports it, `strict` stops."""
    lateness_limit_ns: NotRequired[int]
    """Of the strict policy."""
    wait: NotRequired[str]
    """`sleep` takes the least processor time, `adaptive` also looks for what comes next, for a while,
    `dedicated` looks all the time, on a core of its own; `auto`: `dedicated` where a plan finds cores to
    spare, else `adaptive`; `inet` waits as INET 2.6 did."""
    cpu: NotRequired[int | None]
    """The processor it is pinned to; null: any."""
    fifo_priority: NotRequired[int | None]
    """Of SCHED_FIFO, where it is allowed; null: the ordinary scheduler."""
    shallow_idle: NotRequired[bool]
    """While it runs, idle processors stay in states that they leave at once, where it is allowed."""


@final
class RunningCapture(TypedDict):
    """Begins and ends while the instance runs: see `start_capture` in
    hybridnet/simulate/instance/process.py."""

    interface: str
    file: str
    """Pcapng where it ends so, else pcap."""
    filter: str
    """In pcap-filter(7); empty: everything."""
    most_bytes: int
    """Of frames, as they stand in the file."""


@final
class SimulatedEnd(TypedDict):
    """Where one end of a link is: one of these."""

    interface: NotRequired[str]
    portal: NotRequired[str]
    peer: NotRequired[str]
    channel: NotRequired[int]


@final
class SimulatedInterface(TypedDict):
    """A switch's interface has a name only; an OpenFlow switch's a number, too."""

    name: str
    number: NotRequired[int]
    """Of an OpenFlow switch's port."""
    mac: NotRequired[str]
    address: NotRequired[str]
    """The interface's own address with its prefix length."""
    address6: NotRequired[str]
    """The same of IPv6; absent: the interface has none."""
    mtu: NotRequired[int]


@final
class SimulatedLink(TypedDict):
    """Two ends and what happens to packets between them; of a cut link each instance has one end."""

    name: str
    a: SimulatedEnd
    b: SimulatedEnd
    a_to_b: DirectionPlan
    b_to_a: DirectionPlan


@final
class SimulatedNode(TypedDict):
    """A router, a host, a learning switch or an OpenFlow switch."""

    name: str
    kind: str
    interfaces: list[SimulatedInterface]
    routes: NotRequired[list[SimulatedRoute]]
    processing_delay_ns: NotRequired[int]
    """Per packet that arrives, one after the other; absent: none."""
    processing_queue_packets: NotRequired[int]
    """That wait for that or are handled."""
    openflow: NotRequired[OpenFlowPlan]
    """Of a switch that speaks OpenFlow."""
    applications: NotRequired[list[dict[str, Any]]]
    """Of hosts only."""


@final
class SimulatedRoute(TypedDict):
    """A way that a router or host knows."""

    prefix: str
    via: str | None
    """Null: the prefix is on the interface's link."""
    interface: str


@final
class StatusChange(TypedDict):
    """A link goes down or comes up."""

    name: str
    up: bool


@final
class SwitchPlan(TypedDict):
    """A bridge of Open vSwitch."""

    name: str
    dpid: str
    protocols: list[str]
    fail_mode: str
    controllers: list[str]
    devices: NotRequired[list[str]]
    spanning_tree: NotRequired[str]
    priority: NotRequired[int]
    """In the spanning tree protocol."""
    listen_port: NotRequired[int]
    """Of the machine's loopback, where the switch takes OpenFlow connections."""
    in_band: NotRequired[bool]
    """Controllers are reached through the switch itself."""
    reconnect_ms: NotRequired[int]
    """At most so long between two attempts to reach a controller."""
    ports: list[SwitchPort]


@final
class SwitchPort(TypedDict):
    """A port with the number that controllers know."""

    name: str
    number: int


@final
class TimelineEntry(TypedDict):
    """One change and its instant."""

    at_ns: int
    link: NotRequired[LinkChange]
    """What changes of each direction, as in set_link."""
    status: NotRequired[StatusChange]
    """A link goes down or comes up."""
    routes: NotRequired[dict[str, list[SimulatedRoute]]]


@final
class TunnelPlan(TypedDict):
    """The end of a VXLAN tunnel."""

    id: int
    """Of the network."""
    local: str
    remote: str
    port: int
    """Of UDP, at both ends."""
