# SPDX-License-Identifier: MIT
"""What the emulated wires of a machine have carried: its veth pairs, as the kernel counts at their ends, and its patch
ports, as Open vSwitch does.
"""

from __future__ import annotations

from collections.abc import Mapping

from hybridnet.agent.counters.counters import Tables
from hybridnet.describe.schema.plans import MachinePlan

__all__ = ["Wire", "patch_ends", "wire_counters"]

Wire = tuple[str, str, int, int, int, int, int, int]
"""Node and interface of its first end; packets and bytes that left there; packets and bytes that came in; drops of what
left there, and of what was to come in. A patch has all its drops in the first of the two."""


def patch_ends(plan: MachinePlan) -> list[tuple[str, str]]:
    """The first end of each patch, as (switch, port)."""
    return [(pair["a"]["node"], pair["a"]["interface"]) for pair in plan["pairs"] if pair["kind"] == "patch"]


def wire_counters(
    plan: MachinePlan,
    namespaces: Mapping[str, str],
    tables: Tables,
    patches: Mapping[tuple[str, str], tuple[int, int, int, int, int]],
) -> list[Wire]:
    """The rows of the machine's pairs that can be counted, in their order.

    Args:
        namespaces: of each host that is there.
        tables: of `hybridnet.agent.counters.counters.counted_devices`.
        patches: of each of `patch_ends`: packets and bytes in, packets and bytes out, drops.
    """
    rows: list[Wire] = []
    for pair in plan["pairs"]:
        (node, interface), other = ((pair[end]["node"], pair[end]["interface"]) for end in ("a", "b"))
        if pair["kind"] == "patch":
            if (port := patches.get((node, interface))) is not None:
                rows.append((node, interface, port[2], port[3], port[0], port[1], port[4], 0))
            continue
        a, b = (
            tables.get(namespaces.get(name, ""), {}).get(device)
            for name, device in ((node, interface), other)
        )
        dropped = (0 if a is None else a.tx_dropped, 0 if b is None else b.tx_dropped)
        if a is not None and (node in namespaces or b is None):
            sent, received = (a.tx_packets, a.tx_bytes), (a.rx_packets, a.rx_bytes)
        elif b is not None:
            sent, received = (b.rx_packets, b.rx_bytes), (b.tx_packets, b.tx_bytes)
        else:
            continue
        rows.append((node, interface, *sent, *received, *dropped))
    return rows
