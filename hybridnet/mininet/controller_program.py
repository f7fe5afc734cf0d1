# SPDX-License-Identifier: MIT
"""The program `controller` of Mininet's scripts: hybridnet's learning switch, on a port that the script names.

Stanford's reference controller had this name, and scripts start it by hand: ``c0.cmd("controller -v ptcp:6653 &")``.
Its options are taken and have no effect.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Sequence

from hybridnet.controllers.kinds import Controller
from hybridnet.errors import HybridnetError, UsageError

__all__ = ["main", "port_of"]

USUAL_PORT = 6633
"""Of the reference controller, where ``ptcp:`` names none."""

_LISTENING = re.compile(r"ptcp:(\d*)(?::.*)?")


def port_of(words: Sequence[str]) -> int:
    """The TCP port that the program's arguments ask for.

    Args:
        words: such as ``["-v", "ptcp:6653"]``; ``ptcp:`` alone means port 6633.

    Raises:
        UsageError: none of them says where to listen.
    """
    for word in words:
        if said := _LISTENING.fullmatch(word):
            return int(said[1]) if said[1] else USUAL_PORT
    raise UsageError(
        f"controller {' '.join(words)}: it does not say where to listen; write controller ptcp:6653"
    )


def main(words: Sequence[str]) -> int:
    """Serve until a signal ends it. Returns the exit status."""
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    try:
        controller = Controller("controller", port=port_of(words))
        controller.begin("127.0.0.1")
    except HybridnetError as problem:
        print(problem, file=sys.stderr)
        return 2
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # not before: Ryu would inherit it, and ends by a signal
    try:
        controller.ready()
        signal.sigwait(ends)
    except HybridnetError as problem:
        print(problem, file=sys.stderr)
        return 1
    finally:
        controller.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
