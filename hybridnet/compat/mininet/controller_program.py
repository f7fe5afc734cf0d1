# SPDX-License-Identifier: MIT
"""The program `controller` of Mininet's scripts: has switches forward as bridges do, on a port that the script names.

Stanford's reference controller had this name, and scripts start it by hand: ``c0.cmd("controller -v ptcp:6653 &")``.
Its options are taken and have no effect.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Sequence

from hybridnet.compat.mininet.bridging import Bridging
from hybridnet.errors import UsageError
from hybridnet.system.journal import network_namespace

__all__ = ["main", "place_of"]

USUAL_PORT = 6633
"""Of the reference controller, where ``ptcp:`` names none."""

_LISTENING = re.compile(r"ptcp:(\d*)(?::(.*))?")


def place_of(words: Sequence[str]) -> tuple[str, int]:
    """The address and TCP port that the program's arguments ask for.

    Args:
        words: such as ``["-v", "ptcp:6653"]``; ``ptcp:`` alone means port 6633. Without an address, it is the
            computer's loopback; in a host's namespace, where nobody else comes, every address.

    Raises:
        UsageError: none of them says where to listen.
    """
    for word in words:
        if said := _LISTENING.fullmatch(word):
            return said[2] or _usual_address(), int(said[1]) if said[1] else USUAL_PORT
    raise UsageError(
        f"controller {' '.join(words)}: it does not say where to listen; write controller ptcp:6653"
    )


def _usual_address() -> str:
    of_the_script = os.environ.get("HYBRIDNET_NETWORK", str(network_namespace()))
    return "127.0.0.1" if of_the_script == str(network_namespace()) else "0.0.0.0"


def main(words: Sequence[str]) -> int:
    """Serve until a signal ends it. Returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    try:
        address, port = place_of(words)
        controller = Bridging(address, port)
    except UsageError as problem:
        print(problem, file=sys.stderr)
        return 2
    except OSError as problem:
        print(f"controller {' '.join(words)}: cannot listen there: {problem}", file=sys.stderr)
        return 1
    controller.serve()
    return 0


def _end(_number: int, _frame: object) -> None:
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
