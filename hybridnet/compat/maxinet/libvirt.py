# SPDX-License-Identifier: MIT
"""MaxiNet's hosts in virtual machines, which there are not."""

from __future__ import annotations

from typing import Any

from hybridnet.compat.mininet.node import Host
from hybridnet.errors import UsageError

__all__ = ["LibvirtHost"]


class LibvirtHost(Host):
    """Refused when it is made: hosts are namespaces of this computer's own system."""

    def __init__(self, name: str, disk_image: str | None = None, **params: Any) -> None:
        raise UsageError(
            f"host {name}: hosts in virtual machines (libvirt, image {disk_image}) are not supported; leave cls= out, "
            "and install its programs on the machines"
        )
