# SPDX-License-Identifier: MIT
"""Writes the experiment of `profile.py` as RSpec 3, without geni-lib.

    python cloudlab/write_rspec.py > cloudlab/rspec.xml
    python cloudlab/write_rspec.py --nodes 4 --hardware d6515 --repository https://example.org/hybridnet.git

For whoever instantiates by upload, or by a tool of their own, instead of by a profile. The options are the profile's
parameters.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from unittest import mock

RSPEC = "http://www.geni.net/resources/rspec/3"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
PROFILE = Path(__file__).resolve().parent / "profile.py"


def profile() -> dict[str, Any]:
    """What `profile.py` defines. It asks CloudLab for nothing: it finds no geni-lib, even where there is one."""
    with mock.patch.dict(sys.modules, {"geni": None}):
        return runpy.run_path(str(PROFILE))


def rspec(said: dict[str, Any]) -> ET.Element:
    """The request: raw computers, one link, and a command that each runs once it has booted.

    Args:
        said: what the profile's `experiment` says.
    """
    ET.register_namespace("", RSPEC)
    ET.register_namespace("xsi", XSI)
    schema = {f"{{{XSI}}}schemaLocation": f"{RSPEC} {RSPEC}/request.xsd"}
    root = ET.Element(f"{{{RSPEC}}}rspec", {"type": "request", **schema})

    def add(parent: ET.Element, tag: str, **attributes: str) -> ET.Element:
        return ET.SubElement(parent, f"{{{RSPEC}}}{tag}", attributes)

    for each in said["nodes"]:
        node = add(root, "node", client_id=each["name"], exclusive="true")
        sliver = add(node, "sliver_type", name="raw-pc")
        add(sliver, "disk_image", name=said["image"])
        add(node, "hardware_type", name=said["hardware"])
        interface = add(node, "interface", client_id=f"{each['name']}:{each['interface']}")
        add(interface, "ip", address=each["address"], netmask=said["netmask"], type="ipv4")
        add(add(node, "services"), "execute", shell="bash", command=said["command"])
    link = add(root, "link", client_id=said["link"])
    ends = [f"{each['name']}:{each['interface']}" for each in said["nodes"]]
    for end in ends:
        add(link, "interface_ref", client_id=end)
    properties = {"capacity": str(said["kbps"])} if said["kbps"] else {}
    if said["delay_ms"]:
        properties["latency"] = f"{said['delay_ms']:g}"
    if properties:
        for end in ends:  # as geni-lib writes it: from each end into the link
            add(link, "property", source_id=end, dest_id=said["link"], **properties)
    add(link, "link_type", name="lan")
    ET.indent(root)
    return root


def main() -> None:
    made = profile()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    types = {"INTEGER": int, "BANDWIDTH": float, "LATENCY": float}
    for name, what, kind, default, more, choices in made["PARAMETERS"]:
        among = "".join(f" {value} ({label})." for value, label in choices or ())
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(
            option,
            type=types.get(kind, str),
            default=default,
            help=f"{what}. {more}{among} (default: %(default)s)",
        )
    try:
        said = made["experiment"](vars(parser.parse_args()))
    except made["Mistake"] as mistake:
        parser.error(str(mistake))
    sys.stdout.write(ET.tostring(rspec(said), encoding="unicode", xml_declaration=True) + "\n")


if __name__ == "__main__":
    main()
