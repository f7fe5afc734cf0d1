# SPDX-License-Identifier: MIT
"""Commands that run networks in a run directory."""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import TextIO

import pytest

from hybridnet import Topo
from hybridnet.cli.main import main
from hybridnet.cli.record_options import check_trace
from hybridnet.errors import UsageError
from hybridnet.run.prompt import exit_codes
from hybridnet.run.prompt.output import OUTPUT_CLOSED


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("pass", 0),
        ("raise hybridnet.errors.UsageError('no')", 2),
        ("raise hybridnet.errors.EnvironmentLackError('no')", 3),
        ("raise KeyboardInterrupt", 130),
        ("raise SystemExit(7)", 7),
        ("open('/none/such')", 1),
    ],
)
def test_the_manifest_has_the_exit_code_of_the_command(tmp_path: Path, ending: str, code: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import hybridnet\n{ending}\n")
    assert main(["run", "--out", str(tmp_path / "out"), str(script)]) == code
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["exit_code"] == code


@pytest.mark.parametrize(("unread", "code"), [([sys.stdout], OUTPUT_CLOSED), ([], 1)])
def test_a_broken_pipe_is_the_end_of_output_or_a_failure(
    unread: list[TextIO], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exit_codes, "unread_outputs", lambda: unread)
    assert exit_codes.code_of_error(BrokenPipeError(errno.EPIPE, "Broken pipe")) == code


DESCRIBED = """
from hybridnet import Topo

class Mixed(Topo):
    def build(self):
        self.addHost("h1")
        self.addSwitch("s1")
        self.addSimRouter("r1")
        self.addLink("h1", "s1")
        self.addLink("s1", "r1")

topos = {"mixed": Mixed}
"""


@pytest.mark.parametrize(
    ("trace", "says"),
    [
        (
            "nope",
            "--trace nope: there is no simulated interface or host of that name; the interfaces are r1-eth1",
        ),
        ("r1-eth1,h1-eth0", "--trace h1-eth0: there is no simulated interface"),
        ("h1", "--trace h1: it is not a simulated host"),
        ("r1-eth1,r1-eth1", "each once"),
    ],
)
def test_what_cannot_be_traced_is_refused_before_there_is_a_run_directory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], trace: str, says: str
) -> None:
    (tmp_path / "mixed.py").write_text(DESCRIBED)
    out = tmp_path / "out"
    asked = ["run", str(tmp_path / "mixed.py"), "--topo", "mixed", "--trace", trace, "--out", str(out)]
    assert main(asked) == 2
    assert says in capsys.readouterr().err
    assert not out.exists()


def test_interfaces_of_simulated_switches_can_be_traced() -> None:
    topo = Topo()
    topo.addSwitch("s1")
    topo.addSwitch("s2")
    topo.addLink("s1", "s2")
    check_trace("s1-eth1", topo, switches_simulated=True)
    with pytest.raises(UsageError, match="none: no node is simulated"):
        check_trace("s1-eth1", topo, switches_simulated=False)
