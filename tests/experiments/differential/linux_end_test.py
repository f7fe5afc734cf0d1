# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.experiments.differential.linux_end import SEGMENT, buffer_of


@pytest.mark.parametrize("window", [8192, 32768])
def test_the_window_is_the_buffer_without_a_segment_from_linux_6_9_on(window: int) -> None:
    # tcp_win_from_space(): of twice SO_RCVBUF, 160 of 256 after a segment of 1,448 bytes that takes 2,304 of the buffer
    space = 2 * buffer_of(window, "6.9.0") * 160 // 256
    assert window - 2 <= space - SEGMENT <= window


def test_the_window_is_half_of_what_the_kernel_takes_before() -> None:
    assert buffer_of(8192, "6.8.12-amd64") == 8192
