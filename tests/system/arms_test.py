# SPDX-License-Identifier: MIT
"""The arms of the comparison with MaxiNet, small: each comes up on the common datapath, and carries packets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hybridnet import Cluster
from hybridnet.experiments.maxinet.arms import RECEIVERS, SENDERS
from hybridnet.experiments.maxinet.datapath import resolve
from hybridnet.experiments.maxinet.experiment import ARMS
from hybridnet.experiments.maxinet.scale import PAPER
from hybridnet.run.net.startup import machine_specs

SMALL = replace(PAPER, name="small", depth=2, steps=(1,), seconds_per_step=3)
SWITCHES = 2**SMALL.depth - 1

pytestmark = [pytest.mark.system, pytest.mark.thorough]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.local([SENDERS, RECEIVERS]) as two:
        yield two


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_joins_its_trees_on_the_datapath_that_all_arms_have(
    cluster: Cluster, name: str, tmp_path: Path
) -> None:
    datapath = resolve("auto", machine_specs(cluster), SWITCHES)
    with ARMS[name](cluster, SMALL, datapath, tmp_path) as arm:
        far = f"h{2 * 2**SMALL.depth}"
        ping = f"nsenter --net={arm.netns('h1')} ping -c 3 -i 0.2 -W 5 {arm.address(far)}"
        answer = cluster.call(SENDERS, "exec", argv=ping)
        assert " 0% packet loss" in answer["stdout"].decode(), answer
        for machine in (SENDERS, RECEIVERS) if arm.open_vswitch else ():
            assert arm.settings["open_vswitch"][machine]["datapath_type"] == datapath.type
