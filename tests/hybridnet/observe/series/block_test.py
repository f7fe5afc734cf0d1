# SPDX-License-Identifier: MIT
from __future__ import annotations

from array import array

import pytest

from hybridnet.errors import UsageError
from hybridnet.observe.series import Block, SampleBuffer

SENT, QUEUED = ("interfaces", "h1-eth0", "tx_bytes"), ("links", "r1-r2", "queue_packets")


def test_instants_with_the_same_figures_share_a_block_and_others_begin_one() -> None:
    buffer = SampleBuffer()
    buffer.add(0.0, {SENT: 1.0, QUEUED: 2.0})
    buffer.add(0.1, {SENT: 3.0, QUEUED: 4.0})
    buffer.add(0.2, {SENT: 5.0})
    blocks, lost = buffer.take()
    assert [(block.keys, list(block.times), list(block.values)) for block in blocks] == [
        ([SENT, QUEUED], [0.0, 0.1], [1.0, 2.0, 3.0, 4.0]),
        ([SENT], [0.2], [5.0]),
    ]
    assert lost == 0
    assert buffer.take() == ([], 0)


def test_a_buffer_that_nobody_empties_drops_its_oldest_instants_and_counts_them() -> None:
    buffer = SampleBuffer(values_limit=4)
    for instant in range(5):
        buffer.add(instant, {SENT: instant, QUEUED: -instant})
    blocks, lost = buffer.take()
    assert [list(block.times) for block in blocks] == [[3.0, 4.0]]
    assert [list(block.values) for block in blocks] == [[3.0, -3.0, 4.0, -4.0]]
    assert lost == 3


def test_a_block_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(UsageError, match="1 values are not 2 figures at 1 instants"):
        Block([SENT, QUEUED], array("d", [0.0]), array("d", [1.0]))
    with pytest.raises(UsageError, match="do not ascend"):
        Block([SENT], array("d", [1.0, 0.5]), array("d", [1.0, 2.0]))
