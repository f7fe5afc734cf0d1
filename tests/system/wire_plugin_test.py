# SPDX-License-Identifier: MIT
"""`hybridnet wire --model`: a user's own model of a link, with real packets."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet.simulate.instance.plugin import build_plugin
from tests.hybridnet.simulate.instance.plugin_test import EVERY
from tests.system.wire_place import Place, ended, new_place

pytestmark = pytest.mark.thorough

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "plugins"


@pytest.fixture
def place() -> Iterator[Place]:
    with new_place() as made:
        made.know_each_other()
        yield made


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("every")
    (folder / "every.cc").write_text(EVERY)
    return build_plugin(folder / "every.cc", folder / "every.so")


def ping(place: Place, count: int) -> list[int]:
    """The numbers of the pings that were answered."""
    command = place.inside("a", *["ping", "-n", "-i", "0.005", "-W", "1", "-c", str(count), "10.9.0.2"])
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return [int(number) for number in re.findall(r"icmp_seq=(\d+)", done.stdout)]


def test_it_decides_which_packets_are_lost_and_changes_while_packets_pass(place: Place, every: Path) -> None:
    process = place.start("--forward", f"model={every}:every=5", "--json")
    assert ping(place, 20) == [number for number in range(1, 21) if number % 5]
    assert f"model {every}" in place.set("--forward", f"model={every}:every=2")
    assert ping(place, 20) == list(range(1, 21, 2))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        place.set("--forward", f"model={every}:evry=2")
    assert "argument every is missing" in refused.value.stderr
    place.set("--model", "none")
    assert ping(place, 20) == list(range(1, 21))
    _, figures = ended(process, signal.SIGTERM)
    assert figures["directions"]["a_to_b"]["dropped"] == {"impaired": 4 + 10}


def test_it_decides_delay_and_rate(place: Place, tmp_path: Path) -> None:
    satellite = build_plugin(EXAMPLES / "satellite.cc", tmp_path / "satellite.so")
    # 3000 km away, and it stays there nearly: 10.007 ms there and back.
    far = f"{satellite}:height=3000:reach=1:speed=0.001:best=100000000"
    process = place.start("--model", far)
    assert 20.0 <= place.rtt_ms() < 23.0
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)


def test_what_it_throws_ends_the_wire_with_its_words(place: Place, every: Path) -> None:
    process = place.start("--model", f"{every}:every=100:throws_at=3")
    ping(place, 10)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "plug-in Every" in err
    assert "enough is enough" in err


def test_a_plugin_that_is_not_there_is_said_before_anything_is_made(place: Place) -> None:
    command = place.inside("w", sys.executable, "-m", "hybridnet.cli", "wire", "wa", "wb")
    done = subprocess.run(
        [*command, "--model", "./none.so"], capture_output=True, text=True, env=place.environment
    )
    assert done.returncode == 2
    assert "none.so: there is no such file; build it: hybridnet plugin build" in done.stderr
