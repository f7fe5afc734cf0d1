# SPDX-License-Identifier: MIT
"""Captures at simulated interfaces, on machines that make nothing."""

from __future__ import annotations

from typing import Any

import pytest

from hybridnet import MachineError, Net, Topo, UnitError, UsageError
from tests.hybridnet.run.net.support import FakeCluster

FILE = "/tmp/v1.pcap"


def topo() -> Topo:
    made = Topo()
    made.addHost("h1")
    made.addSimHost("v1", instance="fast")
    made.addLink("h1", "v1", delay="5ms")
    return made


class Rows:
    """What the instance says of its captures."""

    def __init__(self, cluster: FakeCluster) -> None:
        self.begun: list[dict[str, Any]] = []
        self.rows: list[dict[str, Any]] = []
        cluster.answers["start_capture"] = self.start
        cluster.answers["stop_capture"] = self.stop
        cluster.answers["captures"] = lambda **_: self.rows

    def start(self, machine: str, **told: Any) -> None:
        self.begun.append({"machine": machine, **told})
        self.rows.append(
            {"interface": told["interface"], "file": told["file"], "running": True, "frames": 3,
             "lost": {"file_full": 0, "queue_full": 0, "write_failed": 0}, "failure": ""}
        )  # fmt: skip

    def stop(self, file: str, **_: Any) -> dict[str, Any]:
        [row] = [row for row in self.rows if row["file"] == file]
        row.update(running=False, frames=5, lost={"file_full": 2, "queue_full": 1, "write_failed": 0})
        return row


@pytest.fixture
def running() -> Any:
    cluster: Any = FakeCluster("m1")
    rows = Rows(cluster)
    with Net(topo(), controller=None, cluster=cluster) as net:
        yield net, rows


def test_a_capture_is_told_to_the_instance_of_its_interface(running: Any) -> None:
    net, rows = running
    with net.capture("v1-eth0", FILE, "udp", most="1 MB") as capture:
        assert (capture.state().running, capture.state().frames) == (True, 3)
    told = {"interface": "v1-eth0", "file": FILE, "filter": "udp", "most_bytes": 10**6}
    assert rows.begun == [{"machine": "m1", "instance": "fast", **told}]
    ended = capture.stop()
    assert (ended.running, ended.frames, ended.lost, ended.error) == (False, 5, 3, "")
    assert ended.lost_by == {"file_full": 2, "queue_full": 1, "write_failed": 0}


def test_a_capture_that_ended_by_itself_says_why(running: Any) -> None:
    net, rows = running
    capture = net.capture("v1-eth0", FILE)
    rows.rows[0]["running"] = False
    assert "its link is gone" in capture.state().error
    rows.rows[0]["failure"] = "write the capture file /tmp/v1.pcap: No space left on device"
    assert capture.state().error == rows.rows[0]["failure"]
    rows.rows.clear()
    assert "the instance was started again; its file has what came before" in capture.state().error
    net.cluster.gone["m1"] = net.cluster.gone.get("m1") or type(
        "Loss", (), {"why": "machine m1: its agent has ended"}
    )
    assert "its agent has ended" in capture.stop().error
    net.cluster.gone.clear()


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (("v9-eth0", FILE), UsageError, "no simulated interface of that name; the interfaces are v1-eth0"),
        (("h1-eth0", FILE), UsageError, "it is emulated; run tcpdump in h1"),
        ((5, FILE), UsageError, "capture: interface 5 is not text"),
        (("v1-eth0", "v1.pcap"), UsageError, "is not an absolute path"),
        (("v1-eth0", None), UsageError, "is not an absolute path"),
        (("v1-eth0", FILE, "no such words"), UsageError, "capture at v1-eth0: filter"),
        (("v1-eth0", FILE, "", "5"), UnitError, "has no unit"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(
    running: Any, arguments: tuple[Any, ...], error: type[Exception], says: str
) -> None:
    net, rows = running
    with pytest.raises(error, match=says):
        net.capture(*arguments)
    assert rows.begun == []


def test_a_network_that_does_not_run_captures_nothing() -> None:
    cluster: Any = FakeCluster("m1")
    with pytest.raises(MachineError):
        Net(topo(), controller=None, cluster=cluster).capture("v1-eth0", FILE)
