# SPDX-License-Identifier: MIT
"""hybridnet plan: which controller a run would have, and what it draws."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli.main import main

FILE = """\
switches: {s1:, s2:}
hosts: {h1:, h2:}
links: [{between: [h1, s1]}, {between: [h2, s2]}, {between: [s1, s2]}]
"""


def planned(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    assert main(["plan", *arguments]) == status
    said = capsys.readouterr()
    return said.err if status else said.out


@pytest.mark.parametrize(
    ("arguments", "switch", "controller"),
    [
        (["single,2"], "tcp:198.18.0.254:6653", "controller c0: tree_switch under Ryu"),
        (["leafspine,2,2,1"], "tcp:198.18.0.254:6653", "controller c0: ecmp_switch under Ryu"),
        (
            ["single,2", "--controller", "ryu.app.simple_switch_13"],
            "6653",
            "ryu.app.simple_switch_13 under Ryu",
        ),
        (
            ["single,2", "--controller", "remote,ip=192.0.2.1,port=6633"],
            "tcp:192.0.2.1:6633",
            "elsewhere, at 192.0.2.1",
        ),
    ],
)
def test_switches_have_the_controller_that_a_run_would_have(
    capsys: pytest.CaptureFixture[str], arguments: list[str], switch: str, controller: str
) -> None:
    said = planned(capsys, "--topo", *arguments)
    [line] = [line for line in said.splitlines() if "s1: dpid" in line]
    assert switch in line
    assert controller in said


def test_without_a_controller_a_switch_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert "s1: dpid 0000000000000001, 2 ports, no controller" in planned(
        capsys, "--topo", "single,2", "--controller", "none"
    )


def test_a_file_is_planned_with_its_controllers_and_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file, drawing = tmp_path / "net.yaml", tmp_path / "net.dot"
    file.write_text(FILE + "controllers: {c7: {port: 6699, ip: 192.0.2.9}}\n")
    said = planned(capsys, "--topo", str(file), "--draw", str(drawing))
    assert "tcp:192.0.2.9:6699" in said
    assert "controller c7: one that runs elsewhere" in said
    assert '"s1" -- "s2"' in drawing.read_text()
    file.write_text(FILE + "controllers: {}\n")
    assert "no controller" in planned(capsys, "--topo", str(file))


def test_mistakes_are_told_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(FILE.replace("[s1, s2]", "[s1, s3]"))
    assert "net.yaml:3: links.3: link s1-s3: there is no node 's3'" in planned(
        capsys, "--topo", str(file), status=2
    )
    file.write_text(FILE + "controllers: {c0: {apps: [no_app.py]}}\n")
    assert "no_app.py: there is no such file" in planned(capsys, "--topo", str(file), status=2)
    assert "net.gif" in planned(capsys, "--topo", "single,2", "--draw", str(tmp_path / "net.gif"), status=2)
    assert "write NAME=VALUE" in planned(capsys, "--topo", f"{file},2", status=2)


def test_the_schema_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(planned(capsys, "--schema"))["properties"]["format"] == {"const": 1}
