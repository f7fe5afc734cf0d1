# SPDX-License-Identifier: MIT
"""Marks and verdicts of a network whose machines answer what a test says."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet.errors import MachineError, UsageError
from hybridnet.observe.results import Limits
from hybridnet.observe.results.open_runs import Watch
from hybridnet.run.net import Net
from hybridnet.topologies import SingleSwitchTopo
from tests.hybridnet.run.net.support import FakeCluster, counters


def network(cluster: FakeCluster, **options: Any) -> Net:
    return Net(SingleSwitchTopo(k=2), cluster=cluster, controller=None, **options)  # type: ignore[arg-type]


def losing(cluster: FakeCluster) -> list[int]:
    """Have the machines answer that so many packets were lost; the test changes the number."""
    dropped = [0]
    cluster.answers["counters"] = lambda machine: counters(switching={"lost_upcalls": dropped[0]})
    return dropped


def test_a_verdict_is_about_what_happened_since_the_start_or_a_mark() -> None:
    cluster = FakeCluster()
    dropped = losing(cluster)
    with network(cluster) as net:
        assert net.verdict().word == "trusted"
        dropped[0] = 5
        mark = net.mark()
        assert "lost 5 packets" in net.verdict().reasons[0]
        assert net.verdict(since=mark).word == "trusted"
        assert net.verdict(limits=Limits(lost_upcalls=5)).word == "trusted"
        with net.measured() as m:
            dropped[0] = 7
            with pytest.raises(UsageError, match="the block has not ended"):
                _ = m.verdict
        dropped[0] = 100
        assert "lost 2 packets" in m.verdict.reasons[0]
        assert cluster.verbs().count("counters") == 8


def test_a_stopped_network_is_judged_until_its_stop() -> None:
    cluster = FakeCluster()
    dropped = losing(cluster)
    net = network(cluster)
    with pytest.raises(MachineError, match="has not been started"):
        net.verdict()
    with pytest.raises(MachineError, match="not running"):
        net.mark()
    net.start()
    dropped[0] = 3
    with net.measured() as m:
        net.stop()
    dropped[0] = 9
    assert m.verdict.word == "trusted"
    assert "lost 3 packets" in net.verdict().reasons[0]
    before = cluster.verbs()
    assert before.index("destroy") > len(before) - 1 - before[::-1].index("counters"), "the mark comes first"


def test_a_mark_of_an_earlier_start_is_refused() -> None:
    net = network(FakeCluster())
    net.start()
    mark = net.mark()
    net.stop()
    net.start()
    assert net.verdict().word == "trusted"
    for wrong in (mark, 5):
        with pytest.raises(UsageError, match="is not a mark of this network since its last start"):
            net.verdict(since=wrong)  # type: ignore[arg-type]
    net.stop()


def test_a_machine_that_is_lost_breaks_the_verdict_and_not_the_stop() -> None:
    cluster = FakeCluster()
    net = network(cluster)
    net.start()
    cluster.lose("m1", "its agent is gone")
    with pytest.raises(MachineError, match="its agent is gone"):
        net.mark()
    [reason] = net.verdict().reasons
    assert reason.startswith("machine m1: its agent is gone; it was lost before this began")
    net.stop()
    assert net.verdict().word == "broken"


def test_counters_that_cannot_be_judged_keep_nothing_from_ending() -> None:
    cluster = FakeCluster()
    net = network(cluster)
    net.start()
    cluster.answers["counters"] = lambda machine: {}
    with pytest.raises(KeyError):
        net.stop()
    assert cluster.verbs()[-1] == "destroy"


def test_the_limits_of_a_network_hold_for_its_verdicts() -> None:
    cluster = FakeCluster()
    dropped = losing(cluster)
    with network(cluster, limits=Limits(lost_upcalls=5)) as net:
        dropped[0] = 5
        assert net.verdict().word == "trusted"
    for wrong in (
        lambda: network(cluster, limits=0.5),
        lambda: net.verdict(limits=3),
        lambda: net.measured(limits="x"),
    ):
        with pytest.raises(UsageError, match=r"are not hybridnet\.Limits"):
            wrong()


@pytest.mark.parametrize(
    "wrong", [{"lateness_p999_ns": "x"}, {"steal": -1}, {"steal": 1.1}, {"busy_seconds": float("nan")}]
)
def test_a_limit_that_no_run_could_have_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"Limits: {next(iter(wrong))} .* is not a number from 0 to"):
        Limits(**wrong)


def test_who_watches_sees_each_network_once_and_can_stop_it() -> None:
    with Watch() as watch:
        with network(FakeCluster()):
            pass
        left = network(FakeCluster())
        left.start()
        failed = network(FakeCluster("m2"), limits=None)
        failed.cluster.answers["counters"] = lambda machine: 1 / 0  # type: ignore[attr-defined]
        with pytest.raises(ZeroDivisionError):
            failed.start()
        assert len(watch.verdicts) == 1
        assert watch.stop_running() == 1
    assert [verdict.word for verdict in watch.verdicts] == ["trusted", "trusted"]
