# SPDX-License-Identifier: MIT
from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from tests.cloudlab.recording_geni import Recorded, Refused, Request, geni_of

FOLDER = Path(__file__).resolve().parents[2] / "cloudlab"
RSPEC = "{http://www.geni.net/resources/rspec/3}"

# Of RSpec v3's schema for requests (request-common.xsd): an element's children and attributes; ! where one is required.
STRUCTURE = {
    "rspec": ("node link", "type! generated generated_by expires"),
    "node": (
        "relation location services interface hardware_type sliver_type",
        "client_id! component_id component_manager_id component_name exclusive colocate",
    ),
    "sliver_type": ("disk_image", "name!"),
    "disk_image": ("", "name! os version description"),
    "hardware_type": ("", "name!"),
    "interface": ("ip", "client_id! component_id"),
    "ip": ("", "address! netmask type"),
    "services": ("login install execute", ""),
    "execute": ("", "shell! command!"),
    "link": ("property link_type interface_ref component_manager component_hop", "client_id!"),
    "interface_ref": ("", "client_id!"),
    "property": ("", "source_id! dest_id! capacity latency packet_loss"),
    "link_type": ("", "name! class"),
}


def written(*words: str) -> str:
    command = [sys.executable, str(FOLDER / "write_rspec.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run_profile(monkeypatch: pytest.MonkeyPatch, **values: Any) -> Request:
    modules, printed = geni_of(values)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(FOLDER / "profile.py"))
    [request] = printed
    return request


def keep_to_the_structure(element: ET.Element) -> None:
    tag = element.tag.removeprefix(RSPEC)
    children, attributes = STRUCTURE[tag]
    assert {child.tag.removeprefix(RSPEC) for child in element} <= set(children.split())
    own = {name for name in element.attrib if not name.startswith("{")}
    assert own <= {name.rstrip("!") for name in attributes.split()}
    assert {name.rstrip("!") for name in attributes.split() if name.endswith("!")} <= own
    for child in element:
        keep_to_the_structure(child)


def test_the_file_that_is_shipped_is_the_one_that_is_written() -> None:
    assert (FOLDER / "rspec.xml").read_text() == written()


@pytest.mark.parametrize(
    "words", [(), ("--nodes", "8"), ("--link-mbps", "0", "--link-delay-ms", "2", "--commit", "v1")]
)
def test_what_is_written_has_the_structure_of_rspec_3(words: tuple[str, ...]) -> None:
    root = ET.fromstring(written(*words))
    assert root.attrib["type"] == "request"
    keep_to_the_structure(root)


def test_two_nodes_have_one_interface_each_on_a_link_of_ten_gigabit_per_second() -> None:
    root = ET.fromstring(written())
    nodes = root.findall(f"{RSPEC}node")
    interfaces = [node.find(f"{RSPEC}interface") for node in nodes]
    names = [interface.attrib["client_id"] for interface in interfaces if interface is not None]
    assert len(names) == len(set(names)) == 2
    [link] = root.findall(f"{RSPEC}link")
    assert [end.attrib["client_id"] for end in link.findall(f"{RSPEC}interface_ref")] == names
    assert {p.attrib["capacity"] for p in link.findall(f"{RSPEC}property")} == {str(10**7)}  # in kbit/s
    addresses = [ip.attrib["address"] for ip in root.iter(f"{RSPEC}ip")]
    assert addresses == ["10.10.1.1", "10.10.1.2"]


def _as_written(request: Request) -> dict[str, Any]:
    """What a profile asked for, in the words of the file."""
    [link] = request.links

    def one(node: Recorded) -> tuple[Any, ...]:
        interface, (_, shell, command) = node.added
        [(_, address, netmask)] = interface.added
        of_node = vars(node)
        return (
            node.name, of_node["hardware_type"], of_node["disk_image"], interface.name, address, netmask, shell, command
        )  # fmt: skip

    return {
        "nodes": [one(node) for node in request.nodes],
        "ends": [end.name for end in link.added],
        "capacity": vars(link).get("bandwidth"),
        "latency": vars(link).get("latency"),
    }


def _of_file(text: str) -> dict[str, Any]:
    root = ET.fromstring(text)

    def one(node: ET.Element) -> tuple[Any, ...]:
        def get(path: str, name: str) -> str:
            found = node.find("/".join(RSPEC + tag for tag in path.split("/")))
            assert found is not None
            return found.attrib[name]

        return (
            node.attrib["client_id"],
            get("hardware_type", "name"),
            get("sliver_type/disk_image", "name"),
            get("interface", "client_id"),
            *(get("interface/ip", name) for name in ("address", "netmask")),
            *(get("services/execute", name) for name in ("shell", "command")),
        )

    way = next(root.iter(f"{RSPEC}property"), ET.Element("none"))
    return {
        "nodes": [one(node) for node in root.findall(f"{RSPEC}node")],
        "ends": [end.attrib["client_id"] for end in root.iter(f"{RSPEC}interface_ref")],
        "capacity": int(way.attrib["capacity"]) if "capacity" in way.attrib else None,
        "latency": float(way.attrib["latency"]) if "latency" in way.attrib else None,
    }


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"nodes": 8, "hardware": "d6515", "link_mbps": 25000.0},
        {"image": "urn:publicid:IDN+emulab.net+image+emulab-ops//UBUNTU24-64-STD"},
        {"nodes": 3, "link_mbps": 0, "link_delay_ms": 2.0, "repository": "https://example.org/h.git", "commit": "v1"},
    ],
)  # fmt: skip
def test_profile_and_file_ask_for_the_same(monkeypatch: pytest.MonkeyPatch, values: dict[str, Any]) -> None:
    words = [word for name, value in values.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert _as_written(run_profile(monkeypatch, **values)) == _of_file(written(*words))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"nodes": 1}, "1 is not from 2 to 8"),
        ({"nodes": 9}, "9 is not from 2 to 8"),
        ({"link_delay_ms": -1}, "0 or more"),
        ({"repository": "https://x; rm -r /"}, "repository"),
        ({"commit": "--upload-pack=x"}, "commit"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(
    monkeypatch: pytest.MonkeyPatch, values: dict[str, Any], says: str
) -> None:
    with pytest.raises(Refused, match=says):
        run_profile(monkeypatch, **values)


def test_the_command_that_nodes_run_is_in_the_repository_and_gets_it_where_it_is_asked_to() -> None:
    [plain] = {execute.attrib["command"] for execute in ET.fromstring(written()).iter(f"{RSPEC}execute")}
    assert plain == "sudo sh -c 'set -e; /local/repository/cloudlab/setup'"
    assert os.access(FOLDER / "setup", os.X_OK)
    text = written("--repository", "https://example.org/h.git", "--commit", "abc123")
    [cloned] = {execute.attrib["command"] for execute in ET.fromstring(text).iter(f"{RSPEC}execute")}
    assert (
        "git clone https://example.org/h.git /local/repository; git -C /local/repository checkout abc123"
        in cloned
    )


def test_the_profile_is_python_that_old_and_new_interpreters_read() -> None:
    tree = ast.parse((FOLDER / "profile.py").read_text(), feature_version=(3, 7))
    assert ast.get_docstring(tree)
