# SPDX-License-Identifier: MIT
"""The process of one instance: ``python -m hybridnet.simulate.instance PLAN.json --control SOCKET``.

Builds the instance that the plan describes, runs it in the main thread with the interpreter's lock released, and serves
the control socket in another: one JSON object per line, each answered by one line::

    {"verb": "snapshot", "of_elements": false}                          the counters; by default with those of links,
                                                                        nodes and interfaces
    {"verb": "sample", "links": [NAME, …], "interfaces": [NAME, …]}     those of these elements only, and TCP
                                                                        connections of simulated hosts
    {"verb": "link_counts", "known": 0}                                 rows of numbers for each direction of each link,
                                                                        as base64; their names if that generation is new
    {"verb": "set_link", "link": NAME, "a_to_b": {…}, "b_to_a": {…}}    changes a link; answered with what holds then
    {"verb": "set_link", "link": NAME, "up": false}                     both directions down, or up again
    {"verb": "change", "remove": {…}, "add": {…}, "routes": {…}}        elements go and come, all of that or nothing
    {"verb": "schedule", "timeline": NAME, "start_ns": …, "entries": […]}   changes at instants of simulated time
    {"verb": "cancel", "timeline": NAME}                                what of it has not fired will not
    {"verb": "fired", "first": 0}                                       what has, with asked and actual instants
    {"verb": "clock"}                                                   simulated time, and CLOCK_MONOTONIC at its zero
    {"verb": "switches"}                                                whether each OpenFlow switch has a controller
    {"verb": "start_capture", "interface": NAME, "file": …, "filter": "", "most_bytes": …}   writes what passes there
    {"verb": "stop_capture", "file": …}                                 ends that; answered with what it has, and lacks
    {"verb": "captures"}                                                those that run, and the last that have ended
    {"verb": "stop"}                                                    ends it; answered with the final counters

The schema of plans says what a change (``change``) and a timeline (``timeline``) look like. A change removes ``links``,
``portals``, ``peers``, ``nodes`` and ``interfaces`` of nodes that stay, and adds ``nodes``, ``interfaces`` by node,
``emulation_portals``, ``peers`` and ``links`` as the plan has them; its ``routes`` replace those of the routers and
hosts that it names.

Of a direction, `set_link` is given only what changes, with the keys of the plan, and null takes a model away; an absent
direction stays as it is. Of a cut link each instance changes its part: what it sends, and the delay of what it gets.
Prints ``ready`` when the instance runs (its peers may come later; a snapshot says how they are), and its final counters
when SIGTERM ends it. Nothing in Python is on the way of a packet.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from hybridnet.describe.options.tables import extension
from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import InstancePlan
from hybridnet.errors import HybridnetError, MachineError, PlanError
from hybridnet.simulate.instance.build import build
from hybridnet.simulate.instance.control import Control
from hybridnet.simulate.instance.verbs import snapshot_of


def load_plan(path: Path) -> InstancePlan:
    """Reads and checks an instance plan.

    Raises:
        PlanError: it cannot be read, or does not follow ``schema/instance.json``; the message says where.
    """
    try:
        plan = json.loads(path.read_text())
    except OSError as error:
        raise PlanError(f"instance plan {path}: it cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PlanError(f"instance plan {path}: it is not JSON: {error}") from None
    return checked(plan, InstancePlan, f"instance plan {path}")


def run(plan_path: Path, control_path: Path, outside: int | None = None) -> None:
    """Builds the instance, and runs it until it is stopped.

    Args:
        outside: a descriptor of the network namespace where guests are awaited; None: this one.
    """
    from hybridnet.system.parent import die_with_parent

    extension().report_crashes()  # simcore's, or those of a plug-in
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    die_with_parent(signal.SIGTERM)  # also then the portals put their devices' settings back
    plan = load_plan(plan_path)
    instance = build(plan, control_path.parent, outside)
    control = Control(control_path, instance, plan)
    threading.Thread(target=_stop_on_signal, args=(instance,), daemon=True).start()
    threading.Thread(target=_announce, args=(instance,), daemon=True).start()
    control.start()
    gc.collect()
    gc.disable()  # a collection holds the lock that the threads above need; what is alive now stays until the end
    gc.freeze()
    try:
        instance.run()
        final = snapshot_of(instance)
    finally:
        gc.enable()
        control.end()
        instance.close()  # here, and not when nobody refers to it any more: the process ends before
    control.finish(final)
    print(json.dumps(final), flush=True)


def _stop_on_signal(instance: Any) -> None:
    """The signals are blocked in every thread, the instance's included, and waited for here."""
    signal.sigwait([signal.SIGTERM, signal.SIGINT])
    instance.stop()


def _announce(instance: Any) -> None:
    """Says so once the loop runs: a snapshot is answered by its first turn."""
    instance.snapshot(of_elements=False)
    print("ready", flush=True)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hybridnet.simulate.instance", description="Run one instance in real time."
    )
    parser.add_argument("plan", type=Path, help="the instance plan, a JSON file")
    parser.add_argument("--control", type=Path, required=True, help="where to make the control socket")
    parser.add_argument(
        "--outside", type=int, metavar="FD", help="an open network namespace, where guests are awaited"
    )
    arguments = parser.parse_args()
    try:
        run(arguments.plan, arguments.control, arguments.outside)
    except HybridnetError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    except (RuntimeError, OSError, ValueError) as error:  # simcore's own, which say what and how to cure it
        print(f"{MachineError.__name__}: {error}", file=sys.stderr)
        return MachineError.exit_code
    return 0
