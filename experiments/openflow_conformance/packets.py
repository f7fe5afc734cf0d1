# SPDX-License-Identifier: MIT
"""Packets of the cases: a kind, and values of match fields, written as Ryu's tester wants them.

The tester evaluates a list of constructors of Ryu's packet library, so a packet is a list of such texts. Whatever a
field does not say has the value in `USUAL`. The bits of the values there are mixed, so that each mask has something
to say.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from hybridnet.experiments.openflow_conformance.fields import BY_NAME, json_value

__all__ = ["KINDS", "USUAL", "packet", "prerequisites", "value_of"]

Values = Mapping[str, int]

_IPV6_SRC = 0x20010DB8_5A3C_A5C3_1234_5678_9ABC_DEF0
_IPV6_DST = 0x20010DB8_C35A_3CA5_FEDC_BA98_7654_3210

USUAL: dict[str, int] = {
    "eth_src": 0x0212345678A1,
    "eth_dst": 0x02ABCDEF5A3C,
    "vlan_vid": 0x1000 | 0x5A3,
    "vlan_pcp": 5,
    "mpls_label": 0x5A3C6,
    "mpls_tc": 5,
    "mpls_bos": 1,
    "ipv4_src": 0xC0A85A3C,
    "ipv4_dst": 0xAC10A5C3,
    "ipv6_src": _IPV6_SRC,
    "ipv6_dst": _IPV6_DST,
    "ipv6_flabel": 0x5A3C6,
    "ip_dscp": 0x2A,
    "ip_ecn": 2,
    "tcp_src": 0x5A3C,
    "tcp_dst": 0xA5C3,
    "udp_src": 0x5A3C,
    "udp_dst": 0xA5C3,
    "sctp_src": 0x5A3C,
    "sctp_dst": 0xA5C3,
    "icmpv4_type": 0xD5,
    "icmpv4_code": 0x5A,
    "icmpv6_type": 0xD5,
    "icmpv6_code": 0x5A,
    "ipv6_nd_target": 0x20010DB8_1111_5A3C_A5C3_0F0F_3C5A_0001,
    "ipv6_nd_sll": 0x02C35A3CA501,
    "ipv6_nd_tll": 0x02C35A3CA502,
    "arp_op": 1,
    "arp_spa": 0xC0A85A3C,
    "arp_tpa": 0xC0A8A5C3,
    "arp_sha": 0x0212345678A1,
    "arp_tha": 0x02ABCDEF5A3C,
    "pbb_isid": 0x5A3C96,
}
PAYLOAD_BYTES = 48
_TRANSPORT = {"tcp": 6, "udp": 17, "sctp": 132, "icmp": 1}
_ND_TYPE = {"solicit": 135, "advert": 136}
# Kind of packet -> the fields that a flow must match before it may match those within, OpenFlow 1.3 section 7.2.3.8.
KINDS: dict[str, dict[str, int]] = {
    "arp": {"eth_type": 0x0806},
    "mpls": {"eth_type": 0x8847},
    "pbb": {"eth_type": 0x88E7},
    "vlan": {"eth_type": 0x0800},
    "vlan6": {"eth_type": 0x86DD},
    **{name: {"eth_type": 0x0800, "ip_proto": number} for name, number in _TRANSPORT.items()},
    **{
        f"{name}6": {"eth_type": 0x86DD, "ip_proto": 58 if name == "icmp" else number}
        for name, number in _TRANSPORT.items()
    },
    **{name: {"eth_type": 0x86DD, "ip_proto": 58, "icmpv6_type": kind} for name, kind in _ND_TYPE.items()},
}
_ALONE = ("eth_src", "eth_dst", "eth_type", "vlan_vid")
_NETWORK = ("ipv4_src", "ipv4_dst", "ipv6_src", "ipv6_dst", "ipv6_flabel", "ip_proto", "ip_dscp", "ip_ecn")


def prerequisites(field: str, kind: str) -> dict[str, int]:
    """What a flow must match before it may match this field in packets of this kind."""
    if field in _ALONE:
        return {}
    if field == "vlan_pcp":
        return {"vlan_vid": USUAL["vlan_vid"]}
    wanted = dict(KINDS[kind])
    if field in _NETWORK:
        wanted = {"eth_type": wanted["eth_type"]}
    if field.startswith("icmpv6_"):
        wanted.pop("icmpv6_type", None)
    return {name: value for name, value in wanted.items() if name != field}


def value_of(field: str, kind: str) -> int:
    """The value of a field in a packet of this kind."""
    return KINDS[kind].get(field, USUAL.get(field, 0))


def packet(
    kind: str, values: Values | None = None, *, tags: tuple[str, ...] = (), ttl: int = 64
) -> list[str]:
    """The constructors of a packet.

    Args:
        values: of fields that differ from the usual ones.
        tags: what stands between the Ethernet header and the rest, outermost first: texts from `vlan_tag`, `label` and
            `service_tag`.
        ttl: of IPv4, or the hop limit of IPv6.
    """
    has = {**USUAL, **KINDS[kind], **(values or {})}
    inner, layers = _layers(kind, has, ttl)
    tags = (*tags, *_own_tags(kind, has, inner))
    ethertype = has["eth_type"] if not tags else _type_before(tags[0])
    if values and "eth_type" in values and not tags:
        ethertype = values["eth_type"]
    ethernet = f"ethernet(dst={_text('eth_dst', has)}, src={_text('eth_src', has)}, ethertype={ethertype})"
    payload = [] if "icmp" in layers[-1] else [f"bytes(range({PAYLOAD_BYTES}))"]  # Ryu sums those without it
    return [ethernet, *tags, *layers, *payload]


def vlan_tag(vid: int, pcp: int, inner: int, *, service: bool = False) -> str:
    """A tag of 802.1Q, or of 802.1ad (`service`); `inner` is the type of what follows."""
    return f"{'svlan' if service else 'vlan'}(pcp={pcp}, cfi=0, vid={vid}, ethertype={inner})"


def label(number: int, tc: int, ttl: int, *, bottom: bool = True) -> str:
    """An MPLS label."""
    return f"mpls(label={number}, exp={tc}, bsb={int(bottom)}, ttl={ttl})"


def service_tag(isid: int) -> str:
    """The tag of a provider's backbone, IEEE 802.1ah; the customer's Ethernet header follows."""
    return f"itag(pcp=0, dei=0, uca=0, sid={isid})"


def _type_before(tag: str) -> int:
    return {"vlan": 0x8100, "svlan": 0x88A8, "mpls": 0x8847, "itag": 0x88E7}[tag.partition("(")[0]]


def _own_tags(kind: str, has: Values, inner: int) -> tuple[str, ...]:
    if kind in ("vlan", "vlan6"):
        return (vlan_tag(has["vlan_vid"] & 0xFFF, has["vlan_pcp"], inner),)
    if kind == "mpls":
        bottom = bool(has["mpls_bos"])
        first = label(has["mpls_label"], has["mpls_tc"], 64, bottom=bottom)
        return (first,) if bottom else (first, label(77, 0, 64))
    if kind == "pbb":
        customer = f"ethernet(dst={_text('eth_dst', has)}, src={_text('eth_src', has)}, ethertype=2048)"
        return (service_tag(has["pbb_isid"]), customer)
    return ()


def _layers(kind: str, has: Values, ttl: int) -> tuple[int, list[str]]:
    """The type of the network layer, and it with all above."""
    if kind == "arp":
        return 0x0806, [
            f"arp(opcode={has['arp_op']}, src_mac={_text('arp_sha', has)}, src_ip={_text('arp_spa', has)}, "
            f"dst_mac={_text('arp_tha', has)}, dst_ip={_text('arp_tpa', has)})"
        ]
    if KINDS[kind]["eth_type"] == 0x86DD:
        return 0x86DD, _ipv6(kind, has, ttl)
    transport = kind if kind in _TRANSPORT else "tcp"
    number = has["ip_proto"] if "ip_proto" in has else _TRANSPORT[transport]
    tos = has["ip_dscp"] << 2 | has["ip_ecn"]
    network = (
        f"ipv4(tos={tos}, proto={number}, src={_text('ipv4_src', has)}, dst={_text('ipv4_dst', has)}, "
        f"ttl={ttl})"
    )
    if number != _TRANSPORT[transport]:  # of a packet that shall not match
        return 0x0800, [network]
    return 0x0800, [network, _transport(transport, has)]


def _ipv6(kind: str, has: Values, ttl: int) -> list[str]:
    transport = kind.removesuffix("6") if kind.removesuffix("6") in _TRANSPORT else "tcp"
    expected = KINDS[kind].get("ip_proto", 6)
    number = has.get("ip_proto", expected)
    traffic_class = has["ip_dscp"] << 2 | has["ip_ecn"]
    network = (
        f"ipv6(nxt={number}, src={_text('ipv6_src', has)}, dst={_text('ipv6_dst', has)}, "
        f"hop_limit={ttl}, flow_label={has['ipv6_flabel']}, traffic_class={traffic_class})"
    )
    if number != expected:
        return [network]
    if kind in _ND_TYPE:
        option = ("nd_option_sla", "ipv6_nd_sll") if kind == "solicit" else ("nd_option_tla", "ipv6_nd_tll")
        link = f"{option[0]}(hw_src={_text(option[1], has)})"
        neighbour = f"nd_neighbor(res=0, dst={_text('ipv6_nd_target', has)}, option={link})"
        return [network, f"icmpv6(type_={has['icmpv6_type']}, code=0, data={neighbour})"]
    if transport == "icmp":
        data = f"data=bytes(range({PAYLOAD_BYTES}))"
        return [network, f"icmpv6(type_={has['icmpv6_type']}, code={has['icmpv6_code']}, {data})"]
    return [network, _transport(transport, has)]


def _transport(name: str, has: Values) -> str:
    if name == "icmp":
        return (
            f"icmp(type_={has['icmpv4_type']}, code={has['icmpv4_code']}, data=bytes(range({PAYLOAD_BYTES})))"
        )
    ports = has[f"{name}_src"], has[f"{name}_dst"]
    text = f"{name}(src_port={ports[0]}, dst_port={ports[1]}"
    return f"{text}, csum={_sctp_checksum(*ports)})" if name == "sctp" else f"{text})"


def _sctp_checksum(source: int, destination: int) -> int:
    """RFC 9260, appendix A, of a header without chunks and our payload; Ryu's own has its bytes in another order."""
    crc = 0xFFFFFFFF
    for byte in struct.pack("!HHII", source, destination, 0, 0) + bytes(range(PAYLOAD_BYTES)):
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return int.from_bytes((crc ^ 0xFFFFFFFF).to_bytes(4, "little"), "big")


def _text(field: str, has: Values) -> str:
    return repr(json_value(BY_NAME[field], has[field]))
