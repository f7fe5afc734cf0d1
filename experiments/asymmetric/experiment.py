# SPDX-License-Identifier: MIT
"""TCP over an asymmetric path: figures 5-4 to 5-6 of Idserda 2004.

10 Mbit/s down, 28.8 kbit/s up, 30 ms each way; the way down loses segments, the way up is so slow that it holds the
sender back by its acknowledgements. Two segment sizes, with and without delayed acknowledgements.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any

from hybridnet.experiments.common.options import add_seeds_argument
from hybridnet.experiments.common.path import AMPLE_QUEUE, PathCase, PathResult, run_path
from hybridnet.experiments.common.replicate import run_all
from hybridnet.experiments.common.tcp_plot import plot_curves, plot_windows
from hybridnet.observe.results import Check, Experiment, RunDirectory, add_experiment_arguments, count
from hybridnet.observe.results.estimate import Estimate, estimate

SUMMARY = "TCP over 10 Mbit/s down and 28.8 kbit/s up, as in figures 5-4 to 5-6 of Idserda 2004"
TAKES_S = 300
VIRTUAL_TIME = ()
WITHOUT_MACHINES = "everything is simulated in processes of this computer"

DOWN_BPS = 10_000_000
UP_BPS = 28_800
DELAY_S = 0.03
UPLINK_QUEUE = 100
"""Segments; the paper does not say."""
BITS = 1_000_000_000
HEADERS = 40
ETHERNET = 14
K = (DOWN_BPS / UP_BPS) / (1460 / HEADERS)
"""The normalized bandwidth ratio: above one acknowledgement per K segments, the way up is the bottleneck."""
FULL_WINDOW = 1 << 20
FULL_UPLINK_QUEUE = 10
"""With these the way down stays full, and so K can be measured: a longer queue would delay what gets through."""


@dataclass(frozen=True)
class Curve:
    """One of the paper's four."""

    mss: int
    delayed_ack: bool

    def __str__(self) -> str:
        return f"{self.mss} B, delayed ACK {'on' if self.delayed_ack else 'off'}"


CURVES = (Curve(1460, True), Curve(1460, False), Curve(536, True), Curve(536, False))
"""From the highest throughput to the lowest, as in figure 5-4."""


@dataclass(frozen=True)
class Point:
    """All replications of one curve and loss.

    Args:
        throughput: bytes per second.
        cwnd: the mean of the congestion window over time. Bytes.
        ack_loss: the part of the acknowledgements that the queue of the way up dropped. 0 to 1.
    """

    curve: Curve
    loss: float
    throughput: Estimate
    cwnd: Estimate
    ack_loss: float
    finished: int
    runs: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seeds_argument(parser, 10)
    parser.add_argument(
        "--uplink-queue",
        type=count,
        default=UPLINK_QUEUE,
        metavar="N",
        help="segments that may wait for the uplink (default: %(default)s)",
    )
    add_experiment_arguments(
        parser, "asymmetric", quick="four loss rates, two seeds, a hundredth of the data"
    )


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run every replication.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    quick: bool = arguments.quick
    losses = [0.0, 0.002, 0.005, 0.01] if quick else [step / 1000 for step in range(21)]
    seeds = range(1, 1 + (min(2, arguments.seeds) if quick else arguments.seeds))
    size = BITS // 800 if quick else BITS // 8
    queue: int = arguments.uplink_queue
    experiment = Experiment(
        arguments,
        {"bytes": size, "seeds": len(seeds), "uplink_queue": queue, "tcp": tcp_options(CURVES[0])},
    )
    cases = [case_of(curve, loss, seed, size, queue) for curve in CURVES for loss in losses for seed in seeds]
    results = run_all(run_path, cases, experiment.console)
    points = [
        point_of([each for each in results if each.case.label == label_of(curve, loss)], curve, loss)
        for curve in CURVES
        for loss in losses
    ]
    full = run_path(full_downlink_case())
    checks = checks_of(points, full)
    _write(experiment.directory, points, results)
    return experiment.finish(checks)


def tcp_options(curve: Curve) -> dict[str, Any]:
    """Reno of 2004 without options in its headers, its recovery as RFC 6582 mends it.

    The window grows by the bytes that an acknowledgement covers (RFC 3465). Counted by acknowledgements it would grow
    half as fast with delayed ones, and above 1 % of loss, where the way up is no bottleneck any more, that alone would
    turn the order of the paper's curves.
    """
    return {
        "preset": "reno-2004",
        "mss": curve.mss,
        "recovery": "newreno",
        "byte_counting": True,
        "bytes_counted_per_ack": 2,
        "delayed_ack": curve.delayed_ack,
        "receive_buffer": 65_535,
    }


def label_of(curve: Curve, loss: float) -> str:
    return f"{curve}, {loss:.1%}"


