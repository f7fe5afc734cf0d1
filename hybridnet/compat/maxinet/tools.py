# SPDX-License-Identifier: MIT
"""MaxiNet's helpers for addresses, and its tree of switches."""

from __future__ import annotations

import random
import socket
import time
from typing import Any

from hybridnet.compat.mininet.topo import Topo
from hybridnet.compat.mininet.util import ipAdd
from hybridnet.errors import UsageError

__all__ = ["FatTree", "Tools"]


class Tools:
    """Names and addresses from numbers."""

    @staticmethod
    def randByte(max: int = 255) -> str:
        """A byte at random, at most `max`, as two hexadecimal digits."""
        return f"{random.randint(0, max):02x}"

    @staticmethod
    def makeMAC(i: int) -> str:
        """A MAC address that ends with the number `i` and begins at random; of one station, not of a group."""
        if not 0 <= i < 1 << 24:
            raise UsageError(f"makeMAC: {i} is out of range; write 0 to {(1 << 24) - 1}")
        head = [random.randint(0, 63) << 2, random.randint(0, 255), random.randint(0, 255)]
        return ":".join(f"{byte:02x}" for byte in (*head, *i.to_bytes(3, "big")))

    @staticmethod
    def makeDPID(i: int) -> str:
        """A dpid that ends with the number `i` and begins at random."""
        return Tools.makeMAC(i).replace(":", "").zfill(16)

    @staticmethod
    def makeIP(i: int) -> str:
        """Address number `i` of 10.0.0.0/8.

        Example:
            >>> Tools.makeIP(3)
            '10.0.0.3'
        """
        return ipAdd(i)

    @staticmethod
    def time_to_string(t: time.struct_time | None = None) -> str:
        """A time (now, if None) as text that sorts."""
        return time.strftime("%Y-%m-%d_%H:%M:%S", t or time.localtime())

    @staticmethod
    def guess_ip() -> str:
        """This computer's address."""
        return socket.gethostbyname(socket.gethostname())


class FatTree(Topo):
    """A binary tree: each host has a switch of its own, and two switches at a time share one above them.

    Links at hosts have `bwlimit` Mbit/s; each level above has twice the rate of the one below.

    Args:
        hosts: how many.
        bwlimit: Mbit/s.
        lat: one-way delay of each link, in milliseconds.
    """

    def __init__(self, hosts: int = 2, bwlimit: float = 10, lat: float = 0.1, **opts: Any) -> None:
        super().__init__(**opts)
        level: list[str] = []
        for number in range(1, hosts + 1):
            host = self.addHost(f"h{number}", mac=self.makeMAC(number), ip=Tools.makeIP(number))
            level.append(self._switch())
            self.addLink(host, level[-1], bw=bwlimit, delay=f"{lat}ms")
        rate = bwlimit
        while len(level) > 1:
            above = []
            for first in range(0, len(level), 2):
                above.append(self._switch())
                for below in level[first : first + 2]:
                    self.addLink(below, above[-1], bw=rate, delay=f"{lat}ms")
            level, rate = above, 2 * rate

    def randByte(self, max: int = 255) -> str:
        """`Tools.randByte`."""
        return Tools.randByte(max)

    def makeMAC(self, i: int) -> str:
        """`Tools.makeMAC`."""
        return Tools.makeMAC(i)

    def makeDPID(self, i: int) -> str:
        """`Tools.makeDPID`."""
        return Tools.makeDPID(i)

    def _switch(self) -> str:
        number = len(self.switches()) + 1
        return self.addSwitch(f"s{number}", dpid=self.makeDPID(number))
