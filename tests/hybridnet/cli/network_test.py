# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from hybridnet import MachineSpec, PlanOptions, make_plan
from hybridnet.cli.network import add_network_arguments, controllers_of, fidelity_of, plan_options
from hybridnet.errors import TopologyError, UsageError
from hybridnet.run.controllers.kinds import Faucet, Gauge, OsKen, RemoteController, Ryu
from hybridnet.run.net import Net
from hybridnet.topologies import SingleSwitchTopo


def test_a_network_takes_what_the_command_line_says_of_its_plan() -> None:
    parser = argparse.ArgumentParser()
    add_network_arguments(parser)
    arguments = parser.parse_args(["--ip-base", "10.7.0.0/16", "--mac", "--fidelity", "auto,error=5%"])
    net = Net(SingleSwitchTopo(2), controller=None, **plan_options(arguments))
    assert net._options.ip_base == "10.7.0.0/16"
    assert net._options.auto_set_macs
    assert (net._options.fidelity, net._options.error_ppm) == ("auto", 50_000)


@pytest.mark.parametrize("text", ["", "both", "auto,2%", "auto,error=2%,x=1", "packets,error=2%"])
def test_a_fidelity_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"--fidelity {text}: "):
        fidelity_of(text)


def test_a_controllers_log_is_followed_though_nobody_reads_what_is_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    [controller] = controllers_of(None, SingleSwitchTopo(2))
    assert isinstance(controller, Ryu)
    with open(os.dup(writing), "w", buffering=1) as unread:
        monkeypatch.setattr("sys.stdout", unread)
        controller._line("loading app")
        controller._line("another line")
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), unread.fileno())  # what it still holds goes nowhere
    os.close(writing)


def test_each_controller_that_is_named_is_one_with_a_name_of_its_own(tmp_path: Path) -> None:
    for name in ("faucet.yaml", "gauge.yaml"):
        (tmp_path / name).write_text("")
    made = controllers_of(
        [
            "tree_switch,ryu.app.ofctl_rest",
            "osken:tree_switch",
            f"faucet:{tmp_path}/faucet.yaml",
            f"gauge:{tmp_path}/gauge.yaml",
            "remote,ip=10.0.0.9,port=6633",
        ],
        SingleSwitchTopo(2),
        "--observe-links --user-flags 'my flags.py'",
    )
    assert [type(each) for each in made] == [Ryu, OsKen, Faucet, Gauge, RemoteController]
    assert [each.name for each in made] == ["c0", "c1", "c2", "c3", "c4"]
    assert [each.what() for each in made[:3]] == [
        "tree_switch, ryu.app.ofctl_rest under Ryu",
        "tree_switch under os-ken",
        f"Faucet with {tmp_path}/faucet.yaml",
    ]
    assert isinstance(made[0], Ryu)
    assert made[0]._arguments == ["--observe-links", "--user-flags", "my flags.py"]


@pytest.mark.parametrize(
    ("texts", "arguments", "says"),
    [
        (["faucet:"], None, "which configuration\\? Write faucet:faucet.yaml"),
        (["faucet:/nowhere.yaml"], None, "Faucet's configuration '/nowhere.yaml' is no file"),
        (["none", "tree_switch"], None, "it stands alone"),
        (["tree_switch"], "--user-flags 'x", "No closing quotation"),
        (["remote"], "--observe-links", "somebody else runs the controller"),
        (["osken:/nowhere.py"], None, "there is no such file"),
        (["remote,host=x"], None, "write remote,ip=ADDRESS,port=NUMBER"),
    ],
)
def test_what_names_no_controller_is_refused(texts: list[str], arguments: str | None, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        controllers_of(texts, SingleSwitchTopo(2), arguments)


def test_a_framework_alone_runs_hybridnets_own_app() -> None:
    made = controllers_of(["ryu", "osken", "osken:"], SingleSwitchTopo(2))
    assert [type(each) for each in made] == [Ryu, OsKen, OsKen]
    for each in made:
        assert isinstance(each, Ryu)
        each.suit(["s1", "s2", "s3"])
        assert each.apps == ("ecmp_switch",), "as if none had been named"


def test_versions_of_openflow_are_those_of_switches_that_do_not_say() -> None:
    parser = argparse.ArgumentParser()
    add_network_arguments(parser)
    topo = SingleSwitchTopo(1)
    topo.addSwitch("s2", protocols="OpenFlow13")
    options = PlanOptions(token="0" * 16, **plan_options(parser.parse_args(["--protocols", "OpenFlow10"])))
    plan = make_plan(topo, [MachineSpec("m1", "198.18.0.1")], options)
    spoken = {each["name"]: each["protocols"] for each in plan.machines["m1"]["switches"]}
    assert spoken == {"s1": ["OpenFlow10"], "s2": ["OpenFlow13"]}
    with pytest.raises(TopologyError, match="--protocols 'OpenFlow9'"):
        plan_options(parser.parse_args(["--protocols", "OpenFlow9"]))
