# SPDX-License-Identifier: MIT
"""The plans of machines and instances as types, written by `hybridnet.describe.schema.typed`: run `make generated`."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict, final

__all__ = [
    "ApplicationModel",
    "BackgroundModel",
    "CakeQueue",
    "CapturePlan",
    "CobaltQueue",
    "CodelQueue",
    "ConstantDelay",
    "ConstantRateBackground",
    "ConstantRateFluid",
    "CrossingPlan",
    "DelayModel",
    "DirectionPlan",
    "DirectoryPlan",
    "Dualpi2Queue",
    "EmulationPortal",
    "ExponentialDelay",
    "FluidModel",
    "FluidPlan",
    "FqCodelQueue",
    "FqPieQueue",
    "Fragment",
    "GilbertElliottLoss",
    "HostInterface",
    "HostLimit",
    "HostPlan",
    "HostRoute",
    "HttpServerApplication",
    "ImagePlan",
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
    "OnOffBackground",
    "OnOffFluid",
    "OpenFlowPlan",
    "OpportunitiesRate",
    "PacketFormPlan",
    "PairEnd",
    "PairPlan",
    "PeerPlan",
    "PeriodicLoss",
    "PieQueue",
    "PingApplication",
    "PluginPlan",
    "PoissonSessionsBackground",
    "PoissonSessionsFluid",
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
    "TcpFlowsBackground",
    "TcpFlowsFluid",
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
    "VolumePlan",
    "WeightedQueue",
]


@final
class CakeQueue(TypedDict):
    """Hosts and flows share the link, each flow with COBALT (CAKE 2018), as Linux's."""

    model: Literal["cake"]
    tins: NotRequired[str]
    isolation: NotRequired[str]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    ecn: NotRequired[bool]


@final
class CapturePlan(TypedDict):
    """The packets of a simulated interface go into a file."""

    interface: str
    file: str


