# SPDX-License-Identifier: MIT
"""The programs that experiments run in hosts, run by their files in a network namespace, over loopback or a veth pair.

In a run the interpreter of the machine reads them from its command line; here they are files, so that coverage counts
what they do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from hybridnet.experiments.common import linux_flow, pinger
from hybridnet.experiments.controller_load import prober
from hybridnet.experiments.hedera import transfer
from hybridnet.experiments.openflow_differential import injector

PORT = 5001
LOOPBACK = "127.0.0.1"
LOOPBACK_MTU = 65_536
PATIENCE_S = 20


@pytest.fixture(scope="module")
def namespace() -> Iterator[str]:
    """Its name; its loopback is up, and `a` and `b` are the ends of one cable without any address."""
    name = f"hnprog{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        within = ["ip", "netns", "exec", name]
        subprocess.run([*within, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1"], check=True)
        subprocess.run(
            ["ip", "-n", name, "link", "add", "name", "a", "type", "veth", "peer", "name", "b"], check=True
        )
        for device in ("lo", "a", "b"):
            subprocess.run(["ip", "-n", name, "link", "set", "dev", device, "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


@contextmanager
def running(namespace: str, program: ModuleType, *words: object) -> Iterator[subprocess.Popen[str]]:
    """The program of a module in the namespace; it must end by itself when its standard input does."""
    assert program.__file__ is not None
    command = ["ip", "netns", "exec", namespace, sys.executable, program.__file__, *map(str, words)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                assert process.stdin is not None
                process.stdin.close()
                try:
                    process.wait(timeout=PATIENCE_S)
                except subprocess.TimeoutExpired:
                    process.kill()


def said_by(namespace: str, program: ModuleType, *words: object) -> Any:
    """What it prints, as JSON, once it has ended without an error."""
    with running(namespace, program, *words) as process:
        said, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    return json.loads(said)


def line_of(process: subprocess.Popen[str], request: object = None) -> str:
    """Its next line: to a request, if one is given."""
    assert process.stdin is not None
    assert process.stdout is not None
    if request is not None:
        print(json.dumps(request), file=process.stdin, flush=True)
    return process.stdout.readline().rstrip("\n")


def test_a_flow_of_linux_begins_when_it_is_told_and_samples_itself_until_its_end(namespace: str) -> None:
    seconds, every = 0.6, 0.2
    with running(namespace, linux_flow, "receive", PORT) as receiver:
        assert line_of(receiver) == "ready"
        begin = time.monotonic() + 1
        said = said_by(namespace, linux_flow, "send", LOOPBACK, PORT, "reno", seconds, every, begin)
        assert time.monotonic() >= begin + seconds
        assert receiver.wait(timeout=PATIENCE_S) == 0  # by the connection's end
    assert said["columns"] == list(linux_flow.COLUMNS)
    of = dict(zip(said["columns"], zip(*said["samples"], strict=True), strict=True))
    assert all(at >= number * every - 1e-6 for number, at in enumerate(of["time_s"]))  # none is early
    assert of["time_s"][-1] >= seconds > of["time_s"][-2]
    acknowledged = of["acknowledged_bytes"]
    assert 0 < acknowledged[1] < acknowledged[-1]  # it goes on, as what it cannot send yet waits
    assert 0 < max(of["mss"]) <= LOOPBACK_MTU - 20 - 20 - 12  # of IPv4, TCP and its timestamps
    assert min(of["cwnd_segments"]) >= 1


def test_a_sink_tells_apart_what_comes_from_each_address(namespace: str) -> None:
    with running(namespace, transfer, "sink", PORT + 1) as sink:
        assert json.loads(line_of(sink)) == "listening"
        assert json.loads(line_of(sink, "")) == {}
        with running(namespace, transfer, "source", LOOPBACK, PORT + 1) as source:
            counts = [json.loads(line_of(sink, ""))]
            deadline = time.monotonic() + PATIENCE_S
            while len(counts) < 3 and time.monotonic() < deadline:
                time.sleep(0.1)
                if (now := json.loads(line_of(sink, ""))) != counts[-1]:
                    counts.append(now)
            assert len(counts) == 3  # it sends without an end
            assert counts[-1].keys() == {LOOPBACK}
            assert counts[-2].get(LOOPBACK, 0) < counts[-1][LOOPBACK]
            assert source.poll() is None
            assert sink.stdin is not None
            sink.stdin.close()
            assert sink.wait(timeout=PATIENCE_S) == 0
            assert source.wait(timeout=PATIENCE_S) != 0  # nobody takes it any more


@pytest.mark.parametrize("alone", [(), ("alone",)])
def test_every_ping_of_loopback_is_answered_and_those_of_the_warm_up_are_not_counted(
    namespace: str, alone: tuple[str, ...]
) -> None:
    count = 20
    began = time.monotonic()
    said = said_by(namespace, pinger, LOOPBACK, count, 2, *alone)
    assert said["sent"] == count
    assert len(said["rtts_ns"]) == count
    assert all(0 < rtt < 1e9 * (time.monotonic() - began) for rtt in said["rtts_ns"])


def test_each_datagram_of_a_prober_comes_after_it_was_sent_from_a_port_of_its_own(namespace: str) -> None:
    first, count = 20_000, 3
    with running(namespace, prober, "receive", PORT + 2) as receiver:
        assert line_of(receiver) == "listening"
        with running(namespace, prober, "send", LOOPBACK, PORT + 2, first, count) as sender:
            said, complaint = sender.communicate("x" * count, timeout=PATIENCE_S)
        assert sender.returncode == 0, complaint
        sent = [tuple(map(int, line.split())) for line in said.splitlines()]
        came = [tuple(map(int, line_of(receiver).split())) for _ in range(count)]
        receiver.terminate()
        receiver.communicate(timeout=PATIENCE_S)
    assert (
        [number for number, _ in sent] == [number for number, _ in came] == list(range(first, first + count))
    )
    assert all(at <= arrived for (_, at), (_, arrived) in zip(sent, came, strict=True))


def ethernet(number: int, tag: str = "") -> str:
    """A frame of 60 bytes or, with a tag, 64, of a protocol that nobody has; hexadecimal."""
    return "ff" * 6 + f"0200000000{number:02x}" + tag + "88b5" + bytes([number] * 46).hex()


def test_what_is_injected_at_one_end_of_a_cable_comes_in_at_the_other_with_its_tags(namespace: str) -> None:
    marker = ethernet(255)
    tagged = [ethernet(number, tag) for number, tag in enumerate(("", "8100002a", "88a80007", "81000000"))]
    many = [(number % 2, ethernet(number)) for number in range(injector.AT_ONCE + 2)]
    with running(namespace, injector, "a", "b") as program:
        assert json.loads(line_of(program)) == "ready"
        for frames in ([(0, frame) for frame in tagged], many, []):
            came = json.loads(line_of(program, [20, marker, frames]))
            assert sorted(came) == sorted([1 - at, frame] for at, frame in frames)
