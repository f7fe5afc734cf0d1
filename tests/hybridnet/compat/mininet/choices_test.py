# SPDX-License-Identifier: MIT
"""What the words of `mn`'s flags become, with the parameters that follow them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.compat.mininet import runner
from hybridnet.compat.mininet.choices import Choices
from hybridnet.compat.mininet.net import Mininet
from hybridnet.compat.mininet.topo import SingleSwitchTopo
from hybridnet.errors import UsageError


def of_one_switch(switch: str) -> Any:
    """What the description says of a switch that the flag chooses."""
    net = Mininet(SingleSwitchTopo(1), switch=Choices().chosen("switches", switch), controller=None)
    return net._network.description().nodeInfo("s1")


@pytest.mark.parametrize("switch", ["ovs", "ovsbr", "lxbr"])
@pytest.mark.parametrize(
    ("written", "runs"), [("1", True), ("True", True), ("yes", True), ("0", None), ("False", None)]
)
def test_a_flag_of_a_switch_is_what_mininet_takes_for_one(
    switch: str, written: str, runs: bool | None
) -> None:
    assert of_one_switch(f"{switch},stp={written}").get("stp") is runs


def test_the_rapid_spanning_tree_keeps_its_name_and_other_flags_are_numbers_too() -> None:
    told = of_one_switch("ovs,stp=rstp,inband=1")
    assert (told["stp"], told["inband"]) == ("rstp", True)


def test_parameters_without_a_name_come_after_the_name_of_the_node() -> None:
    made = Choices().chosen("controllers", "ryu,simple_switch_13,ofctl_rest,port=6700")("c0")
    assert (made.name, made.apps, made.port) == ("c0", ["simple_switch_13", "ofctl_rest"], 6700)
    assert of_one_switch("ovs,standalone")["failMode"] == "standalone"


def test_a_word_where_a_topology_wants_a_number_is_named() -> None:
    assert Choices().made("topos", "tree,2,3").hosts()[-1] == "h9"
    with pytest.raises(
        UsageError, match=r"--topo tree,2,x: fanout 'x' is not a whole number; it takes \(depth="
    ):
        Choices().made("topos", "tree,2,x")


def test_a_test_gets_the_arguments_that_it_takes() -> None:
    net = Mininet(SingleSwitchTopo(2), controller=None)
    assert len(runner.tests_of(net, ["pingall,timeout=1+iperf,seconds=2", "none"], {})) == 2
    with pytest.raises(UsageError, match=r"--test iperf,bogus=1: .*'bogus'; it takes \(hosts"):
        runner.tests_of(net, ["iperf,bogus=1"], {})


def test_every_test_that_the_message_names_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Mininet(SingleSwitchTopo(2), controller=None)
    with pytest.raises(
        UsageError, match=r"there are all, build, iperf, iperfudp, none, pingall, pingpair"
    ) as refused:
        runner.tests_of(net, ["nope"], {})
    for name in str(refused.value).rpartition("there are ")[2].split(", "):
        runner.tests_of(net, [name], {})
    asked: list[dict[str, object]] = []

    def iperf(l4Type: str = "TCP", seconds: float = 5) -> None:
        asked.append({"l4Type": l4Type, "seconds": seconds})

    monkeypatch.setattr(net, "iperf", iperf)
    [test] = runner.tests_of(net, ["iperfudp,seconds=2"], {})
    test()
    assert asked == [{"l4Type": "UDP", "seconds": 2}]


def test_a_word_that_stands_for_nothing_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="--switch huge,1: huge does not exist; there are default, ivs"):
        Choices().chosen("switches", "huge,1")


def test_a_parameter_without_a_name_that_a_class_does_not_take_is_an_error_of_one_line() -> None:
    with pytest.raises(UsageError, match="--controller default,foo: foo is not what it takes without a name"):
        Choices().chosen("controllers", "default,foo")("c0")


def test_a_class_that_no_dictionary_names_is_told_how_to_be_found(tmp_path: Path) -> None:
    custom = tmp_path / "custom.py"
    custom.write_text("from hybridnet.compat.mininet.topo import Topo\nclass MyTopo(Topo): pass\n")
    choices = Choices()
    choices.add_files(str(custom))
    with pytest.raises(
        UsageError, match=r"--topo mytopo,3: mytopo does not exist; .*/custom.py has a class MyTopo, "
    ):
        choices.made("topos", "mytopo,3")
    with pytest.raises(UsageError, match=r"topos = \{'mytopo': MyTopo\}"):
        choices.made("topos", "mytopo")
    with pytest.raises(UsageError, match=r"--topo trees: trees does not exist; did you mean tree\?"):
        choices.made("topos", "trees")
