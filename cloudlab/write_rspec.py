# SPDX-License-Identifier: MIT
"""Writes the experiment of `profile.py` as RSpec 3, without geni-lib.

    python cloudlab/write_rspec.py > cloudlab/rspec.xml

For whoever instantiates by upload, or by a tool of their own, instead of by a profile.
"""

from __future__ import annotations

import ast
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

RSPEC = "http://www.geni.net/resources/rspec/3"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PROFILE = Path(__file__).resolve().parent / "profile.py"


def constants() -> dict[str, Any]:
    """The plain values that `profile.py` assigns to names in capitals."""
    values = {}
    for statement in ast.parse(PROFILE.read_text()).body:
        if (
            isinstance(statement, ast.Assign)
            and isinstance(name := statement.targets[0], ast.Name)
            and name.id.isupper()
        ):
            values[name.id] = ast.literal_eval(statement.value)
    return values


def rspec() -> ET.Element:
    """The request: raw computers, one link, and a command that each runs once it has booted."""
    said = constants()
    ET.register_namespace("", RSPEC)
    ET.register_namespace("xsi", XSI)
    schema = {f"{{{XSI}}}schemaLocation": f"{RSPEC} {RSPEC}/request.xsd"}
    root = ET.Element(f"{{{RSPEC}}}rspec", {"type": "request", **schema})

    def add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
        return ET.SubElement(parent, f"{{{RSPEC}}}{tag}", attributes)

    for name, address in zip(said["NODES"], said["ADDRESSES"], strict=True):
        node = add(root, "node", client_id=name, exclusive="true")
        sliver = add(node, "sliver_type", name="raw-pc")
        add(sliver, "disk_image", name=said["DISK_IMAGE"])
        add(node, "hardware_type", name=said["HARDWARE_TYPE"])
        interface = add(node, "interface", client_id=f"{name}:if-{name}")
        add(interface, "ip", address=address, netmask=said["NETMASK"], type="ipv4")
        add(add(node, "services"), "execute", shell="bash", command=said["SETUP_COMMAND"])
    link = add(root, "link", client_id=said["LINK"])
    ends = [f"{name}:if-{name}" for name in said["NODES"]]
    for end in ends:
        add(link, "interface_ref", client_id=end)
    for source, destination in (ends, ends[::-1]):
        add(link, "property", source_id=source, dest_id=destination, capacity=str(said["LINK_KBPS"]))
    add(link, "link_type", name="lan")
    ET.indent(root)
    return root


if __name__ == "__main__":
    sys.stdout.write(ET.tostring(rspec(), encoding="unicode", xml_declaration=True) + "\n")
