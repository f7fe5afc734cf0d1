# SPDX-License-Identifier: MIT
"""A clock that is shown 2 ms ahead: an error of the delays where it is told, and none where it is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet import Cluster
from hybridnet.experiments.clock_error.experiment import NAMES, measure

pytestmark = [pytest.mark.system, pytest.mark.thorough]

AHEAD_US = 2_000
BUSY_NS = 500_000
"""What a busy computer may add to the median."""


def test_an_error_of_the_clock_is_one_of_the_delays_only_where_clocks_are_told(tmp_path: Path) -> None:
    with Cluster.local(NAMES) as cluster:
        told, measured = (
            measure(cluster, clocks, AHEAD_US, 0, 0.5, tmp_path) for clocks in ("told", "measured")
        )
    assert told.errors[2].delay_ns == pytest.approx(-AHEAD_US * 1e3, abs=BUSY_NS)
    assert told.errors[1].delay_ns == pytest.approx(AHEAD_US * 1e3, abs=BUSY_NS)
    assert told.errors[2].misplaced > 0.9
    for sink in (1, 2):
        assert measured.errors[sink].delay_ns == pytest.approx(0, abs=BUSY_NS)
        assert measured.errors[sink].misplaced < told.errors[sink].misplaced
