# SPDX-License-Identifier: MIT
"""How the options of emulated switches are read: each returns what the plan takes, or raises TopologyError."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hybridnet.describe.options import table
from hybridnet.describe.options.read import read_value
from hybridnet.describe.values import choice, flag, shown, whole
from hybridnet.errors import TopologyError

__all__ = [
    "DATAPATHS",
    "DEFAULT_PROTOCOLS",
    "FAIL_MODES",
    "datapath",
    "dpid",
    "fail_mode",
    "in_namespace",
    "listen_port",
    "priority",
    "protocols",
    "reconnect_ms",
    "simulated_option",
    "spanning_tree",
    "yes_or_no",
]

OPENFLOW_VERSIONS = tuple(f"OpenFlow1{minor}" for minor in range(6))
DEFAULT_PROTOCOLS = ["OpenFlow13"]
FAIL_MODES = ("secure", "standalone")
DATAPATHS = ("kernel", "user")
SPANNING_TREES = ("stp", "rstp")
LEAST_RECONNECT_MS = 1000  # Open vSwitch waits no shorter
MOST_RECONNECT_MS = 3_600_000


def dpid(value: Any, what: str) -> str | None:
    """16 hexadecimal digits; None: the plan derives them from the name."""
    if value is None:
        return None
    digits = str(value).replace(":", "").lower().removeprefix("0x") if type(value) in (str, int) else ""
    if not re.fullmatch(r"[0-9a-f]{1,16}", digits):
        raise TopologyError(f"{what} {shown(value)} is not 1 to 16 hexadecimal digits")
    return digits.zfill(16)


def protocols(value: Any, what: str) -> list[str]:
    """The versions of OpenFlow that the switch speaks."""
    if value is None:
        return DEFAULT_PROTOCOLS
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not given:
        raise TopologyError(
            f"{what} {shown(value)} is not a list of versions; write 'OpenFlow13' or the like"
        )
    named = [part.strip() if isinstance(part, str) else part for part in given]
    return [choice(part, what, OPENFLOW_VERSIONS, error=TopologyError) for part in named]


def fail_mode(value: Any, what: str) -> str | None:
    """What it does without a controller; None: what the network says."""
    return None if value is None else choice(value, what, FAIL_MODES, error=TopologyError)


def datapath(value: Any, what: str) -> str | None:
    """Where it forwards: the kernel, or Open vSwitch's own process; None: what the machine has."""
    return None if value is None else choice(value, what, DATAPATHS, error=TopologyError)


def simulated_option(name: str, value: Any, what: str) -> Any:
    """An option of simulated switches, by the table that the simulator declares."""
    return None if value is None else read_value(value, table("openflow").said[name], what)


def spanning_tree(value: Any, what: str) -> str | None:
    """The spanning tree protocol that it runs: ``"stp"`` (also True), ``"rstp"``, or None (also False)."""
    if value is None or isinstance(value, bool):
        return "stp" if value else None
    return choice(value, what, SPANNING_TREES, error=TopologyError)


def priority(value: Any, what: str) -> int | None:
    """Its priority in the spanning tree protocol; the lowest is the root."""
    return None if value is None else whole(value, what, 0, 65535, error=TopologyError)


def listen_port(value: Any, what: str) -> int | None:
    """The TCP port of the machine's loopback at which it takes OpenFlow connections."""
    return None if value is None else whole(value, what, 1, 65535, error=TopologyError)


def reconnect_ms(value: Any, what: str) -> int | None:
    """The longest time in ms between two attempts to reach a controller."""
    if value is None:
        return None
    return whole(value, what, LEAST_RECONNECT_MS, MOST_RECONNECT_MS, error=TopologyError)


def in_namespace(value: Any, what: str) -> bool:
    """False: switches live in their machine's own namespaces."""
    if value:
        raise TopologyError(f"{what}={shown(value)} is not supported; leave it out")
    return False


def yes_or_no(value: Any, what: str) -> bool:
    """True or False; None means False."""
    return False if value is None else flag(value, what, error=TopologyError)
