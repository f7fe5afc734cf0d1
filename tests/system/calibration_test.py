# SPDX-License-Identifier: MIT
"""Calibration's network carries a flow over each of its pairs, and what that keeps busy is seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hybridnet.agent.machine.facts import facts
from hybridnet.errors import ExperimentError
from hybridnet.machines.cluster import Cluster
from hybridnet.tools.calibration import Seen, computers_of, named_facts, networks_on
from hybridnet.tools.calibration.bench import Running
from hybridnet.tools.calibration.yardstick import Yardstick
from hybridnet.tools.forecast.demand import DATAGRAM_BYTES, Flow

pytestmark = pytest.mark.thorough

PAIRS = "vapworgu"
RATE_BPS = 2e6
INSTANCES = {"portals", "switches", "openflow", "routers", "shm1", "shm2", "near", "far"}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster.local(["m1", "m2"]) as made:
        yield made


@pytest.fixture(scope="module")
def network(cluster: Cluster) -> Iterator[Running]:
    ports = "system" if facts()["kernel_datapath"] else "afpacket"
    with networks_on(cluster)(Yardstick(machine="m1", other="m2"), ports) as running:
        yield running


def flow(prefix: str, protocol: str = "udp") -> Flow:
    return Flow(f"{prefix}1", f"{prefix}2", RATE_BPS, protocol, DATAGRAM_BYTES)


def test_local_machines_are_on_this_computer(cluster: Cluster) -> None:
    [(computer, machines)] = computers_of(cluster).items()
    assert machines == ["m1", "m2"]
    _, found = named_facts(cluster, "m1", computer)
    assert found["cpus"] == facts()["cpus"]


def test_every_pair_carries_its_flow_and_every_instance_works(network: Running) -> None:
    seen = network.run([flow(prefix) for prefix in PAIRS], 0.5)
    assert set(seen.instances) >= INSTANCES
    for name in INSTANCES:
        assert seen.turns[name] > 0, name
        assert seen.instances[name] + seen.looked[name] > 0, name
    assert len(seen.senders) == len(seen.receivers) == len(PAIRS)
    # How much of it is sent within a window depends on what else the computer does.
    assert min(*seen.senders, *seen.receivers) > 0
    # iperf3's own connections have a few small frames.
    assert 0.75 * DATAGRAM_BYTES < seen.sent.bytes / seen.sent.units <= DATAGRAM_BYTES
    assert seen.arrived_bps > 0
    assert [*seen.cores] == ["m1"], "both machines are on one computer"


@pytest.mark.parametrize("write_bytes", [None, 4096])
def test_tcp_is_paced_by_the_kernel_or_by_its_program(network: Running, write_bytes: int | None) -> None:
    seen = network.run([flow("v", "tcp")], 0.5, write_bytes=write_bytes)
    # Nothing else limits it: no link of this network has a rate. A program that was late makes up for it.
    assert 0 < seen.sent.bytes * 8 < 10 * RATE_BPS
    assert seen.sent.bursts == seen.sent.units


def test_without_flows_nothing_is_sent(network: Running) -> None:
    seen: Seen = network.run([], 0.5)
    assert (seen.sent.units, seen.arrived_bps, [*seen.senders]) == (0, 0, [])


def test_how_instances_reach_each_other_is_known(network: Running) -> None:
    assert [network.way(name) for name in ("shm1", "near")] == ["shm", "udp"]


def test_a_program_that_fails_is_quoted(network: Running) -> None:
    too_large = Flow("v1", "v2", RATE_BPS, "udp", 10**9)
    with pytest.raises(ExperimentError, match=r"iperf3 from v1 to v2: .*block size too large"):
        network.run([too_large], 0.5)
