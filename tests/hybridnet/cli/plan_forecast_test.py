# SPDX-License-Identifier: MIT
"""hybridnet plan --demand, with costs of a computer that is described."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet import __version__
from hybridnet.cli.main import main
from hybridnet.tools.forecast.cost_files import keep_costs
from tests.hybridnet.tools.forecast.support import FACTS, costs

DEMAND = "flows: [{from: h1, to: h4, rate: 8 Mbit/s, protocol: udp, packet: 1000 B}]"


@pytest.fixture
def flows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of a demand, where computers `one` and `two` are calibrated."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for name in ("one", "two"):
        keep_costs(costs(name, facts={**FACTS, "cpus": 4, "hybridnet": __version__}))
    (tmp_path / "flows.yaml").write_text(DEMAND)
    return str(tmp_path / "flows.yaml")


def planned(flows: str, *words: str) -> int:
    return main(["plan", "--topo", "twotrees,depth=1", "--demand", flows, *words])


def test_machines_on_two_computers_have_the_processors_of_both(
    flows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned(flows, "--computers", "one,two", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(core["computer"], core["cpu"]) for core in found["cores"]] == [
        (computer, cpu) for computer in ("one", "two") for cpu in range(4)
    ]
    shares = {(part["kind"], part["name"]): part["share"] for part in found["parts"]}
    # Sender, Open vSwitch, and around portal and peering: 800 + 4000 + 500 + 300 ns, a thousand times a second. The
    # instance is dedicated, and takes one of the four processors.
    assert shares["processors", "one"] == pytest.approx((1 + 5600e-6) / 4, abs=1e-4)
    assert shares["processors", "two"] == pytest.approx((1 + 6300e-6) / 4, abs=1e-4)
    # Portal and sealed peering: 2000 + 700 ns.
    assert shares["instance", "m1"] == pytest.approx(2700e-6, abs=1e-4)


def test_one_computer_has_all_machines(flows: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert planned(flows, "--computers", "one") == 0
    said = capsys.readouterr().out
    assert "processors of one" in said
    assert "1 flow offers 8 Mbit/s; the links let 8 Mbit/s through" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--computers", "one,two,one"], "3 computers for 2 machines (m1, m2)"),
        (["--computers", "three"], "what things cost on three is not known"),
        (["--experiment", "maxinet"], "not allowed with argument --demand"),
    ],
)
def test_computers_that_do_not_fit_are_refused(
    flows: str, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned(flows, *words) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--experiment", "none"], "there is no experiment 'none'"),
        (["--experiment", "dumbbell"], "it has no demand"),
        (["--experiment", "maxinet", "--topo", "single,2"], "leave FILE.py and --topo out"),
        (["--topo", "single,2", "--computers", "one"], "--computers is for a forecast"),
    ],
)
def test_a_forecast_of_what_there_is_not_is_refused(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", *words]) == 2
    assert says in capsys.readouterr().err
