# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hybridnet.cli.main import main
from hybridnet.errors import EnvironmentLackError, PlanError
from hybridnet.simulate.instance.build import with_trace, with_traces
from hybridnet.simulate.instance.replay import recorded_plan, replay

_simcore = pytest.importorskip("hybridnet._simcore")

DIRECTION = {
    "rate_bps": 1_000_000,
    "delay_ns": 1_000_000,
    "queue_packets": 10,
    "queue_bytes": None,
    "overhead_bytes": 0,
    "train_limit_ns": 0,
}


def host(name: str, number: int, applications: list[dict[str, Any]]) -> dict[str, Any]:
    interface = {
        "name": f"{name}-eth0",
        "mac": f"02:00:00:00:00:0{number}",
        "address": f"10.0.0.{number}/24",
        "mtu": 1500,
    }
    return {
        "name": name,
        "kind": "host",
        "interfaces": [interface],
        "routes": [],
        "applications": applications,
    }


@pytest.fixture
def plan(tmp_path: Path) -> dict[str, Any]:
    """Two simulated hosts, of which one pings the other; no portal, so no root."""
    ping = {"kind": "ping", "destination": "10.0.0.2", "count": 3, "interval_ns": 1_000_000}
    return {
        "format": 1,
        "name": "m1",
        "seed": 1,
        "token": "00000000000000ff",
        "nodes": [host("v1", 1, [ping]), host("v2", 2, [])],
        "emulation_portals": [],
        "peers": [],
        "links": [
            {
                "name": "l",
                "a": {"interface": "v1-eth0"},
                "b": {"interface": "v2-eth0"},
                "a_to_b": DIRECTION,
                "b_to_a": DIRECTION,
            }
        ],
        "captures": [],
        "record": str(tmp_path / "m1.pcapng"),
        "realtime": {
            "policy": "best_effort",
            "lateness_limit_ns": 1_000_000,
            "cpu": None,
            "fifo_priority": None,
        },
    }


def section_header() -> bytes:
    words = [0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0xFFFFFFFF, 0xFFFFFFFF, 28]
    return b"".join(word.to_bytes(4, "little") for word in words)


def own_block(kind: int, time_ns: int, text: bytes) -> bytes:
    """A block of hybridnet's own; see simcore/trace/pcapng_blocks.h."""
    padded = text + bytes(-len(text) % 4)
    time = (time_ns >> 32, time_ns & 0xFFFFFFFF)
    length = 12 + 24 + len(padded)
    words = [0xBAD, length, 32_473, 0x686E6574, kind, len(text), *time]
    return b"".join(word.to_bytes(4, "little") for word in words) + padded + length.to_bytes(4, "little")


def write_record(path: Path, plan: bytes, *blocks: bytes) -> Path:
    path.write_bytes(section_header() + own_block(1, 0, plan) + b"".join(blocks))
    return path


def test_a_record_is_replayed_whatever_real_time_was_asked_then(plan: dict[str, Any], tmp_path: Path) -> None:
    plan["realtime"] = {"spin_ns": 0, "early_wake_ns": 150_000}  # of an earlier edition
    record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), own_block(3, 2_000_000_000, b""))
    assert replay(record).duration_ns == 2_000_000_000


def test_a_record_is_replayed_with_the_plan_in_it(plan: dict[str, Any], tmp_path: Path) -> None:
    record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), own_block(3, 2_000_000_000, b""))
    assert recorded_plan(record) == plan
    report = replay(record)
    assert report.instance == "m1"
    assert report.duration_ns == 2_000_000_000
    assert report.identical  # nothing could leave it
    assert not report.cut
    (ping,) = [row for row in report.snapshot["applications"] if row["node"] == "v1"]
    assert ping["received"] == 3


def test_changes_of_links_are_made_again_at_their_instants(plan: dict[str, Any], tmp_path: Path) -> None:
    dead = {**DIRECTION, "loss": {"model": "independent", "probability": 1.0}}
    note = json.dumps({"link": "l", "a_to_b": dead, "b_to_a": None}).encode()
    # No ping leaves before v2's address is known, and that takes the link's 1 ms and more.
    record = write_record(
        tmp_path / "x.pcapng",
        json.dumps(plan).encode(),
        own_block(2, 1_000_000, note),
        own_block(3, 2_000_000_000, b""),
    )
    report = replay(record)
    assert report.changes == 1
    (ping,) = [row for row in report.snapshot["applications"] if row["node"] == "v1"]
    assert ping["received"] == 0


