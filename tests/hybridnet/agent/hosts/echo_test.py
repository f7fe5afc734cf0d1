# SPDX-License-Identifier: MIT
"""Echo requests as the kernel's own stack takes them. Real ones, between namespaces, are in tests/system."""

from __future__ import annotations

import struct

import pytest

from hybridnet.agent.hosts.echo import _request, echo_pairs
from hybridnet.agent.hosts.namespace_thread import NamespaceThread
from hybridnet.errors import UsageError


@pytest.mark.parametrize(("identifier", "number"), [(0, 0), (0xFFFF, 0xFFFF), (0x1234, 77)])
def test_the_checksum_is_that_of_rfc_1071(identifier: int, number: int) -> None:
    words = struct.unpack("!32H", _request(identifier, number))
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    assert total == 0xFFFF


def test_more_requests_than_numbers_are_refused() -> None:
    inside = NamespaceThread()
    with pytest.raises(UsageError, match="65540 requests are more than 65536"):
        echo_pairs(inside, [("h1", "10.0.0.1")] * 16_385, count=4)
    inside.close()
