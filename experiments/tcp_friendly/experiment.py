# SPDX-License-Identifier: MIT
"""TCP-friendly throughput: figures 5-2 and 4-2 of Idserda 2004, where the paper's own TCP stalled.

A server sends 10^9 bits to a client over 1 Gbit/s with a round trip of 60 ms; the way down loses segments at random.
Throughput is plotted over the loss, beside what the literature says about it. Settings, and why:
docs/tcp_validation.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from hybridnet.experiments.common.formulas import INDEPENDENT, PERIODIC, pftk, square_root
from hybridnet.experiments.common.options import add_seeds_argument
from hybridnet.experiments.common.path import AMPLE_QUEUE, PathCase, PathResult, run_path
from hybridnet.experiments.common.replicate import run_all
from hybridnet.experiments.common.tcp_plot import plot_friendly, plot_windows
from hybridnet.observe.results import Check, Experiment, RunDirectory, add_experiment_arguments
from hybridnet.observe.results.estimate import Estimate, estimate

SUMMARY = "TCP throughput under loss compared with the formulas, as in figure 5-2 of Idserda 2004"
TAKES_S = 180
VIRTUAL_TIME = ()
WITHOUT_MACHINES = "everything is simulated in processes of this computer"

RTT_S = 0.06
RATE_BPS = 1_000_000_000
BITS = 1_000_000_000
SMALL_WINDOW = 65_535
LARGE_WINDOW = 131_072
"""Of the larger segments from 0.1 to 0.5 % loss, as published; there the small one would be the bottleneck."""
SIZES = (1460, 536)
MINIMUM_RTO_S = 0.2
LONGEST_STALL_S = 10.0
"""A connection that is silent for longer has stalled: it takes six losses of one segment in a row."""
SETTLED_AFTER_S = 2.0
INITIAL_WINDOW = 1
RECOVERIES: dict[str, dict[str, Any]] = {
    "rack-tlp": {"sack": True, "recovery": "sack", "limited_transmit": True, "prr": True, "rack_tlp": True},
    "sack": {"sack": True, "recovery": "sack", "limited_transmit": True, "prr": True},
    "newreno": {"recovery": "newreno"},
    "reno": {"recovery": "reno"},
}
"""How losses are found and repaired: as Linux today, by RFC 6675, by RFC 6582, and as in 2004."""


@dataclass(frozen=True)
class Point:
    """One point of a curve: all replications of one segment size and loss.

    Args:
        settled: throughput without the opening and slow start; only without loss. Bytes per second.
        rto_s: the mean of the sender's timeout, without back-off.
    """

    mss: int
    loss: float
    window: int
    throughput: Estimate
    settled: float | None
    rto_s: float
    finished: int
    runs: int
    longest_gap_s: float
    timeouts: float

    @property
    def periodic(self) -> float:
        return square_root(PERIODIC, self.mss, RTT_S, self.loss)

    @property
    def independent(self) -> float:
        return square_root(INDEPENDENT, self.mss, RTT_S, self.loss)

    @property
    def pftk(self) -> float:
        return pftk(self.mss, RTT_S, self.loss, self.rto_s, self.window)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seeds_argument(parser, 10)
    parser.add_argument(
        "--recovery",
        choices=tuple(RECOVERIES),
        default="rack-tlp",
        help="how losses are found and repaired (default: %(default)s, as Linux today)",
    )
    add_experiment_arguments(parser, "tcp-friendly", quick="six loss rates, three seeds, a tenth of the data")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run every replication.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.
    """
    quick: bool = arguments.quick
    recovery: str = arguments.recovery
    losses = [0.0, 0.002, 0.005, 0.01, 0.02, 0.05] if quick else [step / 1000 for step in range(51)]
    seeds = range(1, 1 + (min(3, arguments.seeds) if quick else arguments.seeds))
    size = BITS // 80 if quick else BITS // 8
    experiment = Experiment(
        arguments, {"bytes": size, "seeds": len(seeds), "tcp": tcp_options(1460, 0, recovery)}
    )
    cases = [case_of(mss, loss, seed, size, recovery) for mss in SIZES for loss in losses for seed in seeds]
    results = run_all(run_path, cases, experiment.console)
    points = [
        point_of([each for each in results if each.case.label == label_of(mss, loss)], mss, loss)
        for mss in SIZES
        for loss in losses
    ]
    trace = figure_4_2()
    checks = checks_of(points)
    _write(experiment.directory, points, results, trace)
    return experiment.finish(checks)


def window_of(mss: int, loss: float) -> int:
    """The receiver's window, as published."""
    return LARGE_WINDOW if mss == 1460 and 0 < loss <= 0.005 else SMALL_WINDOW


def tcp_options(mss: int, loss: float, recovery: str) -> dict[str, Any]:
    """Reno's window without delayed acknowledgements; what is lost is found and repaired as stacks do today."""
    window = window_of(mss, loss)
    return {
        "preset": "reno-2004",
        "mss": mss,
        "receive_buffer": window,
        "send_buffer": 1 << 20,
        "window_scaling": window > SMALL_WINDOW,
        "minimum_rto_ns": round(MINIMUM_RTO_S * 1e9),
        "initial_window": INITIAL_WINDOW,
        **RECOVERIES[recovery],
    }


def label_of(mss: int, loss: float) -> str:
    return f"{mss} B, {loss:.1%}"


