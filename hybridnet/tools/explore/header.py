# SPDX-License-Identifier: MIT
"""The header of a packet as one number: what flows can see of it, each field at its own bits.

A set of headers is a *cube*: the bits that are fixed, and their values. All bits of fields that a frame does not have
are of no account: OpenFlow lets a flow match the address of IPv4 only together with the EtherType of IPv4 (1.3.5,
7.2.3.6), so such a frame fails the match there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import final

__all__ = ["BY_CODE", "FIELDS", "Cube", "Field", "cube_of", "read_field"]


@final
@dataclass(frozen=True)
class Field:
    """One field that a flow can match."""

    name: str
    code: int  # of OXM, class 0x8000
    bits: int
    shift: int  # where it begins in the number

    @property
    def mask(self) -> int:
        """Its bits in the number."""
        return ((1 << self.bits) - 1) << self.shift


_LAYOUT = (
    ("in_port", 0, 32), ("metadata", 2, 64),
    ("eth_dst", 3, 48), ("eth_src", 4, 48), ("eth_type", 5, 16), ("vlan_vid", 6, 13), ("vlan_pcp", 7, 3),
    ("ip_dscp", 8, 6), ("ip_ecn", 9, 2), ("ip_proto", 10, 8), ("ipv4_src", 11, 32), ("ipv4_dst", 12, 32),
    ("tcp_src", 13, 16), ("tcp_dst", 14, 16), ("udp_src", 15, 16), ("udp_dst", 16, 16),
    ("sctp_src", 17, 16), ("sctp_dst", 18, 16), ("icmpv4_type", 19, 8), ("icmpv4_code", 20, 8),
    ("arp_op", 21, 16), ("arp_spa", 22, 32), ("arp_tpa", 23, 32), ("arp_sha", 24, 48), ("arp_tha", 25, 48),
    ("ipv6_src", 26, 128), ("ipv6_dst", 27, 128), ("ipv6_flabel", 28, 20),
    ("icmpv6_type", 29, 8), ("icmpv6_code", 30, 8),
    ("ipv6_nd_target", 31, 128), ("ipv6_nd_sll", 32, 48), ("ipv6_nd_tll", 33, 48),
)  # fmt: skip


def _fields() -> Iterator[Field]:
    shift = 0
    for name, code, bits in _LAYOUT:
        yield Field(name, code, bits, shift)
        shift += bits


FIELDS: Mapping[str, Field] = {field.name: field for field in _fields()}
BY_CODE: Mapping[int, Field] = {field.code: field for field in FIELDS.values()}


@final
@dataclass(frozen=True)
class Cube:
    """The headers whose bits in `mask` are those of `value`."""

    mask: int = 0
    value: int = 0

    def has(self, header: int) -> bool:
        """Whether a header is one of them."""
        return (header ^ self.value) & self.mask == 0

    def both(self, other: Cube) -> Cube | None:
        """The headers that are in this cube and in another one; None: there are none."""
        if (self.value ^ other.value) & self.mask & other.mask:
            return None
        return Cube(self.mask | other.mask, self.value | other.value)

    def without(self, part: Cube) -> Iterator[Cube]:
        """What is left, as cubes of which no two have a header in common. `part` must lie within this cube."""
        mask, value = self.mask, self.value
        more = part.mask & ~mask
        while more:
            bit = more & -more
            more ^= bit
            yield Cube(mask | bit, value | (~part.value & bit))
            mask |= bit
            value |= part.value & bit

    def text(self) -> str:
        """As people write it: ``eth_dst=00:00:00:00:00:01,eth_type=0x0800``; fields that are free are left out.

        Example:
            >>> cube_of(eth_type=0x0800, ipv4_dst=0x0A000001).text()
            'eth_type=0x0800,ipv4_dst=10.0.0.1'
        """
        words = []
        for field in FIELDS.values():
            mask = (self.mask & field.mask) >> field.shift
            if mask:
                value = (self.value >> field.shift) & mask
                whole = mask == (1 << field.bits) - 1
                shown = _shown(field, value) + ("" if whole else f"/{_shown(field, mask)}")
                words.append(f"{field.name}={shown}")
        return ",".join(words) or "any packet"


def cube_of(**values: int) -> Cube:
    """The cube of fields that have these values."""
    mask = value = 0
    for name, number in values.items():
        field = FIELDS[name]
        mask |= field.mask
        value |= number << field.shift
    return Cube(mask, value)


def read_field(header: int, name: str) -> int:
    """A field's value in a header.

    Example:
        >>> read_field(cube_of(eth_dst=7).value, "eth_dst")
        7
    """
    field = FIELDS[name]
    return (header & field.mask) >> field.shift


def _shown(field: Field, value: int) -> str:
    if field.bits == 48:
        return ":".join(f"{byte:02x}" for byte in value.to_bytes(6, "big"))
    if field.name in ("ipv4_src", "ipv4_dst", "arp_spa", "arp_tpa"):
        return ".".join(str(byte) for byte in value.to_bytes(4, "big"))
    if field.bits == 128:
        return f"{value:#x}"
    return f"{value:#06x}" if field.name == "eth_type" else str(value)
