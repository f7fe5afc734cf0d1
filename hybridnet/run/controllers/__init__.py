# SPDX-License-Identifier: MIT
"""The controllers of a network, and the processes of those that hybridnet starts."""

from hybridnet.run.controllers.kinds import (
    Controller,
    Faucet,
    Gauge,
    OsKen,
    OVSController,
    RemoteController,
    Ryu,
)

__all__ = ["Controller", "Faucet", "Gauge", "OVSController", "OsKen", "RemoteController", "Ryu"]
