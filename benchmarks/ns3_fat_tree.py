# SPDX-License-Identifier: MIT
"""A fat tree (k = 8) with 128 TCP flows, ten seeds, by `hybridnet simulate` and by ns-3: wall times and goodputs.

    cmake -B build/ns3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DSIMCORE_BENCH_NS3=ON
    cmake --build build/ns3 --target ns3_fat_tree
    .venv/bin/python benchmarks/ns3_fat_tree.py build/ns3/simcore/ns3_fat_tree --out runs/ns3-fat-tree.json

Not part of the suite: it needs ns-3 (Debian: libns3-dev), and some minutes. Both arms run as many seeds at once as
there are processors; their wall times are those of whole programs, from their start to the last seed's result.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result, machine
from hybridnet.observe.results.commit import commit
from hybridnet.observe.results.estimate import estimate

TOPOLOGY = Path(__file__).resolve().parent / "fat_tree_flows.py"


def ns3(program: Path, seeds: int, seconds: float) -> tuple[float, list[float]]:
    """Wall seconds, and each seed's total goodput in bits per second."""

    def one(seed: int) -> dict[str, Any]:
        done = subprocess.run(
            [program, str(seed), f"{seconds:g}"], stdout=subprocess.PIPE, text=True, check=True
        )
        figures: dict[str, Any] = json.loads(done.stdout)
        return figures

    began = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        figures = list(pool.map(one, range(1, seeds + 1)))
    return time.perf_counter() - began, [each["goodput_bps"] for each in figures]


def hybridnet(seeds: int, seconds: float) -> tuple[float, list[float]]:
    """The same of ``hybridnet simulate``."""
    with tempfile.TemporaryDirectory() as scratch:
        run = Path(scratch) / "run"
        options = ["--until", f"{seconds * 1e3:g}ms", "--seeds", str(seeds), "--out", str(run)]
        command = [sys.executable, "-m", "hybridnet.cli", "simulate", str(TOPOLOGY), *options]
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        took = time.perf_counter() - began
        bits = dict.fromkeys(range(1, seeds + 1), 0.0)
        with (run / "figures.csv").open() as file:
            for row in csv.DictReader(file):
                if row["name"] == "received_bytes" and ":tcp_discard:" in row["element"]:
                    bits[int(row["seed"])] += 8 * float(row["value"])
    return took, [each / seconds for each in bits.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare a fat tree's simulation with ns-3's.")
    parser.add_argument("program", type=Path, help="ns3_fat_tree, as built")
    parser.add_argument("--seeds", type=int, default=10, help="(default: 10)")
    parser.add_argument("--seconds", type=float, default=0.05, help="simulated by each seed (default: 0.05)")
    parser.add_argument("--rounds", type=int, default=1, help="of both, in turns (default: 1)")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    walls: dict[str, list[float]] = {"ns-3": [], "hybridnet": []}
    goodput: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        took, goodput["hybridnet"] = hybridnet(arguments.seeds, arguments.seconds)
        walls["hybridnet"].append(took)
        took, goodput["ns-3"] = ns3(arguments.program, arguments.seeds, arguments.seconds)
        walls["ns-3"].append(took)
    name = "ns3_fat_tree"
    results = []
    for arm, taken in walls.items():
        over = estimate(goodput[arm])
        results += [
            Result(f"{name}/{arm}/wall", median(taken), "s", less_is_better=True),
            Result(f"{name}/{arm}/goodput", over.mean / 1e9, "Gbit/s"),
            Result(f"{name}/{arm}/goodput_interval", over.half_width / 1e9, "Gbit/s"),
        ]
    results.append(Result(f"{name}/ratio", median(walls["ns-3"]) / median(walls["hybridnet"]), "times"))
    for result in results:
        print(result, flush=True)
    rows = [{**result.to_json(), "machine": machine(), "commit": commit()} for result in results]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
