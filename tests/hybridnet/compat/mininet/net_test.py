# SPDX-License-Identifier: MIT
"""A network that is described and not yet made: names, addresses and options as Mininet has them."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, cast
from unittest.mock import Mock

import pytest

from hybridnet.compat.mininet import network
from hybridnet.compat.mininet.link import Intf, Link, OVSLink, TCIntf, TCLink
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.node import (
    Controller,
    CPULimitedHost,
    Host,
    IVSSwitch,
    Node,
    OVSBridge,
    OVSSwitch,
    Switch,
    UserSwitch,
)
from hybridnet.compat.mininet.topo import SingleSwitchTopo, Topo
from hybridnet.compat.mininet.util import custom
from hybridnet.errors import MachineError, UsageError


def described(net: Mininet) -> Any:
    net.build()
    return net._network.description()


def test_hosts_get_addresses_in_the_order_in_which_they_are_added() -> None:
    net = Mininet(controller=None)
    net.addHost("z"), net.addHost("a", ip="10.9.9.9"), net.addHost("m")
    topo = described(net)
    assert [topo.nodeInfo(name)["ip"] for name in ("z", "a", "m")] == [
        "10.0.0.1/8",
        "10.9.9.9/8",
        "10.0.0.3/8",
    ]


def test_a_base_that_is_no_network_is_refused() -> None:
    with pytest.raises(UsageError, match="ipBase 'foo' is not an IPv4 network; write one like"):
        Mininet(ipBase="foo")


def test_an_address_that_no_host_may_have_is_left_to_the_host_s_own_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None)
    net.addHost("r1", ip="0.0.0.0"), net.addHost("h1", ip="10.0.0.255/24"), net.addHost("h2", ip="10.0.0.255")
    topo = described(net)
    assert [topo.nodeInfo(name)["ip"] for name in ("r1", "h1", "h2")] == [None, None, "10.0.0.255/8"]
    told = capsys.readouterr().err
    assert "host h1: its address 10.0.0.255/24" in told
    assert "r1" not in told


def test_a_gateway_in_none_of_a_host_s_networks_is_passed_over_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None)
    h1 = net.addHost("h1", ip="10.0.0.1/24", defaultRoute="via 192.168.1.1")
    h2 = net.addHost("h2", ip="10.0.0.2/24", defaultRoute="via 10.0.0.1")
    net.addLink(h1, h2)
    h3 = net.addHost("h3", ip="10.0.0.3/24", defaultRoute="via 192.168.1.1")
    net.addLink(h3, h1, params1={"ip": "192.168.1.3/24"})
    topo = described(net)
    assert [topo.nodeInfo(name).get("defaultRoute") for name in ("h1", "h2", "h3")] == [
        None,
        "via 10.0.0.1",
        "via 192.168.1.1",
    ]
    told = capsys.readouterr().err
    assert "host h1: its gateway 192.168.1.1 is in none of its networks" in told
    assert "h2" not in told
    assert "h3" not in told


def test_automatic_mac_addresses_are_the_hosts_numbers() -> None:
    net = Mininet(SingleSwitchTopo(2), controller=None, autoSetMacs=True)
    assert described(net).nodeInfo("h2")["mac"] == "00:00:00:00:00:02"


def test_a_link_has_its_interfaces_before_anything_is_made() -> None:
    net = Mininet(controller=None)
    h1, s1 = net.addHost("h1"), net.addSwitch("s1")
    link = net.addLink(h1, "s1", bw=10)
    assert str(link) == "h1-eth0<->s1-eth1"
    assert h1.intfNames() == ["h1-eth0"]
    assert s1.ports[link.intf2] == 1
    assert net.linksBetween(h1, s1) == [link]


def test_the_interfaces_of_a_link_with_shaping_are_of_its_class() -> None:
    class Own(TCIntf):
        pass

    net = Mininet(controller=None, link=TCLink)
    h1, h2 = net.addHost("h1"), net.addHost("h2")
    assert [type(intf) for intf in (net.addLink(h1, h2).intf1, Link(h1, h2).intf2)] == [TCIntf, Intf]
    assert type(net.addLink(h1, h2, intf=Own).intf1) is Own


def test_a_switch_has_its_loopback_interface_as_port_0() -> None:
    net = Mininet(controller=None)
    s1, s2 = net.addSwitch("s1"), net.addSwitch("s2")
    net.addLink(s1, s2)
    assert (s1.intfNames(), list(s1.intfs), s1.IP()) == (["lo", "s1-eth1"], [0, 1], "127.0.0.1")
    assert [intf.name for intf in s1.port_list()] == ["s1-eth1"]


def test_a_link_from_a_host_to_itself_is_left_to_the_host() -> None:
    net = Mininet(controller=None)
    h1, h2 = net.addHost("h1"), net.addHost("h2")
    net.addLink(h1, h2), net.addLink(h1, h1)
    assert h1.intfNames() == ["h1-eth0", "h1-eth1", "h1-eth2"]
    assert len(described(net).links()) == 1


def test_a_host_whose_address_is_none_is_reached_by_nobody(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Answering:
        def __init__(self, name: str, ip: str) -> None:
            self.name, self.ip = name, ip

        def IP(self) -> str:
            return self.ip

        def cmd(self, text: str) -> str:
            assert "no ip" not in text
            return "1 packets transmitted, 1 received, 0% packet loss"

        def __str__(self) -> str:
            return self.name

    net = Mininet(controller=None)
    monkeypatch.setattr(net, "make", lambda: None)
    hosts = [Answering("h1", "10.0.0.1"), Answering("h2", "10.0.0.2"), Answering("h3", "no ip")]
    assert round(net.ping(hosts)) == 33
    assert "h1 -> h2 X \n" in capsys.readouterr().err


def test_addresses_mean_what_ifconfig_takes_them_to_mean() -> None:
    net = Mininet(controller=None)
    net.addLink(
        net.addHost("h1", ip="10.1/8"), net.addHost("h2", ip="192.168.122.02/24"), params2={"ip": "10.2/8"}
    )
    topo = described(net)
    assert [topo.nodeInfo(name)["ip"] for name in ("h1", "h2")] == ["10.0.0.1/8", "192.168.122.2/24"]
    assert net.links[0].description()["params2"]["ip"] == "10.0.0.2/8"


def test_options_of_a_partial_link_reach_every_link() -> None:
    net = Mininet(SingleSwitchTopo(1), controller=None, link=partial(TCLink, bw=7, delay="3ms"))
    spec = described(net).spec("h1", "s1")
    assert (spec.a_to_b.rate_bps, spec.b_to_a.delay_ns) == (7_000_000, 3_000_000)


def test_options_of_a_partial_interface_reach_every_link() -> None:
    net = Mininet(SingleSwitchTopo(2), intf=custom(TCIntf, bw=10), controller=None)
    assert [link.description()[end]["bw"] for link in net.links for end in ("params1", "params2")] == [10] * 4


def test_options_of_one_end_shape_what_that_end_sends() -> None:
    net = Mininet(controller=None, link=TCLink)
    net.addLink(net.addHost("h1"), net.addSwitch("s1"), params1={"bw": 1}, params2={"bw": 2})
    spec = described(net).spec("h1", "s1")
    assert (spec.a_to_b.rate_bps, spec.b_to_a.rate_bps) == (1_000_000, 2_000_000)


def test_a_running_link_is_changed_only_by_what_tc_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Mininet(controller=None, link=TCLink)
    h1 = net.addHost("h1")
    link = net.addLink(h1, net.addSwitch("s1"))
    network = Mock()
    monkeypatch.setattr(h1, "is_made", lambda: True)
    monkeypatch.setattr(h1, "network", lambda: network)
    for refused in ({"bw": -1}, {"loss": 200}, {"delay": "fast"}):
        link.shape(link.intf1, refused)
    assert not network.set_link.called
    link.shape(link.intf1, {"bw": 5, "loss": 200})
    network.set_link.assert_called_once_with(link, params1={"bw": 5})


def test_a_link_without_tclink_takes_no_notice_of_rate_and_delay_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None)
    h1, s1 = net.addHost("h1"), net.addSwitch("s1")
    link = net.addLink(h1, s1, bw=10, delay="5ms", loss=0, cls1=TCIntf)
    link.intf2.config(bw=5)
    assert link.description()["params1"] == {"bw": 10, "delay": "5ms", "loss": 0}
    assert link.description()["params2"] == {}
    assert "bw=, delay= without TCLink: link of s1-eth1: no effect" in capsys.readouterr().err


def test_a_parameter_of_a_link_that_nobody_reads_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    class Priced(TCLink):
        def __init__(self, *args: Any, price: int = 0, **params: Any) -> None:
            super().__init__(*args, **params)

    net = Mininet(controller=None, link=TCLink)
    h1, h2, s1 = net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1")
    net.addLink(h1, s1, bw=10, use_tbf=True, up=True, ifconfig="mtu 1400", mtu=1400, kernel=False)
    net.addLink(h2, s1, cls=Priced, price=5)
    described(net)
    assert "links: " not in capsys.readouterr().err
    net.addLink(h2, s1, bandwith=10)
    described(net)
    assert "links: bandwith=: no class of the script's takes it; it has no effect" in capsys.readouterr().err


@pytest.mark.parametrize("cls", [Host, CPULimitedHost])
def test_a_parameter_of_a_host_that_nobody_reads_is_said(
    cls: type[Host], capsys: pytest.CaptureFixture[str]
) -> None:
    net = Mininet(controller=None, host=cls)
    net.addHost("h1", ip="10.0.0.1", **({} if cls is Host else {"cpu": 0.5, "cores": 0, "sched": "cfs"}))
    described(net)
    assert "hosts: " not in capsys.readouterr().err
    unknown = f"of_{cls.__name__}"  # each is said once
    net.addHost("h2", **{unknown: 1})
    described(net)
    assert (
        f"hosts: {unknown}=: no class of the script's takes it; it has no effect" in capsys.readouterr().err
    )


def test_switches_offer_all_versions_unless_told_and_bridges_need_no_controller() -> None:
    net = Mininet(controller=None)
    net.addSwitch("s1"), net.addSwitch("s2", protocols="OpenFlow13"), net.addSwitch("s3", cls=OVSBridge)
    topo = described(net)
    assert "OpenFlow10" in topo.nodeInfo("s1")["protocols"]
    assert topo.nodeInfo("s2")["protocols"] == "OpenFlow13"
    assert topo.nodeInfo("s3")["failMode"] == "standalone"


def test_what_a_script_sets_of_a_switch_before_the_start_holds() -> None:
    net = Mininet(controller=None)
    switch = net.addSwitch("s1")
    switch.failMode, switch.protocols, switch.stp, switch.dpid = (
        "standalone",
        "OpenFlow13",
        True,
        "00000000000000ab",
    )
    info = described(net).nodeInfo("s1")
    assert (info["failMode"], info["protocols"], info["stp"]) == ("standalone", "OpenFlow13", True)
    assert int(info["dpid"], 16) == 0xAB


@pytest.mark.parametrize(("given", "meant"), [(1, True), ("True", True), (0, False), ("False", False)])
def test_flags_are_what_mininet_takes_for_them(given: Any, meant: bool) -> None:
    net = Mininet(controller=None, autoStaticArp=given)
    assert net.autoStaticArp is meant
    hosts = net.addHost("h1", inNamespace=given), net.addHost("h2")
    assert hosts[0].inNamespace is meant
    red = net.addLink(*hosts, cls=TCLink, bw=10, enable_red=given, enable_ecn=given, patch=given)
    [spec] = described(net).link_specs()
    assert spec.a_to_b.queue == ({"model": "red", "ecn": True} if meant else None)
    assert red.description()["patch"] is meant


class _WithItsOwnController(OVSSwitch):
    def start(self, controllers: list[Any]) -> None:
        super().start(controllers[:1])


class _MadeByCommands(OVSSwitch):
    def start(self, controllers: list[Any]) -> None:
        self.vsctl(f"add-br {self}{self.bridgeOpts()}")


@pytest.mark.parametrize(("kind", "patch"), [(_WithItsOwnController, True), (_MadeByCommands, False)])
def test_the_ports_of_a_switch_whose_start_makes_the_bridge_itself_have_devices(
    kind: type[OVSSwitch], patch: bool
) -> None:
    net = Mininet(controller=None)
    link = net.addLink(net.addSwitch("s1"), net.addSwitch("s2", cls=kind))
    assert link.description()["patch"] is patch


@pytest.mark.parametrize(
    ("stp", "states", "settled"),
    [
        (1, "designated listening, designated forwarding", False),
        (1, "root forwarding, designated learning", False),
        (1, "root forwarding, alternate blocking", True),
        ("rstp", "Root Forwarding, Alternate Discarding", True),
        (0, "", True),
    ],
)
def test_a_bridge_with_a_spanning_tree_forwards_once_that_has_settled(
    stp: Any, states: str, settled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = Mininet(controller=None).addSwitch("s1", cls=OVSBridge, stp=stp)
    shows = "rstp/show" if stp == "rstp" else "stp/show"
    monkeypatch.setattr(bridge, "cmd", lambda *words: states if words[1] == shows else "")
    assert bridge.connected() is settled


def test_a_dpid_that_two_switches_would_have_goes_to_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    net = Mininet(controller=None)
    net.addSwitch("A1"), net.addSwitch("C1")
    topo = described(net)
    assert [int(topo.nodeInfo(name)["dpid"], 16) for name in ("A1", "C1")] == [1, 2]
    assert "its dpid is another's, too" in capsys.readouterr().err


def test_switches_that_nobody_has_any_more_are_open_vswitch_with_one_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None, switch=UserSwitch)
    net.addSwitch("s1"), net.addSwitch("s2", dpopts="--no-slicing"), net.addSwitch("s3", cls=IVSSwitch)
    assert isinstance(net["s1"], OVSSwitch)
    assert [described(net).nodeInfo(name)["datapath"] for name in ("s1", "s2", "s3")] == ["user"] * 3
    assert not net._network._finds_kernel_datapath()
    told = capsys.readouterr().err
    assert told.count("UserSwitch: an Open vSwitch bridge in user space takes its place") == 1
    assert told.count("dpopts='--no-slicing': it has no effect") == 1


def test_a_class_of_the_script_s_own_may_change_its_parameters() -> None:
    class Router(Node):
        def __init__(self, name: str, **params: Any) -> None:
            super().__init__(name, **{**params, "ip": "192.168.1.1/24"})

    net = Mininet(controller=None)
    router = net.addHost("r0", cls=Router)
    assert net.hosts == [router]
    assert described(net).nodeInfo("r0")["ip"] == "192.168.1.1/24"


def test_a_switch_of_the_script_s_own_making_is_a_node_with_ports() -> None:
    class Router(Switch):
        pass

    net = Mininet(controller=None)
    router = net.addSwitch("r1", cls=Router, inNamespace=True, ip="10.9.9.9")
    beside = net.addSwitch("r2", cls=Router)
    link = net.addLink(router, beside, addr1="00:00:00:00:00:0a", params1={"ip": "10.0.0.1/30"})
    topo = described(net)
    assert (net.switches, topo.switches()) == ([router, beside], [])
    assert [topo.nodeInfo(name).get("inNamespace", True) for name in ("r1", "r2")] == [True, False]
    assert topo.nodeInfo("r1")["ip"] is None
    assert (str(link), link.description()["addr1"]) == ("r1-eth1<->r2-eth1", "00:00:00:00:00:0a")
    assert (router.intfNames(), beside.intfNames()) == (["r1-eth1"], ["lo", "r2-eth1"])


def test_a_controller_as_a_host_is_refused() -> None:
    net = Mininet(controller=None)
    with pytest.raises(
        UsageError, match=r"addHost\('c0', cls=Controller\): .* write addController\('c0', Controller\)"
    ):
        net.addHost("c0", cls=Controller)
    assert not net.hosts


def test_controllers_come_as_a_class_a_list_or_objects() -> None:
    def names(controller: Any) -> list[str]:
        return [made.name for made in Mininet(SingleSwitchTopo(1), controller=controller).controllers]

    assert names(Controller) == ["c0"]
    assert names([Controller, Controller]) == ["c0", "c1"]
    assert names(Controller("x")) == ["x"]
    assert names(lambda name: Controller(name, port=7777)) == ["c0"]
    assert names(None) == []


def test_nodes_and_links_made_without_a_network_share_one() -> None:
    one, other = Host("loose1", ip="10.1.0.1"), Host("loose2")
    link = Link(one, other)
    assert one.network() is other.network()
    assert link in one.network().links


def test_a_name_that_is_taken_is_refused() -> None:
    net = Mininet(controller=None)
    net.addHost("h1")
    with pytest.raises(UsageError, match="the name is taken"):
        net.addSwitch("h1", dpid="1")


def test_a_command_in_a_constructor_waits_for_the_network() -> None:
    class Quiet(Host):
        def __init__(self, name: str, **params: Any) -> None:
            super().__init__(name, **params)
            assert self.cmd("sysctl -w net.ipv6.conf.all.disable_ipv6=1") == ""

    net = Mininet(controller=None)
    host = net.addHost("h1", cls=Quiet)
    assert net.live is None
    assert host._waiting_commands == ["sysctl -w net.ipv6.conf.all.disable_ipv6=1"]


def test_options_that_no_class_takes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    topo = Topo()
    topo.addHost("odd", colour="red")
    topo.addHost("even", colour="blue")
    described(Mininet(topo, controller=None))
    assert capsys.readouterr().err.count("hosts: colour=") == 1


@pytest.mark.parametrize(
    ("program", "last"), [("ovs-testcontroller", "OpenFlow14"), ("another-controller", "OpenFlow15")]
)
def test_switches_offer_no_openflow_15_to_open_vswitchs_test_controller_which_it_crashes(
    program: str, last: str
) -> None:
    net = Mininet(SingleSwitchTopo(2), controller=partial(Controller, command=program))
    assert described(net).nodeInfo("s1")["protocols"].split(",")[-1] == last


def test_addresses_and_routes_that_no_host_can_have_are_passed_over_with_one_warning_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None)
    net.addHost("h1", ip="10.0.0.300", mac="00:00:00:00:00:00:01", defaultRoute="default via 10.0.0.9")
    net.addHost("h2", ip="", mac="", defaultRoute="10.0.0.9")
    net.addHost("h3", mac="00:00:00:00:00:0a"), net.addHost("h4", mac="0:0:0:0:0:A")
    net.addLink("h1", "h2"), net.addLink("h3", "h4")
    topo = described(net)
    for name in ("h1", "h2"):
        assert not {topo.nodeInfo(name).get(option) for option in ("ip", "mac", "defaultRoute")} - {None}
    assert topo.nodeInfo("h3")["mac"] == "00:00:00:00:00:0a"
    assert topo.nodeInfo("h4").get("mac") is None  # it is h3's: its `config` gives it
    told = capsys.readouterr().err.splitlines()
    assert [line.split("hybridnet: ")[1].split(":")[0] for line in told] == ["host h1"] * 3 + [
        "host h2",
        "host h4",
    ]


def test_a_device_that_this_computer_lacks_is_passed_over_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = Mininet(controller=None)
    s1 = net.addSwitch("s1")
    Intf("no-such-device", node=s1)
    assert described(net).nodeInfo("s1").get("devices") in (None, [])
    assert "no-such-device of s1" in capsys.readouterr().err


def test_the_mac_address_of_a_switch_s_port_is_left_to_the_switch() -> None:
    net = Mininet(controller=None)
    link = net.addLink(
        net.addHost("h1"), net.addSwitch("s1"), addr1="00:00:00:00:00:0a", addr2="00:00:00:00:00:0b"
    )
    assert link.description()["addr1"] == "00:00:00:00:00:0a"
    assert "addr2" not in link.description()
    assert link.intf2.MAC() == "00:00:00:00:00:0b"


@pytest.mark.parametrize(
    ("has_module", "datapath", "text", "patches"),
    [
        (True, "kernel", "", [False, True, False]),
        (True, "user", "", [True, True, False]),
        (False, "kernel", "", [True, True, False]),
        (False, "kernel", "tc qdisc show dev s1-eth1; tcpdump -i s2-eth2", [False, True, False]),
    ],
)
def test_switches_are_joined_by_devices_where_the_kernel_forwards_or_the_script_names_them(
    monkeypatch: pytest.MonkeyPatch, has_module: bool, datapath: str, text: str, patches: list[bool]
) -> None:
    planned: list[Any] = []

    def plan_only(topo: Any, **options: Any) -> Any:
        planned.append((topo, options["port_type"]))
        raise MachineError("this test makes nothing")

    monkeypatch.setattr(network, "kernel_datapath", lambda: has_module)
    monkeypatch.setattr(network, "script_text", lambda: text)
    monkeypatch.setattr(network, "Net", plan_only)
    net = Mininet(controller=None)
    s1, s2, s3, s4 = (net.addSwitch(f"s{number}", datapath=datapath) for number in range(1, 5))
    net.addLink(s1, s2), net.addLink(s2, s3, cls=OVSLink), net.addLink(s3, s4, patch=False)
    with pytest.raises(MachineError):
        net.start()
    ((topo, port_type),) = planned
    assert [link.patch for link in topo.link_specs()] == patches
    assert port_type == ("auto" if has_module and datapath == "kernel" else "afpacket")


def test_the_last_switch_that_a_script_starts_makes_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Mininet(controller=None)
    made: list[str] = []
    monkeypatch.setattr(net._network, "_make", lambda: made.append("made"))
    s1, s2 = net.addSwitch("s1"), net.addSwitch("s2")
    net.build()
    s1.start([])
    assert made == []
    s2.start([])
    assert made == ["made"]


def test_a_command_of_another_thread_waits_until_the_network_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Mininet(controller=None)
    began, may_end, order = threading.Event(), threading.Event(), []

    def make() -> None:
        net._network.is_being_made = True
        began.set()
        may_end.wait()
        net.make()  # its own commands do not wait for it
        order.append("made")
        net.live, net._network.is_being_made = cast(Any, object()), False

    monkeypatch.setattr(net._network, "_make", make)
    first, second = (threading.Thread(target=lambda: (net.make(), order.append("goes on"))) for _ in range(2))
    first.start()
    began.wait()
    second.start()
    assert order == []
    may_end.set()
    first.join()
    second.join()
    assert order == ["made", "goes on", "goes on"]


def test_addresses_are_known_once_the_network_is_built() -> None:
    net = Mininet(SingleSwitchTopo(2), controller=None)
    h1, h2 = net.get("h1", "h2")
    assert (h1.IP(), h1.intfList()[0].ip, h1.defaultIntf().prefixLen, h2.IP()) == (
        "10.0.0.1",
        "10.0.0.1",
        8,
        "10.0.0.2",
    )
    link = net.addLink(h1, h2, params1={"ip": "192.168.7.1/24"})
    assert (link.intf1.IP(), link.intf1.prefixLen, link.intf2.IP()) == ("192.168.7.1", 24, None)


def test_what_is_added_as_a_switch_is_one_whatever_its_class() -> None:
    class Router(Node):
        def start(self, controllers: Any) -> None:
            """It forwards by itself."""

    net = Mininet(controller=None)
    net.addSwitch("r1", cls=Router), net.addHost("h1")
    assert ([node.name for node in net.switches], [node.name for node in net.hosts]) == (["r1"], ["h1"])


def test_port_0_of_a_switch_becomes_another_with_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    net = Mininet(controller=None)
    net.addHost("h1"), net.addHost("h2"), net.addSwitch("s1")
    links = [net.addLink("h1", "s1", port2=0), net.addLink("h2", "s1", port2=1)]
    assert [(link.intf2.name, link.intf2.port) for link in links] == [("s1-eth0", 65279), ("s1-eth1", 1)]
    assert "interface s1-eth0: port 0" in capsys.readouterr().err


def test_nodes_without_a_network_bring_their_links_into_one() -> None:
    net = Mininet(controller=None)
    net.addHost("h1")
    bridge, root = OVSBridge("s9"), Node("root", inNamespace=False)
    first = net.addLink(root, bridge)
    second = net.addLink(bridge, "h1")
    assert net.links == [first, second]
    one, other, third = Node("one"), Node("other"), Node("third")
    loose = Link(one, other)
    Link(other, third)
    net.addLink(one, "h1")
    assert {node.net for node in (one, other, third)} == {net._network}
    assert loose in net.links


def test_a_link_that_makes_no_pair_lends_its_first_end_to_the_switch() -> None:
    class NullIntf(Intf):
        def __init__(self, name: str, **params: Any) -> None:
            self.name = ""

    class NullLink(Link):
        def makeIntfPair(cls, *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
            """Nothing is made: the device is there."""

    net = Mininet(controller=None)
    s1 = net.addSwitch("s1")
    net.addLink(s1, s1, cls=NullLink, intfName1="tap3", cls2=NullIntf)
    assert (net.links, s1.params["devices"], s1.intfNames()) == ([], ["tap3"], ["lo", "tap3"])


def test_a_control_network_of_a_script_s_own_is_configured_where_it_is_asked_for() -> None:
    class Own(Mininet):
        configured = 0

        def configureControlNetwork(self) -> None:
            self.configured += 1

    topo = SingleSwitchTopo(1)
    assert (
        Own(topo, controller=None).configured,
        Own(topo, controller=None, inNamespace=True).configured,
    ) == (
        0,
        1,
    )
