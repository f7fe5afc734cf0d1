# SPDX-License-Identifier: MIT
"""The chain, and what is said of a load."""

from __future__ import annotations

from pathlib import Path

from hybridnet.experiments.controller_load.chain import Chain
from hybridnet.experiments.controller_load.experiment import Load, checks_of
from hybridnet.experiments.controller_load.plot import plot_loads


def load(switches: str = "openvswitch", per_second: float = 810.0, connected_s: float = 1.0) -> Load:
    return Load(
        switches=switches,
        count=16,
        p50_ms=1.25,
        p99_ms=2.5,
        per_second=per_second,
        connected_s=connected_s,
        links_s=2.0,
        links=30,
    )


def test_port_1_leads_to_the_first_host_and_port_2_to_the_second() -> None:
    topo = Chain(count=3, switch={})
    assert topo.port("s1", "h1")[0] == 1
    assert topo.port("s1", "s2") == (2, 1)
    assert topo.port("s2", "s3") == (2, 1)
    assert topo.port("s3", "h2")[0] == 2


def test_many_at_once_must_not_be_fewer_a_second_than_one_after_the_other() -> None:
    """1.25 ms each are 800 a second."""
    for rate, holds in ((810.0, True), (790.0, False)):
        [check] = checks_of([load(per_second=rate)])
        assert check.holds is holds


def test_simulated_switches_must_be_known_in_ten_seconds() -> None:
    for seconds, holds in ((9.9, True), (10.1, False)):
        _, check = checks_of([load("simulated", connected_s=seconds)])
        assert check.holds is holds


def test_the_picture_is_drawn_of_one_size_or_several(tmp_path: Path) -> None:
    plot_loads(tmp_path / "one.png", {"simulated": [load()]})
    assert (tmp_path / "one.png").stat().st_size > 10_000
