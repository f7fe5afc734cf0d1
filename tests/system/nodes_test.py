# SPDX-License-Identifier: MIT
"""Hosts with names, private directories, and in the machine's own namespace."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from hybridnet import Host, MachineError, Net, Topo
from hybridnet.agent.hosts.host_namespaces import CONNECTION_TABLE, CONNECTIONS
from hybridnet.errors import EnvironmentLackError
from tests.system.live import rtts_ms
from tests.system.traces import groups_of

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
        assert "Error" not in h1.cmd("ip addr")
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
        assert net.pingAll(timeout=5) == 0
        net.configLinkStatus("root", "s1", "down")
        net.configLinkStatus("root", "s1", "up")
        assert "1 received" in h1.cmd("ping -c 1 root")
        (counters,) = net.cluster.call("m1", "interface_counters", interfaces=[("root", "root-eth0")])[
            "counters"
        ]
        assert counters["rx_packets"] > 0
    assert (tmp_path / "h1/spool/x").exists()  # what the user has put there stays
    shutil.rmtree(tmp_path / "h1")


@pytest.mark.skipif(
    not os.path.exists(CONNECTION_TABLE), reason="Linux before 6.1 has one for all namespaces"
)
def test_a_host_has_a_table_of_connections_of_its_own() -> None:
    """The kernel says how many buckets; of a table that is shared, as a negative number."""
    size = "/proc/sys/net/ipv4/tcp_ehash_entries"
    before = Path(size).read_text(), Path(CONNECTION_TABLE).read_text()
    topo = Topo()
    topo.addLink(topo.addHost("h1"), topo.addHost("h2"))
    with Net(topo, controller=None) as net:
        assert [int(net[name].cmd("cat", size)) for name in ("h1", "h2")] == [CONNECTIONS] * 2
    assert (Path(size).read_text(), Path(CONNECTION_TABLE).read_text()) == before


def test_host_names_can_be_left_to_the_computer() -> None:
    topo = Topo()
    topo.addHost("h1")
    with Net(topo, controller=None, host_names=False) as net:
        assert net["h1"].cmd("hostname") == "m1\n"
        assert net["h1"].cmd("cat /etc/hosts") == Path("/etc/hosts").read_text()


def give_right_of_way(run: str) -> None:
    """Whatever else this computer does, only their quota bounds the hosts."""
    for group in groups_of(run):
        for file, most in (("cpu.shares", "262144"), ("cpu.weight", "10000")):
            if (group / file).exists():
                (group / file).write_text(most)


def share_taken(host: Host, seconds: float) -> float:
    """Processor time that a busy loop in `host` takes, per second."""
    loop = f"""
import time
began, taken = time.monotonic(), time.process_time()  # without Python's start
while time.monotonic() < began + {seconds}:
    pass
print((time.process_time() - taken) / (time.monotonic() - began))
"""
    out, err = host.popen(["python3", "-c", loop]).communicate()
    assert out, err
    return float(out)


def uptime_and_taken(said: str) -> tuple[float, float]:
    """Of /proc/uptime and a /proc/PID/stat, in seconds: when that was, and the processor time of the process."""
    uptime, stat = said.splitlines()
    taken = stat.rpartition(")")[2].split()[11:13]
    return float(uptime.split()[0]), sum(map(int, taken)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.thorough
def test_shares_of_the_processor_and_pinning() -> None:
    topo = Topo()
    topo.addHost("h1", cpu=0.2)
    topo.addHost("h2", cpu=0.1, cores=[1])
    topo.addHost("h3")
    with Net(topo, controller=None) as net:
        run = net.cluster.journal.run
        give_right_of_way(run)
        h1, h2, h3 = net.get("h1", "h2", "h3")
        assert 0.17 <= share_taken(h1, 3) <= 0.23
        assert h2.cmd("taskset -cp $$").split()[-1] == "1"
        assert h2.execute(["grep", "Cpus_allowed_list", "/proc/self/status"]).split()[-1] == "1"
        h1.setCPUFrac(0.1)
        assert 0.07 <= share_taken(h1, 2) <= 0.13
        h3.cmd("while :; do :; done &")
        h3.setCPUFrac(0.05)  # also for what runs already
        h3.setCPUs("0")
        assert h3.cmd("taskset -cp $!").strip().endswith(": 0")
        look = "cat /proc/uptime /proc/$!/stat"  # at one time: what looks has no more of the processor than the loop
        (began, before), (ended, after) = (uptime_and_taken(h3.cmd(f"sleep {s}; {look}")) for s in (0, 2))
        assert (after - before) / (ended - began) <= 0.08
        with pytest.raises(MachineError, match=r"host h3: the kernel refuses .*cores=\[4000\]"):
            h3.setCPUs(4000)
        assert groups_of(run)
    assert groups_of(run) == []


@pytest.mark.thorough
def test_a_share_in_real_time_or_what_the_kernel_lacks_for_it() -> None:
    topo = Topo()
    # Others may use real time, too. The kernel counts the budget on each processor by itself: one is enough.
    topo.addHost("h1", cpu=0.04, cores=[0], sched="rt", period_us=1_000_000)
    if not list(Path("/sys/fs/cgroup").glob("*/cpu.rt_runtime_us")):  # as on Debian's own kernel
        with pytest.raises(EnvironmentLackError, match=r"host h1: .*CONFIG_RT_GROUP_SCHED"):
            Net(topo, controller=None).start()
        return
    with Net(topo, controller=None) as net:
        run = net.cluster.journal.run
        give_right_of_way(run)
        h1 = net.get("h1")
        assert "SCHED_RR" in h1.cmd("chrt -p $$")
        assert "SCHED_RR" in h1.execute(["sh", "-c", "chrt -p $$"])
        # 3 s touch at most four periods, of 40 ms and a tick of up to 10 ms each: 0.2 s. A fifth is for the start.
        assert 0.02 <= share_taken(h1, 3) <= 0.084
        assert groups_of(run)
    assert groups_of(run) == []
