# SPDX-License-Identifier: MIT
"""Figures 8 to 10, small: the same flows in real time over peering portals, pcap portals and conservative MPI."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Cluster, _simcore
from hybridnet.experiments.common.three_ways import ARMS, MACHINES, Scale, run_arm
from hybridnet.observe.results.verdict import Word

pytestmark = [pytest.mark.system, pytest.mark.thorough]

UDP_MBPS = 8.0
SCALE = Scale(
    steps=(2,),
    kinds=("udp", "tcp"),
    step_s=1.0,
    lead_s=5.0,
    udp_rate=f"{UDP_MBPS:g} Mbit/s",
    core_delay="2ms",
    exact=False,
)
missing = shutil.which("mpirun") is None or not Path(_simcore.__file__).with_name("_simcore_mpi.so").exists()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.local(MACHINES) as two:
        yield two


@pytest.mark.parametrize("arm", ARMS)
def test_an_arrangement_carries_flows_of_both_kinds_and_is_judged(cluster: Cluster, arm: str) -> None:
    if arm == "mpi" and missing:
        pytest.skip("Open MPI is not installed, or the extension was built without it")
    done = run_arm(arm, cluster, SCALE)
    [step] = done.steps
    if arm == "mpi":
        assert step.slowdown >= 0.9  # no faster than the wall clock, but for a sample that came late
        assert done.waited_share is not None
    # On a computer that has too much to do, less arrives; then the verdict must say so.
    carried = step.goodput_bps["udp"] * step.slowdown == pytest.approx(UDP_MBPS * 1e6, rel=0.2)
    assert carried or done.verdict.word is not Word.TRUSTED, step
    assert step.goodput_bps["tcp"] > 0
    assert (done.transit_ns is not None) == (arm == "peering")
