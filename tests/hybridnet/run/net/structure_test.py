# SPDX-License-Identifier: MIT
"""Networks that change while they run: what the machines are told, and what is left when they refuse."""

from __future__ import annotations

from typing import Any, cast

import pytest

from hybridnet import Host, MachineError, Net, PlanError, Topo, TopologyError, UsageError
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.run.net.support import FakeCluster


def net(*machines: str, topo: Topo | None = None, **options: Any) -> Net:
    return Net(
        topo or SingleSwitchTopo(k=2), controller=None, cluster=cast(Any, FakeCluster(*machines)), **options
    )


def told(network: Net) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each change: the machine, what it removes and what it adds."""
    calls = cast(FakeCluster, network.cluster).calls
    return [(machine, call["remove"], call["add"]) for machine, verb, call in calls if verb == "change"]


def add_hosts(network: Net, **machine_of: str) -> None:
    """Add hosts as one change."""
    with network.changes():
        for name, machine in machine_of.items():
            network.addHost(name, machine=machine)


class Noting(Host):
    """Notes when its hooks are called."""

    def __init__(self, name: str, **params: Any) -> None:
        super().__init__(name, **params)
        self.hooks: list[str] = []

    def config(self, **params: Any) -> None:
        self.hooks.append("config")

    def terminate(self) -> None:
        self.hooks.append("terminate")


def test_a_host_and_a_link_that_come_are_there_at_once() -> None:
    with net() as network:
        h3 = network.addHost("h3", cls=Noting)
        assert h3.cmd("hostname") == "h3$ hostname\n"
        assert network.addLink(h3, "s1") == 0
        assert (h3.IP(), h3.hooks) == ("10.0.0.3", ["config"])
        assert network["s1"].intfNames() == ["s1-eth1", "s1-eth2", "s1-eth3"]
        assert [str(link) for link in network.linksBetween(h3, network["s1"])] == ["h3-eth0<->s1-eth3"]
        [(_, _, first), (_, _, second)] = told(network)
        assert [host["name"] for host in first["hosts"]] == ["h3"]
        assert [pair["a"]["interface"] for pair in second["pairs"]] == ["h3-eth0"]


def test_what_stays_stays_the_same_object() -> None:
    with net() as network:
        h1, link = network["h1"], network.links[0]
        intf = h1.intf()
        network.addLink(network.addHost("h3"), "s1")
        network.delNode("h2")
        assert (network["h1"], network.links[0], h1.intf()) == (h1, link, intf)


def test_a_removed_host_ends_once_and_is_not_there_any_more() -> None:
    network = net()
    h1 = network.addHost("h9", cls=Noting)
    network.addLink(h1, "s1")
    with network:
        network.delHost(h1)
        assert h1.hooks == ["config", "terminate"]
        assert "h9" not in network
        with pytest.raises(MachineError, match="node h9 is not there"):
            h1.cmd("true")
        [(_, gone, _)] = told(network)
        assert [host["name"] for host in gone["hosts"]] == ["h9"]
        assert network["s1"].intfNames() == ["s1-eth1", "s1-eth2"]
    assert h1.hooks == ["config", "terminate"]


def test_links_are_removed_by_their_nodes_by_key_and_as_themselves() -> None:
    network = net()
    network.addLink("h1", "s1")
    with network:
        network.delLink("h1", "s1", key=1)
        network.delLink(network.links[0])
        assert [link.name for link in network.links] == ["h2-s1"]
        with pytest.raises(TopologyError, match="there is no link between h1 and s1"):
            network.delLink("h1", "s1")


def test_a_link_that_was_removed_cannot_be_removed_again() -> None:
    with net() as network:
        link = network.links[0]
        network.delLink(link)
        with pytest.raises(
            UsageError, match="link h1-eth0<->s1-eth1: it is not of this network, or was removed"
        ):
            network.delLink(link)


def test_changes_gathered_are_one_change_for_each_machine() -> None:
    with net() as network:
        with network.changes():
            for number in range(3, 6):
                network.addLink(network.addHost(f"h{number}"), "s1")
            network.delNode("h1")
            assert told(network) == []
        [(machine, gone, new)] = told(network)
        assert machine == "m1"
        assert [host["name"] for host in gone["hosts"]] == ["h1"]
        assert [host["name"] for host in new["hosts"]] == ["h3", "h4", "h5"]


def test_before_the_start_changes_are_descriptions() -> None:
    network = net()
    with network.changes():
        network.delNode("h2")
        network.addHost("h3")
    with network:
        assert told(network) == []
        assert sorted(network) == ["h1", "h3", "s1"]


def test_what_cannot_be_planned_changes_nothing() -> None:
    with net("m1", "m2") as network:
        network.addSwitch("s2", machine="m2")
        with pytest.raises(PlanError, match="cannot hide the transit"):
            network.addLink("s1", "s2")
        with pytest.raises(TopologyError, match="the name is taken"):
            network.addHost("h1")
        with pytest.raises(TopologyError, match="the name is taken"):
            add_hosts(network, h7="m1", h1="m1")
        assert (len(network.links), len(told(network))) == (2, 1)
        assert sorted(network.topo.nodes()) == sorted(network) == ["h1", "h2", "s1", "s2"]


def test_if_one_machine_fails_the_others_are_told_the_reverse() -> None:
    with net("m1", "m2") as network:
        fake = cast(FakeCluster, network.cluster)

        def change(machine: str, remove: dict[str, Any], add: dict[str, Any]) -> list[str]:
            if machine == "m2":
                raise MachineError("machine m2: no room")
            return []

        fake.answers["change"] = change
        plan = network.plan
        with pytest.raises(MachineError, match="no room"):
            add_hosts(network, h3="m1", h4="m2")
        [first, second] = [(remove, add) for machine, remove, add in told(network) if machine == "m1"]
        assert second == (first[1], first[0])
        assert network.plan is plan
        assert sorted(network) == ["h1", "h2", "s1"]
        assert sorted(network.topo.nodes()) == ["h1", "h2", "s1"]


def test_if_the_classs_own_config_fails_the_change_is_undone() -> None:
    class Failing(Host):
        def config(self, **params: Any) -> None:
            raise ValueError("no licence")

    with net() as network:
        with pytest.raises(ValueError, match="no licence"):
            network.addHost("h3", cls=Failing)
        assert "h3" not in network
        [first, second] = told(network)
        assert second == ("m1", first[2], first[1])


def test_a_link_keeps_what_set_link_has_made_of_it_when_something_else_changes() -> None:
    topo = SingleSwitchTopo(k=2)
    topo.addHost("h3")
    topo.addLink("h3", "s1", delay="1ms", bw=10)
    network = net(topo=topo)
    cast(FakeCluster, network.cluster).answers["set_link"] = lambda **_: None
    with network:
        network.set_link("h3", "s1", delay="7ms", bw=None)
        network.addHost("h4")
        [(_, gone, new)] = told(network)
        assert (gone["instances"], new["instances"]) == ([], [])
        assert network.plan is not None
        assert [link.a_to_b.delay_ns for link in network.plan.links if link.name == "h3-s1"] == [7_000_000]
        network.delLink("h3", "s1")
        network.addLink("h3", "s1", delay="2ms")
        assert network.plan.links[-1].a_to_b.delay_ns == 2_000_000


@pytest.mark.parametrize("at_once", [True, False])
def test_a_host_that_moves_to_another_subnet_knows_its_new_address(at_once: bool) -> None:
    topo = Topo()
    for number in (1, 2):
        topo.addSwitch(f"s{number}")
        topo.addLink(topo.addSimRouter(f"r{number}"), f"s{number}")
        topo.addLink(topo.addHost(f"h{number}"), f"s{number}")
    topo.addLink("r1", "r2")
    with net(topo=topo) as network:
        h1 = network["h1"]
        assert h1.IP() == "10.1.0.1"
        if at_once:
            with network.changes():
                network.delLink(h1, "s1")
                network.addLink(h1, "s2")
        else:
            network.delLink(h1, "s1")
            network.addLink(h1, "s2")
        assert h1.IP() == "10.2.0.2"
        assert told(network)[-1][2]["host_parts"][0]["routes"][0]["via"] == "10.2.255.254"


def test_a_wire_that_is_given_a_delay_becomes_a_simulated_link_with_the_same_ends() -> None:
    with net() as network:
        h1, intf = network["h1"], network["h1"].intf()
        network.set_link("h1", "s1", delay="5ms", params2={"loss": 1})
        assert [(str(link), link.kind) for link in network.links] == [
            ("h1-eth0<->s1-eth1", "simulated"),
            ("h2-eth0<->s1-eth2", "veth"),
        ]
        assert (h1.intf(), h1.IP()) == (intf, "10.0.0.1")
        [(_, gone, new)] = told(network)
        assert [pair["a"]["interface"] for pair in gone["pairs"]] == ["h1-eth0"]
        assert [portal["interface"] for portal in new["portals"]] == ["h1-eth0", "s1-eth1"]
        [link] = new["instances"][0]["links"]
        assert (link["a_to_b"]["delay_ns"], link["b_to_a"]["loss"]["probability"]) == (5_000_000, 0.01)


def test_a_wire_beside_another_keeps_its_name_when_it_becomes_a_simulated_link() -> None:
    topo = SingleSwitchTopo(k=2)
    topo.addLink("h1", "s1")
    with net(topo=topo) as network:
        network.set_link("h1", "s1", key=0, delay="5ms")
        network.set_link("h1", "s1", key=1, delay="6ms")
        assert network.plan is not None
        assert [(link.name, link.a_to_b.delay_ns) for link in network.plan.links] == [
            ("h1-s1", 5_000_000), ("h2-s1", 0), ("h1-s1#1", 6_000_000),
        ]  # fmt: skip
