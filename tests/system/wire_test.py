# SPDX-License-Identifier: MIT
"""`hybridnet wire` between two namespaces: what it does to packets, changes while it runs, and what it leaves."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.system.wire_place import Place, ended, new_place

pytestmark = pytest.mark.slow


@pytest.fixture
def place() -> Iterator[Place]:
    with new_place() as made:
        yield made


@pytest.mark.parametrize("portal", ["packet", "pcap"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_packets_are_delayed_counted_and_nothing_stays(
    place: Place, portal: str, number: signal.Signals
) -> None:
    before = place.features()
    process = place.start("--delay", "10ms", "--backward", "delay=5ms", "--portal", portal, "--json")
    assert 15.0 <= place.rtt_ms() < 25.0
    _, figures = ended(process, number)
    for key in ("a_to_b", "b_to_a"):
        passed = figures["directions"][key]
        assert passed["delivered_packets"] >= 20
        assert passed["accepted_packets"] == passed["delivered_packets"]
        assert passed["dropped"] == {}
    assert place.features() == before
    assert not Path(place.environment["HYBRIDNET_STATE_DIR"]).exists()


def test_delay_and_rate_change_while_packets_pass(place: Place) -> None:
    process = place.start("--delay", "10ms", "--json")
    assert 20.0 <= place.rtt_ms() < 30.0
    assert "forward: no limit, 40 ms" in place.set("--forward", "delay=40ms")
    assert 50.0 <= place.rtt_ms() < 60.0
    place.set("--delay", "0", "--rate", "20 Mbit/s")
    assert place.rtt_ms() < 10.0
    server = subprocess.Popen(place.inside("b", "iperf3", "-s", "-1"), stdout=subprocess.DEVNULL)
    place.run("b", "sh", "-c", "until ss -Hltn | grep -q :5201; do :; done")
    report = json.loads(
        place.run("a", *["iperf3", "-c", "10.9.0.2", "-C", "cubic", "-t", "2", "-J"]),
    )
    server.wait(10)
    assert 10e6 < report["end"]["sum_received"]["bits_per_second"] < 20e6
    _, figures = ended(process, signal.SIGTERM)
    assert figures["directions"]["a_to_b"]["rate_bps"] == 20_000_000


def test_what_crossed_is_recorded_and_replayed_the_same(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "wire.pcapng"
    process = place.start("--delay", "5ms", "--forward", "loss=20%", "--record", str(file), "--json")
    ping = ["ping", "-n", "-q", "-i", "0.01", "-W", "1", "-c", "50", "10.9.0.2"]
    subprocess.run(place.inside("a", *ping), stdout=subprocess.DEVNULL, check=False, timeout=60)
    place.set("--forward", "loss=none")  # a change is a part of the record
    assert place.rtt_ms() >= 10.0
    ended(process, signal.SIGTERM)
    replayed = subprocess.run(
        [sys.executable, "-m", "hybridnet.cli", "replay", str(file)], capture_output=True, text=True
    )
    assert replayed.returncode == 0, replayed.stderr
    assert "1 changes of links" in replayed.stdout
    assert replayed.stdout.splitlines()[-1] == "identical", replayed.stdout


def test_a_change_that_is_refused_is_told_and_changes_nothing(place: Place) -> None:
    process = place.start("--delay", "10ms", "--json")
    with pytest.raises(subprocess.CalledProcessError) as refused:
        place.set("--delay=-5ms")
    assert 'wire wa-wb, forward: delay: "-5ms" is out of range' in refused.value.stderr
    assert 20.0 <= place.rtt_ms() < 30.0
    with pytest.raises(subprocess.CalledProcessError) as second:
        place.run("w", sys.executable, "-m", "hybridnet.cli", "wire", "wa", "wb")
    assert "a wire of this name runs already" in second.value.stderr
    ended(process, signal.SIGINT)


def test_an_instance_that_was_held_up_is_broken_and_the_code_says_so(place: Place) -> None:
    process = place.start("--delay", "5ms", "--duration", "4s", "--json")
    instance = instance_below(process.pid)
    pings = subprocess.Popen(
        place.inside("a", *["ping", "-n", "-q", "-i", "0.01", "-c", "200", "10.9.0.2"]),
        stdout=subprocess.DEVNULL,
    )
    for _ in range(10):
        os.kill(instance, signal.SIGSTOP)
        time.sleep(0.1)  # while packets become due
        os.kill(instance, signal.SIGCONT)
        time.sleep(0.05)
    pings.wait(30)
    code, figures = ended(process, None)
    assert code == 4
    assert "late at the 99.9th percentile" in figures["verdict"]["reasons"][0]


def test_settings_are_put_back_also_when_the_wire_is_killed(place: Place) -> None:
    before = place.features()
    process = place.start()
    assert place.features() != before
    instance = os.pidfd_open(instance_below(process.pid))
    process.kill()
    process.communicate()
    assert select.select([instance], [], [], 20.0)[0], "the instance outlives its wire"
    os.close(instance)
    assert place.features() == before


def test_nothing_is_left_of_a_wire_that_was_killed(place: Place) -> None:
    process = place.start()
    state = Path(place.environment["HYBRIDNET_STATE_DIR"])
    assert len(list(state.glob("*/wire-wa-wb"))) == 1
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 20
    while list(state.glob("*/wire-wa-wb")):
        assert time.monotonic() < deadline, "the wire's folder is left"
        time.sleep(0.05)


def test_settings_are_put_back_also_when_the_instance_is_killed(place: Place) -> None:
    before = place.features()
    process = place.start()
    assert place.features() != before
    os.kill(instance_below(process.pid), signal.SIGKILL)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "instance wa-wb was killed by signal 9" in err
    assert place.features() == before


def test_it_is_a_context_manager_in_python(place: Place) -> None:
    program = """
