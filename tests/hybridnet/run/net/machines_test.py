# SPDX-License-Identifier: MIT
"""The machines of a network: which they are before it starts, and where their files are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import MachineError
from hybridnet.run.net.machines import NetMachines
from hybridnet.topologies import TwoTrees
from tests.hybridnet.run.net.support import FakeCluster


def test_their_names_are_those_of_the_cluster_or_of_the_description_or_here() -> None:
    topo = TwoTrees(depth=1)
    assert NetMachines(FakeCluster("a", "b")).names(topo) == ["a", "b"]  # type: ignore[arg-type]
    assert NetMachines(None).names(topo) == ["m1", "m2"]
    assert NetMachines("here").names(topo) == ["here"]


def test_those_of_its_own_are_there_once_it_has_begun() -> None:
    own = NetMachines(None)
    assert (own.there, own.given) == (False, False)
    with pytest.raises(MachineError, match="not running"):
        _ = own.cluster
    cluster = FakeCluster()
    given = NetMachines(cluster)  # type: ignore[arg-type]
    assert (given.there, given.given, given.cluster) == (True, True, cluster)


def test_a_folder_is_looked_for_on_every_machine_or_here(tmp_path: Path) -> None:
    cluster = FakeCluster("m1", "m2")
    NetMachines(cluster).require_folder("/there")  # type: ignore[arg-type]
    assert cluster.calls == [(name, "check_folder", {"folder": "/there"}) for name in ("m1", "m2")]
    own = NetMachines(None)
    own.require_folder(str(tmp_path))
    with pytest.raises(MachineError, match="there is no folder"):
        own.require_folder(str(tmp_path / "missing"))