def case_of(mss: int, loss: float, seed: int, size: int, recovery: str) -> PathCase:
    """One replication; the first of each point keeps its samples."""
    direction = {"rate_bps": RATE_BPS, "delay_ns": round(RTT_S / 2 * 1e9), "queue_packets": AMPLE_QUEUE}
    return PathCase(
        label=label_of(mss, loss),
        seed=seed,
        down=direction | {"loss": {"model": "independent", "probability": loss}},
        up=direction,
        bytes=size,
        tcp=tcp_options(mss, loss, recovery),
        limit_s=50_000,
        keep_samples=seed == 1,
    )


def point_of(results: Sequence[PathResult], mss: int, loss: float) -> Point:
    """What the replications of one point say together."""
    return Point(
        mss=mss,
        loss=loss,
        window=window_of(mss, loss),
        throughput=estimate([each.throughput for each in results]),
        settled=results[0].throughput_after(SETTLED_AFTER_S) if loss == 0 else None,
        rto_s=fmean(each.outcome["rto_s"]["mean"] for each in results),
        finished=sum(each.finished for each in results),
        runs=len(results),
        longest_gap_s=max(each.outcome["longest_gap_s"] for each in results),
        timeouts=fmean(each.outcome["timeouts"] for each in results),
    )


def figure_4_2() -> str:
    """A connection of 4580 bytes as the server sees it, line by line."""
    direction = {"rate_bps": RATE_BPS, "delay_ns": round(RTT_S / 2 * 1e9), "queue_packets": AMPLE_QUEUE}
    options = tcp_options(1460, 0, "reno")
    case = PathCase("figure 4-2", 1, direction, direction, 4580, options, limit_s=10, trace=True)
    return run_path(case).trace


def checks_of(points: Sequence[Point]) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    finished, runs = sum(point.finished for point in points), sum(point.runs for point in points)
    gap = max(point.longest_gap_s for point in points)
    checks = [
        Check(
            "every run finishes",
            f"{finished} of {runs}",
            "fewer at every rate above 1.1 %",
            "all",
            finished == runs,
        ),
        Check(
            "no run stalls: longest silence",
            f"{gap:.1f} s",
            "stalls for ever",
            f"at most {LONGEST_STALL_S:g} s",
            gap <= LONGEST_STALL_S,
        ),
    ]
    for point in points:
        if point.settled is not None:
            kib = point.settled / 1024
            checks.append(
                Check(
                    f"{point.mss} B, no loss, window {SMALL_WINDOW}: after slow start",
                    f"{kib:.1f} KiB/s ({point.throughput.mean / 1024:.1f} from SYN to the last byte)",
                    "1066.67 KB/s at most",
                    "1045 to 1067 KiB/s",
                    1045 <= kib <= 1067,
                )
            )
    for mss in SIZES:
        low = [point for point in points if point.mss == mss and 0.001 <= point.loss <= 0.005]
        high = [point for point in points if point.mss == mss and 0.005 <= point.loss <= 0.02]
        checks.append(
            _all_within(
                f"{mss} B, 0.1 to 0.5 %: beside 1.22 and 1.31",
                low,
                [(0.88 * p.periodic, 1.12 * p.independent) for p in low],
                "within 12 % of the band",
            )
        )
        checks.append(
            _all_within(
                f"{mss} B, 0.5 to 2 %: beside PFTK and 1.22",
                high,
                [(p.pftk, 1.1 * p.periodic) for p in high],
                "from PFTK to 1.1 times 1.22",
            )
        )
    return checks


def _all_within(
    what: str, points: Sequence[Point], bounds: Sequence[tuple[float, float]], bound: str
) -> Check:
    ratios = [point.throughput.mean / point.periodic for point in points]
    outside = [
        f"{point.loss:.1%}: {point.throughput.mean / 1024:.1f} KiB/s, not in {low / 1024:.1f} to {high / 1024:.1f}"
        for point, (low, high) in zip(points, bounds, strict=True)
        if not low <= point.throughput.mean <= high
    ]
    measured = f"{min(ratios):.2f} to {max(ratios):.2f} of 1.22·MSS/(RTT·√p)"
    return Check(what, "; ".join([measured, *outside]), "follows it up to 1.5 %", bound, not outside)


def _write(
    directory: RunDirectory,
    points: Sequence[Point],
    results: Sequence[PathResult],
    trace: str,
) -> None:
    directory.write_csv(
        "throughput.csv",
        [
            "mss", "loss", "window_bytes", "throughput_Bps", "half_width_Bps", "replications", "finished",
            "periodic_Bps", "independent_Bps", "pftk_Bps", "rto_s", "timeouts", "longest_gap_s",
        ],
        [
            (
                p.mss, p.loss, p.window, p.throughput.mean, p.throughput.half_width, p.throughput.replications,
                p.finished, p.periodic, p.independent, p.pftk, p.rto_s, p.timeouts, p.longest_gap_s,
            )
            for p in points
        ],
    )  # fmt: skip
    (directory.path / "figure-4-2.txt").write_text(trace, encoding="utf-8")
    plot_friendly(directory.path / "throughput.png", points)
    for result in results:
        if result.case.keep_samples:
            directory.write_csv(
                f"cwnd/{result.case.tcp['mss']}-{result.case.down['loss']['probability']:g}.csv",
                list(result.samples),
                list(zip(*result.samples.values(), strict=True)),
            )
    plot_windows(directory.path / "cwnd.png", [each for each in results if each.case.keep_samples])
