# SPDX-License-Identifier: MIT
"""The plans of machines and instances as types, written by `hybridnet.describe.schema.typed`: run `make generated`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, final

__all__ = [
    "ApplicationModel",
    "CapturePlan",
    "CodelQueue",
    "ConstantDelay",
    "CpuLimit",
    "CrossingPlan",
    "DelayModel",
    "DirectionPlan",
    "DirectoryPlan",
    "EmulationPortal",
    "ExponentialDelay",
    "FqCodelQueue",
    "Fragment",
    "GilbertElliottLoss",
    "HostInterface",
    "HostPlan",
    "HostRoute",
    "HttpServerApplication",
    "IndependentLoss",
    "InstanceAddition",
    "InstanceChange",
    "InstancePart",
    "InstancePlan",
    "InstanceRemoval",
    "InstanceTimeline",
    "Iperf3ClientApplication",
    "Iperf3ServerApplication",
    "LinkChange",
    "LossModel",
    "MachinePlan",
    "NatPlan",
    "NeighbourPlan",
    "NodePlan",
    "NormalDelay",
    "OpenFlowPlan",
    "OpportunitiesRate",
    "PairEnd",
    "PairPlan",
    "PeerPlan",
    "PeriodicLoss",
    "PingApplication",
    "PluginPlan",
    "PortalPlan",
    "PriorityQueue",
    "QueueModel",
    "RateModel",
    "RealTimePlan",
    "RedQueue",
    "ReorderPlan",
    "RequestClientApplication",
    "RequestServerApplication",
    "RunningCapture",
    "ScriptedLoss",
    "SimulatedEnd",
    "SimulatedInterface",
    "SimulatedLink",
    "SimulatedNode",
    "SimulatedRoute",
    "SlotPlan",
    "SlotsRate",
    "StatusChange",
    "SwitchPlan",
    "SwitchPort",
    "TableDelay",
    "TcpBulkApplication",
    "TcpChargenApplication",
    "TcpDiscardApplication",
    "TcpEchoApplication",
    "TcpPlan",
    "TimelineEntry",
    "TokenBucketRate",
    "TraceDelay",
    "TracerouteApplication",
    "TunnelPlan",
    "UdpChargenApplication",
    "UdpEchoApplication",
    "UdpSinkApplication",
    "UdpSourceApplication",
    "UniformDelay",
    "WeightedQueue",
]


@final
class CapturePlan(TypedDict):
    """The packets of a simulated interface go into a file."""

    interface: str
    file: str


@final
class CodelQueue(TypedDict):
    """Controlled delay (RFC 8289)."""

    model: Literal["codel"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    ecn: NotRequired[bool]


@final
class ConstantDelay(TypedDict):
    """Always the same."""

    model: Literal["constant"]
    delay_ns: int


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
    rate_model: NotRequired[RateModel | None]
    extra_delay: NotRequired[DelayModel | None]
    keep_order: NotRequired[bool]
    """Packets of different delay do not overtake each other."""
    loss: NotRequired[LossModel | None]
    duplicate: NotRequired[float]
    """Share of the packets that are sent twice."""
    corrupt: NotRequired[float]
    """Share of the packets in which one bit is flipped."""
    bit_error_rate: NotRequired[float]
    """Instead of corrupt: the share of all bits that are flipped, such as 1e-6."""
    reorder: NotRequired[ReorderPlan | None]
    queue: NotRequired[QueueModel | None]
    watch_queue: NotRequired[bool]
    """The queue keeps histograms of sojourn time and occupancy."""
    plugin: NotRequired[PluginPlan | None]


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
    options: NotRequired[dict[str, object]]
    """Of the backend; see docs/portals.md."""


@final
class ExponentialDelay(TypedDict):
    """A least delay, plus an exponential one."""

    model: Literal["exponential"]
    mean_above_ns: int
    least_ns: NotRequired[int]


@final
class FqCodelQueue(TypedDict):
    """A queue for each flow, in turns, each with CoDel (RFC 8290)."""

    model: Literal["fq_codel"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    ecn: NotRequired[bool]
    flows: NotRequired[int]
    quantum_bytes: NotRequired[int]


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
class GilbertElliottLoss(TypedDict):
    """Bursts: a channel that is good or bad (Gilbert 1960, Elliott 1963)."""

    model: Literal["gilbert_elliott"]
    to_bad: float
    to_good: float
    loss_when_good: NotRequired[float]
    loss_when_bad: NotRequired[float]


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
class HttpServerApplication(TypedDict):
    """HTTP/1.1, one file: byte i is the exclusive or of the four octets of i."""

    kind: Literal["http_server"]
    port: NotRequired[int]
    path: NotRequired[str]
    size_bytes: NotRequired[int]
    tcp: NotRequired[str | TcpPlan]


@final
class IndependentLoss(TypedDict):
    """Each packet on its own."""

    model: Literal["independent"]
    probability: float


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
class Iperf3ClientApplication(TypedDict):
    """One test with `iperf3 -s`."""

    kind: Literal["iperf3_client"]
    destination: str
    port: NotRequired[int]
    udp: NotRequired[bool]
    reverse: NotRequired[bool]
    streams: NotRequired[int]
    rate_bps: NotRequired[int | None]
    block_bytes: NotRequired[int | None]
    time_ns: NotRequired[int]
    start_ns: NotRequired[int]
    tcp: NotRequired[str | TcpPlan]


@final
class Iperf3ServerApplication(TypedDict):
    """For `iperf3 -c`: TCP and UDP, `-R`, `--bidir`, `-P`; `-u -R` needs a rate."""

    kind: Literal["iperf3_server"]
    port: int
    tcp: NotRequired[str | TcpPlan]


@final
class LinkChange(TypedDict):
    """What changes of each direction, as in set_link."""

    name: str
    a_to_b: NotRequired[dict[str, object]]
    b_to_a: NotRequired[dict[str, object]]


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
    options: dict[str, object]
    """Of the kind, those that are given, as it reads them."""


@final
class NormalDelay(TypedDict):
    """Gauss's distribution, cut off below."""

    model: Literal["normal"]
    mean_ns: int
    deviation_ns: int
    least_ns: NotRequired[int]


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
class OpportunitiesRate(TypedDict):
    """When a frame can leave, as recorded on a real wire."""

    model: Literal["opportunities"]
    file: str
    bytes: NotRequired[int]
    text: NotRequired[str]


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
class PeriodicLoss(TypedDict):
    """The last packets of every so many, without chance."""

    model: Literal["periodic"]
    every: int
    burst: NotRequired[int]


