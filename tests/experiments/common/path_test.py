# SPDX-License-Identifier: MIT
from __future__ import annotations

from dataclasses import replace

import pytest

from hybridnet._simcore import OfflineSimulation
from hybridnet.errors import PlanError
from hybridnet.experiments.common.path import PathCase, run_path

WAY = {"rate_bps": 1_000_000_000, "delay_ns": 30_000_000}
CASE = PathCase(
    label="small",
    seed=1,
    down=WAY,
    up=WAY,
    bytes=2_000_000,
    tcp={"preset": "reno-2004"},
    limit_s=100,
    keep_samples=True,
)


def test_without_loss_44_segments_fill_the_window_of_64_kb():
    # 44 * 1460 bytes each 60 ms and 12.6 us: the frame down and the acknowledgement up
    settled = run_path(CASE).throughput_after(0.5)
    assert settled == pytest.approx(44 * 1460 / 0.0600126, rel=0.02)


def test_the_same_seed_gives_the_same_result():
    lossy = replace(CASE, down=WAY | {"loss": {"model": "independent", "probability": 0.01}})
    assert run_path(lossy).seconds == run_path(lossy).seconds
    assert run_path(lossy).seconds != run_path(replace(lossy, seed=2)).seconds


def test_a_run_that_cannot_finish_says_so():
    result = run_path(
        replace(CASE, down=WAY | {"loss": {"model": "independent", "probability": 1.0}}, limit_s=5)
    )
    assert not result.finished
    assert result.throughput == 0.0


def test_a_trace_begins_with_the_handshake():
    lines = run_path(replace(CASE, bytes=4580, trace=True)).trace.splitlines()
    assert [line.split()[4] for line in lines[:2]] == ["S", "S"]
    assert sum("(1460)" in line for line in lines) == 3
    assert sum(" F " in line for line in lines) == 2


def test_too_short_a_transfer_has_no_settled_throughput():
    with pytest.raises(ValueError, match="fetch more bytes"):
        run_path(replace(CASE, bytes=1000)).throughput_after(1)


@pytest.mark.parametrize(
    ("tcp", "said"),
    [
        ({"preset": "reno-1988"}, "reno-1988"),
        ({"msss": 536}, "no option msss"),
        ({"congestion": "fast"}, "none, reno, vegas, cubic, bbr"),
        ({"mss": 70_000}, "mss is 70000"),
        ({"mss": 1}, "at least 64"),
    ],
)
def test_a_wrong_tcp_option_is_named(tcp, said):
    with pytest.raises(PlanError, match=said):
        run_path(replace(CASE, tcp=tcp))


def test_an_unknown_transfer_is_named():
    with pytest.raises(PlanError, match="nothing"):
        OfflineSimulation(1).outcome("nothing")
