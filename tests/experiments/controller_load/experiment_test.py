# SPDX-License-Identifier: MIT
"""The chain, and what is said of a load."""

from __future__ import annotations

from hybridnet.experiments.controller_load.experiment import Chain, Load, checks_of


def test_port_1_leads_to_the_first_host_and_port_2_to_the_second() -> None:
    topo = Chain(count=3, switch={})
    assert topo.port("s1", "h1")[0] == 1
    assert topo.port("s1", "s2") == (2, 1)
    assert topo.port("s2", "s3") == (2, 1)
    assert topo.port("s3", "h2")[0] == 2


def test_many_at_once_must_not_be_fewer_a_second_than_one_after_the_other() -> None:
    """1.25 ms each are 800 a second."""
    for rate, holds in ((810.0, True), (790.0, False)):
        [check] = checks_of([Load("openvswitch", 16, 3.0, 1.25, 2.5, rate)])
        assert check.holds is holds
