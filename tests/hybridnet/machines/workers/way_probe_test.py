# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from hybridnet.machines.workers.way_probe import TOKEN_BYTES, measure

TOKEN = bytes(range(TOKEN_BYTES))


@pytest.fixture
def port() -> Iterator[int]:
    command = [sys.executable, "-m", "hybridnet.machines.workers.way_probe", "serve", "127.0.0.1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(TOKEN.hex() + "\n")
        process.stdin.flush()
        yield json.loads(process.stdout.readline())["port"]
        process.stdin.close()
        assert process.wait(10) == 0


def test_the_way_to_oneself_is_short_wide_and_has_one_clock(port: int) -> None:
    way = measure("127.0.0.1", port, 0.2, TOKEN)
    assert 0 < way["least_rtt_s"] <= way["rtt_s"]
    assert abs(way["clock_offset_s"]) <= way["least_rtt_s"]
    assert abs(way["drift_ppm"]) <= way["drift_error_ppm"]
    assert way["bandwidth_bps"] > 0
    assert way["lost"] == 0


def test_who_does_not_show_the_token_hears_nothing(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(("127.0.0.1", port))
        udp.settimeout(0.2)
        udp.send(bytes(TOKEN_BYTES + 8))
        with pytest.raises(TimeoutError):
            udp.recv(100)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as tcp:
        tcp.sendall(bytes(TOKEN_BYTES))
        assert tcp.recv(8) == b""
