# SPDX-License-Identifier: MIT
"""Whether programs of this computer can speak to each other."""

from __future__ import annotations

import socket

from hybridnet.errors import EnvironmentLackError

__all__ = ["require_loopback"]


def require_loopback() -> None:
    """Raise EnvironmentLackError where the loopback interface of this network namespace is down, as in a new one: a
    network would be given up half a minute later, when its parts have not found each other.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("127.0.0.1", 1))
        except OSError as error:
            raise EnvironmentLackError(
                f"127.0.0.1 cannot be reached ({error.strerror}), and the parts of a network communicate over it; run: "
                "ip link set lo up"
            ) from None
