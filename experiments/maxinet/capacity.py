# SPDX-License-Identifier: MIT
"""What this computer carries from machine to machine: the yardstick of the ``auto`` scale."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from hybridnet.cluster import Cluster
from hybridnet.experiments.maxinet.arms import HybridArm
from hybridnet.experiments.maxinet.measure import climb
from hybridnet.experiments.maxinet.scale import Scale

PROBE = Scale(
    name="capacity", depth=4, steps=(8,), tcp_rate_bps=0, udp_rate_bps=10_000_000, seconds_per_step=5
)
"""Small, so that it is up in seconds, but with the comparison's kind of ports, which trees of depth 3 do not have.

TCP as fast as it goes (iperf3's rate 0), a little UDP beside it. With four flows in those smaller trees the figure was
between 275 and 991 Mbit/s within an hour on one computer, with these between 504 and 626.
"""


def measure_source_capacity(cluster: Cluster, port_type: str) -> int:
    """Goodput of 8 unlimited TCP flows (and 8 of UDP at 10 Mbit/s) through the hybrid arm with trees of depth 4.

    A bare veth pair would be a poor yardstick: how much a switch and a portal cost in comparison with it differs by
    half from machine to machine.

    Args:
        cluster: the network is made on its first two machines, and removed.
        port_type: of the comparison's switches.

    Returns:
        Payload bit/s that arrived in the median second, without the first.
    """
    with TemporaryDirectory() as logs, HybridArm(cluster, PROBE, port_type, Path(logs)) as arm:
        seconds = climb(arm, PROBE, lambda what, elapsed_s: None).seconds[1 : PROBE.seconds_per_step]
    return round(median(second.tcp_bps + second.udp_bps for second in seconds))
