# SPDX-License-Identifier: MIT
"""What this computer carries from machine to machine: the yardstick of the ``auto`` scale."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from experiments.maxinet_parts.arms import HybridArm
from experiments.maxinet_parts.measure import climb
from experiments.maxinet_parts.scale import Scale
from hybridnet.cluster import Cluster

PROBE = Scale(
    name="capacity", depth=3, steps=(4,), tcp_rate_bps=0, udp_rate_bps=10_000_000, seconds_per_step=5
)
"""Small, so that it is up in seconds; TCP as fast as it goes (iperf3's rate 0), a little UDP beside it."""


def measure_source_capacity(cluster: Cluster, port_type: str) -> int:
    """Goodput of 4 unlimited TCP flows (and 4 of UDP at 10 Mbit/s) through the hybrid arm with trees of depth 3.

    A bare veth pair would be a poor yardstick: how much a switch and a portal cost in comparison with it differs by
    half from machine to machine.

    Args:
        cluster: the network is made on its first two machines, and removed.
        port_type: of the comparison's switches.

    Returns:
        Payload bit/s that arrived.
    """
    with TemporaryDirectory() as logs, HybridArm(cluster, PROBE, port_type, Path(logs)) as arm:
        (step,) = climb(arm, PROBE, lambda what, elapsed_s: None).steps
    return round(step.total_bps)
