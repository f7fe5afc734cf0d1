# SPDX-License-Identifier: MIT
import pytest

from hybridnet.describe.schema.check import schema
from hybridnet.errors import PlanError
from hybridnet.plan.choices.pool import LEAST_POOL_BYTES, MOST_POOL_BYTES, USUAL_POOL_BYTES, pool_bytes
from hybridnet.plan.network import PlanOptions


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


def test_portals_have_what_they_read_into_beside_that():
    own = {"backend": "packet", "options": {"capture_thread": True, "capture_ring_frames": 100}}
    usual = {"backend": "packet", "options": {"capture_thread": True}}
    plain = {"backend": "packet"}
    # 32 frames, 100, and the 256 of docs/portals.md, each in a block of 65,792 bytes (packet_pool.h).
    assert pool_bytes([], [plain] * 640) == USUAL_POOL_BYTES + 640 * 32 * 65_792
    assert pool_bytes([], [own, usual]) == USUAL_POOL_BYTES + (100 + 256) * 65_792


def test_no_network_asks_for_more_than_a_plan_may():
    # 100 Gbit/s for 1000 s are 12.5 TB.
    assert pool_bytes([link(10**12, 10**12)]) == MOST_POOL_BYTES


def test_a_bound_is_checked_before_anything_is_made():
    allowed = schema("instance")["properties"]["pool_bytes"]
    assert (allowed["minimum"], allowed["maximum"]) == (LEAST_POOL_BYTES, MOST_POOL_BYTES)
    for good in (None, LEAST_POOL_BYTES, MOST_POOL_BYTES):
        assert PlanOptions(token="0" * 16, pool_bytes=good).pool_bytes == good
    for wrong in (-1, 0, LEAST_POOL_BYTES - 1, MOST_POOL_BYTES + 1, 2.0**30, "1 GB", True):
        with pytest.raises(
            PlanError, match=r"pool_bytes .* is not a whole number from 16777216 to 1099511627776"
        ):
            PlanOptions(token="0" * 16, pool_bytes=wrong)
