# SPDX-License-Identifier: MIT
"""A sweep of networks that run on machines over SSH, as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system.ssh_place import ssh_place

pytestmark = [pytest.mark.system, pytest.mark.thorough]

# A Mininet script: its network is spread over the machines.
SCRIPT = """
from mininet.net import Mininet
from mininet.topo import Topo
import hybridnet

class Line(Topo):
    def build(self):
        hosts = hybridnet.value("hosts", 2)
        self.addSwitch("s1")
        self.addSwitch("s2")
        self.addLink("s1", "s2", delay="5ms")
        for number in range(1, hosts + 1):
            self.addLink(self.addHost("h%d" % number), "s%d" % (1 + number % 2))

net = Mininet(Line())
net.start()
places = [switch.cmd("hostname").strip() for switch in net.switches]
hybridnet.result("lost", net.pingAll(timeout=10))
hybridnet.result("on_a", places.count("a"))
hybridnet.result("on_b", places.count("b"))
net.stop()
"""


def test_points_that_run_have_the_machines_of_the_command_line(tmp_path: Path) -> None:
    script = tmp_path / "line.py"
    script.write_text(SCRIPT)
    with ssh_place(tmp_path) as (outer, hosts):
        over = ",".join(host.target for host in hosts)
        words = ["sweep", "line.py", "--set", "hosts=2,4", "--out", "s", "--json", "--ssh", over]
        done = subprocess.run(
            [sys.executable, "-m", "hybridnet.cli", *words],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        )
        assert done.returncode == 0, done.stderr
        rows = {row["values"]["hosts"]: row["figures"] for row in json.loads(done.stdout)}
        assert list(rows) == ["2", "4"]
        for figures in rows.values():
            assert [figures[name]["mean"] for name in ("lost", "on_a", "on_b")] == [0, 1, 1]
        for host in outer.machines:
            assert outer.call(host, "exec", argv=["ls", "/run/netns"])["stdout"] == b""
