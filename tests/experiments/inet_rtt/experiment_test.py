# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

from hybridnet.cli.main import Parser
from hybridnet.errors import UsageError
from hybridnet.experiments.common import pinger
from hybridnet.experiments.inet_rtt import experiment as inet_rtt


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--pings", "0"], r"--pings 0 --rounds 3: both must be at least 1"),
        (
            ["--pings", str(pinger.MOST + 1)],
            rf"--pings {pinger.MOST + 1}: at most 60,000; take more --rounds",
        ),
        (["--rounds", "0"], r"--rounds: '0' is not a whole number of at least 1"),
    ],
)
def test_pings_without_sense_are_refused_before_a_machine_starts(words: list[str], why: str) -> None:
    parser = Parser()
    inet_rtt.add_arguments(parser)
    with pytest.raises(UsageError, match=why):
        inet_rtt.run(parser.parse_args(words))
