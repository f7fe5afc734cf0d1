# SPDX-License-Identifier: MIT
"""`hybridnet exec`: the command sees what the machine has, and nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

from hybridnet import Net, Topo
from hybridnet.topologies import TwoTrees


def execute(*argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hybridnet.cli", "exec", *argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def enter(*argv: str) -> subprocess.CompletedProcess[str]:
    """As `hybridnet exec` does over SSH on a machine's computer."""
    command = [sys.executable, "-m", "hybridnet.machines.workers.enter", *argv]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_command_runs_in_its_machines_namespaces() -> None:
    with Net(TwoTrees(depth=1, delay="5ms"), controller=None) as net:
        run = ["--run", net.cluster.journal.run]
        for machine, switch, host in (("m1", "s1", "h1"), ("m2", "s2", "h3")):
            assert execute(*run, machine, "ovs-vsctl", "list-br").stdout.split() == [switch]
            looks = "hostname; readlink /proc/1/ns/net /proc/self/ns/net | uniq | wc -l; ls /run/netns"
            name, networks, *hosts = execute(*run, machine, "sh", "-c", looks).stdout.split()
            assert (name, networks) == (machine, "1")
            assert host in hosts
        assert execute(*run, "m1", "ovs-ofctl", "-O", "OpenFlow13", "show", "s1").returncode == 0
        assert execute(*run, "m1", "sh", "-c", "exit 7").returncode == 7
        over_ssh = enter(net.cluster.journal.run, "m2", "sh", "-c", "hostname; ls /run/netns; exit 7")
        assert (over_ssh.returncode, over_ssh.stdout.split()[0]) == (7, "m2")
        assert "h3" in over_ssh.stdout.split()
        switch = execute(*run, "s2", "true")
        assert switch.returncode == 2
        assert (
            "s2 is a switch, whose commands run on its machine m2; write for example `hybridnet exec m2 "
            in (switch.stderr)
        )
        unknown = execute(*run, "m9", "true")
        assert unknown.returncode == 2
        assert (
            unknown.stderr
            == "error: there is no machine or host m9 on this computer; the machines are m1, m2, the hosts h1, h2, "
            "h3, h4, and simulated nodes run no commands\n"
        )
    gone = execute(*run, "m1", "true")
    assert gone.returncode == 2
    assert "there is no run" in gone.stderr


class Private(Topo):
    """h1 and h2 at a switch, each with a folder of its own."""

    def build(self) -> None:
        self.addSwitch("s1")
        for name in ("h1", "h2"):
            self.addLink(self.addHost(name, privateDirs=["/var/tmp"]), "s1")


@pytest.mark.parametrize("cluster", [None, "here"])
def test_a_command_in_a_host_sees_all_that_the_host_has_also_before_anything_else_ran_there(
    cluster: str | None,
) -> None:
    with Net(Private(), controller=None, cluster=cluster) as net:
        run = ["--run", net.cluster.journal.run]
        looks = "hostname; getent hosts h2; ls -A /sys/class/net; touch /var/tmp/of-h1; ls -A /var/tmp"
        names, addresses, *rest = execute(*run, "h1", "sh", "-c", looks).stdout.splitlines()
        assert names == "h1"
        assert addresses.split()[:2] == ["10.0.0.2", "h2"]
        assert set(rest) == {"lo", "h1-eth0", "of-h1"}
        assert net["h1"].cmd("ls -A /var/tmp") == "of-h1\n"
        assert execute(*run, "h2", "ls", "-A", "/var/tmp").stdout == ""
        net.addHost("h3")
        net.addLink("h3", "s1")
        assert execute(*run, "h3", "hostname").stdout == "h3\n"
        net.delHost("h2")
        assert execute(*run, "h2", "true").returncode == 2
