# SPDX-License-Identifier: MIT
"""Mininet's classes of links and interfaces, where a script names them: what they ask for, or why there is none."""

from __future__ import annotations

import functools
from typing import Any

from hybridnet.describe.topo.direction import direction_options, resolve_direction
from hybridnet.describe.topo.links import link_options
from hybridnet.describe.values import shown
from hybridnet.errors import TopologyError
from hybridnet.run.node.link import Intf, Link

__all__ = ["check_interface_class", "check_link_class", "link_defaults"]


def link_defaults(link: Any) -> dict[str, Any]:
    """The options of all links that ``Net(link=functools.partial(TCLink, bw=10))`` asks for.

    Raises:
        TopologyError, UnitError: an option makes no sense, or not for all links; or it is not a class of links.

    Example:
        >>> link_defaults(functools.partial(Link, bw=10)), link_defaults(Link)
        ({'bw': 10}, {})
    """
    what = "Net: link"
    check_link_class(link, what)
    given = link_options({"cls": link}, what)
    options = {name: value for name, value in given.items() if name != "cls"}
    if alien := set(options) - direction_options() - {"mtu", "use_htb"}:
        raise TopologyError(f"{what}: {min(alien)}= cannot be the same for all links; give it to addLink")
    resolve_direction({name: value for name, value in options.items() if name in direction_options()}, what)
    return options


def check_link_class(cls: Any, what: str) -> None:
    """Raise TopologyError unless `cls` is a class of links whose constructor would be called, or None."""
    while isinstance(cls, functools.partial):
        cls = cls.func
    if cls is None:
        return
    if not isinstance(cls, type) or not issubclass(cls, Link):
        raise TopologyError(
            f"{what} {shown(cls)} is not a class of links; write TCLink, or partial(TCLink, bw=10)"
        )
    if cls.__init__ is not Link.__init__:
        raise TopologyError(
            f"{what} {cls.__name__} has a constructor of its own, which is not called; give its options to addLink, "
            "or write partial(TCLink, bw=10)"
        )


def check_interface_class(cls: Any) -> None:
    """Raise TopologyError for a class of interfaces that is not ours: it would not be used."""
    if cls is not Intf:
        raise TopologyError(
            f"Net: intf {shown(cls)} is not used: options of links are given to addLink; leave it out"
        )
