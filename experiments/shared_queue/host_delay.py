# SPDX-License-Identifier: MIT
"""How long real hosts take to answer, with their ways in and out of the simulator: what simulated ones lack."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hybridnet import Host
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common import pinger
from hybridnet.experiments.common.programs import PYTHON

PINGS = 4000
EVERY_MS = 0.25
"""As often as acknowledgements come at 100 Mbit/s: a computer that has to be woken for each takes longer."""
PING_FRAME = 98


@dataclass(frozen=True)
class HostDelay:
    """What two real hosts add to a round trip between them. Seconds.

    Args:
        least_s, median_s: of the pings between them, less what their network takes.
    """

    least_s: float
    median_s: float

    def link_options(self, times: int) -> dict[str, Any]:
        """Options of a link that takes as long when it is crossed so many times: uniform about the median, in order."""
        return {
            "delay": f"{self.median_s / times * 1e6:.1f}us",
            "jitter": f"{(self.median_s - self.least_s) / times * 1e6:.1f}us",
            "keep_order": True,
        }

    def to_json(self) -> dict[str, float]:
        return asdict(self)

    def __str__(self) -> str:
        return f"{1e6 * self.median_s:.0f} us"


def measure_host_delay(host: Host, other: Host, network_s: float) -> HostDelay:
    """Ping one host from another for a second.

    Args:
        network_s: what the network between them takes for a ping and its answer, both of `PING_FRAME` bytes.

    Raises:
        ExperimentError: fewer than half of the answers came, or they came sooner than the network allows.
    """
    source = Path(pinger.__file__).read_text(encoding="utf-8")
    said = host.execute([PYTHON, "-I", "-S", "-c", source, str(other.IP()), str(PINGS), str(EVERY_MS)])
    return host_delay_of([ns / 1e9 for ns in json.loads(said)["rtts_ns"]], network_s)


def host_delay_of(rtts_s: Sequence[float], network_s: float) -> HostDelay:
    """From the round trips. Raises as `measure_host_delay`."""
    if len(rtts_s) < PINGS / 2:
        raise ExperimentError(
            f"measure how long hosts take to answer: {len(rtts_s)} of {PINGS} pings were answered; run it where less "
            "else runs, or without this: --no-host-delay"
        )
    if min(rtts_s) < network_s:
        raise ExperimentError(
            f"measure how long hosts take to answer: in {1e3 * min(rtts_s):.3f} ms, of which their network needs "
            f"{1e3 * network_s:.3f} ms; the link between them is not the one that was described"
        )
    return HostDelay(min(rtts_s) - network_s, statistics.median(rtts_s) - network_s)
