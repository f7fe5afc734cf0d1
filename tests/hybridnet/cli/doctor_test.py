# SPDX-License-Identifier: MIT
"""doctor: every lack says what it means and how to cure it; a needed one gives exit code 3."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hybridnet.cli import doctor_checks
from hybridnet.cli import doctor_opinions as opinions
from hybridnet.cli.doctor_opinions import Finding
from hybridnet.cli.main import main
from hybridnet.machines.workers.bundle import host_packages

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


def test_the_last_line_is_the_one_command_that_installs_all_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacks = [opinions.command(name, None, f"{name}-package", "bad") for name in ("a", "b")]
    monkeypatch.setattr(doctor_checks, "examine", lambda: [*lacks, NEEDED])
    main(["doctor"])
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "all that Debian has packages for: apt-get install a-package b-package"
    monkeypatch.setattr(doctor_checks, "examine", lambda: [HAS, OPTIONAL])
    main(["doctor"])
    assert "all that Debian" not in capsys.readouterr().out


def test_json_holds_every_finding(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_checks, "examine", lambda: [HAS, NEEDED])
    main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [item["state"] for item in found] == ["has", "lacks"]
    assert found[1]["cure"] == "run setup/install"


def test_this_computers_findings_are_complete() -> None:
    findings = doctor_checks.examine()
    assert len(findings) == len(doctor_checks.CHECKS)
    states = ("has", "lacks", "note") if os.geteuid() == 0 else ("has", "lacks", "note", "unknown")
    for finding in findings:
        assert finding.state in states
        assert finding.found
        if finding.state == "lacks":
            assert finding.means, finding.what
            assert finding.cure, finding.what


def test_without_programs_each_of_them_is_a_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HYBRIDNET_RYU_PYTHON", str(tmp_path / "none"))
    found = {finding.what: finding for finding in doctor_checks.examine()}
    for name in ("Open vSwitch", "ip", "ethtool", "ping", "iperf3"):
        assert (found[name].state, found[name].needed) == ("lacks", True)
        assert found[name].cure.startswith("apt-get install ")
    assert (found["Ryu"].state, found["Ryu"].needed) == ("lacks", True)
    assert found["Ryu"].cure
    named = {finding.package for finding in found.values()} - {""}
    assert named <= set(host_packages()), "the packages that it names are those that set-up installs"
    if os.geteuid() == 0:  # what must be tried cannot be
        assert found["network namespaces"].state == "lacks"
        assert "unshare" in found["network namespaces"].found
