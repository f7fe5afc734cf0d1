# SPDX-License-Identifier: MIT
"""Real programs and a simulated server over a link that loses, reorders and duplicates: a short run of interop."""

from __future__ import annotations

import pytest

from hybridnet.experiments.interop.experiment import TRANSFERS, checks_of, run_transfers
from hybridnet.machines.cluster import Cluster

pytestmark = pytest.mark.thorough


def test_every_byte_comes_once_and_in_its_place() -> None:
    with Cluster.local(["m1"]) as cluster:
        transfers, verdict = run_transfers(cluster, list(TRANSFERS), 5_000_000, lambda transfer: None)
    # Whether this computer kept real time is not the matter here.
    failed = [check for check in checks_of(transfers, verdict) if not check.holds and check.what != "verdict"]
    assert not failed, failed
