# SPDX-License-Identifier: MIT
import pytest

from hybridnet.plan.pool import USUAL_POOL_BYTES, pool_bytes


def link(rate_bps: int | None, delay_ns: int) -> dict[str, dict[str, int | None]]:
    direction = {"rate_bps": rate_bps, "delay_ns": delay_ns}
    return {"a_to_b": direction, "b_to_a": direction}


@pytest.mark.parametrize("links", [[], [link(10**9, 10**7)] * 20, [link(None, 10**10)]])
def test_ordinary_networks_have_the_usual_bound(links):
    assert pool_bytes(links) == USUAL_POOL_BYTES


def test_a_long_fat_link_has_four_times_what_is_on_its_way():
    # 10 Gbit/s for 1 s are 1.25 GB in each direction.
    assert pool_bytes([link(10**10, 10**9)]) == 4 * 2 * 1_250_000_000


def test_many_links_have_no_more_than_one_processor_carries():
    # 100 Gbit/s for 0.1 s are 1.25 GB.
    assert pool_bytes([link(10**10, 10**8)] * 40_000) == 4 * 1_250_000_000
