# SPDX-License-Identifier: MIT
"""Which devices a script's text names."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from hybridnet.compat.mininet.loading.script_devices import Mentions, script_text


@pytest.mark.parametrize(
    "text",
    [
        'os.system("tcpdump -i s1-eth2 -w out.pcap &")',
        "s1.cmd('tc qdisc show dev s1-eth2')",
        'for n in 1, 2: s1.cmd("ethtool -K s1-eth%d gro off" % n)',
        'dev = "s1-eth" + str(n)',
        'monitor("s%d-eth%d" % (switch, port))',
        'monitor("s%d-eth2" % switch)',
        'monitor("{}-eth{}".format(switch.name, port))',
        'monitor(f"{switch.name}-eth{port}")',
        "monitor(switch.name + '-eth2')",
    ],
)
def test_a_device_is_named_in_full_or_put_together(text: str) -> None:
    assert Mentions(text).name("s1-eth2")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "net.addLink(s1, s2)",
        "s1.cmd('tc qdisc show dev s1-eth1')",
        "s1.cmd('tc qdisc show dev s11-eth2')",
        "s1.cmd('tc qdisc show dev s1-eth22')",
        "s1.cmd('tc qdisc show dev as1-eth2')",
        'monitor("s%d-eth1" % switch)',
        'h1.cmd("ifconfig h%d-eth2 down" % number)',
        'host.cmd("ifconfig %s-eth0 up" % host.name)',
        'host.cmd("ifconfig " + host.name + "-eth0 up")',
    ],
)
def test_another_device_is_not_it(text: str) -> None:
    assert not Mentions(text).name("s1-eth2")


def test_a_text_turns_on_rstp() -> None:
    assert Mentions('s1.cmd("ovs-vsctl set bridge s1 rstp_enable=true")').rstp
    assert not Mentions('s1.cmd("ovs-vsctl set bridge s1 stp_enable=true")').rstp


def test_a_device_with_a_name_of_its_own_is_named_in_full_only() -> None:
    assert Mentions("tcpdump -i uplink").name("uplink")
    assert not Mentions('"s%d-eth%d", "%s-eth2"').name("uplink")


def test_the_text_is_that_of_the_program_and_of_the_modules_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def module(name: str, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        made = types.ModuleType(name)
        made.__file__ = str(path)
        monkeypatch.setitem(sys.modules, name, made)

    module("__main__", tmp_path / "script" / "main.py", "the program")
    module("topology", tmp_path / "script" / "lib" / "topology.py", "a module")
    module("elsewhere", tmp_path / "elsewhere.py", "not a module of its folder")
    module("package", tmp_path / "script" / ".venv" / "site-packages" / "package.py", "installed")
    assert script_text().splitlines() == ["a module", "the program"]


def test_without_a_program_there_is_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))
    assert script_text() == ""
