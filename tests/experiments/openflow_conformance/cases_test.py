# SPDX-License-Identifier: MIT
"""The generated cases: how many, of what, and that a case says what its packets are."""

from __future__ import annotations

import json

from hybridnet.experiments.openflow_conformance.cases import all_cases
from hybridnet.experiments.openflow_conformance.experiment import LEAST_CASES, checks_of, failures, summary
from hybridnet.experiments.openflow_conformance.fields import FIELDS, oxm
from hybridnet.experiments.openflow_conformance.packets import packet, prerequisites
from hybridnet.experiments.openflow_conformance.testbed import Result

CASES = all_cases()
WITHOUT_CASES = {"ipv6_exthdr"}  # Ryu writes extension headers, but neither it nor Open vSwitch matches them


def test_there_are_more_cases_than_promised_and_of_both_versions() -> None:
    assert len(CASES) >= LEAST_CASES
    assert {case.version for case in CASES} == {"1.0", "1.3"}


def test_every_match_field_but_one_has_a_case() -> None:
    said = json.dumps([case.to_json() for case in CASES if case.version == "1.3"])
    missing = {field.name for field in FIELDS if f'"field": "{field.name}"' not in said}
    assert missing == WITHOUT_CASES


def test_every_maskable_field_that_packets_carry_has_five_masks() -> None:
    titles = [case.title for case in CASES if case.category == "match with mask"]
    for field in FIELDS:
        if field.maskable and field.kinds:
            mine = [title for title in titles if title.startswith(f"match with mask: {field.name} of")]
            assert len(mine) == 5 * len(field.kinds), field.name


def test_actions_instructions_and_group_types_all_occur() -> None:
    said = json.dumps([case.to_json() for case in CASES if case.version == "1.3"])
    for kind in (
        *("Output", "Group", "SetField", "PushVlan", "PopVlan", "PushMpls", "PopMpls", "PushPbb", "PopPbb"),
        *("SetNwTtl", "DecNwTtl", "SetMplsTtl", "DecMplsTtl", "CopyTtlOut", "CopyTtlIn"),
    ):
        assert f'"OFPAction{kind}"' in said, kind
    for kind in ("Actions", "GotoTable", "WriteMetadata", "Meter"):
        assert f'"OFPInstruction{kind}"' in said, kind
    assert {f'"type": {kind}, "command"' in said for kind in range(4)} == {True}


def test_fields_stand_in_the_order_in_which_a_switch_shows_them() -> None:
    made = oxm({"tcp_dst": 80, "ip_proto": 6, "eth_type": 0x0800, "in_port": 1})
    order = [tlv["OXMTlv"]["field"] for tlv in made["OFPMatch"]["oxm_fields"]]
    assert order == ["in_port", "eth_type", "ip_proto", "tcp_dst"]


def test_a_mask_stands_beside_its_value_in_the_form_of_the_field() -> None:
    [tlv] = oxm({"ipv4_src": (0x0A000000, 0xFF000000)})["OFPMatch"]["oxm_fields"]
    assert tlv["OXMTlv"] == {"field": "ipv4_src", "value": "10.0.0.0", "mask": "255.0.0.0"}


def test_ports_need_the_protocol_and_the_protocol_needs_the_type() -> None:
    assert prerequisites("tcp_dst", "tcp6") == {"eth_type": 0x86DD, "ip_proto": 6}
    assert prerequisites("ipv4_src", "udp") == {"eth_type": 0x0800}
    assert prerequisites("eth_dst", "arp") == {}


def test_a_packet_of_a_kind_has_its_layers_outermost_first() -> None:
    assert [text.partition("(")[0] for text in packet("vlan")] == ["ethernet", "vlan", "ipv4", "tcp", "bytes"]
    assert "ethertype=33024" in packet("vlan")[0]


def test_a_target_must_pass_what_open_vswitch_passes() -> None:
    def result(number: int, passed: bool) -> Result:
        return Result(CASES[number].title, CASES[number].category, "1.3", passed, "" if passed else "why")

    reference = [result(0, True), result(1, False)]
    worse = [result(0, False), result(1, True)]
    better = [result(0, True), result(1, True)]
    for other, holds in ((worse, False), (better, True)):
        outcome = {"openvswitch": reference, "simulated": other}
        assert checks_of(CASES[:2], outcome, whole=False)[1].holds is holds


def result_of(title: str, category: str, why: str = "", *, stopped: bool = False) -> Result:
    return Result(title, category, "1.3", not why, why, stopped)


OUTCOME = {
    "openvswitch": [result_of("a", "match"), result_of("b", "match", "no packet"), result_of("c", "group")],
    "simulated": [result_of("a", "match"), result_of("b", "match"), result_of("c", "group", "two packets")],
}


def test_the_summary_counts_what_passes_of_each_kind_and_of_all() -> None:
    rows = list(zip(*(column.cells for column in summary(OUTCOME).columns), strict=True))
    assert rows == [("match", "2", "1", "2"), ("group", "1", "1", "0"), ("all", "3", "2", "2")]


def test_failures_have_the_testers_words_beside_who_passes() -> None:
    rows = list(zip(*(column.cells for column in failures(OUTCOME).columns), strict=True))
    assert rows == [("b", "no packet", "passes"), ("c", "passes", "two packets")]


def test_where_only_one_target_runs_the_tester_must_not_stop() -> None:
    alone = {"simulated": [result_of("a", "match"), result_of("b", "match", "it stopped", stopped=True)]}
    [cases, passed] = checks_of(CASES[:2], alone, whole=True)
    assert not cases.holds  # two are fewer than LEAST_CASES
    assert not passed.holds
    assert passed.measured == "1 of 2; the tester stopped in 1"
    assert checks_of(CASES[:1], {"simulated": alone["simulated"][:1]}, whole=False)[0].holds
