# SPDX-License-Identifier: MIT
"""A laptop beside this computer: a network namespace with nothing but a cable to it, and its own state directory."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hybridnet import Net


def out_of(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, **options)
    return done.stdout


def a_free_network() -> str:
    """One of those for documentation (RFC 5737) that this computer does not use, without the last number."""
    used = out_of(["ip", "-4", "route", "show", "table", "all"])
    return next(each for each in ("198.51.100", "203.0.113", "192.0.2") if each not in used)


_NETWORK = a_free_network()
SERVER, OWN = f"{_NETWORK}.1", f"{_NETWORK}.2"


class Laptop:
    """Joins and leaves; what it was like before can be compared."""

    def __init__(self, directory: Path) -> None:
        self.name = f"hnlap{os.getpid()}"
        self.directory = directory
        self.state = directory / "state"
        self.environment = {**os.environ, "HYBRIDNET_STATE_DIR": str(self.state)}
        out_of(["ip", "netns", "add", self.name])
        near = f"{self.name}u"
        out_of(
            [
                *("ip", "link", "add", "name", near, "type", "veth", "peer", "name", "up0"),
                *("netns", self.name),
            ]
        )
        out_of(["ip", "addr", "add", f"{SERVER}/24", "dev", near])
        out_of(["ip", "link", "set", "dev", near, "up"])
        self.run("ip", "addr", "add", f"{OWN}/24", "dev", "up0")
        # Its own IPv6 addresses and routes come a second or two later, and would look like traces.
        self.run("sysctl", "-qw", "net.ipv6.conf.up0.disable_ipv6=1")
        self.run("ip", "link", "set", "dev", "up0", "up")
        self.run("ip", "link", "set", "dev", "lo", "up")

    def close(self) -> None:
        out_of(["ip", "link", "del", "dev", f"{self.name}u"])
        out_of(["ip", "netns", "del", self.name])

    def inside(self, *command: str) -> list[str]:
        return ["ip", "netns", "exec", self.name, *command]

    def run(self, *command: str) -> str:
        return out_of(self.inside(*command), env=self.environment)

    def traces(self) -> tuple[str, str, bool]:
        """What joining must leave as it was: interfaces with their addresses, routes, the state directory."""
        devices = json.loads(self.run("ip", "-json", "addr"))
        addresses = {each["ifname"]: [a["local"] for a in each.get("addr_info", [])] for each in devices}
        return json.dumps(addresses), self.run("ip", "route", "show", "table", "all"), self.state.exists()

    def ticket(self, net: Net, guest: str = "laptop") -> Path:
        """Brought here as a file."""
        given = net.cluster.journal.directory / "tickets" / f"{guest}.json"
        assert given.stat().st_mode & 0o777 == 0o600
        file = self.directory / f"{guest}.ticket"
        file.write_text(given.read_text())
        return file

    def begin(self, ticket: Path, *options: str, host: str = SERVER) -> subprocess.Popen[str]:
        command = [
            sys.executable,
            "-m",
            "hybridnet.cli",
            "join",
            host,
            "--ticket",
            str(ticket),
            "--json",
            *options,
        ]
        return subprocess.Popen(
            self.inside(*command),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )

    def join(self, ticket: Path, *options: str, host: str = SERVER) -> subprocess.Popen[str]:
        """It has joined."""
        process = self.begin(ticket, *options, host=host)
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("joined as "), line + process.stderr.read()
        return process

    def ping_ms(self, address: str, count: int = 20) -> list[float]:
        """The round trips, sorted; none may be lost. A request before them has found the MAC address."""
        self.run("ping", "-n", "-q", "-c", "1", "-w", "5", address)
        text = self.run("ping", "-n", "-i", "0.02", "-c", str(count), address)
        found = [float(each) for each in re.findall(r"time=([\d.]+) ms", text)]
        assert len(found) == count, text
        return sorted(found)


def left(process: subprocess.Popen[str], number: int = signal.SIGINT) -> dict[str, Any]:
    """Tell it to leave. Its figures and its verdict."""
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode in (0, 4), err
    figures: dict[str, Any] = json.loads(out)
    return figures


@contextlib.contextmanager
def laptop(directory: Path) -> Iterator[Laptop]:
    made = Laptop(directory)
    try:
        yield made
    finally:
        made.close()
