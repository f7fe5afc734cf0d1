# SPDX-License-Identifier: MIT
"""Cases of OpenFlow 1.0: its twelve-field match with wildcards, and its actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridnet.experiments.openflow_conformance.case import Case, leaves, misses
from hybridnet.experiments.openflow_conformance.fields import BY_NAME, json_value
from hybridnet.experiments.openflow_conformance.messages import FIRST, IN, SECOND, Json
from hybridnet.experiments.openflow_conformance.packets import USUAL, packet, vlan_tag

CONTROLLER, IN_PORT, FLOOD, ALL = 0xFFFD, 0xFFF8, 0xFFFB, 0xFFFC
NO_VLAN = 0xFFFF
EXACT = 0xFFFF
"""The priority at which a switch shows a flow without wildcards."""


def cases() -> Iterator[Case]:
    """All of them."""
    yield from (*_matches(), *_prefixes(), *_actions(), *_outputs(), *_flows())


def _case(name: str, messages: list[Json], exchanges: list[Any]) -> Case:
    return Case("OpenFlow 1.0", name, messages, exchanges, "1.0")


def _flow(match: dict[str, Any], *actions: Json, priority: int = 200, **more: Any) -> Json:
    members = {"match": {"OFPMatch": match}, "actions": list(actions), "priority": priority, "command": 0}
    return {"OFPFlowMod": {**members, **more}}


def _act(kind: str, **members: Any) -> Json:
    return {f"OFPAction{kind}": members}


def _output(port: int | str) -> Json:
    return _act("Output", port=port)


def _text(field: str) -> Any:
    return json_value(BY_NAME[field], USUAL[field])


OTHERWISE = _flow({}, _output(CONTROLLER), priority=100)
PASS = _output(FIRST)
IP, ARP = {"dl_type": 0x0800}, {"dl_type": 0x0806}


def _matches() -> Iterator[Case]:
    tcp, udp = {**IP, "nw_proto": 6}, {**IP, "nw_proto": 17}
    icmp = {**IP, "nw_proto": 1}
    for name, kind, match, other in (
        ("dl_src", "tcp", {"dl_src": _text("eth_src")}, packet("tcp", {"eth_src": 0x020000000007})),
        ("dl_dst", "tcp", {"dl_dst": _text("eth_dst")}, packet("tcp", {"eth_dst": 0x020000000007})),
        ("dl_type", "tcp", IP, packet("tcp6")),
        ("dl_type of ARP", "arp", ARP, packet("tcp")),
        ("dl_vlan", "vlan", {"dl_vlan": USUAL["vlan_vid"] & 0xFFF}, packet("vlan", {"vlan_vid": 0x1007})),
        ("no dl_vlan", "tcp", {"dl_vlan": NO_VLAN}, packet("vlan")),
        (
            "dl_vlan_pcp",
            "vlan",
            {"dl_vlan": USUAL["vlan_vid"] & 0xFFF, "dl_vlan_pcp": USUAL["vlan_pcp"]},
            packet("vlan", {"vlan_pcp": 1}),
        ),
        ("nw_tos", "tcp", {**IP, "nw_tos": USUAL["ip_dscp"] << 2}, packet("tcp", {"ip_dscp": 1})),
        ("nw_proto", "tcp", tcp, packet("udp")),
        ("nw_src", "tcp", {**IP, "nw_src": _text("ipv4_src")}, packet("tcp", {"ipv4_src": 0x0A000001})),
        ("nw_dst", "tcp", {**IP, "nw_dst": _text("ipv4_dst")}, packet("tcp", {"ipv4_dst": 0x0A000001})),
        ("tp_src of TCP", "tcp", {**tcp, "tp_src": USUAL["tcp_src"]}, packet("tcp", {"tcp_src": 7})),
        ("tp_dst of TCP", "tcp", {**tcp, "tp_dst": USUAL["tcp_dst"]}, packet("tcp", {"tcp_dst": 7})),
        ("tp_src of UDP", "udp", {**udp, "tp_src": USUAL["udp_src"]}, packet("udp", {"udp_src": 7})),
        ("tp_dst of UDP", "udp", {**udp, "tp_dst": USUAL["udp_dst"]}, packet("udp", {"udp_dst": 7})),
        (
            "tp_src as the type of ICMP",
            "icmp",
            {**icmp, "tp_src": USUAL["icmpv4_type"]},
            packet("icmp", {"icmpv4_type": 77}),
        ),
        (
            "tp_dst as the code of ICMP",
            "icmp",
            {**icmp, "tp_dst": USUAL["icmpv4_code"]},
            packet("icmp", {"icmpv4_code": 7}),
        ),
        ("nw_proto of IPv6", "tcp6", {"dl_type": 0x86DD, "nw_proto": 6}, packet("udp6")),
        ("nw_proto as the operation of ARP", "arp", {**ARP, "nw_proto": 1}, packet("arp", {"arp_op": 2})),
        (
            "nw_src of ARP",
            "arp",
            {**ARP, "nw_src": _text("arp_spa")},
            packet("arp", {"arp_spa": 0x0A000001}),
        ),
        (
            "nw_dst of ARP",
            "arp",
            {**ARP, "nw_dst": _text("arp_tpa")},
            packet("arp", {"arp_tpa": 0x0A000001}),
        ),
        (
            "all twelve fields",
            "vlan",
            {
                "in_port": IN,
                "dl_src": _text("eth_src"),
                "dl_dst": _text("eth_dst"),
                "dl_vlan": USUAL["vlan_vid"] & 0xFFF,
                "dl_vlan_pcp": USUAL["vlan_pcp"],
                "nw_tos": USUAL["ip_dscp"] << 2,
                **tcp,
                "nw_src": _text("ipv4_src"),
                "nw_dst": _text("ipv4_dst"),
                "tp_src": USUAL["tcp_src"],
                "tp_dst": USUAL["tcp_dst"],
            },
            packet("vlan", {"tcp_dst": 7}),
        ),
    ):
        yield _case(
            f"match {name}",
            [_flow(match, PASS, priority=EXACT), OTHERWISE],
            [leaves(packet(kind)), misses(other)],
        )
    yield _case("match in_port", [_flow({"in_port": IN}, PASS), OTHERWISE], [leaves(packet("tcp"))])
    yield _case("match another in_port", [_flow({"in_port": 3}, PASS), OTHERWISE], [misses(packet("tcp"))])
    for kind in ("tcp", "udp6", "arp", "vlan", "mpls"):
        yield _case(f"all wildcards: {kind}", [_flow({}, PASS)], [leaves(packet(kind))])


def _prefixes() -> Iterator[Case]:
    for side in ("src", "dst"):
        address = USUAL[f"ipv4_{side}"]
        for length in (1, 8, 15, 24, 31):
            mask = (0xFFFFFFFF << (32 - length)) & 0xFFFFFFFF
            network = json_value(BY_NAME["ipv4_src"], address & mask)
            match = {**IP, f"nw_{side}": network, f"nw_{side}_mask": length}
            name = f"ipv4_{side}"
            yield _case(
                f"match nw_{side} with a prefix of {length} bits",
                [_flow(match, PASS), OTHERWISE],
                [
                    leaves(packet("tcp")),
                    leaves(packet("tcp", {name: address ^ 1})),
                    misses(packet("tcp", {name: address ^ 1 << (32 - length)})),
                ],
            )


def _actions() -> Iterator[Case]:
    tcp = {**IP, "nw_proto": 6}
    for name, kind, match, acting, expected in (
        (
            "set dl_src",
            "tcp",
            {},
            _act("SetDlSrc", dl_addr="02:00:00:00:00:07"),
            packet("tcp", {"eth_src": 0x020000000007}),
        ),
        (
            "set dl_dst",
            "tcp",
            {},
            _act("SetDlDst", dl_addr="02:00:00:00:00:07"),
            packet("tcp", {"eth_dst": 0x020000000007}),
        ),
        (
            "set nw_src",
            "tcp",
            IP,
            _act("SetNwSrc", nw_addr="10.0.0.1"),
            packet("tcp", {"ipv4_src": 0x0A000001}),
        ),
        (
            "set nw_dst",
            "tcp",
            IP,
            _act("SetNwDst", nw_addr="10.0.0.1"),
            packet("tcp", {"ipv4_dst": 0x0A000001}),
        ),
        ("set nw_tos", "tcp", IP, _act("SetNwTos", tos=0x10 << 2), packet("tcp", {"ip_dscp": 0x10})),
        ("set tp_src of TCP", "tcp", tcp, _act("SetTpSrc", tp=99), packet("tcp", {"tcp_src": 99})),
        ("set tp_dst of TCP", "tcp", tcp, _act("SetTpDst", tp=99), packet("tcp", {"tcp_dst": 99})),
        (
            "set tp_src of UDP",
            "udp",
            {**IP, "nw_proto": 17},
            _act("SetTpSrc", tp=99),
            packet("udp", {"udp_src": 99}),
        ),
        (
            "set tp_dst of UDP",
            "udp",
            {**IP, "nw_proto": 17},
            _act("SetTpDst", tp=99),
            packet("udp", {"udp_dst": 99}),
        ),
        (
            "set vlan_vid of an untagged one",
            "tcp",
            IP,
            _act("VlanVid", vlan_vid=7),
            packet("tcp", tags=(vlan_tag(7, 0, 0x0800),)),
        ),
        (
            "set vlan_pcp of an untagged one",
            "tcp",
            IP,
            _act("VlanPcp", vlan_pcp=3),
            packet("tcp", tags=(vlan_tag(0, 3, 0x0800),)),
        ),
        (
            "set vlan_vid of a tagged one",
            "vlan",
            {},
            _act("VlanVid", vlan_vid=7),
            packet("vlan", {"vlan_vid": 0x1007}),
        ),
        (
            "set vlan_pcp of a tagged one",
            "vlan",
            {},
            _act("VlanPcp", vlan_pcp=3),
            packet("vlan", {"vlan_pcp": 3}),
        ),
        ("strip the VLAN", "vlan", {}, _act("StripVlan"), packet("tcp")),
        ("strip no VLAN", "tcp", {}, _act("StripVlan"), packet("tcp")),
    ):
        yield _case(name, [_flow(match, acting, PASS)], [leaves(packet(kind), expected)])
    changed = _act("SetDlDst", dl_addr="02:00:00:00:00:07")
    yield _case(
        "what changes after an output does not show in it",
        [_flow({}, PASS, changed, _output(SECOND))],
        [leaves(packet("tcp"))],
    )
    yield _case(
        "what changes before an output shows in it, and in later ones",
        [_flow({}, changed, _output(SECOND), _act("SetDlSrc", dl_addr="02:00:00:00:00:08"), PASS)],
        [leaves(packet("tcp"), packet("tcp", {"eth_dst": 0x020000000007, "eth_src": 0x020000000008}))],
    )


def _outputs() -> Iterator[Case]:
    sent = packet("tcp")
    for name, port in (("FLOOD", FLOOD), ("ALL", ALL)):
        yield _case(f"output to {name}", [_flow({}, _output(port))], [leaves(sent)])
    yield _case("output to CONTROLLER", [_flow({}, _output(CONTROLLER))], [misses(sent)])
    yield _case("enqueue at a port", [_flow({}, _act("Enqueue", port=2, queue_id=0))], [leaves(sent)])
    yield _case("output to two ports", [_flow({}, _output(SECOND), PASS)], [leaves(sent)])


def _flows() -> Iterator[Case]:
    sent = packet("tcp")
    yield _case(
        "an exact match comes before a higher priority's wildcards",
        [
            _flow(
                {
                    "in_port": IN,
                    "dl_src": _text("eth_src"),
                    "dl_dst": _text("eth_dst"),
                    "dl_vlan": NO_VLAN,
                    "dl_vlan_pcp": 0,
                    "nw_tos": USUAL["ip_dscp"] << 2,
                    **IP,
                    "nw_proto": 6,
                    "nw_src": _text("ipv4_src"),
                    "nw_dst": _text("ipv4_dst"),
                    "tp_src": USUAL["tcp_src"],
                    "tp_dst": USUAL["tcp_dst"],
                },
                PASS,
                priority=65535,
            ),
            OTHERWISE,
        ],
        [leaves(sent)],
    )
    yield _case(
        "the higher priority",
        [_flow(IP, _output(CONTROLLER), priority=1), _flow({}, PASS, priority=2)],
        [leaves(sent)],
    )
    yield _case("no actions: dropped", [_flow(IP), _flow({}, PASS, priority=1)], [leaves(packet("arp"))])
    yield _case("the same flow replaces", [_flow(IP, _output(CONTROLLER)), _flow(IP, PASS)], [leaves(sent)])
    yield _case("modify", [_flow(IP, _output(CONTROLLER)), _flow(IP, PASS, command=1)], [leaves(sent)])
    for name, members in (
        ("cookie", {"cookie": 0x1234}),
        ("timeouts", {"idle_timeout": 60, "hard_timeout": 120}),
    ):
        yield _case(f"entry with {name}", [_flow(IP, PASS, **members)], [leaves(sent)])
    yield _case(
        "miss: counted as a lookup, not as a match",
        [_flow({"dl_src": "02:00:00:00:00:09"}, PASS)],
        [{"ingress": sent, "table-miss": [0]}],
    )
