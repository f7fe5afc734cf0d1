# SPDX-License-Identifier: MIT
"""What this computer carries from machine to machine through the hybrid arm: the yardstick of the demand."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

from hybridnet.experiments.maxinet.measure import Arm, climb
from hybridnet.experiments.maxinet.scale import Scale

PROBE_STEPS = (8,)
PROBE_SECONDS = 4
PROBE_UDP_BPS = 10_000_000


def measure_capacity(arm: Arm, base: Scale) -> int:
    """Goodput of 8 TCP flows as fast as they go, and a little UDP beside them.

    A bare veth pair would be a poor yardstick: how much a switch and a portal cost in comparison with it differs by
    half from machine to machine.

    Args:
        arm: the hybrid arm, built.
        base: the network that it was built for.

    Returns:
        Payload bit/s that arrived in the median second, without the first.
    """
    probe = replace(
        base,
        name="probe",
        steps=PROBE_STEPS,
        tcp_rate_bps=0,  # iperf3's word for no limit
        udp_rate_bps=PROBE_UDP_BPS,
        seconds_per_step=PROBE_SECONDS,
    )
    counted = climb(arm, probe, lambda what, elapsed_s: None, most_again=0).seconds[1:PROBE_SECONDS]
    return round(median(second.total_bps for second in counted))
