# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.observe.results.open_runs import Watch, began, ended
from hybridnet.observe.results.verdict import Verdict


def test_a_watch_collects_what_ended_and_stops_what_runs_last_first() -> None:
    log: list[str] = []

    def runs(name: str) -> None:
        def stop() -> None:
            log.append(name)
            ended(stop, Verdict.of([name]))

        began(stop)

    began(print)
    ended(print, Verdict.of([]))
    with Watch() as watch:
        runs("one")
        runs("two")
        assert watch.stop_running() == 2
        assert watch.stop_running() == 0
    assert log == ["two", "one"]
    assert [verdict.reasons for verdict in watch.verdicts] == [["two"], ["one"]]
    ended(print, Verdict.of(["afterwards"]))
    assert len(watch.verdicts) == 2


def test_what_cannot_be_stopped_keeps_nothing_else_running() -> None:
    log: list[str] = []

    def fail() -> None:
        raise RuntimeError("it does not end")

    with Watch() as watch:
        began(lambda: log.append("stopped"))
        began(fail)
        with pytest.raises(RuntimeError, match="does not end"):
            watch.stop_running()
    assert log == ["stopped"]
