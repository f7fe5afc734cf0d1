# SPDX-License-Identifier: MIT
"""What stands beside a description: options of its nodes and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.cli.topology import find_topology
from hybridnet.errors import TopologyError, UnitError
from hybridnet.plan.files import FileTopo, read_topology

LAB = 'pc1[0]="A"\npc2[0]="A"\npc2[1]="B"\npc3[0]="B"\n'


def read(tmp_path: Path, beside: str) -> FileTopo:
    (tmp_path / "lab.conf").write_text(LAB)
    (tmp_path / "more.yaml").write_text(beside)
    return read_topology(tmp_path / "lab.conf", beside=tmp_path / "more.yaml")


def test_nodes_and_links_get_options_and_keep_theirs(tmp_path: Path) -> None:
    topo = read(
        tmp_path, "nodes:\n  pc1: {machine: m1}\nlinks:\n  pc2:eth0: {delay: 5ms, params1: {loss: 1}}\n"
    )
    assert topo.nodeInfo("pc1")["machine"] == "m1"
    assert topo.nodeInfo("pc1")["commands"] == topo.nodeInfo("pc2")["commands"]
    link = topo.spec("pc1", "pc2")
    assert (link.a_to_b.delay_ns, link.b_to_a.delay_ns) == (5_000_000, 5_000_000)
    assert link.a_to_b.loss == {"model": "independent", "probability": 0.01}
    assert (link.b_to_a.loss, link.a.inside, link.b.inside) == (None, "eth0", "eth0")
    assert not topo.spec("pc2", "pc3").shaped


def test_a_command_line_names_what_stands_beside(tmp_path: Path) -> None:
    read(tmp_path, "links: {'pc3:eth0': {bw: 10}}")
    topo = find_topology(None, f"{tmp_path}/lab.conf,beside={tmp_path}/more.yaml")
    assert topo.spec("pc2", "pc3").a_to_b.rate_bps == 10**7


@pytest.mark.parametrize(
    ("beside", "error", "message"),
    [
        ("", TopologyError, "write nodes: and links:"),
        ("hosts: {}", TopologyError, "write nodes: and links:"),
        (
            "nodes: {pc9: {machine: m1}}",
            TopologyError,
            r"more\.yaml:1: nodes\.pc9: there is no node 'pc9'; did you",
        ),
        ("links: {'pc1:eth7': {bw: 1}}", TopologyError, r"links\.pc1:eth7: there is no interface 'pc1:eth7'"),
        ("links: {'pc1:eth0': {delay: 5}}", UnitError, r"more\.yaml:1: links\.pc1:eth0: .*delay"),
        ("links: {'pc1:eth0': {bandwith: 5}}", TopologyError, r"links\.pc1:eth0: .*bandwith"),
        (
            "links: {'pc1:eth0': {bw: 5}, 'pc2:eth0': {bw: 6}}",
            TopologyError,
            "is there by its other end, too",
        ),
        ("nodes: {pc1: 5}", TopologyError, r"nodes\.pc1: 5 are no options"),
        ("nodes: [pc1]", TopologyError, r"nodes: it is no mapping"),
    ],
)
def test_a_mistake_names_its_line_and_field(
    tmp_path: Path, beside: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        read(tmp_path, beside)
