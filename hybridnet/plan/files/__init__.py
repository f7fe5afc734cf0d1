# SPDX-License-Identifier: MIT
"""Descriptions of networks as files: YAML and GraphML, read and written; CAIDA's relations and Rocketfuel's maps, read;
DOT and pictures, written. And networks by name.
"""

from hybridnet.plan.files.caida import CaidaTopo
from hybridnet.plan.files.files import READ, WRITTEN, FileTopo, read_topology, write_topology
from hybridnet.plan.files.rocketfuel import RocketfuelTopo
from hybridnet.plan.files.topohub import Topohub

__all__ = [
    "READ", "WRITTEN", "CaidaTopo", "FileTopo", "RocketfuelTopo", "Topohub", "read_topology", "write_topology",
]  # fmt: skip
