# SPDX-License-Identifier: MIT
"""What was set of a node, so that it can be set again."""

from __future__ import annotations

from functools import partial

from hybridnet.run.node.settings import Settings


def said(settings: Settings) -> list[str]:
    heard: list[str] = []
    for again in settings.taken():
        heard.append(str(again()))
    return heard


def test_the_last_of_each_kind_counts_in_the_order_of_setting() -> None:
    settings = Settings()
    for kind, value, interface in (
        ("address 4", "one", "h1-eth0"),
        ("MAC", "two", "h1-eth0"),
        ("address 4", "three", "h1-eth1"),
        ("address 4", "four", "h1-eth0"),
    ):
        settings.note(kind, partial(str, value), interface)
    assert said(settings) == ["two", "three", "four"]


def test_what_the_kernel_undid_and_what_has_no_interface_any_more_is_not_set_again() -> None:
    settings = Settings()
    for kind, interface in (
        ("route default", "h1-eth0"),
        ("route 10.1.1.1", "h1-eth1"),
        ("limit of cores", ""),
        ("MAC", "h1-eth0"),
    ):
        settings.note(kind, partial(str, kind), interface)
    settings.drop("h1-eth0", "route")
    assert said(settings) == ["route 10.1.1.1", "limit of cores", "MAC"]
    settings.follow(["h1-eth0"])
    assert said(settings) == ["limit of cores", "MAC"]