@final
class PingApplication(TypedDict):
    """Echo requests, timed."""

    kind: Literal["ping"]
    destination: str
    interval_ns: NotRequired[int]
    count: NotRequired[int | None]
    payload_bytes: NotRequired[int]
    start_ns: NotRequired[int]


@final
class PluginPlan(TypedDict):
    """A plug-in of your own."""

    file: str
    """A plug-in of your own that decides loss, delay or rate: its path, or its name in
    HYBRIDNET_PLUGIN_PATH."""
    arguments: dict[str, str]
    """Its arguments."""
    backward: NotRequired[bool]
    """From the link's second end to its first."""


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
class PriorityQueue(TypedDict):
    """Strict priority: no packet is sent while one of an earlier class waits."""

    model: Literal["priority"]
    by: NotRequired[str]
    bands: NotRequired[int | None]
    ports: NotRequired[list[int]]


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
class RedQueue(TypedDict):
    """Random early detection (Floyd and Jacobson 1993), in bytes as Linux's; the defaults are what Mininet
    gives to tc."""

    model: Literal["red"]
    limit_bytes: NotRequired[int]
    least_bytes: NotRequired[int]
    most_bytes: NotRequired[int]
    highest: NotRequired[float]
    weight: NotRequired[float]
    ecn: NotRequired[bool]


@final
class ReorderPlan(TypedDict):
    """Packets that overtake others."""

    probability: float
    """Share of the packets that skip the delay, and so overtake others."""
    gap: NotRequired[int]
    """Only the last of this many packets may overtake others."""


