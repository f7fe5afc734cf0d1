# SPDX-License-Identifier: MIT
"""What the classes of nodes ask for is built, or is an error where it is written."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import HybridnetError, TopologyError, UsageError
from hybridnet.plan.network import Plan
from hybridnet.run.net import Net
from hybridnet.run.node import CPULimitedHost, Host, Intf, Link, Node, OVSSwitch, Switch
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.run.net.support import FakeCluster


def built(topo: Topo | None = None, **options: Any) -> Plan:
    network = Net(topo or SingleSwitchTopo(k=2), controller=None, cluster=FakeCluster(), **options)  # type: ignore[arg-type]
    with network:
        assert network.plan is not None
        return network.plan


def test_the_description_stays_as_it_was() -> None:
    topo = SingleSwitchTopo(k=1)
    built(topo, host=partial(Host, privateDirs=["/tmp/x"]))
    assert [link.kind for link in built(topo).links] == ["veth"]
    assert topo.nodeInfo("h1") == {}


@pytest.mark.parametrize(
    "option", [{"link": Link}, {"intf": Intf}, {"cleanup": True}, {"build": True}, {"xterms": True}]
)
def test_what_only_mininet_takes_is_refused_with_what_to_write(option: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"Net: {next(iter(option))}= is not supported; .+"):
        Net(**option)


@pytest.mark.parametrize("option", [{"cls": Link}, {"use_htb": True}, {"use_tbf": True}])
def test_the_tool_with_which_mininet_shapes_a_link_is_no_option_of_it(option: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match="are simulated; leave it out"):
        SingleSwitchTopo(k=1).addLink("h1", "s1", **option)


def test_options_of_the_switch_class_reach_the_plan() -> None:
    plan = built(switch=partial(OVSSwitch, protocols="OpenFlow10"))
    assert plan.switch("s1")["protocols"] == ["OpenFlow10"]


class Standalone(OVSSwitch):
    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, failMode="standalone", **params)


class StandaloneByName(OVSSwitch):
    failMode = "standalone"


class StandaloneLater(OVSSwitch):
    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self.failMode = "standalone"


@pytest.mark.parametrize("cls", [Standalone, StandaloneByName, StandaloneLater])
def test_a_subclass_of_switch_decides_what_its_switches_do_without_controller(cls: type[Switch]) -> None:
    assert built(switch=cls).switch("s1")["fail_mode"] == "standalone"
    topo = Topo()
    topo.addSwitch("s1", cls=cls)
    topo.addSwitch("s2")
    plan = built(topo)
    assert [plan.switch(name)["fail_mode"] for name in ("s1", "s2")] == ["standalone", "secure"]


def test_what_a_switch_is_told_goes_before_its_class() -> None:
    topo = Topo()
    topo.addSwitch("s1", failMode="secure")
    assert built(topo, switch=StandaloneByName).switch("s1")["fail_mode"] == "secure"


def test_options_of_the_host_class_reach_the_plan() -> None:
    plan = built(host=partial(Host, privateDirs=["/var/run"]))
    assert plan.host("h2")["private_dirs"] == ["/var/run"]


def test_parameters_of_a_node_that_are_changed_before_the_start_are_built() -> None:
    network = Net(SingleSwitchTopo(k=1), controller=None, cluster=FakeCluster())  # type: ignore[arg-type]
    network["h1"].params["ip"] = "10.0.0.77/8"
    network["s1"].failMode = "standalone"
    with network:
        assert network["h1"].IP() == "10.0.0.77"
        assert network.plan is not None
        assert network.plan.switch("s1")["fail_mode"] == "standalone"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"switch": partial(OVSSwitch, protocols="bogus")}, "switch s1: protocols 'bogus' does not exist"),
        ({"switch": partial(OVSSwitch, protocol="OpenFlow10")}, "switch s1: unknown option 'protocol'"),
        ({"host": partial(CPULimitedHost, cpu="half")}, "host h1: cpu 'half' is not a number"),
        ({"host": partial(Host, ip="garbage")}, "host h1: ip 'garbage' is not an IPv4 address"),
        ({"host": Switch}, "Net: host .* is not a Host class"),
        ({"switch": Host}, "Net: switch .* is not a Switch class"),
        ({"switch": "OVSSwitch"}, "Net: switch 'OVSSwitch' is not a Switch class"),
        ({"host": lambda name, **_: 5}, "made 5, which is not a host of that name"),
        ({"host": lambda: None}, "does not take its options"),
    ],
)
def test_a_class_that_cannot_be_had_is_refused_where_it_is_written(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(TopologyError, match=said):
        Net(SingleSwitchTopo(k=1), **options)


class LinuxRouter(Node):
    """As in Mininet's example of that name."""

    def config(self, **params: Any) -> None:
        super().config(**params)
        self.cmd("sysctl net.ipv4.ip_forward=1")

    def terminate(self) -> None:
        self.cmd("sysctl net.ipv4.ip_forward=0")
        super().terminate()


class RouterTopo(Topo):
    def build(self, **_: Any) -> None:
        router = self.addNode("r0", cls=LinuxRouter, ip="192.168.1.1/24")
        subnets = (("192.168.1.1/24", "192.168.1.100/24"), ("172.16.0.1/12", "172.16.0.100/12"))
        for number, (gateway, address) in enumerate(subnets, start=1):
            switch = self.addSwitch(f"s{number}")
            self.addLink(switch, router, intfName2=f"r0-eth{number}", params2={"ip": gateway})
            via = f"via {gateway.partition('/')[0]}"
            self.addLink(self.addHost(f"h{number}", ip=address, defaultRoute=via), switch)


def test_a_node_class_is_a_host_as_in_mininets_router_example() -> None:
    cluster = FakeCluster()
    with Net(RouterTopo(), controller=None, cluster=cluster) as network:  # type: ignore[arg-type]
        assert [host.name for host in network.hosts] == ["h1", "h2", "r0"]
        assert network["r0"].IP("r0-eth2") == "172.16.0.1"
    ran = [arguments["text"] for _, verb, arguments in cluster.calls if verb == "run_command"]
    assert ran == ["sysctl net.ipv4.ip_forward=1", "sysctl net.ipv4.ip_forward=0"]


class Vlan(Host):
    def config(self, vlan: int = 1, **params: Any) -> None:
        self.vlan = vlan


def test_a_classs_own_options_are_its_business() -> None:
    network = Net(controller=None, cluster=FakeCluster(), host=partial(Vlan, vlan=7))  # type: ignore[arg-type]
    h1, h2 = network.addHost("h1"), network.addHost("h2", cls=Vlan, vlan=8, ip="10.0.0.9/8")
    with network:
        assert (h1.vlan, h2.vlan) == (7, 8)


def test_devices_and_links_are_not_made_by_hand() -> None:
    with pytest.raises(
        HybridnetError, match=r"interface eth1 cannot be given to node s1 .*devices=\['eth1'\]"
    ):
        Intf("eth1", node=Switch("s1"))
    with pytest.raises(HybridnetError, match="a link is described with addLink"):
        Link(Host("h1"), Switch("s1"), bw=10)  # type: ignore[arg-type]
