# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hybridnet.describe.schema.check import checked
from hybridnet.describe.schema.plans import DirectionPlan
from hybridnet.describe.topo.direction import Direction
from hybridnet.errors import EnvironmentLackError, MachineError, PlanError, UsageError
from hybridnet.simulate.instance.process import load_plan
from hybridnet.tools.wire import Wire, wire_plan
from hybridnet.tools.wire.options import Options, resolve_options
from hybridnet.tools.wire.state import change, read_directions, resolve_ways, set_wire, write_options

DEFAULTS = Direction().to_json()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HYBRIDNET_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state"


def plan(**options: object) -> dict[str, object]:
    return wire_plan("eth1", "eth2", name="w", forward=DEFAULTS, backward=DEFAULTS, **options)  # type: ignore[arg-type]


def test_the_plan_follows_the_schema(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    for backend, options in (
        ("packet", {"gro": False, "gro_flush_timeout_ns": 0, "segments_per_flush": 1}),
        (
            "pcap",
            {"immediate": False, "timeout_ns": 10_000_000, "kernel_stamps": False, "backlog_segments": 5},
        ),
        ("pcap", {"output": "raw_ip", "capture_thread": True}),
        ("packet", {"capture_thread": True, "capture_ring_frames": 64}),
        ("tap", {"mtu": 9000, "queue_frames": 500, "capture_thread": True}),
        ("xdp", {"ring_frames": 4096, "segments_per_flush": 32}),
    ):
        file.write_text(
            json.dumps(plan(backend=backend, portal_options=options, realtime={"wait": "dedicated"}))
        )
        assert load_plan(file)["emulation_portals"][1]["options"] == options


def test_a_wire_refuses_real_time_options_that_are_none() -> None:
    with pytest.raises(UsageError, match=r"wire a-b: realtime: unknown option 'weit'; did you mean 'wait'"):
        Wire("a", "b", realtime={"weit": "sleep"})
    with pytest.raises(UsageError, match="there is no option spin_ns any more; write wait dedicated"):
        Wire("a", "b", realtime={"spin_ns": 0})
    with pytest.raises(UsageError, match='wire a-b: realtime, at wait: "foo" is not one of'):
        Wire("a", "b", realtime={"wait": "foo"})


def test_a_wire_refuses_options_of_a_portal_that_are_none() -> None:
    with pytest.raises(UsageError, match="portal, at options/segments_per_flush: 100001 is greater than"):
        Wire("a", "b", portal_options={"segments_per_flush": 100_001})
    with pytest.raises(UsageError, match=r"wire a-b: portal, at options.*gro"):
        Wire("a", "b", backend="xdp", portal_options={"gro": True})


@pytest.mark.parametrize(
    ("backend", "option"),
    [
        ("packet", {"immediate": True}),
        ("pcap", {"gro": True}),
        ("tap", {"gro": True}),
        ("xdp", {"capture_thread": True}),
        ("xdp", {"ring_frames": 100}),
    ],
)
def test_an_option_that_the_backend_does_not_have_is_refused(
    tmp_path: Path, backend: str, option: dict[str, object]
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(plan(backend=backend, portal_options=option)))
    with pytest.raises(PlanError, match=rf"emulation_portals/0/options.*({next(iter(option))}|100)"):
        load_plan(file)


def test_a_direction_is_checked_before_a_running_link_takes_it() -> None:
    checked(dict(DEFAULTS), DirectionPlan, "set_link wire, a_to_b")
    with pytest.raises(
        PlanError, match="set_link wire, a_to_b, at delay_ns: -1 is less than the minimum of 0"
    ):
        checked({**DEFAULTS, "delay_ns": -1}, DirectionPlan, "set_link wire, a_to_b")
    with pytest.raises(PlanError, match="at queue_packets: 0 is less than"):
        checked({**DEFAULTS, "queue_packets": 0}, DirectionPlan, "set_link wire, a_to_b")


def test_ends_names_and_portals_that_make_no_sense_are_refused_before_anything_is_made(state: Path) -> None:
    with pytest.raises(UsageError, match="both ends are eth1"):
        Wire("eth1", "eth1")
    with pytest.raises(UsageError, match="portal 'dpdk' does not exist"):
        Wire("eth1", "eth2", backend="dpdk")
    with pytest.raises(UsageError, match="a name has at most 40 letters"):
        Wire("eth1", "eth2", name="../x")
    with pytest.raises(
        EnvironmentLackError, match=r"no interface none-1 in this network namespace|needs root"
    ):
        Wire("none-1", "none-2")
    with pytest.raises(UsageError, match="seed -1 is not a whole number from 0"):
        Wire("eth1", "eth2", seed=-1)
    for option, value in (
        ("portal_options", 5),
        ("realtime", "x"),
        ("limits", 3),
        ("record", 7),
        ("name", 8),
    ):
        with pytest.raises(UsageError, match=f"{option} {value!r}"):
            Wire("eth1", "eth2", **{option: value})
    assert not state.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="the constructor asks for root")
def test_a_wire_that_has_not_been_started_says_so(state: Path) -> None:
    wire = Wire("none-1", "none-2", backend="tap")
    for use in (wire.close, wire.snapshot, wire.to_json, lambda: wire.set(delay="1 ms")):
        with pytest.raises(UsageError, match=r"wire none-1-none-2: it has not been started; use `with`"):
            use()
    assert not state.exists()


def test_a_change_keeps_what_was_said_before_and_takes_away_what_is_none(tmp_path: Path) -> None:
    asked: list[Mapping[str, Any]] = []

    def ask(request: Mapping[str, Any]) -> dict[str, Any]:
        asked.append(request)
        return {}

    directory = tmp_path / "wire-w"
    directory.mkdir()
    write_options(directory, {"a_to_b": {"delay": "10ms", "loss": "1%"}, "b_to_a": {"delay": "3ms"}})
    change(directory, {"a_to_b": {"jitter": "2ms", "loss": "none"}, "b_to_a": {}}, ask)
    assert asked[0]["a_to_b"] == resolve_options({"delay": "10ms", "jitter": "2ms"}, "w").to_change()
    assert asked[0]["a_to_b"]["loss"] is None
    assert asked[0]["b_to_a"] is None
    with pytest.raises(UsageError, match="wire w, backward: reorder= lets packets skip the delay"):
        change(directory, {"a_to_b": {}, "b_to_a": {"delay": "none", "reorder": "1%"}}, ask)
    assert len(asked) == 1
    directions = change(directory, {"a_to_b": {}, "b_to_a": {"reorder": "1%"}}, ask)
    assert directions["b_to_a"].delay_ns == 3_000_000


def test_what_the_instance_refuses_is_not_recorded(tmp_path: Path) -> None:
    def refuse(request: Mapping[str, Any]) -> dict[str, Any]:
        raise MachineError("its queue cannot be changed")

    directory = tmp_path / "wire-w"
    directory.mkdir()
    options: dict[str, Options] = {"a_to_b": {"rate": "1 Mbit/s"}, "b_to_a": {}}
    write_options(directory, options)
    with pytest.raises(MachineError):
        change(directory, {"a_to_b": {"aqm": "codel"}, "b_to_a": {}}, refuse)
    assert read_directions(directory) == resolve_ways("wire w", options)


def test_setting_needs_a_wire_and_something_to_change() -> None:
    with pytest.raises(UsageError, match="wire w: there is no wire of this name; there are none"):
        set_wire("w", delay="5ms")
    with pytest.raises(UsageError, match="nothing to change is given"):
        set_wire("w", rate=None)
