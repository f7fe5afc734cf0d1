# SPDX-License-Identifier: MIT
"""Descriptions of networks as files: YAML and GraphML, read and written; DOT and pictures, written."""

from hybridnet.plan.files.files import READ, WRITTEN, FileTopo, read_topology, write_topology

__all__ = ["READ", "WRITTEN", "FileTopo", "read_topology", "write_topology"]
