# SPDX-License-Identifier: MIT
"""Cases of matching: each field, exactly and with masks; what differs in one bit does not pass."""

from __future__ import annotations

from collections.abc import Iterator

from hybridnet.experiments.openflow_conformance.case import Case, leaves, misses
from hybridnet.experiments.openflow_conformance.fields import FIELDS, VLAN_PRESENT, Field
from hybridnet.experiments.openflow_conformance.messages import (
    IN,
    PASS,
    apply,
    flow,
    goto,
    otherwise_to_controller,
    set_field,
    write_metadata,
)
from hybridnet.experiments.openflow_conformance.packets import packet, prerequisites, value_of


def cases() -> Iterator[Case]:
    """All of them."""
    for field in FIELDS:
        for kind in field.kinds:
            yield _exact(field, kind)
            if field.maskable:
                for name, mask in _masks(field).items():
                    yield _masked(field, kind, name, mask)
    yield from _ports()
    yield from _vlan_presence()
    yield from _written("metadata")
    yield from _written("tunnel_id")


def _exact(field: Field, kind: str) -> Case:
    value = value_of(field.name, kind)
    match = {**prerequisites(field.name, kind), field.name: value}
    if kind == "mpls" and field.name == "eth_type":
        other = packet("tcp")
    else:
        other = _other(field, kind, value ^ (0x800 if field.name == "vlan_vid" else 1))
    return Case(
        "match",
        f"{field.name} of {kind}",
        [flow(match, PASS), otherwise_to_controller()],
        [leaves(packet(kind)), misses(other)],
    )


def _masked(field: Field, kind: str, name: str, mask: int) -> Case:
    value = value_of(field.name, kind)
    match: dict[str, int | tuple[int, int]] = {
        **prerequisites(field.name, kind),
        field.name: (value & mask, mask),
    }
    inside, outside = _lowest(mask), _lowest(field.ones & ~mask & _free(field))
    exchanges = [leaves(packet(kind)), misses(_other(field, kind, value ^ inside))]
    if outside:
        exchanges.append(leaves(_other(field, kind, value ^ outside)))
    return Case(
        "match with mask",
        f"{field.name} of {kind}, {name}",
        [flow(match, PASS), otherwise_to_controller()],
        exchanges,
    )


def _masks(field: Field) -> dict[str, int]:
    half = field.bits // 2
    masks = {
        "first half": field.ones >> half << half,
        "last half": (1 << half) - 1,
        "every second bit": sum(1 << bit for bit in range(0, field.bits, 2)),
        "one bit": 1 << (field.bits // 3),
        "all but one bit": field.ones & ~(1 << (field.bits // 3)),
    }
    if field.name == "vlan_vid":  # without the presence bit, a value says nothing about tags
        masks = {name: mask | VLAN_PRESENT for name, mask in masks.items()}
    return masks


def _free(field: Field) -> int:
    """The bits that may differ while the packet stays of its kind."""
    return field.ones & ~VLAN_PRESENT if field.name == "vlan_vid" else field.ones


def _lowest(bits: int) -> int:
    return bits & -bits


def _other(field: Field, kind: str, value: int) -> list[str]:
    """A packet in which the field has another value."""
    return packet(kind, {field.name: value})


def _ports() -> Iterator[Case]:
    for name in ("in_port", "in_phy_port"):
        match = {"in_port": IN} if name == "in_port" else {"in_port": IN, "in_phy_port": IN}
        other = {**match, name: 3}
        yield Case("match", name, [flow(match, PASS), otherwise_to_controller()], [leaves(packet("tcp"))])
        yield Case(
            "match",
            f"{name} that is another",
            [flow(other, PASS), otherwise_to_controller()],
            [misses(packet("tcp"))],
        )


def _vlan_presence() -> Iterator[Case]:
    tagged, plain = packet("vlan"), packet("tcp")
    tags: list[tuple[str, int | tuple[int, int], list[str], list[str]]] = [
        ("no tag", 0, plain, tagged),
        ("any tag", (VLAN_PRESENT, VLAN_PRESENT), tagged, plain),
    ]
    for name, wanted, passes, stays in tags:
        yield Case(
            "match",
            f"vlan_vid: {name}",
            [flow({"vlan_vid": wanted}, PASS), otherwise_to_controller()],
            [leaves(passes), misses(stays)],
        )


def _written(name: str) -> Iterator[Case]:
    """Fields that no packet carries: the first table writes one, the second matches it."""
    value = 0x5A3C_A5C3_1234_8765
    bits = 64
    ones = (1 << bits) - 1
    masks = {
        "": None, "first half": ones >> 32 << 32, "last half": ones >> 32, "one bit": 1,
        "every second bit": int("5" * 16, 16),
    }  # fmt: skip
    for what, mask in masks.items():
        for fits in (True, False):
            has = value if fits else value ^ (1 if mask is None else _lowest(mask))
            match: dict[str, int | tuple[int, int]] = {name: value if mask is None else (value & mask, mask)}
            setting = (
                [write_metadata(has), goto(1)]
                if name == "metadata"
                else [apply(set_field(name, has)), goto(1)]
            )
            sent = packet("tcp")
            yield Case(
                "match with mask" if mask is not None else "match",
                f"{name}{', ' if what else ''}{what}, {'the same' if fits else 'another'}",
                [flow({}, setting), flow(match, PASS, table=1), otherwise_to_controller(1)],
                [leaves(sent) if fits else misses(sent)],
            )
