# SPDX-License-Identifier: MIT
"""The dumbbell of `hybridnet reproduce dumbbell` with single segments, on simcore and on ns-3, in turns: their ratio.

    cmake -B build/ns3 -G Ninja -DCMAKE_BUILD_TYPE=Release -DSIMCORE_BENCH_NS3=ON
    cmake --build build/ns3 --target ns3_dumbbell
    .venv/bin/python benchmarks/ns3_dumbbell.py build/ns3/simcore/ns3_dumbbell --out runs/ns3-dumbbell.json

Not part of the suite: it needs ns-3 (Debian: libns3-dev), and a quarter of an hour. Compared is processor time for a
simulated second, medians over the rounds. Goal: 25 times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.result import Result, machine
from hybridnet.experiments.dumbbell.network import NS, build
from hybridnet.observe.results.commit import commit

FLOWS = (1, 16, 64)
SIMULATED_S = {1: 20.0, 16: 3.0, 64: 2.0}
HOSTS_PER_SIDE = 64
GOAL = 25.0


def ns3(program: Path, flows: int) -> tuple[float, float]:
    """Processor seconds for a simulated one, and goodput in the second half in bits per second."""
    simulated_s = SIMULATED_S[flows]
    done = subprocess.run(
        [program, str(flows), f"{simulated_s:g}"], stdout=subprocess.PIPE, text=True, check=True
    )
    figures = json.loads(done.stdout)
    return figures["processor_s"] / simulated_s, figures["goodput_bps"]


def simcore(flows: int) -> tuple[float, float]:
    """The same of simcore."""
    simulated_s = SIMULATED_S[flows]
    # ns-3's hosts answer at once too
    simulation = build(HOSTS_PER_SIDE, (flows,), simulated_s, trains=False, answer_jitter_ns=0)
    began, counts = time.thread_time(), []
    for _ in range(2):
        simulation.run_for(round(simulated_s / 2 * NS))
        counts.append(sum(simulation.received_bytes(f"flow-{index}") for index in range(flows)))
    took = time.thread_time() - began
    return took / simulated_s, 8 * (counts[1] - counts[0]) / (simulated_s / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare simcore's dumbbell with ns-3's.")
    parser.add_argument("program", type=Path, help="ns3_dumbbell, as built")
    parser.add_argument("--rounds", type=int, default=3, help="of both, in turns (default: 3)")
    parser.add_argument("--flows", type=int, choices=FLOWS, action="append", help="only so many")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    arguments = parser.parse_args()
    rows = []
    for flows in arguments.flows or FLOWS:
        theirs, ours = [], []
        for _ in range(arguments.rounds):
            theirs.append(ns3(arguments.program, flows))
            ours.append(simcore(flows))
        costs = {"ns-3": median(cost for cost, _ in theirs), "simcore": median(cost for cost, _ in ours)}
        name = f"ns3_dumbbell/{flows}"
        results = [Result(f"{name}/{who}", cost, "s/s", less_is_better=True) for who, cost in costs.items()]
        results += [Result(f"{name}/ns-3/goodput", theirs[0][1] / 1e9, "Gbit/s")]
        results += [Result(f"{name}/simcore/goodput", ours[0][1] / 1e9, "Gbit/s")]
        results.append(Result(f"{name}/ratio", costs["ns-3"] / costs["simcore"], "times", GOAL))
        for result in results:
            print(result, flush=True)
            rows.append({**result.to_json(), "machine": machine(), "commit": commit()})
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
