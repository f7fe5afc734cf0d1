# SPDX-License-Identifier: MIT
"""Hosts with names, private directories, and in the machine's own namespace."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from tests.system.live import rtts_ms

pytestmark = pytest.mark.system


def test_names_private_directories_and_a_host_in_the_machines_namespace(tmp_path: Path) -> None:
    computers = Path("/etc/hosts").read_text()
    topo = Topo()
    topo.addSwitch("s1", failMode="standalone")
    topo.addHost(
        "h1", ip6="fd00::1/64", privateDirs=["/var/cache", ("/var/spool", f"{tmp_path}/%(name)s/spool")]
    )
    topo.addHost("h2", ip6="fd00::2/64")
    topo.addHost("root", inNamespace=False, ip="10.0.0.9/8")
    for name in ("h1", "h2", "root"):
        topo.addLink(name, "s1")
    with Net(topo, controller=None) as net:
        h1, h2, root = net.get("h1", "h2", "root")
        assert h1.cmd("hostname") == "h1\n"
        assert h1.cmd("getent ahostsv4 h2").split()[0] == h2.IP()
        assert h1.cmd("getent ahostsv6 h2-eth0").split()[0] == "fd00::2"
        assert "1 received" in h1.cmd("ping -4 -c 1 h2")
        assert "1 received" in h2.cmd("ping -6 -c 1 h1")
        assert computers in h1.cmd("cat /etc/hosts")
        assert Path("/etc/hosts").read_text() == computers

        h1.cmd("echo mine > /var/cache/x; echo kept > /var/spool/x")
        assert h2.cmd("cat /var/cache/x /var/spool/x 2>/dev/null") == ""
        assert (tmp_path / "h1/spool/x").read_text() == "kept\n"

        assert root.cmd("ip -o link show s1").startswith(root.cmd("cat /sys/class/net/s1/ifindex").strip())
        assert root.cmd("hostname") == net["s1"].cmd("hostname") == "m1\n"
        assert rtts_ms(net, "root", "10.0.0.1", 1)
        assert net.pingAll() == 0
        net.configLinkStatus("root", "s1", "down")
        net.configLinkStatus("root", "s1", "up")
        assert "1 received" in h1.cmd("ping -c 1 root")
        (counters,) = net.cluster.call("m1", "interface_counters", interfaces=[("root", "root-eth0")])[
            "counters"
        ]
        assert counters["rx_packets"] > 0
    assert (tmp_path / "h1/spool/x").exists()  # what the user has put there stays
    shutil.rmtree(tmp_path / "h1")


def test_host_names_can_be_left_to_the_computer() -> None:
    topo = Topo()
    topo.addHost("h1")
    with Net(topo, controller=None, host_names=False) as net:
        assert net["h1"].cmd("hostname") == "m1\n"
        assert net["h1"].cmd("cat /etc/hosts") == Path("/etc/hosts").read_text()