def directions(mss: int, loss: float, uplink_queue: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The way down and the way up.

    The paper's links carry IP datagrams without framing. Ours carry Ethernet frames; each way has one size of segment,
    so a rate that is higher by the frame's header gives each the time that the paper's link gives it.
    """
    datagram = mss + HEADERS
    delay_ns = round(DELAY_S * 1e9)
    down = {
        "rate_bps": round(DOWN_BPS * (datagram + ETHERNET) / datagram),
        "delay_ns": delay_ns,
        "queue_packets": AMPLE_QUEUE,
        "loss": {"model": "independent", "probability": loss},
    }
    up = {
        "rate_bps": round(UP_BPS * (HEADERS + ETHERNET) / HEADERS),
        "delay_ns": delay_ns,
        "queue_packets": uplink_queue,
    }
    return down, up


def case_of(curve: Curve, loss: float, seed: int, size: int, uplink_queue: int) -> PathCase:
    """One replication; the first of each point keeps its samples."""
    down, up = directions(curve.mss, loss, uplink_queue)
    return PathCase(
        label=label_of(curve, loss),
        seed=seed,
        down=down,
        up=up,
        bytes=size,
        tcp=tcp_options(curve),
        limit_s=200_000,
        sample_every_s=0.1,
        keep_samples=seed == 1,
    )


def full_downlink_case() -> PathCase:
    """A window that keeps the way down full: each acknowledgement that gets through stands for K segments."""
    down, up = directions(1460, 0, FULL_UPLINK_QUEUE)
    window = {"receive_buffer": FULL_WINDOW, "send_buffer": 2 * FULL_WINDOW, "window_scaling": True}
    options = tcp_options(Curve(1460, False)) | window
    return PathCase("the way down full", 1, down, up, BITS // 8, options, limit_s=10_000)


def point_of(results: Sequence[PathResult], curve: Curve, loss: float) -> Point:
    """What the replications of one point say together."""
    return Point(
        curve=curve,
        loss=loss,
        throughput=estimate([each.throughput for each in results]),
        cwnd=estimate([each.outcome["cwnd_bytes"]["mean"] for each in results]),
        ack_loss=fmean(each.ack_loss for each in results),
        finished=sum(each.finished for each in results),
        runs=len(results),
    )


def checks_of(points: Sequence[Point], full: PathResult) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    finished, runs = sum(point.finished for point in points), sum(point.runs for point in points)
    checks = [Check("every run finishes", f"{finished} of {runs}", None, "all", finished == runs)]
    losses = sorted({point.loss for point in points})
    at = {(point.curve, point.loss): point for point in points}
    for upper, lower in pairwise(CURVES):
        wrong = [
            f"{loss:.1%}"
            for loss in losses
            if at[upper, loss].throughput.mean <= at[lower, loss].throughput.mean
        ]
        ratios = [at[upper, loss].throughput.mean / at[lower, loss].throughput.mean for loss in losses]
        checks.append(
            Check(
                f"{upper} above {lower}",
                f"{min(ratios):.2f} to {max(ratios):.2f} times"
                + (f"; not at {', '.join(wrong)}" if wrong else ""),
                "above, figure 5-4",
                "above at every loss",
                not wrong,
            )
        )
    segments_per_ack = 1 / (1 - full.ack_loss)
    checks.append(
        Check(
            "the way down full: segments for each ACK that gets through",
            f"{segments_per_ack:.2f}: {full.ack_loss:.1%} of the ACKs are dropped",
            f"k = {K:.1f}",
            f"{K * 1460 / 1500:.2f}, which is k with headers counted, within 5 %",
            abs(segments_per_ack / (K * 1460 / 1500) - 1) <= 0.05,
        )
    )
    for curve in CURVES:
        windows = [at[curve, loss].cwnd.mean for loss in losses]
        checks.append(
            Check(
                f"{curve}: mean cwnd highest without loss",
                f"{windows[0] / 1024:.0f} KiB, at most {max(windows[1:]) / 1024:.0f} KiB with loss",
                "a high peak at 0 %",
                "highest at 0 %",
                windows[0] > max(windows[1:]),
            )
        )
    return checks


def _write(directory: RunDirectory, points: Sequence[Point], results: Sequence[PathResult]) -> None:
    directory.write_csv(
        "throughput.csv",
        ["curve", "loss", "throughput_Bps", "half_width_Bps", "cwnd_bytes", "cwnd_half_width", "ack_loss"],
        [
            (
                str(point.curve),
                point.loss,
                point.throughput.mean,
                point.throughput.half_width,
                point.cwnd.mean,
                point.cwnd.half_width,
                point.ack_loss,
            )
            for point in points
        ],
    )
    of_curve = {curve: [point for point in points if point.curve == curve] for curve in CURVES}
    plot_curves(
        directory.path / "throughput.png",
        "Figure 5-4: throughput over an asymmetric path",
        "bytes per second",
        {str(curve): [(point.loss, point.throughput) for point in mine] for curve, mine in of_curve.items()},
    )
    plot_curves(
        directory.path / "cwnd.png",
        "Figure 5-5: mean congestion window",
        "bytes",
        {str(curve): [(point.loss, point.cwnd) for point in mine] for curve, mine in of_curve.items()},
    )
    plot_windows(
        directory.path / "cwnd-over-time.png", [each for each in results if each.case.keep_samples], 300.0
    )
