# SPDX-License-Identifier: MIT
"""``hybridnet simulate --live``: a simulation that waits to be stepped on its page."""

from __future__ import annotations

import argparse
import signal
import threading
from typing import TYPE_CHECKING

from hybridnet.cli.live import LIVE
from hybridnet.errors import UsageError
from hybridnet.run.live.page_options import Where, read_where

if TYPE_CHECKING:
    from hybridnet.describe.topo import Topo
    from hybridnet.plan.network import PlanOptions

__all__ = ["run_live", "wait_for_interrupt", "wants_page"]

LONGEST = "365d"
_OTHERS: dict[str, object] = {
    "jobs": None, "parallel": 1, "mpi": None, "hosts": None, "real_time": False, "series": None, "out": None,
    "trace": None, "workload": [], "warmup": "0", "precision": None, "fast_forward": None,
}  # fmt: skip


def wants_page(arguments: argparse.Namespace) -> bool:
    """Whether a page was asked for. Raises UsageError: or neither a page nor an end was."""
    if any(getattr(arguments, name) for name in LIVE):
        return True
    if arguments.until is None:
        raise UsageError("simulate: say how long with --until, such as --until 10s, or step it with --live")
    return False


def run_live(arguments: argparse.Namespace, topo: Topo, seeds: list[int], options: PlanOptions) -> int:
    """Serve the page until ^C, and say where the simulation was then."""
    from hybridnet.run.live.stepping import LiveStepper

    for name, default in _OTHERS.items():
        if getattr(arguments, name) != default:
            raise UsageError(f"simulate: --{name.replace('_', '-')} and --live: leave one of them out")
    if len(seeds) != 1:
        raise UsageError("simulate: --live shows one simulation; give one seed, such as --seeds 7-7")
    where = Where() if arguments.live_address is None else read_where(arguments.live_address)
    with (
        LiveStepper.of(topo, seed=seeds[0], until=arguments.until or LONGEST, options=options) as simulation,
        simulation.live(where.host, where.port, where.names) as page,
    ):
        print(f"*** Live page: {page.url}\n*** Read-only page: {page.reading_url}\n*** ^C ends", flush=True)
        wait_for_interrupt()
        simulation.pause()
        now = simulation.progress
        print(f"{now.time_ns / 1e9:.9f} s simulated, {now.events} events")
        print(f"trace of seed {seeds[0]}: {simulation.trace_hash()}")
    return 0


def wait_for_interrupt() -> None:
    """Return when ^C, or SIGTERM, says that a page shall end."""
    asked = threading.Event()
    before = {each: signal.signal(each, lambda *_: asked.set()) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        asked.wait()
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
