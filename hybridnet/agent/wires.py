# SPDX-License-Identifier: MIT
"""What the emulated wires of a machine have carried: its veth pairs, as the kernel counts at their ends, and its patch
ports, as Open vSwitch does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Tables", "Wire", "wire_counters"]

Tables = Mapping[str, Mapping[str, Mapping[str, int]]]
"""The table of devices of each network namespace, as `hybridnet.agent.counters.device_tables` reads them."""

Wire = tuple[str, str, int, int, int, int, int]
"""Node and interface of its first end; packets and bytes that left there; packets and bytes that came in; drops."""


def wire_counters(
    plan: Mapping[str, Any],
    namespaces: Mapping[str, str],
    tables: Tables,
    patches: Mapping[tuple[str, str], tuple[int, int, int, int, int]],
) -> list[Wire]:
    """The rows of the machine's pairs that can be counted, in their order.

    Args:
        namespaces: of each host that is there.
        patches: of (switch, port): packets and bytes in, packets and bytes out, drops.
    """
    rows: list[Wire] = []
    for pair in plan["pairs"]:
        (node, interface), other = ((pair[end]["node"], pair[end]["interface"]) for end in ("a", "b"))
        if pair["kind"] == "patch":
            if (port := patches.get((node, interface))) is not None:
                rows.append((node, interface, port[2], port[3], port[0], port[1], port[4]))
            continue
        a, b = (
            tables.get(namespaces.get(name, ""), {}).get(device)
            for name, device in ((node, interface), other)
        )
        dropped = sum(end["tx_dropped"] for end in (a, b) if end is not None)
        if a is not None and (node in namespaces or b is None):
            sent, received = ((a[f"{way}_packets"], a[f"{way}_bytes"]) for way in ("tx", "rx"))
        elif b is not None:
            sent, received = ((b[f"{way}_packets"], b[f"{way}_bytes"]) for way in ("rx", "tx"))
        else:
            continue
        rows.append((node, interface, *sent, *received, dropped))
    return rows
