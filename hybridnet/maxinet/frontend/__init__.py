# SPDX-License-Identifier: MIT
"""`MaxiNet.Frontend`: MaxiNet keeps its modules there."""

import hybridnet.maxinet as maxinet
from hybridnet.maxinet import cli, container, libvirt, partitioner, tools

__all__ = ["cli", "container", "libvirt", "maxinet", "partitioner", "tools"]
