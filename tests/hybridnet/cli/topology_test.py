# SPDX-License-Identifier: MIT
"""A topology of the command line, and what --set says of its parameters."""

from __future__ import annotations

import pytest

from hybridnet.cli.topology import find_topology
from hybridnet.errors import UsageError
from hybridnet.tools.sweep.values import given, refuse_unasked


def test_a_parameter_is_said_once_in_the_topology_or_by_set() -> None:
    for text in ("single,k=3", "single,3"):
        with (
            given({"k": "4"}),
            pytest.raises(UsageError, match=f"--set k=4: --topo {text} says already that k is 3"),
        ):
            find_topology(None, text)
    with given({"k": "4"}):
        topo = find_topology(None, "single")
        refuse_unasked()
    assert topo.hosts() == ["h1", "h2", "h3", "h4"]
