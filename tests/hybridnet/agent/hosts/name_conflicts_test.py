# SPDX-License-Identifier: MIT
"""Names that something else on this computer has are refused, with the cure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hybridnet.agent.hosts.name_conflicts import refuse_taken
from hybridnet.errors import MachineError


def plan() -> dict[str, Any]:
    """h1 on s1, and a portal beside it; h0 is in the computer's own namespace."""
    return {
        "hosts": [{"name": "h1"}, {"name": "h0", "in_namespace": False}],
        "switches": [{"name": "s1"}],
        "pairs": [
            {"a": {"node": "h1", "interface": "h1-eth0"}, "b": {"node": "s1", "interface": "s1-eth1"}},
            {"a": {"node": "h0", "interface": "h0-eth0"}, "b": {"node": "s1", "interface": "s1-eth2"}},
        ],
        "portals": [{"node": "s1", "interface": "s1-eth3", "device": "s1-eth3p"}],
    }


def computer(tmp_path: Path, networks: list[str], devices: list[str]) -> tuple[Path, Path]:
    for folder, names in (("netns", networks), ("net", devices)):
        (tmp_path / folder).mkdir()
        for name in names:
            (tmp_path / folder / name).touch()
    return tmp_path / "netns", tmp_path / "net"


def test_names_that_are_free_pass(tmp_path: Path) -> None:
    # A host without a namespace of its own takes no name of one, and interfaces in hosts are not the computer's.
    refuse_taken(plan(), *computer(tmp_path, ["h0", "h2"], ["lo", "h1-eth0", "s2"]))


@pytest.mark.parametrize(
    ("networks", "devices", "said"),
    [
        (["h1"], [], r"host h1: .* \(ip netns delete h1\)"),
        ([], ["s1"], "switch s1: this computer has a network device of that name; remove it"),
        ([], ["s1-eth1"], "interface s1-eth1: .*ip link delete dev s1-eth1"),
        ([], ["h0-eth0"], "interface h0-eth0"),
        ([], ["s1-eth3p"], "portal s1-eth3p"),
    ],
)
def test_a_taken_name_is_refused_with_the_cure(
    tmp_path: Path, networks: list[str], devices: list[str], said: str
) -> None:
    with pytest.raises(MachineError, match=said):
        refuse_taken(plan(), *computer(tmp_path, networks, devices))
