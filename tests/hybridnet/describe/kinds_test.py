# SPDX-License-Identifier: MIT
"""Kinds of switches: those that packages register are found by name, and say what is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.describe import kinds
from hybridnet.describe.kinds import switch_kind, switch_kinds
from hybridnet.describe.topo import Topo
from hybridnet.errors import EnvironmentLackError, TopologyError


def test_linux_bridges_are_registered_as_any_package_s() -> None:
    assert switch_kinds()[:2] == ("openvswitch", "simulated")
    assert "linux" in switch_kinds()
    assert (switch_kind("linux").name, switch_kind("linux").title) == ("linux", "Linux bridge")


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a package that registers kinds, as pip leaves it."""
    (tmp_path / "broken_kinds.py").write_text("WRONG = 5\n")
    metadata = tmp_path / "broken_kinds-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-kinds\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[hybridnet.kinds]\nwrong = broken_kinds:WRONG\nmissing = broken_kinds:NOTHING\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    caches = (kinds._registered, switch_kind, switch_kinds)
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


def test_what_is_registered_wrongly_is_said(registered: Path) -> None:
    with pytest.raises(EnvironmentLackError, match="broken_kinds:WRONG is 5, and not the SwitchKind"):
        switch_kind("wrong")
    with pytest.raises(EnvironmentLackError, match="broken_kinds:NOTHING cannot be loaded: AttributeError"):
        switch_kind("missing")


def test_a_package_that_is_not_there_is_said() -> None:
    with pytest.raises(EnvironmentLackError, match="no package that is installed here registers"):
        switch_kind("nothing")


@pytest.mark.parametrize("kind", ["lunux", 5, True, "", "LINUX"])
def test_a_kind_that_does_not_exist_is_refused(kind: object) -> None:
    with pytest.raises(TopologyError, match="switch s1: kind"):
        Topo().addSwitch("s1", kind=kind)


def kind_of(**options: object) -> tuple[str, bool]:
    topo = Topo()
    topo.addSwitch("s1", **options)
    spec = topo.node_spec("s1")
    return spec.kind, spec.simulated


def test_a_switch_is_of_open_vswitch_unless_it_says_otherwise() -> None:
    assert kind_of() == kind_of(kind=None) == kind_of(kind="openvswitch") == ("openvswitch", False)
    assert kind_of(kind="simulated") == ("simulated", True)
    assert kind_of(kind="linux") == ("linux", False)


def test_a_class_says_its_kind() -> None:
    assert kind_of(cls=switch_kind("linux").live) == ("linux", False)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"kind": "linux", "dpid": "1"},
            "a Linux bridge has no dpid; leave it out, or leave kind='linux' out",
        ),
        ({"kind": "linux", "table_size": 5}, "a Linux bridge has no table_size"),
        ({"kind": "linux", "stp": "rstp"}, "a Linux bridge has no rstp; write stp=True"),
        ({"kind": "simulated", "stp": True}, "a simulated switch has no stp"),
        (
            {"kind": "openvswitch", "table_size": 5},
            "only a simulated switch has table_size; add kind='simulated'",
        ),
        (
            {"datapath": "user", "setup_rate": 5},  # it says where it forwards, so it is no other kind
            "only a simulated switch has setup_rate; add kind='simulated'",
        ),
    ],
)
def test_options_of_other_kinds_are_refused_as_they_are_written(
    options: dict[str, object], says: str
) -> None:
    with pytest.raises(TopologyError, match=f"switch s1: .*{says}"):
        Topo().addSwitch("s1", **options)


def test_an_option_of_another_kind_that_asks_for_nothing_is_let_in() -> None:
    assert kind_of(kind="linux", dpid=None, inband=False) == ("linux", False)


def test_the_options_of_a_switch_that_leaves_its_kind_open_may_be_those_of_either() -> None:
    assert kind_of(table_size=5) == ("openvswitch", False), "--switches may yet choose"
