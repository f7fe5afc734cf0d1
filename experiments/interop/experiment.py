# SPDX-License-Identifier: MIT
"""Gigabytes between real programs and a simulated server, over a link that loses, reorders and duplicates.

curl, nc and iperf3 in a namespace move them to the server and back: 1 % loss, 1 % reordering, 0.1 % duplication, both
ways, at a round trip of 1 ms. Every byte must come, once and in its place; no connection may break, and none may stall.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial

from rich.table import Table

from hybridnet import Net
from hybridnet.describe.quantities import parse_size
from hybridnet.errors import UsageError
from hybridnet.experiments.common.linux_flows import require_algorithms
from hybridnet.experiments.interop.transfers import (
    DELAY_MS,
    DUPLICATE_PERCENT,
    LOSS_PERCENT,
    REORDER_PERCENT,
    HurtingLink,
    Transfer,
    echo,
    fetch,
    iperf3,
)
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, Verdict, Word, add_experiment_arguments

SUMMARY = "1 GB from curl, nc and iperf3 to a simulated server and back over a link with loss, reordering, duplication"
TAKES_S = 180
VIRTUAL_TIME = None

MACHINE = "m1"
MACHINES = 1
SIZE = "1 GB"
LARGEST_FILE = 1_000_000_000
"""Bytes; curl fetches more as several files over one connection."""
LONGEST_STALL_S = 5.0
TRANSFERS: dict[str, Callable[[Net, int], Transfer]] = {
    "curl": lambda net, size: fetch(net, *_files_of(size)),
    "nc": echo,
    "iperf3": partial(iperf3, back=False),
    "iperf3-back": partial(iperf3, back=True),
}
"""Of so many bytes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    parser.add_argument(
        "--size",
        default=SIZE,
        metavar="SIZE",
        help="size of each transfer, such as '10 GB' (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        choices=TRANSFERS,
        action="append",
        help="run only this transfer; may be repeated (default: all, one after the other)",
    )
    add_experiment_arguments(parser, "interop", quick="20 MB each")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the transfers, one after the other, in one network.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        UsageError: the size is none, or too small to say anything.
        EnvironmentLackError: the machine's kernel has no CUBIC, which iperf3 is told to use; the others use the
            default.
    """
    size = parse_size("20 MB" if arguments.quick else arguments.size, "--size")
    if size < 1_000_000:
        raise UsageError(f"interop: --size {arguments.size}: write at least 1 MB")
    names = list(dict.fromkeys(arguments.only or TRANSFERS))
    experiment = Experiment(
        arguments,
        {
            "bytes": size,
            "transfers": names,
            "round_trip_ms": 2 * DELAY_MS,
            "percent": {"loss": LOSS_PERCENT, "reorder": REORDER_PERCENT, "duplicate": DUPLICATE_PERCENT},
        },
    )

    def tell(transfer: Transfer) -> None:
        experiment.console.print(f"{transfer.name}: {transfer.mbps:.0f} Mbit/s", highlight=False)

    with arguments.cluster([MACHINE]) as cluster:
        if {"iperf3", "iperf3-back"} & set(names):
            require_algorithms(cluster, MACHINE, ["cubic"])
        transfers, verdict = run_transfers(cluster, names, size, tell)
    checks = checks_of(transfers, verdict)
    experiment.directory.write_json("transfers.json", [asdict(each) for each in transfers])
    return experiment.finish(checks, table_of(transfers))


def run_transfers(
    cluster: Cluster, names: Sequence[str], size: int, tell: Callable[[Transfer], None]
) -> tuple[list[Transfer], Verdict]:
    """These of TRANSFERS, each of ``size`` bytes, and the verdict over all of them."""
    file_bytes, _ = _files_of(size)
    with Net(HurtingLink(file_bytes=file_bytes), cluster=cluster, port_type="afpacket") as net:
        transfers = []
        with net.measured() as measured:
            for name in names:
                transfers.append(TRANSFERS[name](net, size))
                tell(transfers[-1])
    return transfers, measured.verdict


def _files_of(size: int) -> tuple[int, int]:
    """Bytes of each file, and how many files, that are about ``size`` together."""
    times = -(-size // LARGEST_FILE)
    return size // times, times


def checks_of(transfers: Sequence[Transfer], verdict: Verdict) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    checks = []
    for each in transfers:
        checks.append(
            Check(
                each.name,
                f"{each.bytes / 1e6:.0f} MB, {'the same bytes' if each.exact else 'NOT the same bytes'}, "
                f"{each.resets} broken connections, silent for {each.longest_gap_s:.1f} s at most",
                None,
                f"the same bytes; none broken; silent for {LONGEST_STALL_S:g} s at most",
                each.exact and not each.resets and each.longest_gap_s <= LONGEST_STALL_S,
            )
        )
    # How fast bytes come is not the matter here, so a busy processor is no fault.
    checks.append(Check.of_verdicts("verdict", [verdict], least=Word.SATURATED))
    return checks


def table_of(transfers: Sequence[Transfer]) -> Table:
    """One line for each transfer."""
    table = Table()
    for column in ("transfer", "MB", "s", "Mbit/s", "longest silence, s"):
        table.add_column(column, justify="left" if column == "transfer" else "right")
    for each in transfers:
        figures = (
            f"{each.bytes / 1e6:.0f}",
            f"{each.seconds:.1f}",
            f"{each.mbps:.0f}",
            f"{each.longest_gap_s:.2f}",
        )
        table.add_row(each.name, *figures)
    return table
