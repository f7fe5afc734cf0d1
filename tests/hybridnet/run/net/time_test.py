# SPDX-License-Identifier: MIT
"""In which time a network is, as far as no kernel is needed."""

from __future__ import annotations

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import PlanError, UsageError
from hybridnet.run.net import time as of_net


def test_real_time_is_what_there_is_anyway() -> None:
    Net(Topo(), time="real")
    Net(Topo())


def test_a_slow_network_is_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Net(Topo(), slow=4).slow, Net(Topo()).slow) == (4, 1)
    with pytest.raises(PlanError, match="slow"):
        Net(Topo(), slow=0.5)
    with pytest.raises(UsageError, match="slow=4 is for real time, and this run is in simulated time"):
        Net(Topo(), slow=4, time="simulated")
    monkeypatch.setattr(of_net, "time_is_simulated", lambda: True)
    with pytest.raises(UsageError, match="slow=4 is for real time, and this run is in simulated time"):
        Net(Topo(), slow=4)


def test_virtual_time_is_not_slow() -> None:
    for simulate in (lambda net: net.simulate("1s"), lambda net: net.stepping()):
        with pytest.raises(
            UsageError, match="slow=4 is for real time, and virtual time has a pace of its own"
        ):
            simulate(Net(Topo(), slow=4))


def test_there_are_two_times() -> None:
    with pytest.raises(UsageError, match="Net: time 'virtual' does not exist; write one of real, simulated"):
        Net(Topo(), time="virtual")


def test_a_script_that_wants_real_time_is_refused_where_time_is_simulated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(of_net, "time_is_simulated", lambda: True)
    Net(Topo(), time="simulated")
    with pytest.raises(UsageError, match='time "real", and the command line says --time simulated'):
        Net(Topo(), time="real")
