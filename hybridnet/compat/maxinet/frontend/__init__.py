# SPDX-License-Identifier: MIT
"""`MaxiNet.Frontend`: MaxiNet keeps its modules there."""

import hybridnet.compat.maxinet as maxinet
from hybridnet.compat.maxinet import cli, container, libvirt, partitioner, tools

__all__ = ["cli", "container", "libvirt", "maxinet", "partitioner", "tools"]
