# SPDX-License-Identifier: MIT
"""``hybridnet extcap``: what Wireshark runs once `hybridnet extcap-install` has told it of this program."""

from __future__ import annotations

import argparse
from pathlib import Path

import hybridnet
from hybridnet.describe.options.capture_filter import capture_filter
from hybridnet.describe.quantities import parse_size
from hybridnet.describe.values import plain
from hybridnet.errors import UsageError
from hybridnet.tools.extcap.dialogue import MOST, config_lines, dlt_lines, interface_lines

SUMMARY = "Answer Wireshark, which runs this itself; see extcap-install."
EXAMPLES = """  hybridnet extcap --extcap-interfaces
  hybridnet extcap --extcap-interface 20260131-120000-1f2e3d4c:r1:r1-eth1 --capture --fifo /tmp/pipe
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of Wireshark's extcap interface, and --most."""
    parser.add_argument("--extcap-interfaces", action="store_true", help="list the interfaces")
    parser.add_argument("--extcap-dlts", action="store_true", help="print the link types of an interface")
    parser.add_argument("--extcap-config", action="store_true", help="print the options of an interface")
    parser.add_argument("--capture", action="store_true", help="capture at an interface into --fifo")
    parser.add_argument("--extcap-interface", metavar="INTERFACE", help="which interface")
    parser.add_argument(
        "--extcap-capture-filter",
        metavar="FILTER",
        default="",
        help="which frames to capture, in the syntax of pcap-filter(7)",
    )
    parser.add_argument("--extcap-version", nargs="?", metavar="VERSION", help="Wireshark's own; not used")
    parser.add_argument("--fifo", type=Path, metavar="PIPE", help="where Wireshark reads")
    parser.add_argument(
        "--most",
        default=MOST,
        metavar="SIZE",
        help=f"end a capture at a simulated interface when its file is this large (default: {MOST})",
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer one question, or capture."""
    from hybridnet.tools.extcap.capture import capture
    from hybridnet.tools.extcap.interfaces import interfaces

    if arguments.extcap_interfaces:
        lines = interface_lines(interfaces(), hybridnet.__version__)
    elif arguments.extcap_dlts:
        lines = dlt_lines()
    elif arguments.extcap_config:
        lines = config_lines()
    else:
        wanted = arguments.extcap_capture_filter
        if wanted:
            capture_filter(wanted, "--extcap-capture-filter", error=UsageError)
        if not arguments.capture:  # Wireshark only wants to know whether the filter makes sense
            return 0
        if arguments.extcap_interface is None or arguments.fifo is None:
            raise UsageError("extcap --capture needs --extcap-interface and --fifo; Wireshark gives both")
        chosen = [each for each in interfaces() if each.value == arguments.extcap_interface]
        if not chosen:
            raise UsageError(
                f"capture at {plain(arguments.extcap_interface)}: no network of yours has it now; refresh "
                "Wireshark's list of interfaces"
            )
        capture(chosen[0], arguments.fifo, wanted, parse_size(arguments.most, "--most"))
        return 0
    for line in lines:
        print(line)
    return 0
