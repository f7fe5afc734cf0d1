# SPDX-License-Identifier: MIT
"""What netdevice(7) tells of interfaces, of the loopback, which every computer has."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import EnvironmentLackError
from hybridnet.system.interfaces import mac_of, mtu_of, require_interface, require_root

LOOPBACK = Path("/sys/class/net/lo")


def test_the_mtu_and_the_mac_of_an_interface_are_those_that_the_kernel_shows() -> None:
    require_interface("lo", "test")
    assert mtu_of("lo") == int((LOOPBACK / "mtu").read_text())
    assert mac_of("lo") == (LOOPBACK / "address").read_text().strip()


@pytest.mark.parametrize("name", ["none-1", "x" * 300, "\udc80"])
def test_an_interface_that_is_not_there_is_refused_in_words(name: str) -> None:
    with pytest.raises(EnvironmentLackError, match=r"^test: there is no interface .*`ip link` lists"):
        require_interface(name, "test")


def test_who_is_not_root_is_told_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(EnvironmentLackError, match=r"^test: .* needs root; run it with sudo$"):
        require_root("test")
