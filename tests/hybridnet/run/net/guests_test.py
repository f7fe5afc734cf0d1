# SPDX-License-Identifier: MIT
"""Tickets in a run's directory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.run.net.guests import offer_tickets, withdraw_tickets
from hybridnet.system.log import setLogLevel

TICKET = {"guest": "laptop", "port": 47900, "key": "5" * 64}


def test_a_ticket_is_a_file_that_nobody_else_reads_and_its_key_is_in_no_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    setLogLevel("info")
    try:
        offer_tickets(tmp_path, {"laptop": TICKET})
    finally:
        setLogLevel()
    file = tmp_path / "tickets" / "laptop.json"
    assert json.loads(file.read_text()) == TICKET
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    said = "".join(capsys.readouterr())
    assert "Guest laptop can join (UDP port 47900)" in said
    assert TICKET["key"] not in said
    withdraw_tickets(tmp_path)
    assert list(tmp_path.iterdir()) == []
    withdraw_tickets(tmp_path)
