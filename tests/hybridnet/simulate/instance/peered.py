# SPDX-License-Identifier: MIT
"""Two instances that are joined by a cut link, each a process with one simulated host: it needs no root."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.hybridnet.simulate.instance.running import Client

Json = dict[str, Any]

READY_S = 10.0


def pair_plans(
    peering: Mapping[str, Any],
    delay_ns: int,
    applications: Mapping[str, list[Json]],
    port: int = 47_310,
    of_link: Mapping[str, Any] = {},
) -> dict[str, Json]:
    """The plans of instances a and b.

    Args:
        peering: options of the peers.
        delay_ns: of the cut link.
        applications: of the host of each instance.
        of_link: more about both directions of the link.
    """
    way = {"delay_ns": delay_ns, **of_link}
    plans = {}
    for number, (here, there) in enumerate((("a", "b"), ("b", "a")), 1):
        at = {name: f"127.0.77.{index}:{port}" for index, name in enumerate(("a", "b"), 1)}
        if peering.get("transport") == "shm":
            at = {"a": "ring-a", "b": "ring-b"}
        interface = {
            "name": f"{here}-eth0",
            "mac": f"02:00:00:00:00:0{number}",
            "address": f"10.0.0.{number}/24",
        }
        node = {"name": f"h{here}", "kind": "host", "interfaces": [interface]}
        node["applications"] = applications.get(here, [])
        plans[here] = {
            "format": 1,
            "name": here,
            "seed": 1,
            "token": "00000000000000ff",
            "nodes": [node],
            "emulation_portals": [],
            "peers": [{"name": there, "local": at[here], "remote": at[there], **peering}],
            "links": [
                {
                    "name": "cut",
                    "a": {"interface": f"{here}-eth0"},
                    "b": {"peer": there, "channel": 0},
                    "a_to_b": way,
                    "b_to_a": way,
                }
            ],
            "captures": [],
            "realtime": {},
        }
    return plans


class Pair:
    """Both instances, running until the block ends."""

    def __init__(self, plans: Mapping[str, Json], directory: Path) -> None:
        self._plans, self._directory = plans, directory
        self._stack = ExitStack()
        self._clients: dict[str, Client] = {}
        self._processes: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> Pair:
        with ExitStack() as stack:
            stack.callback(self._stop)
            for name, plan in self._plans.items():
                (self._directory / f"{name}.json").write_text(json.dumps(plan))
                self.start(name)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def start(self, name: str) -> None:
        """Start one, and wait until it runs."""
        file, control = self._directory / f"{name}.json", self._directory / f"{name}.control"
        command = [sys.executable, "-m", "hybridnet.simulate.instance", str(file), "--control", str(control)]
        self._processes[name] = process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", f"instance {name} did not start"
        self._clients[name] = Client(control)

    def kill(self, name: str) -> None:
        """Kill one at once; it may be started again."""
        with self._processes.pop(name) as process:
            process.kill()
        del self._clients[name]
        (self._directory / f"{name}.control").unlink()

    def _stop(self) -> None:
        for name, process in self._processes.items():
            with process:
                if name in self._clients:
                    self._clients[name].ask(verb="stop")
                else:
                    process.kill()
                assert process.stdout is not None
                process.stdout.read()  # its final counters

    def ask(self, name: str, **request: Any) -> Json:
        """What an instance answers."""
        return self._clients[name].ask(**request)

    def snapshot(self, name: str) -> Json:
        """The counters of an instance."""
        return self._clients[name].ask(verb="snapshot")

    def peer(self, name: str) -> Json:
        """What an instance says of its peer."""
        [row] = self.snapshot(name)["peers"]
        row_of: Json = row
        return row_of

    def await_peer(self, name: str, key: str, least: int) -> Json:
        """The same, once a figure has reached a value."""
        deadline = time.monotonic() + READY_S
        while (row := self.peer(name))[key] < least:
            assert time.monotonic() < deadline, f"instance {name}: {key} stays below {least}: {row}"
            time.sleep(0.01)
        return row
