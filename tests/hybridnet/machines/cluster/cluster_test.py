# SPDX-License-Identifier: MIT
"""What a cluster refuses before it starts anything; tests/system/cluster_test.py has the rest."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError, MachineError, UsageError
from hybridnet.machines.cluster import Cluster
from hybridnet.machines.workers.certificates import make_certificate
from hybridnet.machines.workers.security import security_of


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.mark.parametrize("names", [[], ["m1", "m1"], ["1m"], ["a/b"], [".."], ["x" * 33]])
def test_names_that_cannot_be_machines_are_refused(names: list[str], state: Path) -> None:
    with pytest.raises(UsageError):
        Cluster.local(names)
    assert not state.exists()


def test_local_machines_need_root(monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLackError, match="sudo"):
        Cluster.local(["m1"])
    assert not state.exists()


def test_a_scheduler_that_is_not_there_is_named_and_nothing_stays(state: Path) -> None:
    security = security_of(make_certificate("none"))
    with pytest.raises(MachineError, match=r"tls://127\.0\.0\.1:9"):
        Cluster.connect("tls://127.0.0.1:9", security=security, timeout=0.2)
    assert not state.exists()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "127.0.0.1:9", "inproc://x"])
def test_a_scheduler_without_tls_is_refused(address: str, state: Path) -> None:
    with pytest.raises(UsageError, match="without TLS"):
        Cluster.connect(address)
    assert not state.exists()


def test_a_scheduler_cannot_be_asked_without_a_certificate(state: Path) -> None:
    with pytest.raises(UsageError, match="no certificate for the client"):
        Cluster.connect("tls://127.0.0.1:9")
    assert not state.exists()
