# SPDX-License-Identifier: MIT
"""Runs the benchmarks and writes their figures into one JSON file.

    .venv/bin/python benchmarks/run.py --binaries build/bench/simcore --out runs/bench.json --only portal

A benchmark is a binary NAME_bench below --binaries, or a Python file beside this one with ``run() -> list[Result]``.
One that cannot run is reported as skipped, with the reason. Nothing here fails because a figure is bad.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import binary
from benchmarks.result import Result, machine
from hybridnet import HybridnetError
from hybridnet.observe.results.commit import commit

PYTHON = (
    "portal",
    "waiting",
    "capture_thread",
    "peering",
    "instances",
    "guest",
    "trees",
    "openflow_path",
    "boot",
    "eight_machines",
    "under_load",
    "watching",
    "background",
    "fluid_flows",
    "fidelity",
    "fast_forward",
    "simulated_time",
)

Benchmark = Callable[[], list[Result]]


def find(binaries: Path | None) -> dict[str, Benchmark]:
    """All benchmarks by name; Python's are imported only when they run."""
    found: dict[str, Benchmark] = {}
    for path in sorted(binaries.glob("**/*_bench")) if binaries else []:
        found[path.name] = functools.partial(binary.run, path)
    for name in PYTHON:
        found[name] = functools.partial(_run_module, f"benchmarks.{name}")
    return found


def _run_module(name: str) -> list[Result]:
    results: list[Result] = importlib.import_module(name).run()
    return results


def run(name: str, benchmark: Benchmark) -> list[Result]:
    """The figures of one benchmark; a skipped one where it cannot run."""
    try:
        return benchmark()
    except (HybridnetError, ImportError, OSError, subprocess.SubprocessError) as error:
        return [Result(name, None, "", skipped=f"{type(error).__name__}: {error}")]


def main() -> None:
    parser = argparse.ArgumentParser(description="Run the benchmarks.")
    parser.add_argument("--binaries", type=Path, help="where the C++ benchmarks were built")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON too, and all else to standard error"
    )
    parser.add_argument("--only", default="", help="run the benchmarks whose names contain this")
    arguments = parser.parse_args()
    benchmarks = {name: found for name, found in find(arguments.binaries).items() if arguments.only in name}
    if not benchmarks:
        parser.error(f"no benchmark's name contains {arguments.only!r}")
    told = sys.stderr if arguments.json else sys.stdout
    rows = []
    origin = {"machine": machine(), "commit": commit()}
    for number, (name, benchmark) in enumerate(benchmarks.items(), 1):
        print(f"[{number}/{len(benchmarks)}] {name} ...", file=told, flush=True)
        began = time.monotonic()
        for result in run(name, benchmark):
            print(f"    {result}", file=told, flush=True)
            rows.append({**result.to_json(), **origin})
        print(f"    {time.monotonic() - began:.0f} s", file=told, flush=True)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"{len(rows)} figures in {arguments.out}", file=told)
    if arguments.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
