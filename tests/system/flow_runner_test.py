# SPDX-License-Identifier: MIT
"""The program that runs the flows of `reproduce maxinet`, asked as its arms ask, over the loopback of a namespace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hybridnet.experiments.maxinet

PROGRAM = Path(hybridnet.experiments.maxinet.__file__).with_name("flow_runner.py")
PORT = 5201
INITIAL_WINDOW_BYTES = 10 * 65_483  # of TCP over loopback, which the kernel does not pace


class Runner:
    """The program, answering in a namespace's name."""

    def __init__(self, folder: Path, netns: str) -> None:
        self.netns = netns
        program = folder / PROGRAM.name  # beside it go its files
        program.symlink_to(PROGRAM)
        self.process = subprocess.Popen(
            [sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, verb: str, **content: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"verb": verb, **content}), file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer
        return answer

    def end(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(timeout=20)

    def connections(self) -> int:
        table = ["nsenter", f"--net={self.netns}", "ss", "-Htn", "state", "established", f"dport = :{PORT}"]
        return len(subprocess.run(table, capture_output=True, text=True, check=True).stdout.splitlines())


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    name = f"hnflow{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "dev", "lo", "up"], check=True)
        running = Runner(tmp_path, f"/run/netns/{name}")
        try:
            yield running
        finally:
            running.end()
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_hosts_made_quiet_solicit_no_routers(runner: Runner) -> None:
    within = ["nsenter", f"--net={runner.netns}", "sh", "-c"]
    settings = "cat /proc/sys/net/ipv6/conf/*/router_solicitations"
    before = subprocess.run([*within, settings], capture_output=True, text=True, check=True).stdout.split()
    assert set(before) != {"0"}
    runner.ask("quiet", netns=[runner.netns])
    after = subprocess.run([*within, settings], capture_output=True, text=True, check=True).stdout.split()
    assert after == ["0"] * len(before)


def test_a_client_waits_for_its_step(runner: Runner, tmp_path: Path) -> None:
    rate_bps, seconds = 8_000_000, 2
    runner.ask("servers", flows=[{"host": "there", "netns": runner.netns, "port": PORT}])
    flow = {"netns": runner.netns, "to": "127.0.0.1", "port": PORT, "protocol": "tcp"}
    flow |= {"rate_bps": rate_bps, "seconds": seconds, "datagram_bytes": 1_400}
    runner.ask("clients", flows=[flow | {"host": "now"}, flow | {"host": "never"}])
    assert runner.connections() == 0

    runner.ask("go", hosts=["now"], spread_s=0)
    answer = runner.ask("finish", grace_s=seconds + 2)
    assert answer["unfinished"] == ["never"]
    assert "error" in answer["clients"]["never"]
    received_bytes = answer["servers"]["there"]["end"]["sum_received"]["bytes"]
    asked_bytes = rate_bps / 8 * seconds
    assert 0.95 * asked_bytes <= received_bytes <= 1.05 * asked_bytes + INITIAL_WINDOW_BYTES

    assert runner.end() == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [PROGRAM.name]


def test_the_time_of_programs_is_sampled_beyond_their_end(runner: Runner) -> None:
    seconds = 1
    flow = {"netns": runner.netns, "to": "127.0.0.1", "port": PORT, "protocol": "tcp", "rate_bps": 0}
    runner.ask("servers", flows=[{"host": "there", "netns": runner.netns, "port": PORT}])
    runner.ask("clients", flows=[flow | {"host": "here", "seconds": seconds, "datagram_bytes": 1_400}])
    processes = {"switches": [os.getpid()], "instances": []}
    told = runner.ask("sample", period_s=0.1, processes=processes)
    assert (told["cores"], told["ticks_per_second"]) == (os.cpu_count(), os.sysconf("SC_CLK_TCK"))
    assert told["computer"] == Path("/proc/sys/kernel/random/boot_id").read_text().strip()

    assert runner.ask("samples")["samples"][0]["received"].keys() == {"there"}
    runner.ask("go", hosts=["here"], spread_s=0)
    answer = runner.ask("finish", grace_s=seconds + 5)
    assert answer["unfinished"] == []
    ran = [sample["ran_ns"] for sample in answer["samples"]]
    hosts_s = (ran[-1]["hosts"] - ran[0]["hosts"]) / 1e9
    reported_s = sum(
        answer["clients"]["here"]["end"]["cpu_utilization_percent"][end] / 100 * seconds
        for end in ("host_total", "remote_total")
    )
    # iperf3 counts from its start to its end, and says so in parts of the time that the flow took.
    assert hosts_s == pytest.approx(reported_s, rel=0.2, abs=0.05)
    assert all(sample["instances"] == 0 for sample in ran)
    assert ran[0]["switches"] > 0
