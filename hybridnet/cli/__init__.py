# SPDX-License-Identifier: MIT
"""The command line: ``hybridnet VERB``, one file per verb.

A verb's file has SUMMARY, EXAMPLES, `add_arguments(parser)` and `run(arguments) -> exit code`. A mistake of
the user ends in one line on standard error, ``error: …``, and the exit code of the error's class;
HYBRIDNET_DEBUG=1 shows where it was raised.
"""

from __future__ import annotations

from hybridnet.cli.main import main

__all__ = ["main"]
