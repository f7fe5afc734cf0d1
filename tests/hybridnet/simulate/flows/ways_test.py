# SPDX-License-Identifier: MIT
from __future__ import annotations

from random import Random
from typing import Any

import pytest

from hybridnet import Topo
from hybridnet.errors import UsageError
from hybridnet.simulate.flows import Flow
from hybridnet.simulate.flows.ways import Hop, Network, pipeline_ns
from hybridnet.simulate.offline.simulate import offline_plan

FULL, PAYLOAD, HEADERS, SYN = 1514, 1448, 66, 74


class Line(Topo):
    """a ─ 100 Mbit/s, 10 us ─ s ─ 1 Gbit/s, 20 us ─ r ─ 10 Mbit/s, 5 ms ─ b."""

    def build(self, **of_last: Any) -> None:
        self.addSimHost("a")
        self.addSimSwitch("s")
        self.addSimRouter("r")
        self.addSimHost("b")
        self.addLink("a", "s", bw=100, delay="10us")
        self.addLink("s", "r", bw=1000, delay="20us")
        self.addLink("r", "b", delay="5ms", **({"bw": 10} | of_last))


def us(frame_bytes: int) -> float:
    """On all three links, one after the other."""
    return frame_bytes * 8 * (1 / 100 + 1 / 1000 + 1 / 10)


def ideal_us(size: int, topo: Topo, tcp: str = "linux", to: str = "b") -> float:
    return Network(offline_plan(topo)).ideal_ns(Flow("", 0, "a", to, size, {"preset": tcp})) / 1e3


def test_one_segment_takes_four_passages_and_its_frames() -> None:
    passages = 4 * (10 + 20 + 5000)
    ack_before_the_request = HEADERS * 8 / 10  # at the slowest link, where b sends first
    expected = passages + 2 * us(SYN) + ack_before_the_request + us(HEADERS + 1) + us(HEADERS + 100)
    assert ideal_us(100, Line()) == pytest.approx(expected)


def test_a_long_flow_takes_its_frames_at_the_slowest_link_and_one_at_each_other() -> None:
    one = ideal_us(PAYLOAD, Line())
    thousand = ideal_us(1000 * PAYLOAD, Line())
    assert thousand - one == pytest.approx(999 * FULL * 8 / 10)


def test_headers_follow_the_tcp_the_mtu_and_the_overhead() -> None:
    # 1460 bytes are two segments with timestamps, and one without; control packets are shorter without, too
    with_them, without = ideal_us(1460, Line(), "rfc"), ideal_us(1460, Line(), "reno-2004")
    last_behind_the_first = (HEADERS + 12) * 8 / 10
    assert with_them - without == pytest.approx(last_behind_the_first + 2 * us(SYN - 58) + us(HEADERS - 54))
    longer = ideal_us(PAYLOAD, Line(overhead=24))
    # a SYN and its answer, the ACK and the request, and the segment carry 24 bytes more each, on the last link
    assert longer - ideal_us(PAYLOAD, Line()) == pytest.approx(5 * 24 * 8 / 10)


def test_a_pipeline_takes_as_long_as_its_frames_one_behind_the_other() -> None:
    """Against a walk of each frame over each hop."""
    random = Random(1)
    for _ in range(200):
        hops = [
            Hop(random.choice([None, 10**7, 10**8, 10**9]), random.randrange(10**6))
            for _ in range(random.randint(1, 5))
        ]
        frames, last = random.randint(1, 20), random.randint(66, FULL)
        full = last if frames == 1 else FULL
        free = [0.0] * len(hops)
        at = 0.0
        for number in range(frames):
            at = 0.0
            for place, hop in enumerate(hops):
                begins = max(at, free[place])
                free[place] = begins + hop.sending_ns(last if number == frames - 1 else full)
                at = free[place] + hop.delay_ns
        assert pipeline_ns(hops, frames, full, last) == pytest.approx(at)


def test_rates_are_those_by_which_hosts_send() -> None:
    assert Network(offline_plan(Line())).rates_bps == {"a": 100_000_000, "b": 10_000_000}


def test_a_link_whose_rate_changes_has_no_ideal_time() -> None:
    with pytest.raises(UsageError, match="whose rate changes, so that no ideal time is known"):
        ideal_us(1, Line(burst="10 kB"))


def test_hosts_without_a_way_are_named() -> None:
    class Apart(Topo):
        def build(self) -> None:
            for name in "abcd":
                self.addSimHost(name)
            self.addLink("a", "b", bw=10)
            self.addLink("c", "d", bw=10)

    with pytest.raises(UsageError, match=r"flows from . to ., and . knows no way there"):
        ideal_us(1, Apart(), to="c")
