# SPDX-License-Identifier: MIT
"""MaxiNet's hosts in Docker containers, which there are not."""

from __future__ import annotations

from typing import Any

from hybridnet.compat.mininet.node import Host
from hybridnet.errors import UsageError

__all__ = ["Docker"]


class Docker(Host):
    """Refused when it is made: hosts are namespaces of this computer's own system."""

    def __init__(self, name: str, dimage: str | None = None, **params: Any) -> None:
        raise UsageError(
            f"host {name}: hosts in containers (Docker, image {dimage}) are not supported; leave cls= out, and install "
            "its programs on the machines"
        )
