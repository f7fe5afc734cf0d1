# SPDX-License-Identifier: MIT
"""doctor: every lack says what it means and how to cure it; a needed one gives exit code 3."""

from __future__ import annotations

import json

import pytest

from hybridnet.cli import doctor_checks
from hybridnet.cli.doctor_checks import Finding
from hybridnet.cli.main import main

HAS = Finding("iperf3", "has", "/usr/bin/iperf3", needed=True)
OPTIONAL = Finding("netem", "lacks", "no module", "no delay in the maxinet arm", "modprobe sch_netem")
NEEDED = Finding("Ryu", "lacks", "none", "no controllers", "run setup/install", needed=True)


@pytest.mark.parametrize(
    ("findings", "code"), [([HAS], 0), ([HAS, OPTIONAL], 0), ([HAS, OPTIONAL, NEEDED], 3)]
)
def test_exit_code_tells_whether_something_needed_is_missing(
    findings: list[Finding], code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_checks, "examine", lambda: findings)
    assert main(["doctor"]) == code
    text = capsys.readouterr().out
    for finding in findings:
        assert finding.what in text
        assert finding.cure in text
    assert ("needed and missing: Ryu" in text) is (code == 3)


def test_json_holds_every_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_checks, "examine", lambda: [HAS, NEEDED])
    main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [item["state"] for item in found] == ["has", "lacks"]
    assert found[1]["cure"] == "run setup/install"


def test_a_missing_command_is_a_lack_with_its_package() -> None:
    finding = doctor_checks._command("no-such-command-here", "some-package", "no flows", needed=True)()
    assert (finding.state, finding.cure, finding.needed) == ("lacks", "apt-get install some-package", True)


@pytest.mark.slow
def test_this_computers_findings_are_complete() -> None:
    findings = doctor_checks.examine()
    assert len(findings) == len(doctor_checks.CHECKS)
    for finding in findings:
        assert finding.state in ("has", "lacks", "note")
        assert finding.found
        if finding.state == "lacks":
            assert finding.means, finding.what
            assert finding.cure, finding.what
