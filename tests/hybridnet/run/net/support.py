# SPDX-License-Identifier: MIT
"""Machines that make nothing: they check and remember what they are told, and answer like an agent would."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster.machines import Arrival, Loss
from hybridnet.system.process_watch import Part


def counters(**changes: Any) -> dict[str, Any]:
    """What an agent has counted where nothing has happened, but for `changes`."""
    return {
        "computer": "this one",
        "time_ns": 0,
        "processors": {"count": 2, "ticks_per_second": 100, "idle_ticks": 0, "stolen_ticks": 0},
        "busy": {"processors": [], "switching": []},
        "sample_seconds": 0.5,
        "quotas": {},
        "softnet_dropped": 0,
        "memory": {"killed_programs": 0, "stalled_us": 0},
        "enforced": {},
        "drops": {},
        "mtu_mismatches": {},
        "switching": None,
        "instances": {},
        "started": {},
        "outages": [],
        "incidents": [],
        **changes,
    }


class FakeCluster:
    """Stands in for `hybridnet.machines.cluster.Cluster`. `answers` overrides what a verb answers."""

    def __init__(self, *machines: str) -> None:
        self.machines = list(machines) or ["m1"]
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.answers: dict[str, Callable[..., Any]] = {}
        self.on_progress: Callable[[str, str], object] = lambda machine, text: None
        self.on_lost: Callable[[str], object] = lambda machine: None
        self.gone: dict[str, Loss] = {}
        self.closed = False
        self.refused: list[str] = []  # machines that began to join, and did not
        self.programs: dict[int, list[bytes]] = {}

    def address(self, machine: str) -> str:
        return f"127.0.0.{self.machines.index(machine) + 1}"

    def facts(self, machine: str) -> dict[str, Any]:
        return {}

    def lost(self) -> dict[str, Loss]:
        return dict(self.gone)

    def lose(self, machine: str, why: str, at_s: float = 0.0) -> None:
        self.gone[machine] = Loss(f"machine {machine}: {why}", at_s)
        self.on_lost(machine)

    @contextlib.contextmanager
    def restarting(self, machine: str) -> Iterator[Callable[..., Any]]:
        loss = self.gone[machine]

        def call(verb: str, **arguments: Any) -> Any:
            del self.gone[machine]
            try:
                return self.call(machine, verb, **arguments)
            finally:
                self.gone[machine] = loss

        yield call
        del self.gone[machine]

    @contextlib.contextmanager
    def joining(self, machine: str) -> Iterator[Arrival]:
        if not machine.startswith("m"):
            raise UsageError(f"there is no place for a machine {machine!r}")
        try:
            yield Arrival(partial(self.call, machine), f"127.0.1.{machine[1:]}")
        except BaseException:
            self.refused.append(machine)
            raise
        self.machines.append(machine)

    def remove(self, machine: str) -> dict[str, Any]:
        self.machines.remove(machine)
        answer: dict[str, Any] = self.call(machine, "destroy")
        return answer

    def processes(self) -> dict[str, Part]:
        return {}

    def close(self) -> None:
        self.closed = True

    def call(self, machine: str, verb: str, **arguments: Any) -> Any:
        if machine in self.gone:
            raise MachineError(self.gone[machine].why)
        if verb == "await_outages" and verb not in self.answers:  # the watch, which is beside everything
            raise MachineError("there is nothing to wait for")
        self.calls.append((machine, verb, arguments))
        if verb in self.answers:
            return self.answers[verb](machine=machine, **arguments)
        return getattr(self, f"_{verb}")(machine, **arguments)

    def call_all(self, calls: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        return {
            machine: self.call(machine, verb, **arguments) for machine, (verb, arguments) in calls.items()
        }

    def call_left(self, calls: dict[str, tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        return self.call_all({machine: call for machine, call in calls.items() if machine not in self.gone})

    def verbs(self, machine: str | None = None) -> list[str]:
        return [verb for where, verb, _ in self.calls if machine in (None, where)]

    def _capacity(self, machine: str) -> dict[str, Any]:
        return {
            "afxdp": True,
            "computer": "this one",
            "cpus": [0, 1],
            "kernel_datapath": False,
            "memory_available_bytes": 10**11,
            "shared_switching": False,
            "network": zlib.crc32(machine.encode()),  # each has its own
        }

    def _build(self, machine: str, plan: dict[str, Any], controllers: bool) -> dict[str, float]:
        assert not controllers  # the switches are told theirs once they listen
        self.on_progress(machine, f"{len(plan['hosts'])} hosts")
        return {"pairs": 0.1}

    def _check_folder(self, machine: str, folder: str) -> None:
        return None

    def _obey_controllers(self, machine: str) -> None:
        return None

    def _change(self, machine: str, remove: dict[str, Any], add: dict[str, Any]) -> list[str]:
        return []  # nothing that a script has set is lost

    def _destroy(self, machine: str) -> dict[str, Any]:
        return {machine: {"name": machine}}

    def _check_parts(self, machine: str) -> None:
        return None

    def _stop_watching(self, machine: str) -> None:
        return None

    def _snapshot(self, machine: str, of_elements: bool) -> dict[str, Any]:
        return {machine: {"name": machine, "peers": []}}

    def _counters(self, machine: str) -> dict[str, Any]:
        return counters()

    def _look(self, machine: str, known: dict[str, int]) -> dict[str, Any]:
        return {"time_ns": 1, "counters": counters(), "wires": [], "links": {}}

    def _switches_connected(self, machine: str) -> dict[str, bool]:
        return {"s1": True}

    def _run_command(self, machine: str, node: str, text: str, timeout: float | None) -> dict[str, Any]:
        return {"output": f"{node}$ {text}\n", "status": 0, "last_pid": 7}

    def _start_command(self, machine: str, node: str, text: str) -> None:
        self.programs[0] = [b"one\n", b"two\n"]

    def _read_command(self, machine: str, node: str, timeout: float) -> dict[str, Any]:
        chunks = self.programs[0]
        text = chunks.pop(0).decode()
        return {"output": text, "done": not chunks, "status": 0, "last_pid": None}

    def _exec(
        self, machine: str, argv: Any, timeout: float = 60.0, node: str = "", computers: bool = False
    ) -> dict[str, Any]:
        return {"status": 0, "stdout": b"", "stderr": b""}

    def _ping_pairs(self, machine: str, pairs: list[tuple[str, str]], **_: Any) -> list[dict[str, Any]]:
        return [{"host": host, "address": address, "received": 1} for host, address in pairs]

    def _host_pid(self, machine: str, node: str) -> int:
        return 4711

    def _set_link(self, machine: str, instance: str, link: str, **_: Any) -> None:
        return None

    def _set_routes(self, machine: str, instance: str, routes: dict[str, Any]) -> None:
        return None

    def _clock(self, machine: str) -> dict[str, Any]:
        return {"monotonic_ns": 5_000_000_000, "epochs_ns": {machine: 2_000_000_000}}

    def _schedule(self, machine: str, **_: Any) -> None:
        return None

    def _cancel_timeline(self, machine: str, timeline: str) -> None:
        return None

    def _fired(self, machine: str, timeline: str) -> dict[str, list[dict[str, Any]]]:
        return {"instances": {machine: []}, "interfaces": []}

    def _link_up(self, machine: str, node: str, interface: str) -> None:
        return None

    _link_down = _link_up

    def _limit_host(self, machine: str, node: str, limit: dict[str, Any]) -> None:
        return None

    def _interrupt(self, machine: str, node: str) -> None:
        return None

    def _start_process(self, machine: str, node: str, command: Any, **_: Any) -> dict[str, int]:
        number = len(self.programs) + 1
        self.programs[number] = [b"first line\nsec", b"ond line\n"]
        return {"number": number, "pid": 100 + number}

    def _read_process(self, machine: str, number: int, stream: str, timeout: float) -> bytes | None:
        if stream == "stderr":
            return None
        return self.programs[number].pop(0) if self.programs[number] else None

    def _wait_process(self, machine: str, number: int, timeout: float) -> int | None:
        return 3

    def _poll_process(self, machine: str, number: int) -> int | None:
        return None

    def _signal_process(self, machine: str, number: int, signal: int) -> None:
        return None

    def _write_process(self, machine: str, number: int, data: bytes, end: bool) -> None:
        return None

    def _close_process(self, machine: str, number: int) -> None:
        if number not in self.programs:
            raise UsageError(f"there is no program {number}")
        del self.programs[number]
