# SPDX-License-Identifier: MIT
from __future__ import annotations

import ast
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "cloudlab"
RSPEC = "{http://www.geni.net/resources/rspec/3}"


def written() -> str:
    return subprocess.run(
        [sys.executable, FOLDER / "write_rspec.py"], capture_output=True, text=True, check=True
    ).stdout


def test_the_file_that_is_shipped_is_the_one_that_is_written() -> None:
    assert (FOLDER / "rspec.xml").read_text() == written()


def test_two_nodes_have_one_interface_each_on_a_link_of_ten_gigabit_per_second() -> None:
    root = ET.fromstring(written())
    assert root.attrib["type"] == "request"
    nodes = root.findall(f"{RSPEC}node")
    interfaces = [node.find(f"{RSPEC}interface") for node in nodes]
    names = [interface.attrib["client_id"] for interface in interfaces if interface is not None]
    assert len(names) == len(set(names)) == 2
    [link] = root.findall(f"{RSPEC}link")
    assert [end.attrib["client_id"] for end in link.findall(f"{RSPEC}interface_ref")] == names
    assert {p.attrib["capacity"] for p in link.findall(f"{RSPEC}property")} == {str(10**7)}  # in kbit/s
    addresses = [ip.attrib["address"] for ip in root.iter(f"{RSPEC}ip")]
    assert addresses == ["10.10.1.1", "10.10.1.2"]


def test_the_command_that_nodes_run_is_in_the_repository() -> None:
    [command] = {execute.attrib["command"] for execute in ET.fromstring(written()).iter(f"{RSPEC}execute")}
    script = next(word for word in command.split() if word.startswith("/local/repository/"))
    assert os.access(FOLDER.parent / script.removeprefix("/local/repository/"), os.X_OK)


def test_the_profile_is_python_that_old_and_new_interpreters_read() -> None:
    tree = ast.parse((FOLDER / "profile.py").read_text(), feature_version=(3, 7))
    assert ast.get_docstring(tree)
