# SPDX-License-Identifier: MIT
"""The live network."""

from hybridnet.run.net.net import Mininet, Net, own_address_toward

__all__ = ["Mininet", "Net", "own_address_toward"]
