# SPDX-License-Identifier: MIT
"""Where `hybridnet wire` is tried: two namespaces, and the one between them in which the wire runs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FEATURES = ("generic-receive-offload", "rx-udp-gro-forwarding", "tx-checksumming")


def out_of(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, **options)
    return done.stdout


class Place:
    """Namespaces a and b, each with eth0 (10.9.0.1 and .2), and w, where the other ends wa and wb are."""

    def __init__(self, state: Path) -> None:
        self.names = {key: f"hnwire{os.getpid()}{key}" for key in "abw"}
        self.environment = {**os.environ, "HYBRIDNET_STATE_DIR": str(state)}
        for key, name in self.names.items():
            out_of(["ip", "netns", "add", name])
            self.run(key, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1")  # it sends by itself
        for key, address in (("a", "10.9.0.1/24"), ("b", "10.9.0.2/24")):
            near, far = f"netns {self.names[key]}", f"netns {self.names['w']}"
            batch = f"link add name eth0 {near} type veth peer name w{key} {far}"
            out_of(["ip", *batch.split()])
            self.run(key, "ip", "addr", "add", address, "dev", "eth0")
            self.run(key, "ip", "link", "set", "dev", "eth0", "up")
            self.run("w", "ip", "link", "set", "dev", f"w{key}", "up")

    def know_each_other(self) -> None:
        """Writes the neighbours down, so that nobody asks for them."""
        for here, there, address in (("a", "b", "10.9.0.2"), ("b", "a", "10.9.0.1")):
            mac = self.run(there, "cat", "/sys/class/net/eth0/address").strip()
            neighbour = f"{address} lladdr {mac} dev eth0 nud permanent"
            self.run(here, "ip", "neigh", "replace", *neighbour.split())

    def inside(self, key: str, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.names[key], *command]

    def run(self, key: str, *command: str) -> str:
        return out_of(self.inside(key, *command), env=self.environment)

    def start(self, *options: str) -> subprocess.Popen[str]:
        """A wire that runs: it has said what it does."""
        command = self.inside("w", sys.executable, "-m", "hybridnet.cli", "wire", "wa", "wb", *options)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )
        assert process.stderr is not None
        for way in ("wa > wb: ", "wb > wa: "):
            line = process.stderr.readline()
            assert line.startswith(way), line + process.stderr.read()
        return process

    def set(self, *options: str) -> str:
        """From a namespace that is not the wire's: another terminal."""
        return out_of(
            [sys.executable, "-m", "hybridnet.cli", "wire", "set", "wa-wb", *options], env=self.environment
        )

    def rtt_ms(self, count: int = 20) -> float:
        """The least round-trip time: what the machine's load adds is not asked for."""
        text = self.run("a", "ping", "-n", "-q", "-i", "0.02", "-c", str(count), "10.9.0.2")
        assert "0% packet loss" in text
        found = re.search(r"= ([\d.]+)/", text)
        assert found is not None
        return float(found[1])

    def features(self) -> dict[str, list[str]]:
        return {
            device: [
                line
                for line in self.run("w", "ethtool", "-k", device).splitlines()
                if line.startswith(FEATURES)
            ]
            for device in ("wa", "wb")
        }


@contextlib.contextmanager
def new_place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="hn") as short:  # the path of a socket is
        made = Place(Path(short) / "state")
        yield made
        for name in made.names.values():
            out_of(["ip", "netns", "del", name])


def ended(process: subprocess.Popen[str], number: int | None) -> tuple[int, dict[str, Any]]:
    """Its exit code, and what it printed with --json."""
    if number is not None:
        process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert out, err
    figures: dict[str, Any] = json.loads(out)
    assert process.returncode == (4 if figures["verdict"]["word"] == "broken" else 0)
    return process.returncode, figures
