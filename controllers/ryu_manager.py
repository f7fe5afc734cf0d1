# SPDX-License-Identifier: MIT
"""Runs Ryu's own manager with apps as they are, on a Python and an eventlet newer than Ryu knows.

Started by hybridnet.controllers.ryu, with Ryu's command line; works by hand as well:

    .venv-ryu/bin/python controllers/ryu_manager.py --ofp-tcp-listen-port 6653 controllers/tree_switch.py

It ends when its standard input does, so that no controller survives the program that started it.
Exit status 98 (EADDRINUSE): a port it was told to listen on is taken; 99: an address is not of this machine.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
import warnings

EXIT_STATUS = {errno.EADDRINUSE: 98, errno.EADDRNOTAVAIL: 99}
ECHOES_MISSED = (
    3  # before Ryu gives up a switch: one busy computer holds hundreds of them, and may answer late
)


def end_with_standard_input(read):
    """Ends this process when the other end of its standard input is closed, by will or by death.

    ``read`` is os.read as it was before eventlet replaced it by one that needs a hub.
    """

    def watch():
        while read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if not os.isatty(0):
        threading.Thread(target=watch, daemon=True).start()


def value_of(option, default, arguments):
    for position, argument in enumerate(arguments):
        if argument == option and position + 1 < len(arguments):
            return arguments[position + 1]
        if argument.startswith(option + "="):
            return argument.partition("=")[2]
    return default


def require_free(host, port):
    """Ryu would log a traceback and stay, deaf; better to end and say why."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            print(f"cannot listen on {host}:{port}: {error.strerror}", file=sys.stderr)
            raise SystemExit(EXIT_STATUS.get(error.errno, 1)) from None


def main():
    read = os.read
    arguments = sys.argv[1:]
    require_free(
        value_of("--ofp-listen-host", "0.0.0.0", arguments),
        int(value_of("--ofp-tcp-listen-port", "6653", arguments)),
    )
    wsapi_port = value_of("--wsapi-port", None, arguments)
    if wsapi_port:
        require_free(value_of("--wsapi-host", "0.0.0.0", arguments), int(wsapi_port))

    warnings.filterwarnings("ignore", message=r"\s*Eventlet is deprecated")  # known; Ryu has nothing else
    import eventlet.wsgi

    if not hasattr(eventlet.wsgi, "ALREADY_HANDLED"):
        eventlet.wsgi.ALREADY_HANDLED = b""
    from ryu.cmd import manager

    end_with_standard_input(read)  # a thread, so after eventlet has patched what threads use
    manager.CONF.set_default("maximum_unreplied_echo_requests", ECHOES_MISSED)
    manager.main()


if __name__ == "__main__":
    main()
