# SPDX-License-Identifier: MIT
"""Topo: Mininet's names, ports and order; and every mistake is an error where it is made."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.topo import require_built
from hybridnet.errors import TopologyError, UnitError


def pair() -> Topo:
    topo = Topo()
    topo.addHost("h1")
    topo.addSwitch("s1")
    return topo


def test_ports_and_interfaces_count_as_in_mininet() -> None:
    topo = Topo()
    for name in ("h1", "h2"):
        topo.addHost(name)
    for name in ("s1", "s2"):
        topo.addSwitch(name)
    topo.addLink("h1", "s1")
    topo.addLink("h2", "s1")
    topo.addLink("s1", "s2")
    topo.addLink("h1", "s2")
    interfaces = [(link.a.interface, link.b.interface) for link in topo.link_specs()]
    assert interfaces == [
        ("h1-eth0", "s1-eth1"), ("h2-eth0", "s1-eth2"), ("s1-eth3", "s2-eth1"), ("h1-eth1", "s2-eth2"),
    ]  # fmt: skip


def test_simulated_routers_and_switches_count_from_one_and_hosts_from_zero() -> None:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addSimSwitch("x1")
    topo.addSimHost("v1")
    topo.addLink("r1", "x1")
    topo.addLink("v1", "x1")
    assert [(link.a.interface, link.b.interface) for link in topo.link_specs()] == [
        ("r1-eth1", "x1-eth1"),
        ("v1-eth0", "x1-eth2"),
    ]


def test_positional_ports_are_kept() -> None:
    topo = pair()
    topo.addLink("h1", "s1", 3, 7)
    assert topo.port("h1", "s1") == (3, 7)
    assert topo.port("s1", "h1") == (7, 3)
    assert topo.linkInfo("h1", "s1")["port2"] == 7


def test_next_port_avoids_one_that_was_chosen_by_hand() -> None:
    topo = pair()
    topo.addHost("h2")
    topo.addLink("h1", "s1", port2=2)
    topo.addLink("h2", "s1")  # Mininet would give port 2 twice
    assert topo.port("s1", "h2") == (3, 0)


def test_lists_are_in_natural_order_and_links_in_the_order_of_adding() -> None:
    topo = Topo()
    for name in ("h10", "h2", "h1"):
        topo.addHost(name)
    topo.addSwitch("s1")
    topo.addLink("s1", "h10")
    topo.addLink("h2", "s1", bw=5)
    assert topo.hosts() == ["h1", "h2", "h10"]
    assert topo.hosts(sort=False) == ["h10", "h2", "h1"]
    assert topo.switches() == ["s1"]
    assert topo.nodes() == ["h1", "h2", "h10", "s1"]
    assert topo.links() == [("s1", "h10"), ("h2", "s1")]
    assert topo.links(sort=True) == [("h2", "s1"), ("h10", "s1")]
    assert topo.links(withKeys=True)[0] == ("s1", "h10", 0)
    assert topo.links(withInfo=True)[1][2]["bw"] == 5


def test_build_gets_the_constructors_arguments() -> None:
    class Star(Topo):
        def build(self, n: int = 1, **_: Any) -> None:
            self.addSwitch("s1")
            for number in range(n):
                self.addLink(self.addHost(f"h{number + 1}"), "s1")

    assert len(Star(3).hosts()) == 3
    assert len(Star(n=2).links()) == 2


def test_older_scripts_that_override_the_constructor_work() -> None:
    class Old(Topo):
        def __init__(self, **opts: Any) -> None:
            Topo.__init__(self, **opts)
            self.addHost("h1")

    assert Old().nodes() == ["h1"]


def test_options_of_all_hosts_and_links() -> None:
    topo = Topo(hopts={"machine": "m2"}, lopts={"bw": 10})
    topo.addHost("h1")
    topo.addHost("h2", ip="10.0.0.9/8")
    topo.addLink("h1", "h2")
    assert topo.nodeInfo("h1") == {"machine": "m2"}
    assert topo.nodeInfo("h2") == {"ip": "10.0.0.9/8"}
    assert topo.spec("h1", "h2").a_to_b.rate_bps == 10**7


def test_link_options_are_resolved_for_both_directions() -> None:
    topo = pair()
    topo.addLink("h1", "s1", bw=10, delay="5ms", max_queue_size=50, overhead=24, train_limit="0")
    link = topo.spec("h1", "s1")
    assert link.a_to_b == link.b_to_a
    assert link.a_to_b.to_json() == {
        "rate_bps": 10**7, "delay_ns": 5 * 10**6, "queue_packets": 50, "queue_bytes": None,
        "overhead_bytes": 24, "train_limit_ns": 0,
    }  # fmt: skip


def test_params_act_on_the_direction_that_starts_there() -> None:
    topo = pair()
    topo.addLink(
        "h1", "s1", delay="5ms", params1={"bw": 1, "ip": "10.0.0.7/8"}, params2={"bw": 2, "delay": "6ms"}
    )
    link = topo.spec("h1", "s1")
    assert (link.a_to_b.rate_bps, link.a_to_b.delay_ns) == (10**6, 5 * 10**6)
    assert (link.b_to_a.rate_bps, link.b_to_a.delay_ns) == (2 * 10**6, 6 * 10**6)
    assert link.a.ip == "10.0.0.7/8"


@pytest.mark.parametrize(
    ("options", "shaped"),
    [({}, False), ({"delay": "0"}, False), ({"loss": 0}, False), ({"bw": None}, False),
     ({"bw": 10}, True), ({"delay": "1us"}, True), ({"max_queue_size": 10}, True), ({"params2": {"bw": 1}}, True),
     ({"loss": 1}, True), ({"jitter": "1ms"}, True), ({"jitter": 0, "jitter_distribution": "normal"}, False)],
)  # fmt: skip
def test_only_a_link_that_asks_for_something_is_shaped(options: dict[str, Any], shaped: bool) -> None:
    topo = pair()
    topo.addLink("h1", "s1", **options)
    assert topo.spec("h1", "s1").shaped is shaped


def test_parallel_links_have_keys_and_names_of_their_own() -> None:
    topo = pair()
    assert [topo.addLink("h1", "s1") for _ in range(3)] == [0, 1, 2]
    assert [link.name for link in topo.link_specs()] == ["h1-s1", "h1-s1#1", "h1-s1#2"]
    assert topo.spec("s1", "h1", key=1).a.interface == "h1-eth1"
    with pytest.raises(TopologyError, match="key 1 is taken"):
        topo.addLink("h1", "s1", key=1)


@pytest.mark.parametrize("name", ["", "h 1", "-h1", "h/1", "h1\n", "h€", None, 5])
def test_malformed_name_is_refused(name: Any) -> None:
    with pytest.raises(TopologyError, match="a name starts with"):
        Topo().addHost(name)


def test_duplicate_name_is_refused_across_kinds() -> None:
    topo = pair()
    with pytest.raises(TopologyError, match="node s1: the name is taken by another switch"):
        topo.addSimRouter("s1")


def test_unknown_node_in_a_link_is_named() -> None:
    with pytest.raises(TopologyError, match=r"link h1-s9: there is no node 's9'"):
        pair().addLink("h1", "s9")


def test_self_link_is_refused() -> None:
    with pytest.raises(TopologyError, match="link h1-h1: both ends are the same node"):
        pair().addLink("h1", "h1")


def test_misspelt_link_option_gets_a_suggestion() -> None:
    with pytest.raises(TopologyError, match=r"link h1-s1: unknown option 'dealy'; did you mean 'delay'\?"):
        pair().addLink("h1", "s1", dealy="5ms")


def test_misspelt_node_option_gets_a_suggestion() -> None:
    with pytest.raises(TopologyError, match=r"host h1: unknown option 'machin'; did you mean 'machine'\?"):
        Topo().addHost("h1", machin="m1")


@pytest.mark.parametrize(
    ("options", "what"),
    [({"bw": "10"}, "bw"), ({"bw": -1}, "bw"), ({"bw": 0}, "bw"), ({"delay": "5"}, "delay"), ({"delay": 5}, "delay"),
     ({"bw": float("nan")}, "bw"), ({"max_queue_size": 0}, "max_queue_size"), ({"loss": 101}, "loss")],
)  # fmt: skip
def test_bad_quantity_names_the_link_and_the_option(options: dict[str, Any], what: str) -> None:
    with pytest.raises(UnitError, match=f"^link h1-s1: {what}: "):
        pair().addLink("h1", "s1", **options)


@pytest.mark.parametrize("port", [-1, 70000, "2", True])
def test_bad_port_is_refused(port: Any) -> None:
    with pytest.raises(TopologyError, match="out of range"):
        pair().addLink("h1", "s1", port2=port)


def test_taken_port_and_taken_interface_are_refused() -> None:
    topo = pair()
    topo.addHost("h2")
    topo.addLink("h1", "s1", port2=1, intfName1="uplink")
    with pytest.raises(TopologyError, match="port 1 of s1 is taken by its link to h1"):
        topo.addLink("h2", "s1", port2=1)
    with pytest.raises(TopologyError, match="interface uplink is taken by link h1-s1"):
        topo.addLink("h2", "s1", intfName1="uplink")


def test_an_option_whose_name_is_no_text_is_refused() -> None:
    with pytest.raises(TopologyError, match="params1: unknown option None"):
        pair().addLink("h1", "s1", params1={None: 5})


def test_hosts_may_call_their_interfaces_by_the_same_name() -> None:
    topo = Topo()
    topo.addHost("h1")
    topo.addHost("h2")
    topo.addLink("h1", "h2", params1={"name": "eth1"}, params2={"name": "eth1"})
    link = topo.spec("h1", "h2")
    assert (link.a.interface, link.a.inside, link.b.inside) == ("h1-eth0", "eth1", "eth1")
    with pytest.raises(TopologyError, match="host h1 has an interface eth1 already, at link h1-h2"):
        topo.addLink("h1", "h2", params1={"name": "eth1"})
    with pytest.raises(TopologyError, match="host h1 has an interface h1-eth0 already"):
        topo.addLink("h1", "h2", params1={"name": "h1-eth0"})
    topo.delLink("h1", "h2")
    topo.addLink("h1", "h2", params1={"name": "eth1"})


@pytest.mark.parametrize("name", ["lo", "all", "a/b", "sixteen-letters-", 5, "-x"])
def test_what_is_no_name_of_a_device_is_refused(name: object) -> None:
    topo = Topo()
    topo.addHost("h1")
    topo.addHost("h2")
    with pytest.raises(TopologyError, match=r"name of h1-eth0 .* is not a name of a device"):
        topo.addLink("h1", "h2", params1={"name": name})


def test_only_a_host_with_a_namespace_gives_interfaces_other_names() -> None:
    topo = Topo()
    topo.addHost("root", inNamespace=False)
    topo.addSwitch("s1")
    for number in (1, 2):
        with pytest.raises(TopologyError, match="only a host with a namespace of its own"):
            topo.addLink("root", "s1", **{f"params{number}": {"name": "eth1"}})


def test_the_loopback_interface_is_no_end_of_a_link() -> None:
    with pytest.raises(
        TopologyError, match="link h1-s1: lo is the loopback interface; choose another intfName"
    ):
        pair().addLink("h1", "s1", intfName1="lo")


def test_a_bucket_that_holds_no_frame_of_the_ends_mtu_is_refused() -> None:
    topo = pair()
    with pytest.raises(
        TopologyError, match="burst of 2000 bytes holds no full frame of mtu=9000; write 9014 to"
    ):
        topo.addLink("h1", "s1", bw=10, burst="2 kB", mtu=9000)
    topo.addLink("h1", "s1", params1={"mtu": 9000}, params2={"bw": 10, "burst": "2 kB"})


def test_a_queue_in_bytes_that_holds_no_frame_of_the_ends_mtu_is_refused() -> None:
    topo = pair()
    with pytest.raises(
        TopologyError, match="max_queue_size of 1500 bytes holds no full frame of mtu=1500; write 1514 to"
    ):
        topo.addLink("h1", "s1", bw=10, max_queue_size="1500 B")
    topo.addLink("h1", "s1", bw=10, max_queue_size="1514 B")


class Misnamed(Topo):
    def bild(self) -> None:
        self.addHost("h1")


class Later(Topo):
    def make(self) -> None:
        self.addHost("h1")


def test_a_method_that_was_to_be_build_is_named() -> None:
    with pytest.raises(
        TopologyError, match=r"Misnamed describes nothing: .* method bild; did you mean build\?"
    ):
        require_built(Misnamed())
    built = Misnamed()
    built.bild()
    for fine in (built, Later(), Topo()):
        require_built(fine)


def test_a_constructor_that_forgets_the_one_above_it_is_told_so() -> None:
    class Forgetful(Topo):
        def __init__(self) -> None:
            self.addHost("h1")

    with pytest.raises(
        TopologyError, match=r"Forgetful: its __init__ .* super\(\)\.__init__\(\); .* build\(\)"
    ):
        Forgetful()


def test_a_misspelt_word_of_another_tool_has_the_cure_of_the_right_one() -> None:
    topo = Topo()
    topo.addLink(topo.addHost("h1"), topo.addSwitch("s1"))
    with pytest.raises(
        TopologyError, match=r"unknown option 'bandwith', nor is 'bandwidth' supported; write bw="
    ):
        topo.addLink("h1", "s1", bandwith=10)
    with pytest.raises(TopologyError, match=r"unknown option 'dealy'; did you mean 'delay'\?"):
        topo.addLink("h1", "s1", dealy="5ms")
