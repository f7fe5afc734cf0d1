# SPDX-License-Identifier: MIT
"""Machines, and the agents on them."""

from hybridnet.cluster.cluster import Cluster

__all__ = ["Cluster"]
