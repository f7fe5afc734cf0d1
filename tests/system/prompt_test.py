# SPDX-License-Identifier: MIT
"""The prompt tries a running network: between two hosts, and between all of them, with the figures in a file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from hybridnet.run.prompt.shell import CLI
from hybridnet.system.log import setLogLevel

pytestmark = pytest.mark.thorough


class Pair(Topo):
    """Two hosts on a veth pair."""

    def build(self) -> None:  # type: ignore[override]
        self.addLink(self.addHost("h1"), self.addHost("h2"))


def test_pings_and_flows_are_tried_and_their_figures_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setLogLevel("info")
    pings, nowhere, script = tmp_path / "pings.json", tmp_path / "none" / "flows.json", tmp_path / "commands"
    script.write_text(f"pingpair\npingmatrix 2 {pings}\niperfmatrix 1 {nowhere}\npy 6*7\n")
    with Net(Pair(), controller=None) as net:
        CLI(net, script=str(script))
    said = capsys.readouterr().err
    assert "0% dropped (2/2 received)" in said
    assert json.loads(pings.read_text())
    assert f"*** {nowhere}: No such file or directory" in said
    assert re.search(r"[\d.]+ .bit", said)
    assert "\n42\n" in said
