# SPDX-License-Identifier: MIT
"""``hybridnet edit``: draw a network in the browser, and save, check and start it there."""

from __future__ import annotations

import argparse
from pathlib import Path

from hybridnet.cli.plan import plan_of_file
from hybridnet.cli.stepping import wait_for_interrupt
from hybridnet.run.live.page_options import Where, read_where
from hybridnet.tools.edit.desk import NEW_FILE

SUMMARY = "Draw a network in the browser; it becomes YAML or Python, and can be started there."
EXAMPLES = """  hybridnet edit                                   a new network; open the link that it prints
  hybridnet edit my_network.yaml                   the file need not be there yet
  sudo hybridnet edit my_network.yaml              networks that are started there need root
  hybridnet edit --address 8080 my_network.yaml    then, from elsewhere: ssh -L 8080:127.0.0.1:8080 HOST
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE.yaml, and where the page listens."""
    parser.add_argument(
        "file",
        nargs="?",
        default=NEW_FILE,
        metavar="FILE.yaml",
        help="a topology in hybridnet's YAML, which is opened if it is there (default: %(default)s)",
    )
    parser.add_argument(
        "--address",
        metavar="[ADDRESS:]PORT",
        help="where the page listens (default: a free port of 127.0.0.1); visitors need the link's token",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve the editor until ^C, which also stops the network that was started there."""
    from hybridnet.tools.edit.page import EditPage

    where = Where() if arguments.address is None else read_where(arguments.address, "--address")
    with EditPage(Path(arguments.file), plan_of_file, where) as page:
        print(f"*** Editor: {page.url}\n*** ^C ends it, and the network that was started there", flush=True)
        wait_for_interrupt()
    return 0
