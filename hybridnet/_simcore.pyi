"""
simcore, the packet-level simulator under hybridnet. The Python package is its public face.
"""

from collections.abc import Sequence


class Instance:
    """One running simulation in real time; see simcore/instance/instance.h."""

    def __init__(self, name: str, seed: int, token: int, *, policy: str = 'best_effort', lateness_limit_ns: int = 1000000, spin_ns: int = 0, fixed_poll_ns: int = 0, moderation_ns: int = 0, cpu: int | None = None, fifo_priority: int | None = None) -> None: ...

    def add_emulation_portal(self, name: str, device: str, backend: str = 'packet', filter: str = '', options: dict = {}) -> None: ...

    def add_peer(self, name: str, local: str, remote: str) -> None: ...

    def add_link(self, name: str, a: tuple, b: tuple, a_to_b: dict, b_to_a: dict) -> None: ...

    def run(self) -> None: ...

    def stop(self) -> None: ...

    def close(self) -> None: ...

    def snapshot(self) -> dict: ...

    def add_node(self, kind: str, name: str, processing_delay_ns: int | None = None, processing_queue_packets: int = 1000) -> None: ...

    def add_interface(self, node: str, name: str, mac: str | None = None, address: str | None = None, mtu: int = 1500) -> None: ...

    def add_route(self, node: str, prefix: str, via: str | None, interface: str) -> None: ...

    def add_application(self, host: str, kind: str, options: dict) -> None: ...

    def add_capture(self, interface: str, file: str) -> None: ...

    def set_link(self, name: str, a_to_b: dict | None, b_to_a: dict | None) -> None: ...

class LinkPipeline:
    """
    A link fed from memory and emptied into memory; see simcore/instance/link_pipeline.h.
    """

    def __init__(self, frame_bytes: int, bytes_in_flight: int = 0, copies: bool = True) -> None: ...

    def run(self, packets: int) -> None: ...

    @property
    def delivered(self) -> int: ...

    @property
    def dropped(self) -> int: ...

class TwoCopies:
    """The two copies of a LinkPipeline, and nothing else: its limit."""

    def __init__(self, frame_bytes: int, bytes_in_flight: int = 0) -> None: ...

    def run(self, packets: int) -> None: ...

class KendallRun:
    """One run of a queueing system; see simcore/queueing/kendall.h."""

    @property
    def seed(self) -> int: ...

    @property
    def mean_response_s(self) -> float: ...

    @property
    def mean_waiting_s(self) -> float: ...

    @property
    def mean_jobs(self) -> float: ...

    @property
    def arrived(self) -> int: ...

    @property
    def lost(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def share_of_time(self) -> list[float]: ...

    def response_rows(self) -> list[tuple[int, float]]:
        """
        Instant in nanoseconds and response time in seconds of each job; none where they were not recorded.
        """

    def omnetpp_sca(self, name: str) -> str:
        """The scalars, as an OMNeT++ file."""

    def omnetpp_vec(self, name: str) -> str:
        """The vectors, as an OMNeT++ file."""

    def json_lines(self, name: str) -> str:
        """All of it, one JSON object a line."""

def replicate_kendall(*, arrivals: tuple[str, int], service: tuple[str, int], servers: int = 1, capacity: int | None = None, jobs: int, replications: int, first_seed: int = 1, threads: int = 1, record: bool = False) -> list[KendallRun]:
    """Independent runs of one queueing system, on so many threads."""

def confidence_interval(replications: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Holds the mean of what they estimate, by Student's t distribution."""

class OfflineSimulation:
    """
    One simulation in virtual time, as fast as events can be handled; see simcore/instance/offline.h.
    """

    def __init__(self, seed: int) -> None: ...

    def add_link(self, name: str, a: str, b: str, a_to_b: dict, b_to_a: dict) -> None: ...

    def add_trace(self, interface: str) -> None: ...

    def add_transfer(self, name: str, server: str, client: str, *, bytes: int | None, start_ns: int = 0, server_tcp: dict, client_tcp: dict, sample_every_ns: int = 0) -> None: ...

    def run_for(self, duration_ns: int) -> None: ...

    def run_until_finished(self, limit_ns: int) -> bool: ...

    @property
    def now_ns(self) -> int: ...

    @property
    def events(self) -> int: ...

    def received_bytes(self, transfer: str) -> int: ...

    def outcome(self, transfer: str) -> dict: ...

    def samples(self, transfer: str) -> dict: ...

    def snapshot(self) -> dict: ...

    def trace(self, interface: str) -> str: ...

    def add_node(self, kind: str, name: str, processing_delay_ns: int | None = None, processing_queue_packets: int = 1000) -> None: ...

    def add_interface(self, node: str, name: str, mac: str | None = None, address: str | None = None, mtu: int = 1500) -> None: ...

    def add_route(self, node: str, prefix: str, via: str | None, interface: str) -> None: ...

    def add_application(self, host: str, kind: str, options: dict) -> None: ...

    def add_capture(self, interface: str, file: str) -> None: ...

    def set_link(self, name: str, a_to_b: dict | None, b_to_a: dict | None) -> None: ...

class TrafficSource:
    """What a Generator sends; see simcore/instance/traffic_source.h."""

def numbered_flow(*, source_mac: str, destination_mac: str, source: str, destination: str, source_port: int, destination_port: int, frame_bytes: int, steps: Sequence[tuple[int, int, int | None]], gaps: str = 'constant', mean_on_ns: int = 10000000, mean_off_ns: int = 10000000, count: int | None = None, trains: bool = False, seed: int = 1) -> TrafficSource:
    """
    UDP frames of a programmed schedule; see simcore/instance/numbered_flow.h.
    """

def replay(file: str, *, pace: str = 'recorded', numerator: int = 1, denominator: int = 1, loops: int = 1, count: int = 0, length_ns: int | None = None, source_mac: str | None = None, destination_mac: str | None = None) -> tuple[TrafficSource, dict]:
    """Frames of a pcap or pcapng file; see simcore/instance/replay_source.h."""

class Generator:
    """Sends frames when they are due; see simcore/instance/generator.h."""

    def __init__(self, source: TrafficSource, device: str, *, backend: str = 'packet', gather_ns: int = 0, patience_ns: int = 1000000000, spin_ns: int = 0, cpu: int | None = None, fifo_priority: int | None = None) -> None: ...

    def run(self) -> None: ...

    def stop(self) -> None: ...

    def report(self) -> dict: ...

class Receiver:
    """Counts numbered frames; see simcore/instance/receiver.h."""

    def __init__(self, device: str, port: int, *, backend: str = 'packet', count: int = 0, silence_ns: int | None = None, gro: bool = True, cpu: int | None = None, fifo_priority: int | None = None) -> None: ...

    def run(self) -> None: ...

    def stop(self) -> None: ...

    def report(self) -> dict: ...
