# SPDX-License-Identifier: MIT
"""What becomes of a fault that was found, whatever trials of fewer events come to."""

from __future__ import annotations

import contextlib

import pytest

from hybridnet.tools.explore import Explore, Finding, Observed, Schedule
from hybridnet.tools.explore import explore as exploring
from hybridnet.tools.explore.tables import NotUnderstoodError
from hybridnet.topologies import LinearTopo


class OfTwo(Explore):
    """Two events end the application; with fewer, it goes on to flows of which nothing can be said."""

    def trial(
        self, schedule: Schedule, seed: int = 1, *, settle_ns: int | None = None
    ) -> tuple[list[Finding], Observed]:
        if len(schedule) < 2:
            raise NotUnderstoodError("explore: switch s1: a flow has an action of type 65535")
        return [Finding("controller-runs", "it ended")], Observed(self.site, dict(self.site.homes))


def test_a_fault_is_kept_where_fewer_events_lead_to_tables_that_nobody_understands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exploring, "ControllerFactory", lambda *_: contextlib.ExitStack())
    with OfTwo("tree_switch", topo=LinearTopo(k=3)) as explore:
        report = explore.run([1])
    assert report.counterexample is not None
    assert len(report.counterexample.schedule) == 2
    assert report.counterexample.shown == report.counterexample.repeated == 5
