# SPDX-License-Identifier: MIT
"""In which time a network is, as far as no kernel is needed."""

from __future__ import annotations

import pytest

from hybridnet import Net, Topo
from hybridnet.errors import UsageError
from hybridnet.run.net import time as of_net


def test_real_time_is_what_there_is_anyway() -> None:
    Net(Topo(), time="real")
    Net(Topo())


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
