# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.recording.trace_files import split_traced

KINDS = {"a": "simhost", "r1": "simrouter", "h1": "host"}


def test_names_of_simulated_hosts_are_apart_from_those_of_interfaces() -> None:
    assert split_traced(["r1-eth1", "a", "a-eth0"], KINDS) == (["r1-eth1", "a-eth0"], ["a"])
    assert split_traced([], KINDS) == ([], [])


@pytest.mark.parametrize(
    ("name", "cure"), [("r1", "name its interfaces, such as r1-eth1"), ("h1", "run ss or")]
)
def test_a_node_that_has_no_simulated_connections_is_refused_with_the_cure(name: str, cure: str) -> None:
    with pytest.raises(UsageError, match=f"--trace {name}: it is not a simulated host; .*{cure}"):
        split_traced(["a", name], KINDS)