@final
class CobaltQueue(TypedDict):
    """CoDel and BLUE, the queue management of CAKE (Palmei 2019)."""

    model: Literal["cobalt"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    ecn: NotRequired[bool]


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
class ConstantRateBackground(TypedDict):
    """Always the same rate."""

    model: Literal["constant_rate"]
    rate_bps: int


@final
class ConstantRateFluid(TypedDict):
    """Always the same rate."""

    model: Literal["constant_rate"]
    rate_bps: int


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
    delay_ns: NotRequired[int]
    queue_packets: NotRequired[int | None]
    queue_bytes: NotRequired[int | None]
    overhead_bytes: NotRequired[int]
    train_limit_ns: NotRequired[int]
    rate_model: NotRequired[RateModel | None]
    extra_delay: NotRequired[DelayModel | None]
    keep_order: NotRequired[bool]
    loss: NotRequired[LossModel | None]
    duplicate: NotRequired[float]
    corrupt: NotRequired[float]
    bit_error_rate: NotRequired[float]
    reorder: NotRequired[ReorderPlan | None]
    queue: NotRequired[QueueModel | None]
    background: NotRequired[BackgroundModel | None]
    watch_queue: NotRequired[bool]
    plugin: NotRequired[PluginPlan | None]


@final
class DirectoryPlan(TypedDict):
    """A directory that shows another one."""

    at: str
    source: str


@final
class Dualpi2Queue(TypedDict):
    """Coupled queues for L4S and for all others (RFC 9332), as Linux's."""

    model: Literal["dualpi2"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    alpha: NotRequired[float]
    beta: NotRequired[float]
    step_ns: NotRequired[int]
    coupling: NotRequired[float]


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
class FluidPlan(TypedDict):
    """A class of equal flows without packets, and the interfaces by which they leave each node on their way,
    and what they are told on the way back."""

    name: str
    model: FluidModel
    forward: list[str]
    back: list[str]
    packets: NotRequired[PacketFormPlan]
    """Absent: it never has packets."""


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
class FqPieQueue(TypedDict):
    """A queue for each flow, in turns, each with PIE, as Linux's."""

    model: Literal["fq_pie"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    alpha: NotRequired[float]
    beta: NotRequired[float]
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
    inside: NotRequired[str]
    """What the host calls it; absent: by its name."""
    mac: str
    addresses: list[str]
    mtu: int


@final
class HostLimit(TypedDict):
    """What a host's processes may take of the computer."""

    share: NotRequired[float | None]
    """Processors' worth of time; null: all."""
    cores: NotRequired[list[int] | None]
    """The processors; null: all."""
    sched: NotRequired[str]
    period_us: NotRequired[int]
    memory_bytes: NotRequired[int | None]
    """Null: all."""
    processes: NotRequired[int | None]
    """How many, threads counted; null: as many as the computer has."""


@final
class HostPlan(TypedDict):
    """A namespace with its interfaces, and what programs in it find."""

    name: str
    interfaces: list[HostInterface]
    routes: list[HostRoute]
    limit: NotRequired[HostLimit]
    nat: NotRequired[NatPlan]
    reaches_outside: NotRequired[bool]
    """True: a host of the network translates toward the outside; it asks name servers there."""
    devices: NotRequired[list[str]]
    in_namespace: NotRequired[bool]
    """False: it lives in the machine's own namespaces."""
    image: NotRequired[ImagePlan]
    private_dirs: list[str | DirectoryPlan]
    """Directories that are empty for this host, or show another one, `source`."""
    files: NotRequired[dict[str, str]]
    """Texts by path, which only this host sees there, laid over the computer's own files."""
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
class ImagePlan(TypedDict):
    """The image that is the host's root, and what runs in it; what is not said is as the image says it."""

    source: str
    """Oci:FOLDER[:TAG], archive:FILE[:TAG] or docker://NAME."""
    entrypoint: NotRequired[list[str]]
    command: NotRequired[list[str]]
    user: NotRequired[str]
    environment: dict[str, str]
    nameservers: NotRequired[list[str]]
    """Addresses; those of the computer where it is not said."""
    volumes: list[VolumePlan]


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
    fluids: NotRequired[list[FluidPlan]]
    """Absent: none."""
    record: NotRequired[str]
    """A .pcapng file on the instance's machine: everything that crosses a portal goes there, for `hybridnet
    replay`."""
    pool_bytes: NotRequired[int]
    """The most that all packets of the instance take together, and one link half of it; absent: 1 GiB."""
    moderation_ns: NotRequired[int]
    """How far apart the turns of a busy instance begin, unless it waits `dedicated`; it follows from the
    delays of its links; absent: 0."""
    slow: NotRequired[int]
    """Wall seconds for a simulated one, of all instances of a run; absent: 1."""
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
    slow: NotRequired[int]
    """Wall seconds for a second of what is described; absent: 1."""
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
class OnOffBackground(TypedDict):
    """Flows that send and are silent in turns, for exponentially distributed times."""

    model: Literal["on_off"]
    rate_bps: int
    mean_on_ns: int
    mean_off_ns: int
    flows: NotRequired[int]


@final
class OnOffFluid(TypedDict):
    """Flows that send and are silent in turns, for exponentially distributed times."""

    model: Literal["on_off"]
    rate_bps: int
    mean_on_ns: int
    mean_off_ns: int
    flows: NotRequired[int]


@final
class OpenFlowPlan(TypedDict):
    """What a simulated switch has of OpenFlow."""

    dpid: str
    protocols: NotRequired[list[str]]
    fail_mode: NotRequired[str]
    controllers: NotRequired[list[str]]
    listens: NotRequired[list[str]]
    longest_retry_ns: NotRequired[int]
    table_size: NotRequired[int]
    setup_rate: NotRequired[float]


@final
class OpportunitiesRate(TypedDict):
    """When a frame can leave, as recorded on a real wire."""

    model: Literal["opportunities"]
    file: str
    bytes: NotRequired[int]
    text: NotRequired[str]


@final
class PacketFormPlan(TypedDict):
    """The connections that a class of TCP flows also is, and begins with: from a host to an address and port
    of another one."""

    source: str
    destination: str
    address: str
    port: int
    allowed_ppm: NotRequired[int]
    """By what share it may carry more or less as a fluid, which it becomes where the instance would be late;
    absent: it is packets always."""


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
    local: str
    remote: str
    transport: NotRequired[str]
    flush: NotRequired[str]
    longest_wait_ns: NotRequired[int]
    batch_size_bytes: NotRequired[int]
    compression: NotRequired[str]
    datagram_size_bytes: NotRequired[int | None]
    buffer_bytes: NotRequired[int | None]
    receive_wait_ns: NotRequired[int]
    receive_size_bytes: NotRequired[int]
    bulk_dscp: NotRequired[list[int]]
    bulk_filter: NotRequired[str]
    clocks: NotRequired[str]
    clock_ahead_ns: NotRequired[int]
    clock_drift_ppm: NotRequired[int]
    key: NotRequired[str]


@final
class PeriodicLoss(TypedDict):
    """The last packets of every so many, without chance."""

    model: Literal["periodic"]
    every: int
    burst: NotRequired[int]


@final
class PieQueue(TypedDict):
    """Proportional integral controller enhanced (RFC 8033), as Linux's."""

    model: Literal["pie"]
    target_ns: NotRequired[int]
    interval_ns: NotRequired[int]
    alpha: NotRequired[float]
    beta: NotRequired[float]
    ecn: NotRequired[bool]


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
    arguments: dict[str, str]
    backward: NotRequired[bool]


@final
class PoissonSessionsBackground(TypedDict):
    """Sessions that begin at random, each with a size of its own."""

    model: Literal["poisson_sessions"]
    per_second: float
    size_bytes: int
    sizes: NotRequired[str]
    shape: NotRequired[float]
    peak_bps: NotRequired[int | None]
    sharing: NotRequired[bool]


@final
class PoissonSessionsFluid(TypedDict):
    """Sessions that begin at random, each with a size of its own."""

    model: Literal["poisson_sessions"]
    per_second: float
    size_bytes: int
    sizes: NotRequired[str]
    shape: NotRequired[float]
    peak_bps: NotRequired[int | None]
    sharing: NotRequired[bool]


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
    lateness_limit_ns: NotRequired[int]
    wait: NotRequired[str]
    cpu: NotRequired[int | None]
    fifo_priority: NotRequired[int | None]
    shallow_idle: NotRequired[bool]


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
    gentle: NotRequired[bool]
    adaptive: NotRequired[bool]


@final
class ReorderPlan(TypedDict):
    """Packets that overtake others."""

    probability: float
    gap: NotRequired[int]


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
    rate_bps: int


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
class TcpFlowsBackground(TypedDict):
    """Equal TCP flows with endless data, as the fluid of Misra, Gong and Towsley (2000)."""

    model: Literal["tcp_flows"]
    flows: int
    round_trip_ns: NotRequired[int | None]
    segment_bytes: NotRequired[int]
    congestion: NotRequired[str]


@final
class TcpFlowsFluid(TypedDict):
    """Equal TCP flows with endless data, as the fluid of Misra, Gong and Towsley (2000)."""

    model: Literal["tcp_flows"]
    flows: int
    round_trip_ns: NotRequired[int | None]
    segment_bytes: NotRequired[int]
    congestion: NotRequired[str]


@final
class TcpPlan(TypedDict):
    """A TCP."""

    congestion: NotRequired[str]
    recovery: NotRequired[str]
    initial_window: NotRequired[int]
    initial_ssthresh: NotRequired[int]
    bytes_counted_per_ack: NotRequired[int]
    byte_counting: NotRequired[bool]
    hystart: NotRequired[bool]
    cubic_of_linux: NotRequired[bool]
    window_of_linux: NotRequired[bool]
    max_pacing_rate_bps: NotRequired[int | None]
    restart_after_idle: NotRequired[bool]
    start_of_linux: NotRequired[bool]
    duplicate_threshold: NotRequired[int]
    limited_transmit: NotRequired[bool]
    rack_tlp: NotRequired[bool]
    recovery_of_linux: NotRequired[bool]
    prr: NotRequired[bool]
    next_seg_rescue: NotRequired[bool]
    frto: NotRequired[bool]
    undo: NotRequired[bool]
    window_scaling: NotRequired[bool]
    timestamps: NotRequired[bool]
    sack: NotRequired[bool]
    ecn: NotRequired[bool]
    mss: NotRequired[int]
    send_buffer: NotRequired[int]
    receive_buffer: NotRequired[int]
    initial_receive_buffer: NotRequired[int | None]
    longest_train: NotRequired[int]
    size_trains_by_rate: NotRequired[bool]
    out_of_order_ranges: NotRequired[int]
    segments_in_flight: NotRequired[int]
    initial_rto_ns: NotRequired[int]
    minimum_rto_ns: NotRequired[int]
    maximum_rto_ns: NotRequired[int]
    granularity_ns: NotRequired[int]
    variance_of_linux: NotRequired[bool]
    backoff_until_sample: NotRequired[bool]
    data_retries: NotRequired[int]
    timers_of_linux: NotRequired[bool]
    syn_retries: NotRequired[int]
    synack_retries: NotRequired[int]
    syn_linear_timeouts: NotRequired[int]
    icmp_of_linux: NotRequired[bool]
    delayed_ack: NotRequired[bool]
    delayed_ack_timeout_ns: NotRequired[int]
    delayed_ack_segments: NotRequired[int]
    quick_acks: NotRequired[int]
    receiver_of_linux: NotRequired[bool]
    compressed_acks: NotRequired[int]
    ack_compression_delay_ns: NotRequired[int]
    checks_of_linux: NotRequired[bool]
    ack_per_train: NotRequired[bool]
    nagle: NotRequired[str]
    push_of_linux: NotRequired[bool]
    persist_minimum_ns: NotRequired[int]
    persist_maximum_ns: NotRequired[int]
    keepalive_idle_ns: NotRequired[int | None]
    keepalive_interval_ns: NotRequired[int]
    keepalive_probes: NotRequired[int]
    time_wait_ns: NotRequired[int]
    fin_wait_2_ns: NotRequired[int | None]
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
class VolumePlan(TypedDict):
    """A folder or file of the machine that the host sees."""

    source: str
    at: str
    read_only: bool


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
BackgroundModel = ConstantRateBackground | OnOffBackground | PoissonSessionsBackground | TcpFlowsBackground
DelayModel = ConstantDelay | UniformDelay | NormalDelay | ExponentialDelay | TableDelay | TraceDelay
FluidModel = ConstantRateFluid | OnOffFluid | PoissonSessionsFluid | TcpFlowsFluid
LossModel = IndependentLoss | GilbertElliottLoss | PeriodicLoss | ScriptedLoss
QueueModel = (
    RedQueue
    | CodelQueue
    | FqCodelQueue
    | PieQueue
    | FqPieQueue
    | CobaltQueue
    | CakeQueue
    | Dualpi2Queue
    | PriorityQueue
    | WeightedQueue
)
RateModel = TokenBucketRate | SlotsRate | OpportunitiesRate
