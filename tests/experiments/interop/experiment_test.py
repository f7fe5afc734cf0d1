# SPDX-License-Identifier: MIT
"""What is promised of transfers, and their table."""

from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from hybridnet.errors import UsageError
from hybridnet.experiments.interop import experiment as interop
from hybridnet.experiments.interop.experiment import LONGEST_STALL_S, checks_of, table_of
from hybridnet.experiments.interop.transfers import Transfer
from hybridnet.observe.results import Verdict

WHOLE = Transfer("curl", bytes=20_000_000, seconds=2.0, exact=True, longest_gap_s=0.25, resets=0)
TRUSTED = Verdict.of([])


def test_whole_transfers_hold() -> None:
    assert [check.holds for check in checks_of([WHOLE, WHOLE], TRUSTED)] == [True, True, True]


@pytest.mark.parametrize(
    "hurt", [{"exact": False}, {"resets": 1}, {"longest_gap_s": LONGEST_STALL_S + 0.1}], ids=str
)
def test_other_bytes_a_broken_connection_and_a_stall_do_not(hurt: dict[str, float]) -> None:
    [transfer, verdict] = checks_of([replace(WHOLE, **hurt)], TRUSTED)
    assert not transfer.holds
    assert verdict.holds


def test_the_table_has_megabytes_and_megabits() -> None:
    [line] = zip(*(column.cells for column in table_of([WHOLE]).columns), strict=True)
    assert line == ("curl", "20", "2.0", f"{20 * 8 / 2:.0f}", "0.25")


def test_a_transfer_that_says_nothing_is_refused_before_a_machine_starts() -> None:
    parser = argparse.ArgumentParser()
    interop.add_arguments(parser)
    with pytest.raises(UsageError, match="--size 10 kB: write at least 1 MB"):
        interop.run(parser.parse_args(["--size", "10 kB"]))
