# SPDX-License-Identifier: MIT
"""``hybridnet reproduce shared-queue``, one short round: a real and a simulated flow share a link."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridnet.cli.main import main

pytestmark = [pytest.mark.system, pytest.mark.thorough]


def test_both_flows_send_over_the_shared_link(tmp_path: Path) -> None:
    main(["reproduce", "shared-queue", "--seconds", "5", "--rounds", "1", "--out", str(tmp_path / "run")])
    done = json.loads((tmp_path / "run" / "round-1" / "round.json").read_text())
    assert done["real_bps"] > 0
    assert done["simulated_bps"] > 0
