# SPDX-License-Identifier: MIT
"""In the guest of `make test-stock`: what each arm of the comparison carries of a TCP and a UDP flow, and the ratios.

Each arm is on the datapath of the kernel, and each must bring something of both flows. How much says little: without
hardware virtualization it is the emulator's (TCG's) speed, not that of a computer with this kernel.

python tests/stock/ratios.py tcg
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from hybridnet import Cluster
from hybridnet.experiments.maxinet.arms import RECEIVERS, SENDERS
from hybridnet.experiments.maxinet.datapath import resolve
from hybridnet.experiments.maxinet.experiment import ARMS
from hybridnet.experiments.maxinet.measure import climb
from hybridnet.experiments.maxinet.report import ArmRound, compare
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.experiments.maxinet.tables import LEGEND, table_of
from hybridnet.observe.results.console import PlainConsole
from hybridnet.run.net.startup import machine_specs

SCALE = replace(PAPER, name="stock", depth=2, steps=(1,), seconds_per_step=10)
SWITCHES = 2**SCALE.depth - 1


def main() -> int:
    """Returns 1 when an arm brings nothing of one of the flows, or is not on the kernel's datapath."""
    [accelerator] = sys.argv[1:]
    console = PlainConsole()
    runs: list[ArmRound] = []
    with Cluster.local([SENDERS, RECEIVERS]) as cluster, tempfile.TemporaryDirectory() as folder:
        datapath = resolve("auto", machine_specs(cluster), SWITCHES)
        for kind in ARMS.values():
            with kind(cluster, SCALE, datapath, Path(folder)) as arm:
                runs.append(climb(arm, SCALE, lambda what, s: None))
    [step] = compare(SCALE, [runs])
    console.print(
        table_of(
            f"Goodput in this guest, Mbit/s, Open vSwitch's datapath {datapath.type}; the ratios are {accelerator}'s, "
            "not those of a computer with this kernel",
            [step],
        )
    )
    console.print(LEGEND, highlight=False)
    for reason in step.reasons:
        console.print(reason, highlight=False)
    silent = [arm for arm in step.total_bps if not step.tcp_bps[arm] or not step.udp_bps[arm]]
    if silent:
        console.print(f"nothing came of a flow of {', '.join(silent)}")
    return 1 if silent or datapath.type != "system" else 0


if __name__ == "__main__":
    sys.exit(main())
