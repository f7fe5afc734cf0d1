# SPDX-License-Identifier: MIT
from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from hybridnet.experiments.asymmetric import experiment as asymmetric
from hybridnet.experiments.asymmetric.experiment import (
    CURVES,
    Curve,
    K,
    Point,
    checks_of,
    directions,
    full_downlink_case,
)
from hybridnet.experiments.common.path import PathResult, run_path
from hybridnet.observe.results.estimate import Estimate


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


def point(curve: Curve, loss: float, throughput: float, cwnd: float) -> Point:
    return Point(curve, loss, Estimate(throughput, 1.0, 2), Estimate(cwnd, 1.0, 2), 0.0, finished=2, runs=2)


def points() -> list[Point]:
    """Of each curve, without loss and with: an upper curve is above, and windows shrink with loss."""
    return [
        point(curve, loss, 1000.0 - 100 * place - 1000 * loss, 65_536 - 1e6 * loss)
        for place, curve in enumerate(CURVES)
        for loss in (0.0, 0.01)
    ]


def full(ack_loss: float) -> PathResult:
    sent = {"accepted_packets": 1000, "dropped": {"queue_full": round(1000 * ack_loss)}}
    return PathResult(full_downlink_case(), {"finished": True}, sent, sent)


def test_curves_in_the_papers_order_hold():
    checks = checks_of(points(), full(1 - 1 / (K * 1460 / 1500)))
    assert [check.what for check in checks if not check.holds] == []


def test_a_curve_that_is_not_above_the_next_is_told_with_its_loss():
    [upper, lower, *_] = CURVES
    turned = [
        replace(each, throughput=Estimate(1.0, 0.0, 2)) if (each.curve, each.loss) == (upper, 0.01) else each
        for each in points()
    ]
    failed = [check for check in checks_of(turned, full(1 - 1 / (K * 1460 / 1500))) if not check.holds]
    assert [check.what for check in failed] == [f"{upper} above {lower}"]
    assert failed[0].measured.endswith("not at 1.0%")


def test_a_run_that_did_not_finish_and_acknowledgements_that_all_get_through_do_not_hold():
    short = [replace(points()[0], finished=1), *points()[1:]]
    failed = [check.what for check in checks_of(short, full(0.0)) if not check.holds]
    assert failed == ["every run finishes", "the way down full: segments for each ACK that gets through"]
