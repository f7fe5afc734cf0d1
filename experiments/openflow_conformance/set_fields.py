# SPDX-License-Identifier: MIT
"""Cases of set-field: each field, at once or in the action set, and the checksums that follow from it."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves
from hybridnet.experiments.openflow_conformance.fields import FIELDS, VLAN_PRESENT, Field
from hybridnet.experiments.openflow_conformance.messages import (
    FIRST,
    action,
    apply,
    flow,
    goto,
    output,
    set_field,
    write,
)
from hybridnet.experiments.openflow_conformance.packets import packet, prerequisites, value_of


def cases() -> Iterator[Case]:
    """All of them."""
    for field in FIELDS:
        for kind in field.kinds if field.settable else ():
            yield from _of(field, kind)
    yield from _times_to_live()
    yield _then_match()


def _of(field: Field, kind: str) -> Iterator[Case]:
    match: dict[str, int | tuple[int, int]] = dict(prerequisites(field.name, kind))
    if field.name.startswith("vlan"):
        match = {"vlan_vid": (VLAN_PRESENT, VLAN_PRESENT)}
    usual = value_of(field.name, kind)
    for name, value in {
        "inverted": usual ^ field.ones if field.name != "vlan_vid" else usual ^ 0xFFF,
        "to all ones": field.ones,
        "to zero": VLAN_PRESENT if field.name == "vlan_vid" else 0,
        **({"to a reply": 2} if field.name == "arp_op" else {}),
    }.items():
        if name != "inverted" and (kind != field.kinds[0] or value == usual ^ field.ones):
            continue
        if field.name == "icmpv4_type" and value == 0:
            continue  # an echo reply, which has another form
        setting, expected = set_field(field.name, value), packet(kind, {field.name: value})
        ways = {"at once": [apply(setting, output(FIRST))], "in the set": [write(setting, output(FIRST))]}
        for way, instructions in ways.items():
            yield Case(
                "set-field",
                f"{field.name} of {kind}, {name}, {way}",
                [flow(match, instructions)],
                [leaves(packet(kind), expected)],
            )


def _times_to_live() -> Iterator[Case]:
    for kind, types in (("tcp", 0x0800), ("tcp6", 0x86DD)):
        match = {"eth_type": types}
        for name, acting, after in (
            ("set-nw-ttl to 7", action("SetNwTtl", nw_ttl=7), 7),
            ("set-nw-ttl to 255", action("SetNwTtl", nw_ttl=255), 255),
            ("dec-nw-ttl", action("DecNwTtl"), 63),
        ):
            for way, instruction in (("at once", apply), ("in the set", write)):
                yield Case(
                    "time to live",
                    f"{name} of {kind}, {way}",
                    [flow(match, [instruction(acting, output(FIRST))])],
                    [leaves(packet(kind), packet(kind, ttl=after))],
                )


def _then_match() -> Case:
    """What is set at once is what later tables match, and packets that left before stay as they were."""
    changed = {"tcp_dst": 80}
    match = {"eth_type": 0x0800, "ip_proto": 6}
    return Case(
        "set-field",
        "tcp_dst, matched in the next table",
        [
            flow(match, [apply(set_field("tcp_dst", 80)), goto(1)]),
            flow({**match, **changed}, [apply(output(FIRST))], table=1),
        ],
        [leaves(packet("tcp"), packet("tcp", changed))],
    )
