# SPDX-License-Identifier: MIT
"""make_plan as a whole: pure, valid, complete; switches, controllers, port types and the fit."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import PlanError
from hybridnet.plan.choices.fit import AFXDP_PORT_BYTES
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan
from hybridnet.topologies import SingleSwitchTopo, TreeTopo, TwoTrees
from tests.hybridnet.plan.support import MACHINES, TOKEN, plan


def test_the_same_description_gives_the_same_plan_byte_for_byte() -> None:
    first, second = (plan(TwoTrees(depth=3, join="routed")).dumps() for _ in range(2))
    assert first == second
    json.loads(first)


def test_two_trees_of_depth_six_are_the_networks_of_the_comparison() -> None:
    made = plan(TwoTrees(depth=6, bw=10_000))
    for number, machine in enumerate(made.machines.values()):
        assert len(machine["hosts"]) == 64
        assert len(machine["switches"]) == 63
        assert [portal["node"] for portal in machine["portals"]] == [("s1", "s64")[number]]
        assert sum(pair["kind"] == "veth" for pair in machine["pairs"]) == 64
        assert sum(pair["kind"] == "patch" for pair in machine["pairs"]) == 62
    assert made.host("h128")["interfaces"][0]["addresses"] == ["10.0.0.128/8"]


def test_nothing_simulated_means_no_instance() -> None:
    made = plan(SingleSwitchTopo(k=2), MACHINES[:1])
    assert made.machines["m1"]["instances"] == []
    assert made.machines["m1"]["portals"] == []


def test_two_machines_with_open_vswitch_in_one_network_of_a_computer_are_refused_by_name() -> None:
    def of(*networks: int | None, computer: str = "a") -> list[MachineSpec]:
        return [
            MachineSpec(f"m{number}", f"192.0.2.{number}", computer=computer, network=network)
            for number, network in enumerate(networks, 1)
        ]

    said = r"machines m1 and m2 are one computer \(192\.0\.2\.1\) .*name each computer once, .*simulate those of m2"
    with pytest.raises(PlanError, match=said):
        plan(TwoTrees(depth=1), of(7, 7))
    for fine in (of(7, 8), of(None, None), [of(7)[0], of(7, 7, computer="b")[1]]):
        assert len(plan(TwoTrees(depth=1), fine, peering_key="0" * 64).machines) == 2
    only_hosts = Topo()
    for number in (1, 2):
        only_hosts.addHost(f"h{number}", machine=f"m{number}")
        only_hosts.addSimRouter(f"r{number}", machine=f"m{number}")
        only_hosts.addLink(f"h{number}", f"r{number}")
    only_hosts.addLink("r1", "r2", delay="5ms")
    assert len(plan(only_hosts, of(7, 7)).machines) == 2


def test_a_slow_network_has_the_same_links_and_says_how_slow_it_is() -> None:
    usual, slow = (plan(TwoTrees(depth=2, bw=10), slow=how) for how in (1, 4))
    assert (usual.slow, slow.slow) == (1, 4)
    for name, machine in slow.machines.items():
        before = usual.machines[name]
        assert (machine["slow"], "slow" in before) == (4, False)
        for own, other in zip(machine["instances"], before["instances"], strict=True):
            assert own == {**other, "slow": 4}


def test_dpids_are_mininets_and_unique() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSwitch("s20")
    topo.addSwitch("core", dpid="00:00:00:00:00:00:00:0A")
    made = plan(topo)
    assert [switch["dpid"] for switch in made.machines["m1"]["switches"]] == [
        "0000000000000001", "0000000000000014", "000000000000000a",
    ]  # fmt: skip


def test_a_dpid_of_zero_which_open_vswitch_takes_for_none_is_another() -> None:
    for name, options in (("s0", {}), ("s1", {"dpid": "0"})):
        topo = Topo()
        topo.addSwitch(name, **options)
        assert plan(topo).switch(name)["dpid"] == "0000020000000000"


def test_a_repeated_dpid_is_refused_across_machines() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m1")
    topo.addSwitch("t1", machine="m2")
    with pytest.raises(PlanError, match="switch t1: dpid 0000000000000001 is taken by s1"):
        plan(topo)


def test_a_switch_without_usable_dpid_is_refused() -> None:
    topo = Topo()
    topo.addSwitch("core")
    with pytest.raises(PlanError, match=r"switch core: .*dpid"):
        plan(topo)


def test_protocols_fail_mode_and_controllers_of_switches() -> None:
    topo = Topo()
    topo.addSwitch("s1", machine="m1", protocols="OpenFlow10,OpenFlow13", failMode="standalone")
    topo.addSwitch("s2", machine="m2")
    made = plan(topo, controllers={"m1": ["tcp:198.18.0.254:6653"]})
    assert made.switch("s1")["protocols"] == ["OpenFlow10", "OpenFlow13"]
    assert made.switch("s1")["fail_mode"] == "standalone"
    assert made.switch("s1")["controllers"] == ["tcp:198.18.0.254:6653"]
    assert made.switch("s2")["protocols"] == ["OpenFlow13"]
    assert made.switch("s2")["fail_mode"] == "secure"
    assert made.switch("s2")["controllers"] == []


def test_every_interface_of_a_switch_is_a_port_with_its_number() -> None:
    made = plan(TwoTrees(depth=1))
    assert made.switch("s1")["ports"] == [{"name": f"s1-eth{n}", "number": n} for n in (1, 2, 3)]


@pytest.mark.parametrize(
    ("depth", "kernel", "afxdp", "expected"),
    [
        (1, False, True, "afpacket"),
        (6, False, True, "afxdp"),
        (6, False, False, "afpacket"),
        (6, True, True, "system"),
    ],
)
def test_port_type_follows_the_machine_and_the_number_of_bridges(
    depth: int, kernel: bool, afxdp: bool, expected: str
) -> None:
    machine = MachineSpec("m1", "198.18.0.1", kernel_datapath=kernel, afxdp=afxdp)
    assert plan(TreeTopo(depth=depth), [machine]).machines["m1"]["port_type"] == expected
    assert (
        plan(TreeTopo(depth=depth), [machine], port_type="afpacket").machines["m1"]["port_type"] == "afpacket"
    )


def test_af_xdp_that_a_machine_lacks_is_refused_by_its_name() -> None:
    machine = MachineSpec("m1", "198.18.0.1", afxdp=False)
    with pytest.raises(PlanError, match="machine m1: port_type='afxdp' needs AF_XDP"):
        plan(TreeTopo(depth=1), [machine], port_type="afxdp")


def test_af_xdp_ports_need_memory_and_an_open_vswitch_of_the_run() -> None:
    topo = TreeTopo(depth=6)  # 64 hosts, each at a port
    room = 2 * 64 * AFXDP_PORT_BYTES  # they may take half of it
    for memory, shared, expected in (
        (room, False, "afxdp"),
        (room - 1, False, "afpacket"),
        (room, True, "afpacket"),
    ):
        machine = MachineSpec("m1", "198.18.0.1", memory_bytes=memory, shared_switching=shared)
        made = plan(topo, [machine])
        assert made.machines["m1"]["port_type"] == expected
        assert not made.warnings


def test_too_little_memory_for_af_xdp_ports_is_a_warning_with_the_figures() -> None:
    topo = TreeTopo(depth=6)
    tight = MachineSpec("m1", "198.18.0.1", memory_bytes=4 * 10**9)
    made = plan(topo, [tight], port_type="afxdp")
    assert made.estimates["m1"]["switch_ports"] == 64  # patch ports cost nothing
    assert made.estimates["m1"]["memory_bytes"] >= 64 * AFXDP_PORT_BYTES
    assert len(made.warnings) == 1
    assert "machine m1" in made.warnings[0]
    assert "4.0 GB are available" in made.warnings[0]
    assert not plan(topo, [tight], port_type="afpacket").warnings


def test_machines_of_one_computer_share_its_memory() -> None:
    topo = TwoTrees(depth=6)  # 64 hosts and a portal on each machine
    room = 2 * 65 * AFXDP_PORT_BYTES  # for the ports of one
    for computers, memory, expected in (
        (("a", "b"), room, "afxdp"),
        (("a", "a"), room, "afpacket"),
        (("a", "a"), 2 * room, "afxdp"),
    ):
        machines = [
            MachineSpec(f"m{at}", f"198.18.0.{at}", memory_bytes=memory, computer=computer)
            for at, computer in enumerate(computers, start=1)
        ]
        made = plan(topo, machines, peering_key="0" * 64)
        assert {part["port_type"] for part in made.machines.values()} == {expected}
        assert not made.warnings
        if computers == ("a", "a") and memory == room:
            [warning] = plan(topo, machines, peering_key="0" * 64, port_type="afxdp").warnings
            assert warning.startswith("machines m1, m2 of one computer: 128 hosts and 130 afxdp ports need")


def test_a_portal_whose_device_linux_cannot_name_is_refused() -> None:
    topo = Topo()
    topo.addHost("longname12")
    topo.addSwitch("s1")
    topo.addLink("longname12", "s1", bw=10)  # simulated: its portal is one letter longer than the interface
    with pytest.raises(PlanError, match=r"interface longname12-eth0: its portal .* has 16 .*Linux allows 15"):
        plan(topo)


def test_interface_of_fifteen_characters_is_fine_without_a_portal() -> None:
    topo = Topo()
    topo.addHost("longname12")
    topo.addSwitch("s1")
    topo.addLink("longname12", "s1")
    assert plan(topo).host("longname12")["interfaces"][0]["name"] == "longname12-eth0"


def test_static_arp_entries_cover_the_subnet_and_nothing_else() -> None:
    made = plan(TwoTrees(depth=1, join="routed"), auto_static_arp=True)
    entries = made.host("h1")["arp"]
    assert {entry["address"] for entry in entries} == {"10.1.0.2", "10.1.255.254"}
    h2 = made.host("h2")["interfaces"][0]
    assert {"address": "10.1.0.2", "mac": h2["mac"], "interface": "h1-eth0"} in entries


def test_two_captures_of_a_machine_do_not_write_the_same_file() -> None:
    with pytest.raises(
        PlanError, match=r"capture at r1-eth2: /run//r\.pcap is the file of the capture at r1-eth1"
    ):
        plan(
            TwoTrees(depth=1, join="routed"),
            captures={"r1-eth1": "/run/r.pcap", "r1-eth2": "/run//r.pcap"},
        )
    apart = {"r1-eth1": "/run/r.pcap", "r2-eth1": "/run/r.pcap"}  # on two machines
    assert plan(TwoTrees(depth=1, join="routed"), captures=apart).machines.keys() == {"m1", "m2"}


def test_captures_land_in_the_right_instance() -> None:
    made = plan(TwoTrees(depth=1, join="routed"), captures={"r2-eth1": "/run/r2.pcap"})
    assert made.machines["m1"]["instances"][0]["captures"] == []
    assert made.machines["m2"]["instances"][0]["captures"] == [
        {"interface": "r2-eth1", "file": "/run/r2.pcap"}
    ]
    with pytest.raises(PlanError, match="capture at h1-eth0: there is no simulated interface"):
        plan(TwoTrees(depth=1), captures={"h1-eth0": "/run/x.pcap"})


def test_the_file_of_a_capture_is_an_absolute_path_as_that_of_a_record_is() -> None:
    with pytest.raises(PlanError, match=r"captures: file 'r2.pcap' of r2-eth1 is not an absolute path"):
        plan(TwoTrees(depth=1, join="routed"), captures={"r2-eth1": "r2.pcap"})


def test_each_machine_records_into_a_file_of_its_own() -> None:
    made = plan(TwoTrees(depth=1, join="routed"), record="/run/records")
    assert made.machines["m1"]["instances"][0]["record"] == "/run/records/m1.pcapng"
    assert made.machines["m2"]["instances"][0]["record"] == "/run/records/m2.pcapng"
    with pytest.raises(PlanError, match=r"write os\.path\.abspath"):
        plan(TwoTrees(depth=1), record="records")
    assert "record" not in plan(TwoTrees(depth=1, join="routed")).machines["m1"]["instances"][0]
    assert plan(SingleSwitchTopo(k=2), record="/run/records").notes == [
        "Nothing is simulated, so there is nothing to record"
    ]


def test_the_seed_the_token_and_the_realtime_options_reach_the_instance() -> None:
    instance = plan(TwoTrees(depth=1), seed=7).machines["m1"]["instances"][0]
    assert instance["seed"] == 7
    assert instance["token"] == TOKEN
    assert instance["realtime"] == {
        "policy": "best_effort",
        "lateness_limit_ns": 10**6,
        "wait": "adaptive",
        "cpu": None,
        "fifo_priority": 10,
        "shallow_idle": True,
    }


@pytest.mark.parametrize(
    ("delay", "moderation_ns"), [("20ms", 100_000), ("1.6ms", 1_600_000 // 20), ("0.4ms", 400_000 // 20)]
)
def test_an_instance_is_moderated_by_a_part_of_its_links_delay(delay: str, moderation_ns: int) -> None:
    instance = plan(TwoTrees(depth=1, delay=delay)).machines["m1"]["instances"][0]
    assert instance["moderation_ns"] == moderation_ns


def test_an_instance_that_nothing_real_is_attached_to_turns_less_often() -> None:
    topo = Topo()
    for name in ("v1", "v2"):
        topo.addSimHost(name)
    topo.addLink("v1", "v2", bw=10, delay="1ms")
    instance = plan(topo).machines["m1"]["instances"][0]
    assert instance["moderation_ns"] == 300_000


@pytest.mark.parametrize(("cut", "moderation_ns"), [("1ms", 1_000_000 // 4), ("8ms", 300_000)])
def test_where_nothing_real_is_attached_the_delay_of_cut_links_moderates(
    cut: str, moderation_ns: int
) -> None:
    topo = Topo()
    for router in ("r1", "r2"):
        topo.addSimRouter(router, instance=router)
        topo.addLink(topo.addSimHost(f"v{router}", instance=router), router, delay="0.1ms")
    topo.addLink("r1", "r2", delay=cut)
    made = plan(topo, [MachineSpec("m1", "198.18.0.1")])
    assert [each["moderation_ns"] for each in made.instances.values()] == [moderation_ns] * 2


@pytest.mark.parametrize(
    "bad",
    [{"token": "xyz"}, {"port_type": "dpdk"}, {"backend": "tap"}, {"fail_mode": "open"}, {"ip_base": "10"},
     {"ip_base": 10}, {"seed": "x"}, {"seed": -1}, {"realtime": 3}, {"auto_set_macs": "yes"}, {"captures": ["x"]},
     {"peer_port": 0}, {"controllers": "tcp:192.0.2.1:6653"}],
)  # fmt: skip
def test_bad_options_are_refused(bad: dict[str, Any]) -> None:
    name, value = next(iter(bad.items()))
    with pytest.raises(PlanError, match=rf"^{name}.*{re.escape(repr(value))}"):
        PlanOptions(**{"token": TOKEN, **bad})


def test_bad_machines_are_refused() -> None:
    with pytest.raises(PlanError, match="no machine to build on"):
        make_plan(Topo(), [], PlanOptions(token=TOKEN))
    with pytest.raises(PlanError, match="machine m1 is given twice"):
        plan(Topo(), [MACHINES[0], MACHINES[0]])
    with pytest.raises(PlanError, match="'localhost' is not an IPv4 address"):
        MachineSpec("m1", "localhost")


def test_the_text_names_every_machine_node_and_cut_link() -> None:
    text = str(plan(TwoTrees(depth=1, join="routed", bw=1000, delay="5ms")))
    for part in (
        "m1: 2 hosts, 1 switch",
        "h1-eth0 10.1.0.1/16",
        "r1: router",
        "r1-eth2 ── r2-eth2  1 Gbit/s, 5 ms",
    ):
        assert part in text
