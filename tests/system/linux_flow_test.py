# SPDX-License-Identifier: MIT
"""Linux's own TCP over a simulated link, beside the simulated one: a short run of differential's real arm."""

from __future__ import annotations

import pytest

from hybridnet.experiments.common.path import run_path
from hybridnet.experiments.differential.cells import PAYLOAD_BPS, Cell
from hybridnet.experiments.differential.experiment import bits_per_second
from hybridnet.experiments.differential.real import run_batch
from hybridnet.machines.cluster import Cluster

pytestmark = pytest.mark.slow

SECONDS = 5.0
FULL = Cell(False, "cubic", 0.01, 0.0)
LOSSY = Cell(False, "reno", 0.01, 0.02)


def test_linux_and_simulated_flows_have_about_the_same() -> None:
    with Cluster.local(["m1"]) as cluster:
        batch = run_batch(cluster, [FULL, LOSSY], 1, SECONDS, 0.1)
    full, lossy = batch.flows
    assert 0.7 * PAYLOAD_BPS < full.throughput_bps <= PAYLOAD_BPS
    assert full.column("mss")[-1] == 1448
    # Five seconds are some hundred losses; how many exactly is chance, and the computer may be busy.
    assert lossy.column("retransmitted_segments")[-1] > 20
    simulated = bits_per_second(run_path(LOSSY.case(1, SECONDS, 0.1)), SECONDS)
    assert lossy.throughput_bps == pytest.approx(simulated, rel=0.5)