@final
class RequestClientApplication(TypedDict):
    """One request after the other over one connection, each timed."""

    kind: Literal["request_client"]
    destination: str
    port: int
    request_bytes: NotRequired[int]
    response_bytes: NotRequired[int]
    count: NotRequired[int | None]
    mean_think_ns: NotRequired[int]
    think_distribution: NotRequired[str]
    start_ns: NotRequired[int]
    tcp: NotRequired[str | TcpPlan]


@final
class RequestServerApplication(TypedDict):
    """Answers requests, one after the other over one connection."""

    kind: Literal["request_server"]
    port: int
    request_bytes: NotRequired[int]
    response_bytes: NotRequired[int]
    tcp: NotRequired[str | TcpPlan]


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
class ScriptedLoss(TypedDict):
    """Exactly the segments that you list, counted from 0."""

    model: Literal["scripted"]
    segments: list[int]


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
    applications: NotRequired[list[ApplicationModel]]
    """Of hosts only."""


@final
class SimulatedRoute(TypedDict):
    """A way that a router or host knows."""

    prefix: str
    via: str | None
    """Null: the prefix is on the interface's link."""
    interface: str


@final
class SlotPlan(TypedDict):
    """A rate for some time."""

    duration_ns: int
    """Of the slot."""
    rate_bps: int
    """While it lasts."""


@final
class SlotsRate(TypedDict):
    """Rates that take turns."""

    model: Literal["slots"]
    slots: list[SlotPlan]


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
class TableDelay(TypedDict):
    """A distribution that was measured."""

    model: Literal["table"]
    quantiles_ns: list[int]


@final
class TcpBulkApplication(TypedDict):
    """Sends a number of bytes to a TCP port, or without end."""

    kind: Literal["tcp_bulk"]
    destination: str
    port: int
    bytes: NotRequired[int | None]
    start_ns: NotRequired[int]
    tcp: NotRequired[str | TcpPlan]


@final
class TcpChargenApplication(TypedDict):
    """Sends without end (RFC 864)."""

    kind: Literal["tcp_chargen"]
    port: int
    tcp: NotRequired[str | TcpPlan]


@final
class TcpDiscardApplication(TypedDict):
    """Discards what it receives (RFC 863)."""

    kind: Literal["tcp_discard"]
    port: int
    tcp: NotRequired[str | TcpPlan]


@final
class TcpEchoApplication(TypedDict):
    """Sends back what comes (RFC 862)."""

    kind: Literal["tcp_echo"]
    port: int
    tcp: NotRequired[str | TcpPlan]


