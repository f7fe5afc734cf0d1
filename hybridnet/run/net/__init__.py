# SPDX-License-Identifier: MIT
"""The live network."""

from hybridnet.run.net.net import Net, own_address_toward
from hybridnet.run.net.run_output import Sampling

__all__ = ["Net", "Sampling", "own_address_toward"]
