# SPDX-License-Identifier: MIT
"""A ring over three machines, for tests of what becomes of it without one."""

from __future__ import annotations

from hybridnet import Topo


class Ring(Topo):
    """r1 - r2 - r3 - r1, each on a machine of its own with a host; the way by r2 is the short one."""

    def build(self) -> None:  # type: ignore[override]
        for number in (1, 2, 3):
            self.addSimRouter(f"r{number}", machine=f"m{number}")
            self.addLink(self.addHost(f"h{number}", machine=f"m{number}"), f"r{number}")
        self.addLink("r1", "r2", delay="1ms")
        self.addLink("r2", "r3", delay="1ms")
        self.addLink("r1", "r3", delay="20ms")
