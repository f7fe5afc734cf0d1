# SPDX-License-Identifier: MIT
"""Questions to the kernel."""

from __future__ import annotations

from hybridnet.system.netlink import has_family


def test_a_family_of_generic_netlink_is_there_or_not() -> None:
    """The controller of families is one itself, and every kernel with generic netlink has it."""
    assert has_family("nlctrl")
    assert not has_family("no_such_family")
