# SPDX-License-Identifier: MIT
"""Routing daemons are parts of a run: one that ends by itself breaks the verdict, one that the run ends does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import MachineError, UsageError

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not (Path("/usr/sbin/bird").exists() and Path("/usr/lib/frr/zebra").exists()),
        reason="FRR and BIRD are not installed: apt-get install frr bird2",
    ),
]


class Pair(Topo):
    """Two routers, one of each kind."""

    def build(self) -> None:
        self.addRouter("r1", kind="bird", ospf=True)
        self.addRouter("r2", ospf=True)
        self.addLink("r1", "r2", params1={"ip": "10.0.0.1/24"}, params2={"ip": "10.0.0.2/24"})


def check_until_it_fails(net: Net) -> None:
    while True:
        net.check()


@pytest.mark.parametrize(("router", "daemon"), [("r1", "bird"), ("r2", "ospfd")])
def test_a_daemon_that_ends_by_itself_breaks_the_verdict_and_one_that_the_run_ends_does_not(
    router: str, daemon: str
) -> None:
    with Net(Pair(), controller=None) as net:
        mark = net.mark()
        net[router].kill(daemon)
        net[router].restart()
        net[router].end(daemon)
        net[router].restart()
        net.check()
        assert [line for line in net.verdict(since=mark).reasons if daemon in line] == []
        pid = net[router].cmd(f"cat {net[router].pid_files[daemon]}").strip()
        net.cluster.call("m1", "exec", argv=["kill", "-SEGV", pid])
        with pytest.raises(MachineError, match=f"{daemon} of {router} has ended, and not by this run"):
            check_until_it_fails(net)
        verdict = net.verdict(since=mark)
    assert str(verdict.word) == "broken"
    assert [
        line
        for line in verdict.reasons
        if line.startswith(f"machine m1: {daemon} of {router} has ended after ")
    ]


def test_the_number_that_a_daemon_has_left_is_not_taken_for_it() -> None:
    with Net(Pair(), controller=None) as net:
        router = net["r1"]
        router.kill()
        other = router.cmd("sleep 600 > /dev/null 2>&1 & echo $!").split()[-1]
        router.cmd(f"echo {other} > {router.pid_files['bird']}")
        router.end()
        assert router.cmd(f"cat /proc/{other}/comm").strip() == "sleep"


def test_a_daemon_that_a_router_has_not_is_refused() -> None:
    with (
        Net(Pair(), controller=None) as net,
        pytest.raises(UsageError, match=r"router r1: daemon 'ospfd'.*bird"),
    ):
        net["r1"].kill("ospfd")