import hybridnet, json, subprocess
with hybridnet.Wire("wa", "wb", delay="3 ms", name="mine") as wire:
    wire.set(backward={"delay": "6 ms"})
    print(json.dumps({key: way.to_json() for key, way in wire.directions.items()}))
    print(wire.snapshot()["name"])
print(wire.verdict.word, wire.to_json()["verdict"]["word"])
"""
    directions, name, verdict = place.run("w", sys.executable, "-c", program).splitlines()
    delays: Mapping[str, Any] = json.loads(directions)
    assert (delays["a_to_b"]["delay_ns"], delays["b_to_a"]["delay_ns"]) == (3_000_000, 6_000_000)
    assert name == "mine"
    assert verdict.split()[0] == verdict.split()[1]


def test_an_interface_that_is_not_there_or_down_is_said_with_the_cure(place: Place) -> None:
    command = place.inside("w", sys.executable, "-m", "hybridnet.cli", "wire", "wa", "wx")
    done = subprocess.run(command, capture_output=True, text=True, env=place.environment)
    assert done.returncode == 3
    assert "there is no interface wx in this network namespace; `ip link` lists" in done.stderr
    place.run("w", "ip", "link", "set", "dev", "wb", "down")
    done = subprocess.run([*command[:-1], "wb"], capture_output=True, text=True, env=place.environment)
    assert done.returncode == 3
    assert "interface wb is down and carries nothing; `ip link set dev wb up`" in done.stderr


def test_what_its_instance_refuses_is_a_mistake_of_usage_in_its_own_words(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "bad.trace").write_text("soon\n")
    command = [
        sys.executable,
        "-m",
        "hybridnet.cli",
        "wire",
        "wa",
        "wb",
        "--trace",
        str(tmp_path / "bad.trace"),
    ]
    done = subprocess.run(
        place.inside("w", *command), capture_output=True, text=True, env=place.environment, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: instance wa-wb could not be built: read trace ")
    assert "line 1 is 'soon'" in done.stderr


def instance_below(pid: int) -> int:
    """The instance's process, a child of the wire's (of which `ip netns exec` is the same process)."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        if b"hybridnet.simulate.instance" in Path(f"/proc/{child}/cmdline").read_bytes():
            return int(child)
    raise AssertionError("the wire has no instance")
