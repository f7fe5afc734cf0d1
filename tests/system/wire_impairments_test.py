# SPDX-License-Identifier: MIT
"""What `hybridnet wire` does to packets besides delaying them: counted at the wire, and missed at the receiver."""

from __future__ import annotations

import itertools
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.wire_place import Place, ended, new_place

pytestmark = pytest.mark.slow

PINGS = 400


@pytest.fixture
def place() -> Iterator[Place]:
    with new_place() as made:
        made.know_each_other()  # so that nothing but what a test sends crosses the wire
        yield made


def ping(place: Place, *options: str, count: int = PINGS) -> str:
    """What ping prints; missing packets are not a failure."""
    command = place.inside(
        "a", *["ping", "-n", "-i", "0.002", "-W", "1", "-c", str(count), *options, "10.9.0.2"]
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def received(text: str) -> int:
    found = re.search(r"(\d+) received", text)
    assert found is not None, text
    return int(found[1])


def iperf(place: Place, *options: str) -> dict[str, dict[str, float]]:
    server = subprocess.Popen(place.inside("b", "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
    place.run("b", "sh", "-c", "until ss -Hltn | grep -q :5201; do :; done")
    report = json.loads(place.run("a", *["iperf3", "-c", "10.9.0.2", "-t", "2", "-J", *options]))
    server.wait(10)
    ends: dict[str, dict[str, float]] = report["end"]
    return ends


@pytest.mark.parametrize("loss", ["20%", "gilbert_elliott:to_bad=5%:to_good=30%"])
def test_what_the_wire_lost_is_what_is_missing_and_the_seed_decides(place: Place, loss: str) -> None:
    lost = []
    for seed in ("7", "7", "8"):
        process = place.start("--forward", f"loss={loss}", "--seed", seed, "--json")
        arrived = received(ping(place))
        _, figures = ended(process, signal.SIGTERM)
        there, back = figures["directions"]["a_to_b"], figures["directions"]["b_to_a"]
        assert there["accepted_packets"] == PINGS
        assert there["dropped"] == {"impaired": PINGS - arrived}
        assert back["delivered_packets"] == arrived
        assert 20 < PINGS - arrived < 160  # 80 and 57 are expected
        lost.append(PINGS - arrived)
    assert lost[0] == lost[1]


def test_packets_are_sent_twice_and_damaged(place: Place) -> None:
    process = place.start("--forward", "duplicate=50%", "--json")
    text = ping(place)
    found = re.search(r"\+(\d+) duplicates", text)
    assert found is not None, text
    _, figures = ended(process, signal.SIGINT)
    assert figures["directions"]["a_to_b"]["duplicated_packets"] == int(found[1])
    assert received(text) == PINGS
    process = place.start("--forward", "corrupt=100%", "--json")
    arrived = received(ping(place, count=50))
    _, figures = ended(process, signal.SIGINT)
    assert figures["directions"]["a_to_b"]["corrupted_packets"] == 50
    assert arrived < 20  # a bit of the source address, or of what nobody checks, does no harm


def test_jitter_spreads_the_delay_and_reordering_changes_the_order(place: Place) -> None:
    process = place.start("--forward", "delay=20ms,jitter=10ms")
    times = [float(ms) for ms in re.findall(r"time=([\d.]+) ms", ping(place))]
    assert len(times) == PINGS
    assert 10.0 <= min(times) < 13.0
    assert 27.0 < sorted(times)[int(0.95 * PINGS)] < 36.0
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    process = place.start("--forward", "delay=20ms,reorder=25%,reorder-gap=5")
    order = [int(number) for number in re.findall(r"icmp_seq=(\d+)", ping(place))]
    assert sorted(order) == list(range(1, PINGS + 1))
    overtakers = sum(later < earlier for earlier, later in itertools.pairwise(order))
    assert PINGS // 20 < overtakers < PINGS // 5  # of each 5 one may, and 4 wait for it on average
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)


def test_a_queue_manages_itself_and_marks_where_both_ends_understand(place: Place) -> None:
    for ecn, key in (("0", "dropped"), ("1", "marked")):
        for end in "ab":
            place.run(end, "sysctl", "-qw", f"net.ipv4.tcp_ecn={ecn}")
        process = place.start(
            *("--rate", "20 Mbit/s", "--delay", "5ms", "--aqm", "codel:target=5ms:interval=50ms"),
            *("--ecn", "yes", "--json"),
        )
        ends = iperf(place, "-C", "cubic")
        assert 12e6 < ends["sum_received"]["bits_per_second"] < 20e6
        _, figures = ended(process, signal.SIGTERM)
        there = figures["directions"]["a_to_b"]
        assert there["queue"] == {
            "model": "codel",
            "target_ns": 5_000_000,
            "interval_ns": 50_000_000,
            "ecn": True,
        }
        if key == "marked":
            assert there["queue_marked_packets"] > 0
            assert "aqm" not in there["dropped"]
        else:
            assert there["dropped"]["aqm"] > 0
            assert "queue_marked_packets" not in there


def test_a_mahimahi_trace_is_the_rate(place: Place, tmp_path: Path) -> None:
    (tmp_path / "wire.up").write_text("1\n")  # a full frame each millisecond: 12.1 Mbit/s
    process = place.start("--forward", f"trace={tmp_path / 'wire.up'},queue=50", "--json")
    ends = iperf(place, "-u", "-b", "30M", "-l", "1400")
    _, figures = ended(process, signal.SIGTERM)
    there = figures["directions"]["a_to_b"]
    assert there["dropped"]["queue_full"] > 0
    # a frame of 1442 bytes leaves 72 of its opportunity to the next one, so the wire carries 1514 bytes a millisecond
    assert 10.5e6 < ends["sum"]["bits_per_second"] * (1 - ends["sum"]["lost_percent"] / 100) < 12.2e6


def test_everything_changes_from_another_terminal(place: Place) -> None:
    process = place.start("--delay", "2ms", "--jitter", "0.1ms", "--json")
    assert "forward: no limit, 2 ms ± 100 us, queue 1000 packets, loss 100 %" in place.set(
        "--forward", "loss=100%"
    )
    assert received(ping(place, count=20)) == 0
    assert "loss" not in place.set("--loss", "none", "--duplicate", "100%")
    assert "duplicates" in ping(place, count=20)
    place.set("--duplicate", "none", "--jitter", "2ms", "--delay", "20ms")
    times = [float(ms) for ms in re.findall(r"time=([\d.]+) ms", ping(place, count=100))]
    assert min(times) >= 36.0
    assert max(times) - min(times) > 2.0
    place.set("--jitter", "1us", "--delay", "none")
    assert place.rtt_ms() < 5.0
    _, figures = ended(process, signal.SIGTERM)
    there = figures["directions"]["a_to_b"]
    assert (there["rate_bps"], there["delay_ns"]) == (None, 0)
    assert there["dropped"] == {"impaired": 20}
