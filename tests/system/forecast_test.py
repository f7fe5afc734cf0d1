# SPDX-License-Identifier: MIT
"""`hybridnet calibrate` in its quick form on this computer, and a plan that forecasts by what it found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli.main import main

FLOWS = """flows:
  - {from: h1, to: h3, rate: 20 Mbit/s}
  - {from: h2, to: h4, rate: 2 Mbit/s, protocol: udp}
"""
ALWAYS = {
    "veth",
    "loop",
    "wake",
    "sender.veth",
    "receiver.portal",
    "portal",
    "switch",
    "openflow",
    "router",
    "peering.shm",
    "peering.udp",
}


@pytest.mark.slow
def test_costs_are_measured_once_and_a_plan_forecasts_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "flows.yaml").write_text(FLOWS)
    plan = ["plan", "--topo", "twotrees,depth=1", "--demand", str(tmp_path / "flows.yaml"), "--json"]
    assert main(plan) == 2
    assert "run `sudo hybridnet calibrate`" in capsys.readouterr().err

    assert main(["calibrate", "--quick", "--json"]) == 0
    [costs] = json.loads(capsys.readouterr().out)
    assert set(costs["elements"]) >= ALWAYS
    for element in ("sender.veth", "receiver.portal"):
        for protocol in ("tcp", "udp"):
            for figures in costs["elements"][element][protocol].values():
                assert sum(figures) > 0
    for switching in {"ovs.afpacket", "ovs.afxdp"} & set(costs["elements"]):
        assert costs["elements"][switching]["udp"]["thread"][0] > 0, "a turn takes no time"
    assert [file.name for file in (tmp_path / "hybridnet" / "costs").iterdir()] == [
        f"{costs['computer']}.json"
    ]

    assert main(plan) == 0
    forecast = json.loads(capsys.readouterr().out)
    parts = {(part["kind"], part["name"]): part["share"] for part in forecast["parts"]}
    assert {
        ("processors", costs["computer"]),
        ("instance", "m1"),
        ("sender", "h1"),
        ("receiver", "h4"),
    } <= set(parts)
    assert all(share >= 0 for share in parts.values())
    assert parts["instance", "m1"] > 0
    assert forecast["first"]["factor"] > 0
    assert forecast["trusted"]["factor"] > 0
    assert forecast["demand"]["carried_bps"] == 22_000_000

    assert main(["calibrate", "--show"]) == 0
    assert "portal" in capsys.readouterr().out