def test_links_down_and_up_and_routes_are_made_again(plan: dict[str, Any], tmp_path: Path) -> None:
    def changed(*notes: tuple[int, dict[str, Any]]) -> dict[str, Any]:
        blocks = [own_block(2, at_ns, json.dumps(note).encode()) for at_ns, note in notes]
        end = own_block(3, 2_000_000_000, b"")
        report = replay(write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), *blocks, end))
        assert report.changes == len(notes)
        return report.snapshot

    def received(snapshot: dict[str, Any]) -> int:
        (ping,) = [row for row in snapshot["applications"] if row["node"] == "v1"]
        return int(ping["received"])

    down, up = {"link": "l", "up": False}, {"link": "l", "up": True}
    snapshot = changed((1_000_000, down))
    assert received(snapshot) == 0
    assert {row["status"] for row in snapshot["links"]} == {"down"}
    assert received(changed((1_000_000, down), (1_000_000, up))) == 3
    route = {"prefix": "10.0.0.2/32", "via": "10.0.0.9", "interface": "v1-eth0"}  # nobody is there
    # The pings of 0 and 1 ms have chosen their way; that of 2 ms has not.
    assert received(changed((1_000_000, {"routes": {"v1": [route]}}))) == 2
    with pytest.raises(PlanError, match="a change in record"):
        changed((1_000_000, {"routes": {"v1": [{"prefix": "x"}]}}))
    with pytest.raises(PlanError, match="does not say what changes and how"):
        changed((1_000_000, {"up": False}))


def test_another_plan_can_be_replayed(plan: dict[str, Any], tmp_path: Path) -> None:
    record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), own_block(3, 2_000_000_000, b""))
    assert replay(record, plan={**plan, "name": "other"}).instance == "other"


def test_a_record_without_an_end_says_so(plan: dict[str, Any], tmp_path: Path) -> None:
    record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode())
    assert replay(record).cut


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"text", "neither pcap nor pcapng"),
        (section_header(), "no instance plan"),
        (section_header() + own_block(1, 0, b"{"), "the plan in record"),
        (section_header() + own_block(1, 0, b"{}"), "is a required property"),
        (section_header() + own_block(1, 0, b'{"name": "\xff"}'), "it is not text in UTF-8"),
        (section_header() + own_block(1, 0, b"[" * 100_000), "it is nested too deeply"),
        (section_header() + own_block(1, 0, b"9" * 5000), "a number in it has too many digits; give"),
        (section_header() + own_block(1, 0, rb'{"name": "\ud800"}'), "it is not text in UTF-8"),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.pcapng").write_bytes(content)
    with pytest.raises(PlanError, match=message):
        replay(tmp_path / "x.pcapng")
    with pytest.raises(EnvironmentLackError, match=r"none\.pcapng"):
        replay(tmp_path / "none.pcapng")


def test_a_change_that_says_no_link_is_refused(plan: dict[str, Any], tmp_path: Path) -> None:
    odd = (
        b"[" * 100_000,
        b'{"link": "\xff"}',
        b'{"link": "l", "up": "?"}',
        rb'{"link": "\ud800", "up": true}',
    )
    for note in (b"", b"[]", b'{"link": "l"}', *odd):
        record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), own_block(2, 1, note))
        with pytest.raises(PlanError, match=r"a change in record .*; give the unchanged file"):
            replay(record)


def test_the_command_prints_json_and_refuses_to_write_over_the_record(
    plan: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = write_record(tmp_path / "x.pcapng", json.dumps(plan).encode(), own_block(3, 1_000, b""))
    assert main(["replay", str(record), "--json", "--out", str(tmp_path / "out.pcapng")]) == 0
    assert json.loads(capsys.readouterr().out)["identical"] is True
    assert recorded_plan(tmp_path / "out.pcapng") == plan
    assert main(["replay", str(record), "--out", str(record)]) == 2
    assert main(["replay", str(record)]) == 0
    assert "identical" in capsys.readouterr().out


def test_a_record_holds_the_text_of_trace_files(plan: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("1\n2\n")
    wire = {"model": "opportunities", "file": str(tmp_path / "trace")}
    plan["links"][0]["a_to_b"] = {**DIRECTION, "rate_bps": None, "rate_model": wire}
    kept = with_traces(plan)
    (tmp_path / "trace").unlink()
    direction = kept["links"][0]["a_to_b"]
    assert with_trace(direction)["rate_model"]["text"] == "1\n2\n"
    record = write_record(tmp_path / "x.pcapng", json.dumps(kept).encode(), own_block(3, 2_000_000_000, b""))
    (ping,) = [row for row in replay(record).snapshot["applications"] if row["node"] == "v1"]
    assert ping["received"] == 3
