# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse

import pytest

from hybridnet.experiments.asymmetric import experiment as asymmetric
from hybridnet.experiments.asymmetric.experiment import CURVES, K, directions, full_downlink_case
from hybridnet.experiments.common.path import run_path


def test_k_is_the_papers():
    # (10 Mbit/s / 28.8 kbit/s) / (1460 B / 40 B)
    assert pytest.approx(9.51, abs=0.01) == K


def test_frames_take_the_time_that_datagrams_take_on_the_papers_links():
    down, up = directions(1460, 0.0, 100)
    assert (1460 + 40 + 14) * 8 / down["rate_bps"] == pytest.approx(1500 * 8 / 10_000_000)
    assert (40 + 14) * 8 / up["rate_bps"] == pytest.approx(40 * 8 / 28_800)


def test_one_acknowledgement_in_k_gets_through_while_the_way_down_is_full():
    result = run_path(full_downlink_case())
    assert result.throughput == pytest.approx(10e6 / 8 * 1460 / 1500, rel=0.06)
    assert 1 / (1 - result.ack_loss) == pytest.approx(K * 1460 / 1500, rel=0.05)


@pytest.mark.slow
def test_a_quick_run_holds_and_leaves_its_figures(tmp_path):
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    asymmetric.add_arguments(parser)
    out = tmp_path / "run"
    checks = asymmetric.run(parser.parse_args(["--quick", "--json", "--out", str(out)]))
    assert [check.what for check in checks if not check.holds] == []
    assert len(checks) == 2 + 3 + len(CURVES)
    assert {path.name for path in out.iterdir()} >= {
        "manifest.json",
        "throughput.csv",
        "throughput.png",
        "cwnd.png",
        "cwnd-over-time.png",
    }
