# SPDX-License-Identifier: MIT
"""Making the changes of a running network: on all machines that have something to do, or on none."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from hybridnet.errors import HybridnetError
from hybridnet.machines.cluster import Machines
from hybridnet.plan.network.difference import Change
from hybridnet.system.log import warn

__all__ = ["make_changes", "undo_changes"]

LOOK_S = 0.2  # from one look at changes that were interrupted to the next


def make_changes(cluster: Machines, changes: Mapping[str, Change]) -> None:
    """Have each machine make its change, all at the same time. If one fails, the others' are undone. A machine that is
    lost makes none: if it returns, it is built as the network is then.

    Raises:
        MachineError, EnvironmentLackError: the error of the first machine that failed. The network is as before.
    """
    changes = _left(cluster, changes)
    if not changes:
        return
    with ThreadPoolExecutor(len(changes), "change") as pool:
        calls = {
            machine: pool.submit(cluster.call, machine, "change", remove=change.remove, add=change.add)
            for machine, change in changes.items()
        }
        try:
            wait(calls.values())
            lost = [words for call in calls.values() for words in call.result()]
        except BaseException:  # ^C, too, comes while some machine has made its change and some has not
            _end(cluster, calls)
            undo_changes(cluster, {m: change for m, change in changes.items() if _succeeded(calls[m])})
            raise
    for words in lost:
        warn(f"*** Warning: {words}\n")


def undo_changes(cluster: Machines, changes: Mapping[str, Change]) -> None:
    """Undo changes that have been made. What cannot be undone is said; the error that led to it says more."""
    for machine, change in _left(cluster, changes).items():
        back = change.reverse()
        try:
            cluster.call(machine, "change", remove=back.remove, add=back.add)
        except HybridnetError as error:
            warn(f"*** Warning: a change could not be undone: {error}\n")


def _end(cluster: Machines, calls: Mapping[str, Future[Any]]) -> None:
    """Wait for calls whose outcome nobody wants any more. One may be about to begin only, so they are told again."""
    while waiting := wait(calls.values(), timeout=0).not_done:
        for machine, call in calls.items():
            if call in waiting:
                with contextlib.suppress(HybridnetError):  # it is lost, and its call has ended
                    cluster.call(machine, "interrupt_change")
        wait(waiting, timeout=LOOK_S)


def _left(cluster: Machines, changes: Mapping[str, Change]) -> dict[str, Change]:
    """Those of machines that are not lost."""
    lost = cluster.lost()
    return {machine: change for machine, change in changes.items() if machine not in lost}


def _succeeded(call: Future[Any]) -> bool:
    with contextlib.suppress(BaseException):
        call.result()
        return True
    return False
