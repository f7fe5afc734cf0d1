# SPDX-License-Identifier: MIT
"""The C++ benchmarks: google-benchmark's figures in our units, and their goals."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from benchmarks.result import Result
from hybridnet.system.huge_pages import HUGE_PAGES

MIN_TIME_S = 0.5
LIMIT_S = 900.0

# What a row of google-benchmark's may have: our unit, the factor, whether less is better.
QUANTITIES = {
    "items_per_second": ("million/s", 1e-6, False),
    "Gbit/s": ("Gbit/s", 1.0, False),
    "per_packet": ("ns", 1e9, True),
}

GOALS = {  # each is explained at the head of its source file
    ("event_queue_bench/simcore_kernel/1000", "million/s"): 20,
    ("event_queue_bench/simcore_kernel/100000", "million/s"): 12,
    ("event_queue_bench/simcore_kernel/1000000", "million/s"): 8,
    ("link_pipeline_bench/link_pipeline/bytes:64/in_flight:0", "ns"): 30,
    ("link_pipeline_bench/link_pipeline/bytes:64/in_flight:26214400", "ns"): 30,
    ("link_pipeline_bench/link_pipeline/bytes:1500/in_flight:0", "ns"): 200,
    ("link_pipeline_bench/link_pipeline/bytes:1500/in_flight:26214400", "ns"): 300,
    ("peering_bench/trains/real_time", "Gbit/s"): 4,
    ("peering_bench/frames_of_64_bytes/real_time", "million/s"): 1,
}


def run(path: Path) -> list[Result]:
    """Run one binary, with the memory that instances have, and read what it measured."""
    done = subprocess.run(
        [str(path), "--benchmark_format=json", f"--benchmark_min_time={MIN_TIME_S}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # google-benchmark's remarks on the machine
        text=True,
        check=True,
        timeout=LIMIT_S,
        env={**os.environ, **HUGE_PAGES},
    )
    results = []
    for row in json.loads(done.stdout)["benchmarks"]:
        name = f"{path.name}/{row['name']}"
        if row.get("error_occurred"):
            results.append(Result(name, None, "", skipped=row["error_message"]))
            continue
        for key, (unit, factor, less_is_better) in QUANTITIES.items():
            if key in row:
                goal = GOALS.get((name, unit))
                results.append(Result(name, row[key] * factor, unit, goal, less_is_better))
    return results
