# SPDX-License-Identifier: MIT
"""The match fields of OpenFlow 1.3, section 7.2.3.7: widths, and in what kinds of packets each one is tested.

The order is that in which Open vSwitch gives a flow's match back; Ryu's tester compares the text of the two matches.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from typing import Any

__all__ = ["BY_NAME", "FIELDS", "Field", "json_value", "oxm"]

VLAN_PRESENT = 0x1000
TCP, UDP, SCTP, ICMP, ICMP6 = 6, 17, 132, 1, 58


@dataclass(frozen=True)
class Field:
    """A field of OpenFlow's basic class.

    Args:
        code: its number in OXM's basic class.
        bits: its width.
        form: how Ryu writes its values: "int", "mac", "ipv4" or "ipv6".
        kinds: the kinds of packets in which it is tested; see `packets`. None for what no packet carries.
        maskable: a mask may be given. Ports of TCP, UDP and SCTP may have one since OpenFlow 1.5; Open vSwitch takes
            it in 1.3, too.
        settable: the action set-field may name it, and a packet shows it.
    """

    name: str
    code: int
    bits: int
    form: str = "int"
    kinds: tuple[str, ...] = ()
    maskable: bool = False
    settable: bool = False

    @property
    def ones(self) -> int:
        return (1 << self.bits) - 1


_ETHERNET = ("tcp", "tcp6", "arp")
_IP6 = ("tcp6", "udp6", "sctp6", "icmp6")

FIELDS = (
    Field("in_port", 0, 32),
    Field("in_phy_port", 1, 32),
    Field("eth_src", 4, 48, "mac", _ETHERNET, True, True),
    Field("eth_dst", 3, 48, "mac", _ETHERNET, True, True),
    Field("eth_type", 5, 16, kinds=("tcp", "tcp6", "arp", "mpls")),
    Field("vlan_vid", 6, 13, kinds=("vlan", "vlan6"), maskable=True, settable=True),
    Field("vlan_pcp", 7, 3, kinds=("vlan", "vlan6"), settable=True),
    Field("mpls_label", 34, 20, kinds=("mpls",), settable=True),
    Field("mpls_tc", 35, 3, kinds=("mpls",), settable=True),
    Field("mpls_bos", 36, 1, kinds=("mpls",)),
    Field("ipv4_src", 11, 32, "ipv4", ("tcp", "udp", "icmp"), True, True),
    Field("ipv4_dst", 12, 32, "ipv4", ("tcp", "udp", "icmp"), True, True),
    Field("ipv6_src", 26, 128, "ipv6", ("tcp6", "udp6", "icmp6"), True, True),
    Field("ipv6_dst", 27, 128, "ipv6", ("tcp6", "udp6", "icmp6"), True, True),
    Field("ipv6_flabel", 28, 20, kinds=("tcp6",), maskable=True, settable=True),
    Field("ip_proto", 10, 8, kinds=("tcp", "udp", "sctp", "icmp", *_IP6)),
    Field("ip_dscp", 8, 6, kinds=("tcp", "tcp6"), settable=True),
    Field("ip_ecn", 9, 2, kinds=("tcp", "tcp6"), settable=True),
    Field("tcp_src", 13, 16, kinds=("tcp", "tcp6"), maskable=True, settable=True),
    Field("tcp_dst", 14, 16, kinds=("tcp", "tcp6"), maskable=True, settable=True),
    Field("udp_src", 15, 16, kinds=("udp", "udp6"), maskable=True, settable=True),
    Field("udp_dst", 16, 16, kinds=("udp", "udp6"), maskable=True, settable=True),
    Field("sctp_src", 17, 16, kinds=("sctp", "sctp6"), maskable=True, settable=True),
    Field("sctp_dst", 18, 16, kinds=("sctp", "sctp6"), maskable=True, settable=True),
    Field("icmpv4_type", 19, 8, kinds=("icmp",), settable=True),
    Field("icmpv4_code", 20, 8, kinds=("icmp",), settable=True),
    Field("icmpv6_type", 29, 8, kinds=("icmp6",), settable=True),
    Field("icmpv6_code", 30, 8, kinds=("icmp6",), settable=True),
    Field("ipv6_nd_target", 31, 128, "ipv6", ("solicit", "advert"), True, True),
    Field("ipv6_nd_sll", 32, 48, "mac", ("solicit",), True, True),
    Field("ipv6_nd_tll", 33, 48, "mac", ("advert",), True, True),
    Field("arp_op", 21, 16, kinds=("arp",), settable=True),
    Field("arp_spa", 22, 32, "ipv4", ("arp",), True, True),
    Field("arp_tpa", 23, 32, "ipv4", ("arp",), True, True),
    Field("arp_sha", 24, 48, "mac", ("arp",), True, True),
    Field("arp_tha", 25, 48, "mac", ("arp",), True, True),
    Field("pbb_isid", 37, 24, kinds=("pbb",), maskable=True, settable=True),
    Field("ipv6_exthdr", 39, 9, maskable=True),
    Field("tunnel_id", 38, 64, maskable=True),
    Field("metadata", 2, 64, maskable=True),
)
BY_NAME = {field.name: field for field in FIELDS}
_ORDER = {field.name: place for place, field in enumerate(FIELDS)}


def json_value(field: Field, value: int) -> int | str:
    """A value, or a mask, as Ryu writes it."""
    if field.form == "mac":
        return value.to_bytes(6, "big").hex(":")
    if field.form == "ipv4":
        return socket.inet_ntop(socket.AF_INET, value.to_bytes(4, "big"))
    if field.form == "ipv6":
        return socket.inet_ntop(socket.AF_INET6, value.to_bytes(16, "big"))
    return value


def oxm(match: dict[str, int | tuple[int, int]]) -> dict[str, Any]:
    """Ryu's JSON for a match: each field has a value, or a value and a mask."""
    tlvs = []
    for name in sorted(match, key=_ORDER.__getitem__):
        field, wanted = BY_NAME[name], match[name]
        value, mask = wanted if isinstance(wanted, tuple) else (wanted, None)
        tlv: dict[str, Any] = {"field": name, "value": json_value(field, value)}
        if mask is not None:
            tlv["mask"] = json_value(field, mask)
        tlvs.append({"OXMTlv": tlv})
    return {"OFPMatch": {"oxm_fields": tlvs}}
