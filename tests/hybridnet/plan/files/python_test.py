# SPDX-License-Identifier: MIT
"""Python that is written of a description means the same network: the plans of both are equal, byte for byte."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from hybridnet import External, Topo
from hybridnet.plan.files import FileTopo, write_topology
from hybridnet.plan.files.python_form import class_name, to_python
from hybridnet.topologies import TOPOS, TwoTrees
from tests.hybridnet.plan.files.support import Everything, content, planned

DRAWN = """\
hosts:
  h1: {ip: 10.7.0.1/16, commands: ["echo \\"a\\\\b\\"", "echo é\\n"]}
  h2:
  h3:
  h4:
  r1: {kind: frr, ospf: true, daemons: [bfdd]}
switches:
  s1: {dpid: "00000000000000aa"}
  s2: {kind: simulated, table_size: 10}
simulated_hosts:
  web: {applications: [{kind: http_server, port: 80, size: 1 MB}]}
links:
  - {between: [h1, s1], bw: 10, delay: 5ms, params1: {loss: 1}}
  - {between: [h2, s1]}
  - {between: [h3, s1]}
  - {between: [h4, s1]}
  - {between: [s1, s2], port2: 7}
  - {between: [s1, s2], loss: {model: gilbert_elliott, to_bad: 1, to_good: 20}}
  - {between: [s2, web], mtu: 9000}
  - {between: [r1, s1]}
controllers: {c0: {apps: [tree_switch]}, c1: {ip: 10.1.1.1, port: 6653}}
"""


def built(text: str, file: Path) -> Topo:
    """The one topology of a file with this text."""
    file.write_text(text)
    [kind] = runpy.run_path(str(file))["topos"].values()
    made: Topo = kind()
    return made


def plan_of(topo: Topo) -> str:
    return planned(topo).dumps()


def devices() -> Topo:
    topo = Topo()
    for name in ("s1", "s2"):
        topo.addSwitch(name)
    topo.addLink("s1", External("eth9", filter="icmp"), delay="5ms", bw=10)
    topo.addLink("s1", "s2", port1=4)
    return topo


@pytest.mark.parametrize(
    "topo",
    [
        pytest.param(lambda: FileTopo("drawn.yaml", DRAWN, {}), id="all that a file can say"),
        pytest.param(lambda: TOPOS["fattree"](4), id="fat tree"),
        pytest.param(lambda: TwoTrees(depth=2, bw=100, delay="5ms"), id="two trees"),
        pytest.param(Everything, id="each kind of node"),
        pytest.param(devices, id="a device of the computer"),
        pytest.param(Topo, id="nothing"),
    ],
)
def test_the_plan_of_the_python_is_the_plan_of_the_network(topo: Any, tmp_path: Path) -> None:
    made = topo()
    again = built(to_python(made), tmp_path / "again.py")
    assert plan_of(again) == plan_of(made)
    assert content(again) == content(made)


def test_it_is_what_a_person_would_write() -> None:
    topo = FileTopo("my-net.yaml", "hosts: {h1:, h2:, h3:}\nswitches: {s1:}\nlinks:\n" + "".join(
        f"  - {{between: [{host}, s1], delay: 5ms}}\n" for host in ("h1", "h2", "h3")
    ), {})  # fmt: skip
    assert (
        to_python(topo, "my-net.py", 'Three hosts.\nA "star".', {"c0": {"apps": ["tree_switch"]}})
        == '''\
"""Three hosts.
A 'star'.

Run it: sudo hybridnet run my-net.py --topo mynet --controller tree_switch
"""

from hybridnet import Topo


class MyNet(Topo):
    """Three hosts."""

    def build(self):
        for name in ("h1", "h2", "h3"):
            self.addHost(name)
        self.addSwitch("s1")
        for name in ("h1", "h2", "h3"):
            self.addLink(name, "s1", delay="5ms")


topos = {"mynet": MyNet}
'''
    )


@pytest.mark.parametrize(
    ("controllers", "said"),
    [
        (None, "--topo drawn\n"),
        ({"c0": {}}, "--topo drawn\n"),
        ({}, "--topo drawn --controller none\n"),
        ({"c0": {"ip": "10.0.0.9"}}, "--controller remote,ip=10.0.0.9\n"),
        ({"c0": {"apps": ["a.py", "b.py"]}}, "--controller a.py,b.py\n"),
    ],
)
def test_it_says_how_its_controllers_are_chosen(controllers: Any, said: str) -> None:
    assert said in to_python(Topo(), controllers=controllers)


def test_no_line_is_longer_than_a_hundred_characters() -> None:
    topo = Topo()
    for number in range(40):
        topo.addHost(f"host{number}")
    topo.addSwitch("s1")
    topo.addLink(
        "host0", "s1", bw=10, delay="5ms", jitter="1ms", loss=1, max_queue_size=100, duplicate=1, corrupt=1
    )
    text = to_python(topo)
    assert max(map(len, text.splitlines())) <= 100
    compile(text, "drawn.py", "exec")


@pytest.mark.parametrize(
    "text", ['"""', "\\", "import os\nos.system('x')", '"""\nimport os\n"""', "\x00\u2028", "{0}"]
)
def test_no_description_becomes_code(text: str, tmp_path: Path) -> None:
    made = to_python(Topo(), description=text)
    assert built(made, tmp_path / "drawn.py").nodes() == []
    assert "\nimport os" not in made.split('"""', 2)[2]


def test_classes_have_names() -> None:
    assert [class_name(name) for name in ("a_b.py", "class.py", "topo.py", "9.py", "é.py", "none.py")] == [
        "AB", "Class", "DrawnTopo", "Net9", "Drawn", "DrawnNone"
    ]  # fmt: skip


def test_the_example_in_the_documents_is_what_is_written() -> None:
    text = (Path(__file__).parents[4] / "docs" / "editor.md").read_text()
    [yaml] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    [python] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    written = to_python(FileTopo("my_network.yaml", yaml, {}), "my_network.py")
    assert written.partition("from hybridnet")[2] == python.partition("from hybridnet")[2]


def test_a_drawing_in_python_is_a_file(tmp_path: Path) -> None:
    topo = TOPOS["fattree"](4)
    write_topology(tmp_path / "fat.py", topo, planned(topo))
    assert plan_of(built((tmp_path / "fat.py").read_text(), tmp_path / "fat.py")) == plan_of(topo)


def test_fluid_flows_are_written_as_calls(tmp_path: Path) -> None:
    topo = Topo()
    for name in ("a", "b"):
        topo.addSimHost(name)
    topo.addLink("a", "b", bw=10)
    topo.addFluid("a", "b", {"model": "tcp_flows", "flows": 5, "congestion": "cubic"}, "many")
    file = tmp_path / "net.py"
    write_topology(file, topo, planned(topo))
    [made] = runpy.run_path(str(file))["topos"].values()
    assert made().fluid_specs() == topo.fluid_specs()
