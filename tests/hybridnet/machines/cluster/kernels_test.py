# SPDX-License-Identifier: MIT
"""How machines that are kernels in simulated time are reached."""

from __future__ import annotations

import json

import pytest

from hybridnet.errors import UsageError
from hybridnet.machines.cluster.kernels import kernels_of_run
from hybridnet.system.simulated_time import KERNELS_VARIABLE

TOLD = {
    "head": "198.19.255.254",
    "machines": ["198.19.255.1", "198.19.255.2"],
    "key": "/k",
    "known_hosts": "/h",
}


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KERNELS_VARIABLE, json.dumps(TOLD))


def test_a_run_without_kernels_for_machines_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KERNELS_VARIABLE)
    assert kernels_of_run() is None


def test_names_are_given_in_order() -> None:
    kernels = kernels_of_run()
    assert kernels is not None
    assert kernels.head == "198.19.255.254"
    assert [(each.name, each.target, each.identity) for each in kernels.machines(["left", "right"])] == [
        ("left", "root@198.19.255.1", "/k"),
        ("right", "root@198.19.255.2", "/k"),
    ]


def test_more_machines_than_kernels_are_refused_with_the_option_that_makes_as_many() -> None:
    kernels = kernels_of_run()
    assert kernels is not None
    with pytest.raises(
        UsageError, match=r"3 machines in simulated time \(a, b, c\).* 2 kernels.*--machines 3"
    ):
        kernels.machines(["a", "b", "c"])
