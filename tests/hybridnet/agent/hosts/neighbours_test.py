# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.agent.hosts.neighbours import ENTRIES_FOR_ANY_RUN, NeighbourLimits
from hybridnet.system.journal import Journal


def test_limits_raised_for_two_runs_go_back_with_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    limit = tmp_path / "gc_thresh3"
    limit.write_text("1024")
    monkeypatch.setattr("hybridnet.agent.hosts.neighbours._DIRECTORIES", (tmp_path,))
    first, second = Journal.create(), Journal.create()
    limits = [NeighbourLimits(first), NeighbourLimits(second)]
    for each in limits:
        each.raise_for(10)
    assert limit.read_text() == str(ENTRIES_FOR_ANY_RUN)
    limits[0].restore()
    assert limit.read_text() == str(ENTRIES_FOR_ANY_RUN)
    limits[1].restore()
    assert limit.read_text() == "1024"
