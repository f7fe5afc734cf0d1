# SPDX-License-Identifier: MIT
"""What a computer has counted by itself, with or without a network: its processors and its memory."""

from __future__ import annotations

import time

from hybridnet.agent.counters.counters import memory, own_groups, processors, quotas, softnet_dropped
from hybridnet.agent.counters.utilization import SAMPLE_SECONDS, Busy
from hybridnet.observe.results.machines import Counters
from hybridnet.system.processor import computer

__all__ = ["computer_alone"]


def computer_alone(busy: Busy) -> Counters:
    """The counters of this computer; those of a network are empty.

    Args:
        busy: what has looked at the processors.
    """
    return {
        "computer": computer(),
        "time_ns": time.monotonic_ns(),
        "processors": processors(),
        "quotas": quotas(own_groups()),
        "busy": busy.samples(),
        "sample_seconds": SAMPLE_SECONDS,
        "softnet_dropped": softnet_dropped(),
        "memory": memory(),
        "enforced": {},
        "drops": {},
        "mtu_mismatches": {},
        "switching": None,
        "instances": {},
        "started": {},
        "outages": [],
        "incidents": [],
    }
