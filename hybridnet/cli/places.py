# SPDX-License-Identifier: MIT
"""Options that say where the machines are, shared by `run`, `sweep`, `reproduce`, `doctor` and `calibrate`."""

from __future__ import annotations

import argparse
import ipaddress
import re
from typing import TYPE_CHECKING, Any

from hybridnet.cli.network import add_machines_argument, machine_names
from hybridnet.describe.quantities import parse_delay
from hybridnet.errors import UsageError

if TYPE_CHECKING:
    from hybridnet.machines.cluster.places import Places
    from hybridnet.machines.workers.ssh import SshMachine

__all__ = [
    "PLACE_OPTIONS",
    "add_place_arguments",
    "add_ssh_argument",
    "place_words",
    "places_of",
    "ssh_machines",
]

PLACE_OPTIONS = ("machines", "ssh", "dask", "cloudlab", "manifest", "grace")
GRACE = "30s"
LEAST_GRACE_S = 5.0


LOCAL = "N machines on this computer (m1, m2 ...), or machines with these names"
WORKERS = "the machines are the workers of this Dask scheduler, tls://HOST:PORT"


def add_place_arguments(parser: argparse.ArgumentParser, machines: str = LOCAL, dask: str = WORKERS) -> None:
    """Add --machines, --ssh, --dask, --cloudlab and --manifest, of which one may be given, and --grace.

    Args:
        machines, dask: what --machines and --dask do, for their help.
    """
    where = parser.add_mutually_exclusive_group()
    add_machines_argument(where, machines)
    add_ssh_argument(where)
    where.add_argument(
        "--dask",
        metavar="ADDRESS",
        help=dask,
    )
    where.add_argument(
        "--cloudlab",
        action="store_true",
        help="the machines are the nodes of the CloudLab experiment to which this node belongs",
    )
    where.add_argument(
        "--manifest",
        metavar="FILE",
        help="the machines are the nodes in this manifest of a CloudLab experiment",
    )

    parser.add_argument(
        "--grace",
        metavar="TIME",
        default=GRACE,
        help="how long a machine on another computer may be out of reach before it counts as lost and the run ends "
        "(default: %(default)s)",
    )


def add_ssh_argument(parser: Any) -> None:
    """Add --ssh."""
    parser.add_argument(
        "--ssh",
        metavar="HOST,HOST",
        help="machines m1, m2 ... are these computers, USER@HOST each; HOST/ADDRESS gives the IPv4 address at which "
        "the others reach it, if it is not the one that SSH uses",
    )


def place_words(arguments: argparse.Namespace) -> list[str]:
    """The options that were given, as words of another command line.

    Example:
        >>> parser = argparse.ArgumentParser()
        >>> add_place_arguments(parser)
        >>> place_words(parser.parse_args(["--grace", "10s", "--ssh", "me@a,me@b"]))
        ['--ssh', 'me@a,me@b', '--grace', '10s']
    """
    words: list[str] = []
    for name in PLACE_OPTIONS:
        value = getattr(arguments, name)
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False) and (name, value) != ("grace", GRACE):
            words += [f"--{name}", value]
    return words


def places_of(arguments: argparse.Namespace) -> Places:
    """Where the machines are, as the options say.

    Raises:
        UsageError: an option makes no sense.
        EnvironmentLackError: --cloudlab, and this computer is not a CloudLab node.
    """
    from hybridnet.machines.cluster.places import Places

    grace_s = parse_delay(arguments.grace, "--grace") / 1e9
    if grace_s < LEAST_GRACE_S:
        raise UsageError(f"--grace {arguments.grace}: write {LEAST_GRACE_S:g}s or more")
    if arguments.ssh is not None:
        return Places(hosts=tuple(ssh_machines(arguments.ssh)), grace_s=grace_s)
    if arguments.dask is not None:
        if not re.fullmatch(r"tls://[^/:]+:\d+", arguments.dask):
            raise UsageError(f"--dask {arguments.dask}: write tls://HOST:PORT")
        return Places(scheduler=arguments.dask, grace_s=grace_s)
    if arguments.cloudlab or arguments.manifest is not None:
        from hybridnet.machines.workers.cloudlab import machines_of_cloudlab

        hosts = tuple(machines_of_cloudlab(arguments.manifest))
        return Places(hosts=hosts, spare=True, grace_s=grace_s)
    return Places(names=tuple(machine_names(arguments.machines)))


def ssh_machines(text: str) -> list[SshMachine]:
    """The machines that --ssh means.

    Example:
        >>> [(host.target, host.address) for host in ssh_machines("me@a,b/10.10.1.2")]
        [('me@a', None), ('b', '10.10.1.2')]
    """
    from hybridnet.machines.workers.ssh import SshMachine

    found = []
    for each in text.split(","):
        target, slash, address = each.partition("/")
        if slash:
            try:
                ipaddress.IPv4Address(address)
            except ValueError:
                raise UsageError(
                    f"--ssh {text}: {address!r} is not an IPv4 address; write HOST/10.10.1.1, or HOST alone"
                ) from None
        found.append(SshMachine(target, address=address or None))
    return found
