# SPDX-License-Identifier: MIT
"""The limits of a verdict: what a run may do and still be trusted."""

from __future__ import annotations

from dataclasses import dataclass, fields

from hybridnet.describe.values import number

_SHARES = {
    "late_packets_fraction", "processor_busy", "steal", "throttled", "memory_stalled",
}  # fmt: skip
_MOST = 1e18


@dataclass(frozen=True)
class Limits:
    """What an experiment tolerates.

    What exceeds one of the first six makes a run broken, and one of the others saturated.

    Args:
        lateness_p999_ns: the most that 99.9 % of the events of an instance may be late, or all but one of few.
            Nanoseconds.
        late_packets_fraction: the largest share of the packets over cut links whose real transit exceeded
            their link's delay. 0 to 1. Above 0, one packet is tolerated, however few there are.
        capture_drops: frames that the kernel may drop before a portal reads them.
        softnet_drops: frames of hosts and switches that the kernel may drop because a processor's backlog is full, on
            each computer.
        lost_upcalls: packets that Open vSwitch may lose on the way to its slow path, on each machine.
        killed_programs: programs that the kernel may kill for lack of memory, on each computer.
        processor_busy: the largest share of all cores, or of one core by a thread of Open vSwitch, that may be busy:
            beyond it hosts and switches wait, or are the limit. 0 to 1.
        busy_seconds: for how long it may be busier than that, in all.
        interface_drops: frames that may be dropped at the interfaces of emulated hosts and switches, on each machine.
        steal: the largest share of the processors that the hypervisor may give to others. 0 to 1.
        throttled: the largest share of the periods of a quota of processor time, which holds for hybridnet itself, in
            which it may be used up. 0 to 1.
        memory_stalled: the largest share of the time in which all programs may wait for memory. 0 to 1.
        reclaims_per_second: where the kernel does not count that time (no /proc/pressure): how often a program may
            have to free memory before it gets some.

    Raises:
        UsageError: a limit is no number, or one that no run could have.
    """

    lateness_p999_ns: int = 1_000_000
    late_packets_fraction: float = 1e-4
    capture_drops: int = 0
    softnet_drops: int = 0
    lost_upcalls: int = 0
    killed_programs: int = 0
    processor_busy: float = 0.98
    busy_seconds: float = 2.0
    interface_drops: int = 0
    steal: float = 0.05
    throttled: float = 0.05
    memory_stalled: float = 0.01
    reclaims_per_second: float = 10.0

    def __post_init__(self) -> None:
        for field in fields(self):
            most = 1 if field.name in _SHARES else _MOST
            number(getattr(self, field.name), f"Limits: {field.name}", 0, most)
