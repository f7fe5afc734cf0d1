# SPDX-License-Identifier: MIT
"""How many flows the tables of Open vSwitch's bridges have, asked in OpenFlow 1.3 over their management sockets.

The message is OFPMP_AGGREGATE (OpenFlow 1.3.5, section 7.3.5.3) for all flows of all tables.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from hybridnet.agent.counters.management import Management

__all__ = ["flow_counts"]

_AGGREGATE = 2
_ALL_TABLES, _ANY = 0xFF, 0xFFFFFFFF
_ALL = struct.pack("!B3xII4xQQHH4x", _ALL_TABLES, _ANY, _ANY, 0, 0, 1, 4)  # an OXM match without fields
_ANSWER = struct.Struct("!QQI4x")


def flow_counts(directory: Path, bridges: Iterable[str]) -> dict[str, int]:
    """The number of flows of each bridge; one that does not answer is left out.

    Args:
        directory: where the sockets are.
    """
    found = {}
    for bridge in bridges:
        with suppress(OSError), closing(Management(directory, bridge)) as asked:
            asked.ask(_AGGREGATE, [_ALL])
            kind, _, body = asked.reply()
            if kind == _AGGREGATE and len(body) >= _ANSWER.size:
                found[bridge] = _ANSWER.unpack_from(body)[2]
    return found
