# SPDX-License-Identifier: MIT
"""``hybridnet deploy``: put this hybridnet on other computers."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING

from hybridnet.errors import EnvironmentLackError, HybridnetError, UsageError

if TYPE_CHECKING:
    from hybridnet.machines.workers.deploy import Deployed

SUMMARY = "Put this hybridnet on other computers over SSH, with everything that it needs."
EXAMPLES = """  hybridnet deploy me@node1 me@node2
  hybridnet deploy root@node1 --proxy http://10.0.0.1:3128
  hybridnet run --topo twotrees,depth=2 --ssh me@node1,me@node2   then
"""
MOST_AT_ONCE = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """HOST, --proxy and --json."""
    parser.add_argument(
        "hosts",
        nargs="+",
        metavar="HOST",
        help="a host with this computer's release of Debian, as ssh takes it, such as me@node1; its user is root or "
        "has sudo without a password",
    )
    parser.add_argument(
        "--proxy",
        metavar="URL",
        help="HTTP proxy through which the hosts reach their Debian mirror and the Python Package Index",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as a JSON list")


def run(arguments: argparse.Namespace) -> int:
    """Install on all hosts at once. Raises the first host's error once all have ended."""
    from hybridnet.cli.progress import BuildProgress
    from hybridnet.machines.workers.bundle import pack_bundle
    from hybridnet.machines.workers.deploy import deploy
    from hybridnet.machines.workers.edition import edition
    from hybridnet.machines.workers.ssh import SshMachine
    from hybridnet.observe.results.console import print_table

    if arguments.proxy is not None and not arguments.proxy.startswith(("http://", "https://")):
        raise UsageError(f"--proxy {arguments.proxy}: write http://HOST:PORT")
    hosts = [SshMachine(host) for host in dict.fromkeys(arguments.hosts)]
    bundle = pack_bundle()
    terminal = sys.stderr.isatty()
    with BuildProgress() as progress, ThreadPoolExecutor(min(len(hosts), MOST_AT_ONCE)) as threads:

        def begin(host: SshMachine) -> Deployed | HybridnetError:
            def say(text: str) -> None:
                progress(host.target, text)
                if not terminal:
                    print(f"{host.target}: {text}", file=sys.stderr, flush=True)

            try:
                return deploy(host, bundle, say, arguments.proxy)
            except HybridnetError as error:
                return error

        outcomes = list(threads.map(begin, hosts))
    done = [outcome for outcome in outcomes if not isinstance(outcome, HybridnetError)]
    failed = [outcome for outcome in outcomes if isinstance(outcome, HybridnetError)]
    if arguments.json:
        print(json.dumps([asdict(each) | {"edition": edition()} for each in done], indent=2))
    elif done:
        rows = [
            (
                each.host,
                edition(),
                "installed" if each.changed else "there already",
                f"{each.seconds:.1f} s",
            )
            for each in done
        ]
        print_table(("host", "edition", "", "took"), rows)
    if failed:
        raise EnvironmentLackError("; ".join(map(str, failed)))
    return 0
