# SPDX-License-Identifier: MIT
from __future__ import annotations

from pathlib import Path

import pytest

from hybridnet.errors import HybridnetError, UsageError
from hybridnet.tools.forecast.demand import Demand, Flow, read_demand


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "flows.yaml"
    file.write_text(text)
    return file


def test_what_is_no_path_of_a_file_is_refused() -> None:
    with pytest.raises(UsageError, match="read_demand: file None is not text"):
        read_demand(None)  # type: ignore[arg-type]


def test_flows_are_read_with_their_units_and_pairs(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """flows:
  - {from: h1, to: h5, rate: 100 Mbit/s}
  - {from: [h2, h3], to: [h6, h7], rate: 10 Mbit/s, protocol: udp, packet: 1 kB}
  - {from: h4, to: h8, rate: 1 Gbit/s, protocol: udp}
""",
    )
    demand = read_demand(file)
    assert list(demand.flows) == [
        Flow("h1", "h5", 100_000_000, "tcp", 1448),
        Flow("h2", "h6", 10_000_000, "udp", 1000),
        Flow("h3", "h7", 10_000_000, "udp", 1000),
        Flow("h4", "h8", 1_000_000_000, "udp", 1400),
    ]
    assert demand.total_bps == 1_120_000_000
    assert demand.name == str(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no list of flows"),
        ("flows: 3", "no list of flows"),
        ("flows: []", "no flow"),
        ("{flows: [], more: 1}", "more than that"),
        ("flows: [3]", r"flows\.1: 3 is not a flow"),
        ("flows: [{from: a, to: b}]", "no 'rate'"),
        ("flows: [{from: a, to: b, rate: 10}]", "no unit"),
        ("flows: [{from: a, to: b, rate: 10 Mbit/s, rat: 1}]", "did you mean 'rate'"),
        ("flows: [{from: a, to: [b, c], rate: 10 Mbit/s}]", "1 hosts send, and 2 receive"),
        ("flows: [{from: [], to: [], rate: 10 Mbit/s}]", "neither a host's name"),
        ("flows: [{from: 1, to: b, rate: 10 Mbit/s}]", "neither a host's name"),
        ("flows: [{from: a, to: b, rate: 10 Mbit/s, protocol: sctp}]", "'sctp' does not exist"),
        ("flows: [{from: a, to: b, rate: 10 Mbit/s, packet: 0 B}]", "packet of 0 B"),
        ("flows: [{from: a, to: b, rate: 10 Mbit/s, packet: 1 MB}]", "packet of 1000000 B"),
        ("flows: [", "flows.yaml"),
    ],
)
def test_a_demand_that_makes_no_sense_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(HybridnetError, match=says) as refused:
        read_demand(written(tmp_path, text))
    assert "flows.yaml" in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_demand(tmp_path / "none.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        read_demand(tmp_path / "bytes.yaml")


def test_a_demand_without_flows_is_none() -> None:
    with pytest.raises(UsageError, match="it has no flow"):
        Demand([])
