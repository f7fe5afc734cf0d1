# SPDX-License-Identifier: MIT
"""What Wireshark reads of the interfaces."""

from __future__ import annotations

from pathlib import Path

from hybridnet.tools.extcap.dialogue import config_lines, dlt_lines, interface_lines
from hybridnet.tools.extcap.interfaces import Emulated, Simulated


def test_each_interface_is_a_sentence_with_its_value_and_what_is_shown() -> None:
    found = [
        Emulated("run1", "h1", "h1-eth0", Path("/net")),
        Simulated("run1", "r1", "r1-eth1", 7, Path("/proc/7/root"), Path("/scratch"), Path("/control")),
    ]
    assert list(interface_lines(found, "1.2")) == [
        "extcap {version=1.2}{display=hybridnet: interfaces of running networks}",
        "interface {value=run1:h1:h1-eth0}{display=hybridnet: h1-eth0 of h1}",
        "interface {value=run1:r1:r1-eth1}{display=hybridnet: r1-eth1 of r1, simulated}",
    ]


def test_a_name_cannot_end_its_sentence() -> None:
    evil = Emulated("run1", "h1}{call=x}\ninterface {value=fake", "e", Path("/net"))
    [_, line] = interface_lines([evil], "1")
    assert line == (
        "interface {value=run1:h1??call=x??interface ?value=fake:e}"
        "{display=hybridnet: e of h1??call=x??interface ?value=fake}"
    )


def test_frames_are_ethernet_and_the_size_of_a_capture_is_asked_for() -> None:
    assert list(dlt_lines()) == ["dlt {number=1}{name=EN10MB}{display=Ethernet}"]
    [line] = config_lines()
    assert line.startswith("arg {number=0}{call=--most}")
    assert line.endswith("{type=string}{default=1 GB}")
