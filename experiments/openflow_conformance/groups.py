# SPDX-License-Identifier: MIT
"""Cases of groups: the four types, chains, changes, dead buckets, and groups in action sets."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves
from hybridnet.experiments.openflow_conformance.messages import (
    FIRST,
    GROUP_TYPES,
    SECOND,
    TCP,
    Json,
    action,
    apply,
    bucket,
    flow,
    goto,
    group,
    output,
    set_field,
    to_group,
    write,
)
from hybridnet.experiments.openflow_conformance.packets import label, packet, vlan_tag

SENT = packet("tcp")
LIVE, DEAD = 2, 99
"""A port of the target that is up, and one that does not exist."""
LARGEST = 0xFFFFFF00
WAYS = {"at once": apply, "in the set": write}


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _types()
    yield from _changed_packets()
    yield from _failover()
    yield from _chains()
    yield from _replaced()
    yield from _weights()


def _use(number: int) -> list[Json]:
    return [apply(to_group(number))]


def _bucket(kind: str, *actions: Json, port: int = LIVE) -> Json:
    """A live bucket of a group of this type."""
    if kind == "failover":
        return bucket(*actions, port=port)
    return bucket(*actions, weight=1 if kind == "select" else 0)


def _types() -> Iterator[Case]:
    for kind in GROUP_TYPES:
        for number in (1, 1000, LARGEST):
            for way, instruction in WAYS.items():
                yield Case(
                    "group",
                    f"{kind} {number:#x} with one bucket, {way}",
                    [
                        group(number, kind, _bucket(kind, output(FIRST))),
                        flow({}, [instruction(to_group(number))]),
                    ],
                    [leaves(SENT)],
                )
        yield Case(
            "group",
            f"{kind}, from the second table",
            [
                group(5, kind, _bucket(kind, output(FIRST))),
                flow({}, [goto(1)]),
                flow({}, _use(5), table=1),
            ],
            [leaves(SENT)],
        )
    for kind in ("all", "select", "failover"):
        yield Case(
            "group",
            f"{kind} without buckets drops",
            [group(1, kind), flow(TCP, _use(1)), flow({}, [apply(output(FIRST))], priority=50)],
            [leaves(packet("udp"))],
        )
    yield Case(
        "group",
        "all: two buckets, both ports",
        [group(1, "all", bucket(output(SECOND)), bucket(output(FIRST))), flow({}, _use(1))],
        [leaves(SENT)],
    )
    yield Case(
        "group",
        "before an output of the same action set",
        [
            group(1, "indirect", bucket(output(FIRST))),
            flow({}, [write(output(SECOND), to_group(1))]),
        ],
        [leaves(SENT)],
    )


def _changed_packets() -> Iterator[Case]:
    changes: dict[str, tuple[list[Json], list[str]]] = {
        "eth_dst": ([set_field("eth_dst", 0x020000000001)], packet("tcp", {"eth_dst": 0x020000000001})),
        "ipv4_src": ([set_field("ipv4_src", 0x0A000001)], packet("tcp", {"ipv4_src": 0x0A000001})),
        "tcp_dst": ([set_field("tcp_dst", 80)], packet("tcp", {"tcp_dst": 80})),
        "dec-nw-ttl": ([action("DecNwTtl")], packet("tcp", ttl=63)),
        "push-vlan": (
            [action("PushVlan", ethertype=0x8100), set_field("vlan_vid", 0x1000 | 7)],
            packet("tcp", tags=(vlan_tag(7, 0, 0x0800),)),
        ),
        "push-mpls": (
            [action("PushMpls", ethertype=0x8847), set_field("mpls_label", 99), set_field("mpls_tc", 3)],
            packet("tcp", tags=(label(99, 3, 64),)),
        ),
    }
    for kind in GROUP_TYPES:
        for name, (actions, expected) in changes.items():
            yield Case(
                "group",
                f"{kind} with {name} in its bucket",
                [group(1, kind, _bucket(kind, *actions, output(FIRST))), flow(TCP, _use(1))],
                [leaves(SENT, expected)],
            )
    one, other = [set_field("tcp_dst", 80), output(SECOND)], [set_field("tcp_src", 90), output(FIRST)]
    yield Case(
        "group",
        "all: what one bucket changes does not show in the next",
        [group(1, "all", bucket(*one), bucket(*other)), flow(TCP, _use(1))],
        [leaves(SENT, packet("tcp", {"tcp_src": 90}))],
    )
    yield Case(
        "group",
        "all: what it changes does not show in later actions",
        [
            group(1, "all", bucket(*one)),
            flow(TCP, [apply(to_group(1), output(FIRST))]),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "group",
        "what was applied before shows in its buckets",
        [
            group(1, "all", bucket(output(FIRST))),
            flow(TCP, [apply(set_field("tcp_dst", 81), to_group(1))]),
        ],
        [leaves(SENT, packet("tcp", {"tcp_dst": 81}))],
    )


def _failover() -> Iterator[Case]:
    first, second = output(FIRST), output(SECOND)
    for name, buckets in (
        ("the first live bucket", [bucket(first, port=LIVE), bucket(second, port=3)]),
        ("not one whose port does not exist", [bucket(second, port=DEAD), bucket(first, port=LIVE)]),
        (
            "the third, when two are dead",
            [bucket(second, port=DEAD), bucket(second, port=DEAD + 1), bucket(first, port=LIVE)],
        ),
        (
            "by the port it watches, not the one it sends to",
            [bucket(second, port=DEAD), bucket(first, port=3)],
        ),
    ):
        yield Case(
            "group",
            f"failover takes {name}",
            [group(1, "failover", *buckets), flow({}, _use(1))],
            [leaves(SENT)],
        )
    yield Case(
        "group",
        "failover drops when all buckets are dead",
        [
            group(1, "failover", bucket(first, port=DEAD)),
            flow(TCP, _use(1)),
            flow({}, [apply(first)], priority=50),
        ],
        [leaves(packet("udp"))],
    )
    yield Case(
        "group",
        "failover watches a group",
        [
            group(2, "failover", bucket(second, port=DEAD)),
            group(3, "failover", bucket(first, port=LIVE)),
            group(1, "failover", bucket(second, watch_group=2), bucket(first, watch_group=3)),
            flow({}, _use(1)),
        ],
        [leaves(SENT)],
    )
    yield Case(
        "group",
        "select passes over a dead bucket",
        [
            group(1, "select", bucket(second, weight=9, port=DEAD), bucket(first, weight=1, port=LIVE)),
            flow({}, _use(1)),
        ],
        [leaves(SENT)],
    )


def _chains() -> Iterator[Case]:
    for outer in GROUP_TYPES:
        for inner in GROUP_TYPES:
            watch = {"watch_group": 2} if outer == "failover" else {"weight": 1 if outer == "select" else 0}
            yield Case(
                "group",
                f"{outer} that goes on to {inner}",
                [
                    group(2, inner, _bucket(inner, output(FIRST))),
                    group(1, outer, bucket(to_group(2), **watch)),
                    flow({}, _use(1)),
                ],
                [leaves(SENT)],
            )


def _replaced() -> Iterator[Case]:
    for kind in GROUP_TYPES:
        yield Case(
            "group",
            f"{kind}: modified after the flow that uses it",
            [
                group(1, kind, _bucket(kind, output(SECOND))),
                flow({}, _use(1)),
                group(1, kind, _bucket(kind, output(FIRST)), command=1),
            ],
            [leaves(SENT)],
        )
    yield Case(
        "group",
        "modified to another type",
        [
            group(1, "indirect", bucket(output(SECOND))),
            flow({}, _use(1)),
            group(1, "all", bucket(output(FIRST)), command=1),
        ],
        [leaves(SENT)],
    )


def _weights() -> Iterator[Case]:
    for weights in ((1, 1), (1, 9), (65535, 1)):
        name = " and ".join(map(str, weights))
        buckets = [bucket(output(FIRST), weight=weight) for weight in weights]
        yield Case(
            "group",
            f"select with weights {name}",
            [group(1, "select", *buckets), flow({}, _use(1))],
            [leaves(SENT)],
        )
    buckets = [bucket(output(SECOND), weight=0), bucket(output(FIRST), weight=1)]
    yield Case(
        "group",
        "select never takes weight 0",
        [group(1, "select", *buckets), flow({}, _use(1))],
        [leaves(SENT)],
    )
    buckets = [bucket(output(FIRST), weight=1) for _ in range(64)]
    yield Case(
        "group", "select with 64 buckets", [group(1, "select", *buckets), flow({}, _use(1))], [leaves(SENT)]
    )
