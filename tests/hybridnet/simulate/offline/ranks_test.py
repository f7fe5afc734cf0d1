# SPDX-License-Identifier: MIT
"""Parts that are processes of an MPI job. Where Open MPI is not installed, these are skipped."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hybridnet import Topo, _simcore
from hybridnet.errors import HybridnetError, UsageError
from hybridnet.simulate.offline import simulate

missing = shutil.which("mpirun") is None or not Path(_simcore.__file__).with_name("_simcore_mpi.so").exists()
needs_mpi = pytest.mark.skipif(
    missing, reason="Open MPI is not installed, or the extension was built without it"
)


class Pair(Topo):
    """a ─ r ─ b, lossy: TCP one way, pings the other."""

    def build(self, file: str | None = None) -> None:
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimRouter("r")
        ping = {"kind": "ping", "destination": "a", "interval": "10ms"}
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}, ping])
        self.addLink("a", "r", bw=50, delay="1ms", loss=1)
        self.addLink("r", "b", bw=20, delay="2ms", max_queue_size=20)


@needs_mpi
def test_processes_give_the_figures_and_the_trace_of_the_whole() -> None:
    whole = simulate(Pair(), "200ms", seeds=2, jobs=1, series="50ms", trace_hash=True).replications
    apart = simulate(Pair(), "200ms", seeds=2, mpi=2, series="50ms", trace_hash=True).replications
    for one, two in zip(whole, apart, strict=True):
        assert two.figures == one.figures
        assert two.series == one.series
        assert (two.trace_hash, two.events) == (one.trace_hash, one.events)
        assert two.synchronization is not None
        assert len(two.synchronization["parts"]) == 2


@needs_mpi
def test_what_a_process_raises_the_head_raises() -> None:
    class Refused(Pair):
        def build(self, file: str | None = None) -> None:
            super().build()
            self.addSimHost(
                "c", applications=[{"kind": "tcp_discard", "port": 9}, {"kind": "tcp_discard", "port": 9}]
            )
            self.addLink("r", "c", delay="1ms")

    with pytest.raises(HybridnetError, match="port"):
        simulate(Refused(), "10ms", mpi=2)


@needs_mpi
def test_real_time_lasts_as_long_as_it_says() -> None:
    [replication] = simulate(Pair(), "200ms", mpi=2, real_time=True).replications
    assert replication.wall_s >= 0.199
    assert 0 < replication.simulated_ns <= 200_000_000


def test_threads_keep_pace_with_the_wall_clock_too() -> None:
    [replication] = simulate(Pair(), "100ms", parallel=2, real_time=True).replications
    assert replication.wall_s >= 0.099


def test_with_a_series_all_is_simulated_and_each_sample_says_when() -> None:
    [replication] = simulate(Pair(), "100ms", parallel=2, real_time=True, series="50ms").replications
    assert replication.sampled_ns == [50_000_000, 100_000_000]
    assert replication.simulated_ns == 100_000_000
    first, second = replication.sampled_wall_s
    assert first >= 0.0499
    assert second >= first + 0.0499


def test_samples_that_are_closer_than_the_clock_is_read_have_an_end() -> None:
    [replication] = simulate(Pair(), "10ns", parallel=2, real_time=True, series="1ns").replications
    assert replication.sampled_ns == list(range(1, 11))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"mpi": 2, "parallel": 2}, "give one of them"),
        ({"hosts": ["m1"]}, "say how many with mpi"),
        ({"mpi": 2, "hosts": ["-x"]}, "write the names of machines"),
        ({"mpi": 0}, "mpi"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        simulate(Pair(), "10ms", **options)  # type: ignore[arg-type]
