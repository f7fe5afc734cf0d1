# SPDX-License-Identifier: MIT
"""The parts of the experiment overload: namespaces, a wire within a quota, and frames that are counted behind it."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import EnvironmentLackError, ExperimentError
from hybridnet.experiments.overload import experiment as overload
from hybridnet.experiments.overload.load import LimitedWire, pass_frames
from hybridnet.experiments.overload.place import Namespace, joined
from hybridnet.experiments.overload.quota import CpuQuota
from hybridnet.system.cleaning import remove_run_directory
from hybridnet.system.journal import Journal

pytestmark = [pytest.mark.system, pytest.mark.thorough]

SIZE = 200


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A state directory of its own: no other wire has the name of these, and what a killed one leaves goes with it."""
    with tempfile.TemporaryDirectory(prefix="hn") as made:  # the path of a socket is short
        monkeypatch.setenv("HYBRIDNET_STATE_DIR", f"{made}/s")
        yield


@pytest.fixture
def journal(state: None) -> Iterator[Journal]:
    made = Journal.create()
    try:
        yield made
    finally:
        made.close()
        remove_run_directory(made.directory)


@pytest.fixture
def place(journal: Journal) -> Iterator[tuple[Namespace, Namespace, Namespace]]:
    with joined(journal) as made:
        yield made
    assert not any(Path(f"/proc/{namespace.pid}").exists() for namespace in made)


@pytest.fixture
def quota(journal: Journal) -> Iterator[CpuQuota]:
    try:
        made = CpuQuota(journal, 1.0)
    except EnvironmentLackError as lack:
        pytest.skip(str(lack))
    with made:
        yield made
    assert not made.path.exists()


def test_a_few_frames_all_pass_a_wire_within_its_quota_and_it_says_so_at_its_end(
    place: tuple[Namespace, Namespace, Namespace], quota: CpuQuota
) -> None:
    a, w, b = place
    rate, seconds = 500, 1.0
    wire = LimitedWire(w, quota, ["--delay", "1ms"])
    try:
        assert 0 < wire.memory_bytes() <= wire.memory_bytes("VmHWM")
        within = quota.processes()
        assert len(within) == 3  # the command line, its instance and its guardian
        load = pass_frames(a, b, rate, seconds, SIZE)
        assert quota.throttled_ns() >= 0
        code, figures = wire.end()
    finally:
        wire.kill()
    assert load.asked_pps == rate
    assert 0 < load.received <= load.sent <= rate * seconds
    passed = figures["directions"]["a_to_b"]
    assert passed["delivered_packets"] == passed["accepted_packets"] == load.received + load.receiver_drops
    assert code in (0, 4)  # trusted or, on a computer that does other things, not
    assert not any(Path(f"/proc/{pid}").exists() for pid in within)


def test_a_wire_that_is_killed_takes_its_instance_and_its_guardian_along(
    place: tuple[Namespace, Namespace, Namespace], quota: CpuQuota
) -> None:
    wire = LimitedWire(place[1], quota, [])
    within = quota.processes()
    assert len(within) == 3  # the command line, its instance and its guardian
    assert os.getpid() not in within
    wire.kill()
    assert quota.processes() == []
    wire.kill()  # once more, as a measurement that failed does


def test_what_a_wire_or_a_sender_refuses_is_told_as_they_say_it(
    place: tuple[Namespace, Namespace, Namespace], quota: CpuQuota
) -> None:
    a, w, b = place
    with pytest.raises(ExperimentError, match=r"run a wire: .*'soon' is not a time"):
        LimitedWire(w, quota, ["--delay", "soon"])
    with pytest.raises(ExperimentError, match=r"send 100 frames/s: .*size 7 is not a whole number"):
        pass_frames(a, b, 100, 0.1, 7)
    with pytest.raises(ExperimentError, match=r"count frames: .*eth0"):
        pass_frames(a, w, 100, 0.1, SIZE)  # its interfaces are wa and wb
    with pytest.raises(ExperimentError, match=r"nsenter .* ip link show eth1: .*eth1"):
        a.run("ip", "link", "show", "eth1")


def test_the_load_rises_beyond_what_the_quota_allows_and_then_twice_as_much_is_offered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        overload, "FIRST_PPS", 20_000
    )  # more than a twentieth of a core does: two loads show it
    words = ["--quota", "0.15", "--seconds", "1", "--seconds-per-step", "1", "--out", str(tmp_path / "run")]
    if main(["reproduce", "overload", *words]) == EnvironmentLackError.exit_code:
        pytest.skip("no control groups with a quota: it says so, with the cure")
    found = json.loads((tmp_path / "run" / "overload.json").read_text())
    ramp, most = found["ramp"], found["overload"]
    assert len(ramp) >= 2
    assert all(load["received_pps"] < overload.SATURATED * load["sent_pps"] for load in ramp[-2:])
    assert most["asked_pps"] == round(2 * max(load["received_pps"] for load in ramp))
    assert 0 < found["memory_before"] <= found["memory_most"]
    assert found["throttled_s"] > 0
    for load in (*ramp, most):
        assert 0 < load["received"] <= load["sent"]
    assert len(json.loads((tmp_path / "run" / "checks.json").read_text())) == 6
