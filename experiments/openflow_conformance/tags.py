# SPDX-License-Identifier: MIT
"""Cases of tags: VLAN, MPLS and provider's backbone, pushed, changed and popped."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves, misses
from hybridnet.experiments.openflow_conformance.fields import VLAN_PRESENT
from hybridnet.experiments.openflow_conformance.messages import (
    FIRST,
    Json,
    action,
    apply,
    flow,
    goto,
    otherwise_to_controller,
    output,
    set_field,
    write,
)
from hybridnet.experiments.openflow_conformance.packets import USUAL, label, packet, vlan_tag

TYPES = {"tcp": 0x0800, "tcp6": 0x86DD, "arp": 0x0806}
VID, PCP = USUAL["vlan_vid"] & 0xFFF, USUAL["vlan_pcp"]
LABEL, TC = USUAL["mpls_label"], USUAL["mpls_tc"]
WAYS = {"at once": apply, "in the set": write}


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _vlan()
    yield from _mpls()
    yield from _mpls_ttl()
    yield from _backbone()
    yield from _both()


def _vlan() -> Iterator[Case]:
    for kind, inner in TYPES.items():
        for tag, service in ((0x8100, False), (0x88A8, True)):
            push = action("PushVlan", ethertype=tag)
            vid, pcp = set_field("vlan_vid", VLAN_PRESENT | 0x234), set_field("vlan_pcp", 3)
            for name, actions, numbers in (
                ("push", [push], (0, 0)),
                ("push, set vlan_vid", [push, vid], (0x234, 0)),
                ("push, set vlan_vid and vlan_pcp", [push, vid, pcp], (0x234, 3)),
            ):
                expected = packet(kind, tags=(vlan_tag(*numbers, inner, service=service),))
                for way, instruction in WAYS.items():
                    yield Case(
                        "vlan",
                        f"{name} {tag:#06x} onto {kind}, {way}",
                        [flow({"eth_type": inner}, [instruction(*actions, output(FIRST))])],
                        [leaves(packet(kind), expected)],
                    )
    present = {"vlan_vid": (VLAN_PRESENT, VLAN_PRESENT)}
    pop, push = action("PopVlan"), action("PushVlan", ethertype=0x8100)
    for way, instruction in WAYS.items():
        for kind, plain in (("vlan", "tcp"), ("vlan6", "tcp6")):
            yield Case(
                "vlan",
                f"pop from {kind}, {way}",
                [flow(present, [instruction(pop, output(FIRST))])],
                [leaves(packet(kind), packet(plain))],
            )
        twice = (vlan_tag(VID, PCP, 0x8100), vlan_tag(0x111, 1, 0x0800))
        yield Case(
            "vlan",
            f"pop the outer of two, {way}",
            [flow(present, [instruction(pop, output(FIRST))])],
            [leaves(packet("tcp", tags=twice), packet("tcp", tags=twice[1:]))],
        )
        yield Case(
            "vlan",
            f"push a second, which copies the first, {way}",
            [flow(present, [instruction(push, output(FIRST))])],
            [leaves(packet("vlan"), packet("vlan", tags=(vlan_tag(VID, PCP, 0x8100),)))],
        )
    yield Case(
        "vlan",
        "push, output, pop, output: each leaves as it is then",
        [flow({"eth_type": 0x0800}, [apply(push, output("target_send_port_2"), pop, output(FIRST))])],
        [leaves(packet("tcp"))],
    )
    yield Case(
        "vlan",
        "pop, then match the inner in the next table",
        [
            flow(present, [apply(pop), goto(1)]),
            flow({"vlan_vid": VLAN_PRESENT | 0x111}, [apply(output(FIRST))], table=1),
            otherwise_to_controller(1),
        ],
        [
            leaves(packet("tcp", tags=twice), packet("tcp", tags=twice[1:])),
            misses(packet("vlan"), packet("tcp")),
        ],
    )
    yield Case(
        "vlan",
        "eth_type is that within the tag",
        [flow({"eth_type": 0x0800}, [apply(output(FIRST))]), otherwise_to_controller()],
        [leaves(packet("vlan")), misses(packet("vlan6"))],
    )


def _mpls() -> Iterator[Case]:
    for kind, inner in (("tcp", 0x0800), ("tcp6", 0x86DD)):
        match = {"eth_type": inner}
        for tag in (0x8847, 0x8848):
            push = action("PushMpls", ethertype=tag)
            for number, name in enumerate(("label", "label and tc", "label and ttl")):
                actions: list[Json] = [push, set_field("mpls_label", LABEL)]
                actions += [[], [set_field("mpls_tc", TC)], [action("SetMplsTtl", mpls_ttl=9)]][number]
                tc, ttl = TC if number == 1 else 0, 9 if number == 2 else 64
                expected = [
                    text.replace("ethertype=34887", f"ethertype={tag}") if place == 0 else text
                    for place, text in enumerate(packet(kind, tags=(label(LABEL, tc, ttl),)))
                ]
                for way, instruction in WAYS.items():
                    yield Case(
                        "mpls",
                        f"push {tag:#06x} onto {kind}, set {name}, {way}",
                        [flow(match, [instruction(*actions, output(FIRST))])],
                        [leaves(packet(kind), expected)],
                    )
        pop = action("PopMpls", ethertype=inner)
        for way, instruction in WAYS.items():
            yield Case(
                "mpls",
                f"pop from {kind}, {way}",
                [flow({"eth_type": 0x8847}, [instruction(pop, output(FIRST))])],
                [leaves(packet(kind, tags=(label(LABEL, TC, 64),)), packet(kind))],
            )
    two = (label(LABEL, TC, 64, bottom=False), label(77, 1, 33))
    for way, instruction in WAYS.items():
        yield Case(
            "mpls",
            f"pop the outer of two, {way}",
            [flow({"eth_type": 0x8847}, [instruction(action("PopMpls", ethertype=0x8847), output(FIRST))])],
            [leaves(packet("tcp", tags=two), packet("tcp", tags=two[1:]))],
        )
        yield Case(
            "mpls",
            f"push a second, which copies the first, {way}",
            [flow({"eth_type": 0x8847}, [instruction(action("PushMpls", ethertype=0x8847), output(FIRST))])],
            [leaves(packet("mpls"), packet("mpls", tags=(label(LABEL, TC, 64, bottom=False),)))],
        )
    yield Case(
        "mpls",
        "push, pop, output",
        [
            flow(
                {"eth_type": 0x0800},
                [
                    apply(
                        action("PushMpls", ethertype=0x8847),
                        action("PopMpls", ethertype=0x0800),
                        output(FIRST),
                    )
                ],
            )
        ],
        [leaves(packet("tcp"))],
    )


def _mpls_ttl() -> Iterator[Case]:
    has = (label(LABEL, TC, 20),)
    for name, acting, after, inner in (
        ("dec-mpls-ttl", action("DecMplsTtl"), 19, 64),
        ("set-mpls-ttl to 200", action("SetMplsTtl", mpls_ttl=200), 200, 64),
        ("copy-ttl-out", action("CopyTtlOut"), 64, 64),
        ("copy-ttl-in", action("CopyTtlIn"), 20, 20),
    ):
        for way, instruction in WAYS.items():
            yield Case(
                "mpls",
                f"{name}, {way}",
                [flow({"eth_type": 0x8847}, [instruction(acting, output(FIRST))])],
                [leaves(packet("tcp", tags=has), packet("tcp", tags=(label(LABEL, TC, after),), ttl=inner))],
            )
    yield Case(
        "mpls",
        "copy-ttl-out between labels",
        [flow({"eth_type": 0x8847}, [apply(action("CopyTtlOut"), output(FIRST))])],
        [
            leaves(
                packet("tcp", tags=(label(LABEL, TC, 20, bottom=False), label(77, 0, 33))),
                packet("tcp", tags=(label(LABEL, TC, 33, bottom=False), label(77, 0, 33))),
            )
        ],
    )


def _backbone() -> Iterator[Case]:
    push, pop = action("PushPbb", ethertype=0x88E7), action("PopPbb")
    isid = 0x123456
    for way, instruction in WAYS.items():
        yield Case(
            "pbb",
            f"push, set pbb_isid, {way}",
            [flow({"eth_type": 0x0800}, [instruction(push, set_field("pbb_isid", isid), output(FIRST))])],
            [leaves(packet("tcp"), packet("pbb", {"pbb_isid": isid}))],
        )
        yield Case(
            "pbb",
            f"pop, {way}",
            [flow({"eth_type": 0x88E7}, [instruction(pop, output(FIRST))])],
            [leaves(packet("pbb"), packet("tcp"))],
        )


def _both() -> Iterator[Case]:
    """Section 5.10: an action set pushes MPLS before VLAN, and sets fields after both, whatever the order in which
    they were written.
    """
    push_vlan, push_mpls = action("PushVlan", ethertype=0x8100), action("PushMpls", ethertype=0x8847)
    number, vid = set_field("mpls_label", LABEL), set_field("vlan_vid", VLAN_PRESENT | 0x234)
    expected = packet("tcp", tags=(vlan_tag(0x234, 0, 0x8847), label(LABEL, 0, 64)))
    for name, actions in (
        ("VLAN first", [push_vlan, push_mpls, number, vid]),
        ("MPLS first", [number, push_mpls, vid, push_vlan]),
    ):
        yield Case(
            "action set",
            f"pushes MPLS, then VLAN, written with {name}",
            [flow({"eth_type": 0x0800}, [write(*actions, output(FIRST))])],
            [leaves(packet("tcp"), expected)],
        )
