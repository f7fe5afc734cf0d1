# SPDX-License-Identifier: MIT
"""The guests of a network that runs: their tickets, as files that only the user of the run can read."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hybridnet.system.log import info

__all__ = ["offer_tickets", "withdraw_tickets"]

TICKETS = "tickets"
"""Folder of a run's directory."""


def offer_tickets(directory: Path, tickets: Mapping[str, Mapping[str, Any]]) -> None:
    """Write the tickets of a run, and say how its guests join.

    Args:
        directory: of the run.
        tickets: by guest.
    """
    folder = directory / TICKETS
    folder.mkdir(mode=0o700, exist_ok=True)
    for guest, ticket in tickets.items():
        file = os.open(folder / f"{guest}.json", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(file, "w") as text:
            text.write(json.dumps(ticket) + "\n")
        info(
            f"*** Guest {guest} can join (UDP port {ticket['port']}); on its computer: "
            f"ssh HOST sudo hybridnet ticket {guest} | sudo hybridnet join HOST\n"
        )


def withdraw_tickets(directory: Path) -> None:
    """Remove the tickets of a run that ends."""
    shutil.rmtree(directory / TICKETS, ignore_errors=True)