@final
class TcpPlan(TypedDict):
    """A TCP."""

    congestion: NotRequired[str]
    """Congestion control: RFC 5681, Vegas 1995, RFC 9438, BBR version 1; `none` for experiments."""
    recovery: NotRequired[str]
    """What follows three duplicate acknowledgements: RFC 5681, 6582, 6675; `sack` is NewReno where the peer
    has no SACK."""
    initial_window: NotRequired[int]
    """RFC 6928."""
    initial_ssthresh: NotRequired[int]
    """Where the first slow start ends."""
    bytes_counted_per_ack: NotRequired[int]
    """Growth in slow start per acknowledgement at most: L of RFC 3465; 0: all, as Linux."""
    byte_counting: NotRequired[bool]
    """False: congestion avoidance grows by MSS²/cwnd per acknowledgement (RFC 5681, equation 3)."""
    hystart: NotRequired[bool]
    """CUBIC leaves slow start when the round trip grows (Ha and Rhee 2011)."""
    cubic_of_linux: NotRequired[bool]
    """Where Linux's CUBIC is not that of RFC 9438."""
    window_of_linux: NotRequired[bool]
    """A reduced window is whole segments, PRR is in proportion to the window, and growth counts what is newly
    delivered, as in Linux."""
    max_pacing_rate_bps: NotRequired[int | None]
    """Segments are spaced and leave no faster, as with SO_MAX_PACING_RATE; null: as the congestion control
    says."""
    restart_after_idle: NotRequired[bool]
    """An idle connection begins with the initial window (RFC 5681, 4.1)."""
    start_of_linux: NotRequired[bool]
    """An idle time halves the window for each timeout that it lasted, and one lost SYN leaves the initial
    window, as in Linux."""
    duplicate_threshold: NotRequired[int]
    """Duplicate acknowledgements that say loss (RFC 5681, 3.2)."""
    limited_transmit: NotRequired[bool]
    """RFC 3042."""
    rack_tlp: NotRequired[bool]
    """Loss by time, and tail probes (RFC 8985); needs SACK."""
    prr: NotRequired[bool]
    """Proportional rate reduction (RFC 6937)."""
    next_seg_rescue: NotRequired[bool]
    """NextSeg rules 3 and 4 of RFC 6675; without RACK."""
    frto: NotRequired[bool]
    """New data after a timeout tell whether it was needless (RFC 5682)."""
    undo: NotRequired[bool]
    """A recovery that timestamps prove needless is undone (RFC 3522, 4015)."""
    window_scaling: NotRequired[bool]
    """Offered on the SYN (RFC 7323)."""
    timestamps: NotRequired[bool]
    """Offered on the SYN (RFC 7323)."""
    sack: NotRequired[bool]
    """Offered on the SYN (RFC 2018, 2883)."""
    ecn: NotRequired[bool]
    """Asked for on the SYN (RFC 3168)."""
    mss: NotRequired[int]
    """Payload of a segment without options (RFC 9293, 3.7.1)."""
    send_buffer: NotRequired[int]
    """What the application may write ahead of the acknowledgements."""
    receive_buffer: NotRequired[int]
    """What the application may leave unread, and so the largest window."""
    initial_receive_buffer: NotRequired[int | None]
    """The window begins with this and grows as the application keeps up; null: all from the start."""
    longest_train: NotRequired[int]
    """Segments that travel as one object, and no more than 64 KB; 44 are that much."""
    size_trains_by_rate: NotRequired[bool]
    """A train is what the window gives in about a millisecond, as in Linux."""
    out_of_order_ranges: NotRequired[int]
    """Bound of the reassembly queue."""
    segments_in_flight: NotRequired[int]
    """Bound of the scoreboard."""
    initial_rto_ns: NotRequired[int]
    """Before the first round trip was measured."""
    minimum_rto_ns: NotRequired[int]
    """No timeout is shorter."""
    maximum_rto_ns: NotRequired[int]
    """No timeout is longer, however often it was doubled."""
    granularity_ns: NotRequired[int]
    """Of the clock that measures: G of RFC 6298."""
    floor_on_variance: NotRequired[bool]
    """The minimum is that of the variance, as in Linux, and not of the whole timeout."""
    backoff_until_sample: NotRequired[bool]
    """A doubled timeout lasts until the next round-trip sample (RFC 6298, 5); false: until the next
    acknowledgement, as Linux."""
    data_retries: NotRequired[int]
    """Timeouts in a row until the connection is given up (RFC 9293, 3.8.3)."""
    syn_retries: NotRequired[int]
    """Timeouts of a SYN in a row until the connection is given up."""
    syn_linear_timeouts: NotRequired[int]
    """So many first timeouts of a SYN do not double, and come on top of syn_retries: Linux 6.5's
    tcp_syn_linear_timeouts."""
    icmp_of_linux: NotRequired[bool]
    """Any error by ICMP ends an attempt to connect, and no way takes back a doubled timeout (RFC 6069), as in
    Linux; false: only a refused protocol or port (RFC 1122, 4.2.3.9)."""
    delayed_ack: NotRequired[bool]
    """RFC 1122, 4.2.3.2."""
    delayed_ack_timeout_ns: NotRequired[int]
    """How long an acknowledgement may be delayed."""
    delayed_ack_segments: NotRequired[int]
    """At least every so many segments are acknowledged."""
    quick_acks: NotRequired[int]
    """This many segments at the beginning are acknowledged at once, as in Linux."""
    checks_of_linux: NotRequired[bool]
    """Segments are judged and answered as in Linux: PAWS takes acknowledgements out of order, and an empty
    segment that is unacceptable is answered once in 0.5 s."""
    ack_per_train: NotRequired[bool]
    """One acknowledgement for what travels together, as behind GRO."""
    nagle: NotRequired[str]
    """No short segment while anything (RFC 1122, 4.2.3.4), or a short one (Linux), is unacknowledged."""
    persist_minimum_ns: NotRequired[int]
    """First wait before a window probe (RFC 9293, 3.8.6.1)."""
    persist_maximum_ns: NotRequired[int]
    """Longest wait between window probes."""
    keepalive_idle_ns: NotRequired[int | None]
    """Silence before a keep-alive (RFC 9293, 3.8.4); null: never."""
    keepalive_interval_ns: NotRequired[int]
    """Between keep-alives."""
    keepalive_probes: NotRequired[int]
    """Unanswered keep-alives until the connection is given up."""
    time_wait_ns: NotRequired[int]
    """2 MSL (RFC 9293, 3.4.2)."""
    fin_wait_2_ns: NotRequired[int | None]
    """How long a closed end waits for the other's FIN; null: for ever."""
    preset: str


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
class TokenBucketRate(TypedDict):
    """A bucket of bytes that is filled at the rate."""

    model: Literal["token_bucket"]
    burst_bytes: int
    peak_bps: NotRequired[int | None]


