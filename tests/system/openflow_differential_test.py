# SPDX-License-Identifier: MIT
"""Two of Open vSwitch under random tables do the same, unless one of them is told something else."""

from __future__ import annotations

import pytest

from hybridnet import Cluster
from hybridnet.experiments.openflow_differential.testbed import Judgement, bench

FRAMES = 30


@pytest.mark.thorough
def test_open_vswitch_beside_itself_agrees_and_beside_a_tampered_one_does_not() -> None:
    # Each frame that differs is sent again, alone: of a tampered switch two pipelines show enough.
    with Cluster.local(["m1"]) as cluster:
        for tampers, pipelines in ((False, 8), (True, 2)):
            judgement = Judgement()
            with bench(cluster, "openvswitch", "openvswitch", tampers=tampers) as two:
                two.compare(range(pipelines), FRAMES, judgement)
            assert judgement.frames == pipelines * FRAMES
            assert judgement.leaving > judgement.frames / 4
            assert bool(judgement.deviations) is tampers, judgement.deviations[:1]
