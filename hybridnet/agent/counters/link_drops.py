# SPDX-License-Identifier: MIT
"""Which of the frames that were dropped at interfaces nobody's slowness has to answer for.

A kernel such as Linux 6.18 counts what is sent at a device without a carrier as ``tx_dropped``, as it does frames that
the other end is too slow to take. Those of an interval in which the carrier was missing are put down to that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from hybridnet.agent.hosts.device_counters import Carrier

__all__ = ["LinkDrops"]


class LinkDrops:
    """The drops at the interfaces of one machine, from call to call."""

    def __init__(self) -> None:
        self._drops: dict[str, int] = {}
        self._changes: dict[str, int] = {}  # of carriers
        self._without_carrier: Counter[str] = Counter()

    def while_up(self, drops: Mapping[str, int], carriers: Mapping[str, Carrier]) -> dict[str, int]:
        """The drops without those of intervals between two calls in which the carrier was missing.

        Args:
            drops: by device, since the device was made.
            carriers: of the devices with drops at least. Of others, so that it is known later what has changed.
        """
        without: Counter[str] = Counter()
        for device, dropped in drops.items():
            carrier, before = carriers.get(device), self._drops.get(device, 0)
            if dropped < before:
                before = 0  # it was made anew
            elif before:
                without[device] = self._without_carrier[device]
            if carrier is not None and (
                not carrier.there or carrier.changes != self._changes.get(device, carrier.changes)
            ):
                without[device] += dropped - before
        self._drops, self._without_carrier = dict(drops), without
        self._changes.update({device: carrier.changes for device, carrier in carriers.items()})
        return {device: up for device, dropped in drops.items() if (up := dropped - without[device])}