@final
class TraceDelay(TypedDict):
    """Delays that were measured."""

    model: Literal["trace"]
    delays_ns: list[int]


@final
class TracerouteApplication(TypedDict):
    """UDP probes with a growing TTL; each hop is a row of the snapshot."""

    kind: Literal["traceroute"]
    destination: str
    hops: NotRequired[int]
    probes: NotRequired[int]
    payload_bytes: NotRequired[int]
    port: NotRequired[int]
    wait_ns: NotRequired[int]
    start_ns: NotRequired[int]


@final
class TunnelPlan(TypedDict):
    """The end of a VXLAN tunnel."""

    id: int
    """Of the network."""
    local: str
    remote: str
    port: int
    """Of UDP, at both ends."""


@final
class UdpChargenApplication(TypedDict):
    """Answers each datagram with one (RFC 864)."""

    kind: Literal["udp_chargen"]
    port: int


@final
class UdpEchoApplication(TypedDict):
    """Sends back what comes (RFC 862)."""

    kind: Literal["udp_echo"]
    port: int


@final
class UdpSinkApplication(TypedDict):
    """Counts received datagrams, and what is missing of a `udp_source`."""

    kind: Literal["udp_sink"]
    port: int


@final
class UdpSourceApplication(TypedDict):
    """Numbered datagrams."""

    kind: Literal["udp_source"]
    destination: str
    port: int
    rate_bps: int
    payload_bytes: NotRequired[int]
    arrivals: NotRequired[str]
    mean_on_ns: NotRequired[int]
    mean_off_ns: NotRequired[int]
    local_port: NotRequired[int]
    start_ns: NotRequired[int]
    stop_ns: NotRequired[int]


@final
class UniformDelay(TypedDict):
    """Any value between two, all equally likely."""

    model: Literal["uniform"]
    low_ns: int
    high_ns: int


@final
class WeightedQueue(TypedDict):
    """Classes take turns, each with its share of the rate (deficit round robin)."""

    model: Literal["weighted"]
    by: NotRequired[str]
    weights: NotRequired[list[int]]
    ports: NotRequired[list[int]]
    quantum_bytes: NotRequired[int]


ApplicationModel = (
    HttpServerApplication
    | Iperf3ServerApplication
    | TcpEchoApplication
    | TcpDiscardApplication
    | TcpChargenApplication
    | UdpEchoApplication
    | UdpSinkApplication
    | UdpChargenApplication
    | UdpSourceApplication
    | TcpBulkApplication
    | RequestClientApplication
    | RequestServerApplication
    | Iperf3ClientApplication
    | PingApplication
    | TracerouteApplication
)
DelayModel = ConstantDelay | UniformDelay | NormalDelay | ExponentialDelay | TableDelay | TraceDelay
LossModel = IndependentLoss | GilbertElliottLoss | PeriodicLoss | ScriptedLoss
QueueModel = RedQueue | CodelQueue | FqCodelQueue | PriorityQueue | WeightedQueue
RateModel = TokenBucketRate | SlotsRate | OpportunitiesRate
