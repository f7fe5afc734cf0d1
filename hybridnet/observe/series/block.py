# SPDX-License-Identifier: MIT
"""Blocks of samples: the same figures at several instants, packed, as they travel from an agent to the head.

A figure's key is (kind, element, name). Keys rarely change, so a block has them once, and its values as plain doubles:
128 hosts with eight figures each are 8 KB for an instant. What nobody takes is bounded: the oldest instants go, and are
counted.
"""

from __future__ import annotations

import threading
from array import array
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from hybridnet.errors import UsageError

__all__ = ["Block", "Key", "SampleBuffer"]

Key = tuple[str, str, str]
"""Kind, such as ``links``; element, such as ``h1-eth0``; name of the figure, such as ``rx_bytes``."""

VALUES_LIMIT = 8 << 20  # of a buffer: 64 MB


@dataclass
class Block:
    """Figures at some instants.

    Args:
        keys: of the figures.
        times: of the instants, in seconds, ascending.
        values: of the first instant in the order of `keys`, then of the second, ...
    """

    keys: list[Key]
    times: array[float] = field(default_factory=lambda: array("d"))
    values: array[float] = field(default_factory=lambda: array("d"))

    def __post_init__(self) -> None:
        if len(self.values) != len(self.keys) * len(self.times):
            raise UsageError(
                f"block of samples: {len(self.values)} values are not {len(self.keys)} figures at {len(self.times)} "
                "instants"
            )
        if any(later < sooner for sooner, later in pairwise(self.times)):
            raise UsageError("block of samples: its instants do not ascend")


class SampleBuffer:
    """What was sampled and not yet taken. Usable from any thread.

    Args:
        values_limit: figures that it holds at most.
    """

    def __init__(self, values_limit: int = VALUES_LIMIT) -> None:
        self._values_limit = values_limit
        self._blocks: deque[Block] = deque()
        self._held = 0
        self._lost = 0
        self._lock = threading.Lock()

    def add(self, time_s: float, figures: Mapping[Key, float]) -> None:
        """Add the figures of one instant, later than those before."""
        keys = list(figures)
        with self._lock:
            if not self._blocks or self._blocks[-1].keys != keys:
                self._blocks.append(Block(keys))
            block = self._blocks[-1]
            block.times.append(time_s)
            block.values.extend(figures.values())
            self._held += len(keys)
            while self._held > self._values_limit:
                self._drop_oldest()

    def take(self) -> tuple[list[Block], int]:
        """All blocks, the oldest first, and how many instants were dropped since the last call."""
        with self._lock:
            taken, lost = list(self._blocks), self._lost
            self._blocks.clear()
            self._held = self._lost = 0
            return taken, lost

    def _drop_oldest(self) -> None:
        block = self._blocks[0]
        del block.times[0]
        del block.values[: len(block.keys)]
        self._held -= len(block.keys)
        self._lost += 1
        if not block.times:
            self._blocks.popleft()
