# SPDX-License-Identifier: MIT
"""A script written for Mininet, unchanged, over two machines: on this computer, and over SSH."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.ssh_place import ssh_place

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SCRIPT = """
from mininet.cli import CLI
from mininet.link import TCLink
from mininet.log import setLogLevel
from mininet.net import Mininet
from mininet.topo import Topo

class Row(Topo):
    def build(self, n=4):
        last = None
        for number in range(1, n + 1):
            switch = self.addSwitch(f"s{number}")
            self.addLink(self.addHost(f"h{number}"), switch)
            if last:
                self.addLink(last, switch, bw=50, delay="2ms")
            last = switch

setLogLevel("info")
net = Mininet(topo=Row(), link=TCLink)
net.start()
assert net.pingAll(timeout=10) == 0
h1, h4 = net.get("h1", "h4")
print("time", h1.cmd("ping -c 3 -i 0.2 -q", h4.IP()).splitlines()[-1])
net.configLinkStatus("s2", "s3", "down")
print("down", "0 received" in h1.cmd("ping -c 1 -W 1", h4.IP()))
net.configLinkStatus("s2", "s3", "up")
print("up", "0 received" not in h1.cmd("ping -c 3 -W 5", h4.IP()))
print("machines", *(node.cmd("hostname").strip() for node in net.switches), h1.machine, h4.machine)
net.stop()
"""

OF_MAXINET = """
from MaxiNet.Frontend import maxinet
from MaxiNet.tools import FatTree

cluster = maxinet.Cluster(minWorkers=2)
exp = maxinet.Experiment(cluster, FatTree(2, 10, 1))
exp.setup()
print("workers", *(worker.run_cmd("hostname") for worker in cluster.workers()))
print("ping", "0 received" not in exp.get("h1").cmd("ping -c 3 -W 5", exp.get("h2").IP()))
exp.get_worker("h2").put_file(__file__, "FOLDER/put")
exp.get_worker("h2").get_file("FOLDER/put", "FOLDER/got")
print("same", open("FOLDER/got").read() == open(__file__).read())
exp.stop()
"""


def run_script(tmp_path: Path, text: str, *options: str, path: str = "") -> tuple[dict[str, str], str]:
    script = tmp_path / "script.py"
    script.write_text(text.replace("FOLDER", str(tmp_path)))
    command = [sys.executable, "-m", "hybridnet.cli", "run", *options, str(script)]
    state = tmp_path / "state"
    environment = {
        **os.environ,
        "PATH": f"{path}:{os.environ['PATH']}",
        "HYBRIDNET_STATE_DIR": str(state),
    }
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert not state.exists()  # the run has removed all that it made
    return dict(line.split(" ", 1) for line in done.stdout.splitlines()), done.stderr


def check(told: dict[str, str], said: str) -> None:
    assert "*** Spreading 8 nodes: 4 on m1, 4 on m2; 1 cut link\n" in said
    least_ms = float(told["time"].split("= ")[1].split("/")[0])
    assert 12.0 <= least_ms < 24.0  # three links of 2 ms, there and back
    assert (told["down"], told["up"]) == ("True", "True")


def test_over_two_machines_of_this_computer(tmp_path: Path) -> None:
    told, said = run_script(tmp_path, SCRIPT, "--machines", "2")
    check(told, said)
    assert told["machines"] == "m1 m1 m2 m2 m1 m2"


def test_mn_over_two_machines() -> None:
    mn = [
        sys.executable,
        "-m",
        "hybridnet.cli",
        "mn",
        "--topo",
        "linear,2",
        "--cluster",
        "localhost,localhost",
    ]
    done = subprocess.run(
        [*mn, "--cut-delay", "3ms", "--test", "pingall"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "*** Spreading 4 nodes: 2 on m1, 2 on m2; 1 cut link, which got a delay of 3 ms" in done.stderr
    assert "0% dropped (2/2 received)" in done.stderr


@pytest.mark.slow
def test_over_ssh(tmp_path: Path) -> None:
    with ssh_place(tmp_path) as (_, hosts):
        over = ("--ssh", ",".join(host.target for host in hosts))
        told, said = run_script(tmp_path, SCRIPT, *over, path=str(tmp_path / "bin"))
        check(told, said)
        assert told["machines"] == "a a b b m1 m2"
        told, _ = run_script(tmp_path, OF_MAXINET, *over, path=str(tmp_path / "bin"))
        assert told == {"workers": "a b", "ping": "True", "same": "True"}
