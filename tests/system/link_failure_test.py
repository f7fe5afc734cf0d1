# SPDX-License-Identifier: MIT
"""A link of a ring of twelve OSPF routers fails: for how long traffic is lost, against the timers' arithmetic.

Each router sends a hello every HELLO_S, and forgets a neighbour DEAD_S after the last one that it heard. A link that
drops everything is thus found out DEAD_S - HELLO_S to DEAD_S after it failed, when the first of its two ends misses the
other: a way needs both ends to tell of the link. Then the change is told, a link at a time, and routes are computed at
most SPF_S later. Where both interfaces go down, nothing has to be found out.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.observe.recording.pictures import loss_of
from hybridnet.observe.recording.plot import plot_run

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.alone,  # it measures a time
    pytest.mark.skipif(
        not Path("/usr/lib/frr/zebra").exists(), reason="FRR is not installed: apt-get install frr"
    ),
]

ROUTERS = 12
HELLO_S, DEAD_S = 1, 4
SPF_S = 1.0  # the longest between two computations: docs/kinds.md
DELAY_S = 0.001  # of each link
INTERVAL_S = 0.01  # of the pings
FAILS_AT_S = 1.0
PATIENCE_S = 120.0


class Ring(Topo):
    """h1 at r1 and h6 at r6: the shortest way is r1 to r6, in order, and the other goes by r12."""

    def build(self) -> None:
        for number in range(1, ROUTERS + 1):
            timers = f" ip ospf hello-interval {HELLO_S}\n ip ospf dead-interval {DEAD_S}\nexit\n"
            conf = "".join(f"interface r{number}-eth{port}\n{timers}" for port in (1, 2))
            self.addRouter(f"r{number}", ospf=True, conf=conf)
        for number in range(1, ROUTERS + 1):
            self.addLink(
                f"r{number}",
                f"r{number % ROUTERS + 1}",
                port1=1,
                port2=2,
                delay=f"{DELAY_S:g}s",
                params1={"ip": f"10.0.{number}.1/24"},
                params2={"ip": f"10.0.{number}.2/24"},
            )
        for number in (1, 6):
            self.addHost(f"h{number}", ip=f"10.1.{number}.2/24", defaultRoute=f"via 10.1.{number}.1")
            self.addLink(f"h{number}", f"r{number}", port2=3, params2={"ip": f"10.1.{number}.1/24"})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ring") / "run"


@pytest.fixture(scope="module")
def net(run: Path) -> Iterator[Net]:
    with Net(Ring(), controller=None, out=run) as made:
        yield made


def test_a_link_that_drops_everything_is_found_out_by_the_dead_interval(net: Net, run: Path) -> None:
    net.waitConverged(PATIENCE_S)
    stream = net.ping_stream("h1", "h6", FAILS_AT_S + 2 * DEAD_S, INTERVAL_S)
    timeline = net.timeline([(FAILS_AT_S, {"link": ("r3", "r4"), "loss": 100})])
    timeline.wait()
    answers = stream.wait()
    net.set_link("r3", "r4", loss=None)
    propagation_s = ROUTERS * DELAY_S
    # What is lost also has up to a ping's round trip and one interval on either side.
    least_s = DEAD_S - HELLO_S - INTERVAL_S
    most_s = DEAD_S + SPF_S + propagation_s + 2 * (propagation_s + INTERVAL_S)
    assert least_s <= answers.loss_time <= most_s, str(answers)
    # `ping` may be slower than it is told to be, but not by half.
    assert answers.lost >= least_s / (2 * INTERVAL_S)
    [silence] = [each for each in answers.silences if each.seconds >= 1]
    assert 0 <= timeline.begins_at + FAILS_AT_S - silence.began <= HELLO_S  # it began with the failure
    [line] = loss_of(run / "network-1")
    assert max(line.values) == pytest.approx(answers.loss_time, abs=1e-5)
    assert [path.name for path in plot_run(run)] == ["loss.png"]


def test_a_link_whose_interfaces_go_down_is_gone_around_at_once(net: Net) -> None:
    net.waitConverged(PATIENCE_S)
    stream = net.ping_stream("h1", "h6", FAILS_AT_S + DEAD_S, INTERVAL_S)
    failed = time.time()
    net.configLinkStatus("r3", "r4", "down")
    answers = stream.wait()
    assert min(answers.left_s.values()) < failed < max(answers.left_s.values())
    # Far below DEAD_S - HELLO_S, where the timers begin to matter.
    assert answers.loss_time < HELLO_S, str(answers)
