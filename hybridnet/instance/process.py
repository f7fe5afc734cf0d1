# SPDX-License-Identifier: MIT
"""The process of one instance: ``python -m hybridnet.instance PLAN.json --control SOCKET``.

Builds the instance that the plan describes, runs it in the main thread with the interpreter's lock released, and serves
the control socket in another: one JSON object per line, each answered by one line::

    {"verb": "snapshot", "of_elements": false}                          the counters; by default with those of links,
                                                                        nodes and interfaces
    {"verb": "set_link", "link": NAME, "a_to_b": {…}, "b_to_a": {…}}    changes a link; answered with what holds then
    {"verb": "stop"}                                                    ends it; answered with the final counters

Of a direction, `set_link` is given only what changes, with the keys of the plan, and null takes a model away; an absent
direction stays as it is. Of a cut link each instance changes its part: what it sends, and the delay of what it gets.
Prints ``ready`` when the instance runs (its peers may come later; a snapshot says how they are), and its final counters
when SIGTERM ends it. Nothing in Python is on the way of a packet.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import resource
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any

from hybridnet.errors import EnvironmentLackError, HybridnetError, MachineError, PlanError, UsageError
from hybridnet.instance.plugin import find_plugin
from hybridnet.options import table
from hybridnet.schema.check import check

REQUEST_LIMIT = 1 << 16


def load_plan(path: Path) -> dict[str, Any]:
    """Reads and checks an instance plan.

    Raises:
        PlanError: it cannot be read, or does not follow ``schema/instance.json``; the message says where.
    """
    try:
        plan: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise PlanError(f"instance plan {path}: {error}") from None
    check_plan(plan, f"instance plan {path}")
    return plan


def check_plan(plan: Any, what: str) -> None:
    """Checks an instance plan against its schema. Raises PlanError, which begins with ``what``."""
    check(plan, "instance", what)


def build(plan: dict[str, Any]) -> Any:
    """The `_simcore.Instance` of a checked plan.

    Raises:
        EnvironmentLackError: the extension has not been built.
    """
    try:
        from hybridnet import _simcore
    except ImportError as error:
        raise EnvironmentLackError(
            f"the simulator's extension cannot be loaded ({error}); build it: make install"
        ) from None
    pool = {"pool_bytes": plan["pool_bytes"]} if "pool_bytes" in plan else {}
    instance = _simcore.Instance(plan["name"], plan["seed"], int(plan["token"], 16), plan["realtime"], **pool)
    if "record" in plan:
        instance.add_record(plan["record"], json.dumps(with_traces(plan)))
    add_nodes(instance, plan)
    for portal in plan["emulation_portals"]:
        instance.add_emulation_portal(
            portal["name"],
            portal["device"],
            portal["backend"],
            portal.get("filter", ""),
            portal.get("options", {}),
        )
    for peer in plan["peers"]:
        instance.add_peer(peer["name"], peer["local"], peer["remote"])
    for capture in plan["captures"]:
        instance.add_capture(capture["interface"], capture["file"])
    add_links(instance, plan)
    return instance


def add_nodes(simulation: Any, plan: dict[str, Any]) -> None:
    """Adds the nodes of a plan, with their interfaces, routes and applications."""
    for node in plan["nodes"]:
        simulation.add_node(
            node["kind"],
            node["name"],
            node.get("processing_delay_ns"),
            node.get("processing_queue_packets", 1000),
        )
        for interface in node["interfaces"]:
            simulation.add_interface(
                node["name"],
                interface["name"],
                interface.get("mac"),
                interface.get("address"),
                interface.get("mtu", 1500),
                interface.get("address6"),
            )
        for route in node.get("routes", []):
            simulation.add_route(node["name"], route["prefix"], route["via"], route["interface"])
        for application in node.get("applications", []):
            simulation.add_application(node["name"], application["kind"], application)


def add_links(simulation: Any, plan: dict[str, Any]) -> None:
    """Adds the links of a plan. What they join, and what captures, must be there."""
    for link in plan["links"]:
        there, back = with_files(link["a_to_b"]), with_files(link["b_to_a"], backward=True)
        simulation.add_link(link["name"], _end(link["a"]), _end(link["b"]), there, back)


def check_direction(direction: dict[str, Any], what: str) -> None:
    """Checks one direction of a link against the schema of plans. Raises PlanError."""
    check(direction, "instance", what, "direction")


def with_files(direction: dict[str, Any], *, backward: bool = False) -> dict[str, Any]:
    """The direction with what is in files of this machine: its trace, and where its plug-in is.

    Raises:
        PlanError: a trace cannot be read.
        UsageError: there is no such plug-in.
    """
    direction = with_trace(direction)
    plugin = direction.get("plugin")
    if plugin is None:
        return direction
    file = str(find_plugin(plugin["file"]))
    return {**direction, "plugin": {**plugin, "file": file, "backward": backward}}


def with_trace(direction: dict[str, Any]) -> dict[str, Any]:
    """The direction with the text of its trace file, where it has one. Raises PlanError: it cannot be read."""
    model = direction.get("rate_model") or {}
    if "file" not in model or "text" in model:
        return direction
    try:
        text = Path(model["file"]).read_text(encoding="ascii")
    except (OSError, ValueError) as error:
        raise PlanError(f"trace file {model['file']}: {error}") from None
    return {**direction, "rate_model": {**model, "text": text}}


def with_traces(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with the text of every trace file: what a record needs to do without them. Raises PlanError."""
    links = [
        {**link, "a_to_b": with_trace(link["a_to_b"]), "b_to_a": with_trace(link["b_to_a"])}
        for link in plan["links"]
    ]
    return {**plan, "links": links}


