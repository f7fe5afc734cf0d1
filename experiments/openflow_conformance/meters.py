# SPDX-License-Identifier: MIT
"""Cases of meters: what is taken and shown again, what passes below a rate, and how much passes above it."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves
from hybridnet.experiments.openflow_conformance.fields import oxm
from hybridnet.experiments.openflow_conformance.messages import (
    FIRST,
    apply,
    flow,
    goto,
    meter,
    output,
    use_meter,
    write,
)
from hybridnet.experiments.openflow_conformance.packets import packet

KBPS, PACKETS, BURST, STATISTICS = 1, 2, 4, 8
SENT = packet("udp")
OFFERED_PPS, SECONDS = 200, 8
FRAME_BYTES = 14 + 20 + 8 + 48


def cases() -> Iterator[Case]:
    """All of them."""
    passing = [use_meter(1), apply(output(FIRST))]
    for name, flags in {
        "kbit/s": KBPS,
        "packets": PACKETS,
        "kbit/s with burst": KBPS | BURST,
        "packets with burst": PACKETS | BURST,
        "kbit/s, burst, statistics": KBPS | BURST | STATISTICS,
        "packets, burst, statistics": PACKETS | BURST | STATISTICS,
    }.items():
        for rate in (1000, 4_000_000):
            burst = 1000 if flags & BURST else rate  # without the flag it says nothing
            yield Case(
                "meter",
                f"{name}, rate {rate}: what is below it passes",
                [meter(1, rate, burst, flags=flags), flow({}, passing)],
                [leaves(SENT)],
            )
    yield Case(
        "meter",
        "before the action set",
        [meter(1, 1000, 1000, flags=KBPS | BURST), flow({}, [use_meter(1), write(output(FIRST))])],
        [leaves(SENT)],
    )
    yield Case(
        "meter",
        "two in a row, of two tables",
        [
            meter(1, 1000, 1000, flags=KBPS | BURST),
            meter(2, 1000, 1000, flags=PACKETS | BURST),
            flow({}, [use_meter(1), goto(1)]),
            flow({}, [use_meter(2), apply(output(FIRST))], table=1),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "meter",
        "modified",
        [
            meter(1, 10, 10, flags=PACKETS | BURST),
            flow({}, passing),
            meter(1, 1000, 1000, flags=PACKETS | BURST, command=1),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "meter",
        "that remarks the drop precedence",
        [meter(1, 1000, 1000, flags=KBPS | BURST, remark=1), flow({}, passing)],
        [leaves(SENT)],
    )
    yield from _rates()


def _rates() -> Iterator[Case]:
    """Packets above the rate are dropped: what passes in some seconds is the rate, within a tenth, and no more."""
    kbps = 50
    for name, made, passing in (
        ("packets per second", meter(1, 100, 5, flags=PACKETS | BURST), {"pktps": 100}),
        ("kbit/s", meter(1, kbps, 5, flags=KBPS | BURST), {"kbps": round(kbps * 1000 / 1024)}),
    ):
        yield Case(
            "meter",
            f"drops what is above its rate in {name}",
            [made, flow({}, [use_meter(1), apply(output(FIRST))])],
            [
                {
                    "ingress": {"packets": {"data": SENT, "pktps": OFFERED_PPS, "duration_time": SECONDS}},
                    "egress": {
                        "throughput": [{"OFPMatch": oxm({"in_port": 2})["OFPMatch"], **passing}],
                    },
                }
            ],
        )
