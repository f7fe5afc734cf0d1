# SPDX-License-Identifier: MIT
"""A network on machines that make nothing, whose agents answer `look` as told."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from hybridnet import Net, Topo
from hybridnet.run.live.figures import FIGURES
from tests.hybridnet.run.net.support import FakeCluster, counters

SECOND = 1_000_000_000


def topo() -> Topo:
    """h1 - s1 a wire; s1 - s2 a patch; s2 - h2 simulated, 10 Mbit/s; and a simulated router behind h2."""
    made = Topo()
    for name in ("h1", "h2"):
        made.addHost(name)
    for name in ("s1", "s2"):
        made.addSwitch(name)
    made.addSimHost("v1")
    made.addLink("h1", "s1")
    made.addLink("s1", "s2")
    made.addLink("s2", "h2", bw=10, delay="5ms")
    made.addLink("s2", "v1")
    return made


class Looked(FakeCluster):
    """Machines whose verb `look` answers `counted`, at `time_s`."""

    def __init__(self) -> None:
        super().__init__("m1")
        self.time_s = 100.0
        self.wires: list[tuple[Any, ...]] = []
        self.links: dict[tuple[str, bool], dict[str, int]] = {}
        self.instance = "m1"
        self.terminals: dict[int, list[bytes]] = {}
        self.typed: list[bytes] = []
        self.snapshots: dict[str, Any] = {}
        self.interfaces: list[tuple[Any, ...]] = []
        self.flows: dict[str, int] = {}
        self.files: dict[str, bytes] = {}

    def _look(self, machine: str, known: dict[str, int]) -> dict[str, Any]:
        rows = [[row.get(name, 0) for name in FIGURES] for row in self.links.values()]
        return {
            "time_ns": int(self.time_s * SECOND),
            "counters": counters(),
            "wires": self.wires,
            "links": {
                self.instance: {
                    "generation": 1,
                    "directions": None if known.get(self.instance) == 1 else list(self.links),
                    "figures": base64.b64encode(np.array(rows, dtype=np.int64).tobytes()).decode(),
                }
            },
        }

    def _scrape(self, machine: str) -> dict[str, Any]:
        return {"instances": self.snapshots, "interfaces": self.interfaces, "flows": self.flows}

    def _programs_in(self, machine: str, node: str) -> list[dict[str, Any]]:
        return [{"pid": 7, "name": "iperf3"}]

    def _open_terminal(self, machine: str, node: str) -> int:
        self.terminals[1] = [b"hello from ", node.encode()]
        return 1

    def _read_terminal(self, machine: str, number: int, timeout: float) -> bytes | None:
        return self.terminals[number].pop(0) if self.terminals[number] else None

    def _write_terminal(self, machine: str, number: int, data: bytes) -> None:
        self.typed.append(data)

    def _resize_terminal(self, machine: str, number: int, rows: int, columns: int) -> None:
        self.typed.append(f"{rows}x{columns}".encode())

    def _close_terminal(self, machine: str, number: int) -> None:
        return None

    def _download(self, machine: str, path: str) -> bytes:
        return self.files[path]

    def _scratch_directory(self, machine: str) -> str:
        return "/scratch"


def net() -> tuple[Net, Looked]:
    """A network of `topo`, not started."""
    machines: Any = Looked()
    return Net(topo(), controller=None, cluster=machines), machines