class Control:
    """The control socket: one client at a time, which is the agent."""

    def __init__(self, path: Path, instance: Any, links: list[dict[str, Any]]) -> None:
        self._instance = instance
        self._links = {link["name"]: link for link in links}
        self._access = threading.Lock()
        self._ended = False
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        path.unlink(missing_ok=True)
        before = os.umask(0o177)  # for its owner alone, from the first moment
        try:
            self._server.bind(str(path))
        finally:
            os.umask(before)
        self._server.listen(4)
        self._path = path
        self._stopper: socket.socket | None = None

    def start(self) -> None:
        """Serves in a thread of its own."""
        threading.Thread(target=self._serve, name="control", daemon=True).start()

    def end(self) -> None:
        """From now on the instance is asked nothing more."""
        with self._access:
            self._ended = True

    def finish(self, final: dict[str, Any]) -> None:
        """Answers whoever asked for the stop, and removes the socket."""
        if self._stopper is not None:
            with contextlib.suppress(OSError):
                self._stopper.sendall(json.dumps(final).encode() + b"\n")
        self._server.close()
        self._path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return  # closed: the instance has ended
            threading.Thread(target=self._serve_client, args=(client,), daemon=True).start()

    def _serve_client(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client.makefile("rb") as lines:
            while line := lines.readline(REQUEST_LIMIT):
                answer = self._answer(line, client)
                if answer is None:
                    return
                client.sendall(json.dumps(answer).encode() + b"\n")

    def _answer(self, line: bytes, client: socket.socket) -> dict[str, Any] | None:
        try:
            request = json.loads(line)
            verb = request["verb"]
        except (ValueError, KeyError, TypeError):
            return {"error": 'a request is one line like {"verb": "snapshot"}'}
        if verb == "stop":
            self._stopper = client
            self._instance.stop()
            return None  # `finish` answers, when the loop has ended
        with self._access:
            if self._ended:
                return {"error": "the instance has ended"}
            try:
                return self._perform(verb, request)
            except (HybridnetError, RuntimeError) as error:
                return {"error": str(error)}
            except Exception as error:  # a defect of ours; the instance runs on, and who asked is answered
                return {"error": f"{type(error).__name__}: {error}"}

    def _perform(self, verb: object, request: dict[str, Any]) -> dict[str, Any]:
        if verb == "set_link":
            return self._set_link(request)
        if verb != "snapshot":
            raise UsageError(f'unknown verb {verb!r}; there are "snapshot", "set_link" and "stop"')
        of_elements = request.get("of_elements", True)
        if not isinstance(of_elements, bool):
            raise UsageError(f"snapshot: of_elements is {of_elements!r}; it must be true or false")
        return snapshot_of(self._instance, of_elements=of_elements)

    def _set_link(self, request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("link")
        if name not in self._links:
            raise PlanError(f"set_link: there is no link {name!r}; there are {', '.join(self._links)}")
        link = self._links[name]
        for direction in ("a_to_b", "b_to_a"):
            if not isinstance(request.get(direction) or {}, dict):
                raise PlanError(f"set_link {name}: {direction} is not an object with what changes")
        changed = {
            direction: _merged(link[direction], request[direction]) if request.get(direction) else None
            for direction in ("a_to_b", "b_to_a")
        }
        for direction, values in changed.items():
            if values is not None:
                check_direction(values, f"set_link {name}, {direction}")
        there, back = (
            values and with_files(values, backward=way == "b_to_a") for way, values in changed.items()
        )
        note = json.dumps({"link": name, "a_to_b": there, "b_to_a": back})
        self._instance.set_link(name, there, back, note)
        link.update({direction: values for direction, values in changed.items() if values is not None})
        return {"link": name, "a_to_b": link["a_to_b"], "b_to_a": link["b_to_a"]}


def _merged(direction: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The direction with its changes; null takes a model away, and is the default again of what has no null."""
    planned = table("direction").planned
    keeps = {
        key for key, option in planned.items() if option.nullable and option.kind not in ("table", "family")
    }
    merged = {**direction, **changes}
    return {key: value for key, value in merged.items() if value is not None or key in keeps}


def run(plan_path: Path, control_path: Path) -> None:
    """Builds the instance, and runs it until it is stopped."""
    from hybridnet.system.parent import die_with_parent

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
    die_with_parent(signal.SIGTERM)  # also then the portals put their devices' settings back
    plan = load_plan(plan_path)
    instance = build(plan)
    control = Control(control_path, instance, plan["links"])
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


def snapshot_of(instance: Any, *, of_elements: bool = True) -> dict[str, Any]:
    """The instance's counters, and the most memory that this process ever had."""
    most_memory_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {**instance.snapshot(of_elements), "process": {"most_memory_bytes": most_memory_bytes}}


def _stop_on_signal(instance: Any) -> None:
    """The signals are blocked in every thread, the instance's included, and waited for here."""
    signal.sigwait([signal.SIGTERM, signal.SIGINT])
    instance.stop()


def _announce(instance: Any) -> None:
    """Says so once the loop runs: a snapshot is answered by its first turn."""
    instance.snapshot(of_elements=False)
    print("ready", flush=True)


def _end(end: dict[str, Any]) -> tuple[str, str] | tuple[str, str, int]:
    if "interface" in end:
        return ("interface", end["interface"])
    if "portal" in end:
        return ("portal", end["portal"])
    return ("peer", end["peer"], end["channel"])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m hybridnet.instance", description="Run one instance in real time."
    )
    parser.add_argument("plan", type=Path, help="the instance plan, a JSON file")
    parser.add_argument("--control", type=Path, required=True, help="where to make the control socket")
    arguments = parser.parse_args()
    try:
        run(arguments.plan, arguments.control)
    except HybridnetError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return error.exit_code
    except (RuntimeError, OSError, ValueError) as error:  # simcore's own, which say what and how to cure it
        print(f"{MachineError.__name__}: {error}", file=sys.stderr)
        return MachineError.exit_code
    return 0
