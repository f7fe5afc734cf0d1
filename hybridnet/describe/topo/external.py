# SPDX-License-Identifier: MIT
"""External: a device of the computer as the end of a link, for what is beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from hybridnet.describe.options import family
from hybridnet.describe.options.capture_filter import capture_filter
from hybridnet.describe.values import choice, shown
from hybridnet.errors import TopologyError

__all__ = ["External", "backend", "backend_options", "packet_filter"]

_NOT_OF_A_DEVICE = ("tap",)  # such a portal makes its device itself


@dataclass(frozen=True)
class External:
    """A device of the computer that a simulated link leads to: ``addLink("s1", External("eth1"), delay="5ms")``.

    The instance reads the device by a portal of its own. It is lent to the network, as with devices= of nodes.

    Args:
        device: its name, which no other node has.
        backend: of the portal, ``"packet"``, ``"pcap"`` or ``"xdp"``; see docs/portals.md. Default: the network's.
        filter: in the syntax of pcap-filter(7); only what matches is captured, where the backend has filters.
        options: of the backend; docs/portals.md has them.
        machine: on whose computer it is; default: where its neighbours live.
        instance: which instance of that machine has the portal, by name or number; default: that of its neighbours.
    """

    device: str
    _: KW_ONLY
    backend: str | None = None
    filter: str | None = None
    options: Mapping[str, Any] | None = None
    machine: str | None = None
    instance: str | int | None = None

    def given(self) -> dict[str, object]:
        """Its options, as a description takes them."""
        return {name: value for name, value in vars(self).items() if name != "device" and value is not None}


def backend(value: Any, what: str) -> str | None:
    """The name of a portal's backend; None: the network's."""
    known = [name for name in family("portal").models if name not in _NOT_OF_A_DEVICE]
    return None if value is None else choice(value, what, known, error=TopologyError)


def packet_filter(value: Any, what: str) -> str | None:
    """The text of a filter, which libpcap understands."""
    return None if value is None else capture_filter(value, what, error=TopologyError)


def backend_options(value: Any, what: str) -> dict[str, object]:
    """Options of a backend, which the plan's schema checks."""
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise TopologyError(
            f"{what} {shown(value)} is not a dictionary of options; write {{'buffer_bytes': 1048576}}"
        )
    return dict(value)
