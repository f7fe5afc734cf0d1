# SPDX-License-Identifier: MIT
"""Wireshark's own program lists and captures at interfaces of a running network, emulated and simulated.

h1 ── s1 ┄┄ r1 ┄┄ v1       ── a wire, ┄┄ simulated
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net, Topo
from tests.system.live import wait_until
from tests.system.port_type import PORT_TYPE

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is missing: apt install tshark"),
]

PATIENCE_S = 60


class Small(Topo):
    def build(self) -> None:  # type: ignore[override]
        self.addHost("h1")
        self.addSwitch("s1")
        self.addSimRouter("r1")
        self.addSimHost("v1")
        self.addLink("h1", "s1")
        self.addLink("s1", "r1", delay="1ms")
        self.addLink("r1", "v1", delay="1ms")


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Small(), port_type=PORT_TYPE) as running:
        yield running


class Wireshark:
    """Its programs, which look for theirs in folders of the test: root's Wireshark of before 4.2 takes no other folder
    than the one of all users, so that is replaced in a mount namespace.
    """

    def __init__(self, home: Path) -> None:
        said = subprocess.run(["tshark", "-G", "folders"], capture_output=True, text=True, check=True).stdout
        [folder] = [
            line.split(":", 1)[1].strip() for line in said.splitlines() if line.startswith("Extcap path:")
        ]
        self.programs = home / "extcap"
        self.programs.mkdir()
        script = 'mount --bind "$0" "$1" && shift && exec "$@"'
        self._inside = ["unshare", "--mount", "sh", "-c", script, str(self.programs), folder]
        self._environment = {**os.environ, "HOME": str(home)}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._inside, *command],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def tshark(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("tshark", "-n", *words)


@pytest.fixture(scope="module")
def wireshark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wireshark]:
    made = Wireshark(tmp_path_factory.mktemp("home"))
    said = made.run(*hybridnet("extcap-install"))
    assert said.stdout.startswith("installed "), said.stderr
    yield made
    said = made.run(*hybridnet("extcap-install", "--remove"))
    assert said.stdout.startswith("removed "), said.stderr


def hybridnet(*words: str) -> list[str]:
    return [sys.executable, "-m", "hybridnet.cli", *words]


def address(net: Net) -> str:
    assert net.plan is not None
    nodes = {node["name"]: node for own in net.plan.instances.values() for node in own["nodes"]}
    given: str = nodes["v1"]["interfaces"][0]["address"]
    return given.partition("/")[0]


def value(net: Net, node: str, interface: str) -> str:
    return f"{net.cluster.journal.run}:{node}:{interface}"


def captures(net: Net) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = net.cluster.call("m1", "captures", instance="m1")
    return [row for row in rows if row["running"]]


def test_interfaces_are_listed_with_those_that_are_simulated(net: Net, wireshark: Wireshark) -> None:
    said = wireshark.tshark("-D")
    listed = [line.split(" ", 1)[1] for line in said.stdout.splitlines()]
    assert f"{value(net, 'h1', 'h1-eth0')} (hybridnet: h1-eth0 of h1)" in listed
    assert f"{value(net, 'r1', 'r1-eth1')} (hybridnet: r1-eth1 of r1, simulated)" in listed
    assert f"{value(net, 'v1', 'v1-eth0')} (hybridnet: v1-eth0 of v1, simulated)" in listed
    assert f"{value(net, 'm1', 's1-eth1')} (hybridnet: s1-eth1 of m1)" in listed
    said = wireshark.tshark("-i", value(net, "r1", "r1-eth1"), "-L")
    assert "EN10MB" in said.stdout + said.stderr


@pytest.mark.parametrize(("node", "interface"), [("r1", "r1-eth2"), ("h1", "h1-eth0")])
def test_tshark_captures_pings_and_nothing_stays_behind(
    net: Net, wireshark: Wireshark, node: str, interface: str
) -> None:
    pinging = net["h1"].popen(["ping", "-i", "0.1", address(net)])
    try:
        said = wireshark.tshark("-i", value(net, node, interface), "-f", "icmp", "-c", "3")
    finally:
        pinging.terminate()
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert len(lines) == 3
    assert all("Echo (ping)" in line for line in lines)
    wait_until(lambda: not captures(net))
    scratch = net.cluster.call("m1", "exec", argv="find / -xdev -name 'extcap-*'")
    assert scratch["stdout"] == b""


def test_a_capture_ends_when_its_reader_goes_although_no_frame_comes(net: Net, tmp_path: Path) -> None:
    for node, interface in (("v1", "v1-eth0"), ("h1", "h1-eth0")):
        pipe = tmp_path / node
        os.mkfifo(pipe)
        capturing = start(net, pipe, node, interface, "host 203.0.113.1")
        with pipe.open("rb") as reader:
            assert len(reader.read(24)) == 24  # the file's header: it captures
        assert capturing.wait(PATIENCE_S) == 0
        assert captures(net) == []


def test_a_capture_ends_when_it_is_asked_to(net: Net, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    capturing = start(net, pipe, "r1", "r1-eth1")
    with pipe.open("rb") as reader:
        reader.read(24)
        capturing.send_signal(signal.SIGTERM)
        assert capturing.wait(PATIENCE_S) == 0
    assert captures(net) == []


def test_what_a_killed_capture_left_gives_way_to_the_next_one(net: Net, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    killed = start(net, pipe, "r1", "r1-eth1")
    with pipe.open("rb") as reader:
        reader.read(24)
        killed.kill()
        killed.wait()
    assert len(captures(net)) == 1
    again = start(net, pipe, "r1", "r1-eth1")
    with pipe.open("rb") as reader:
        assert len(reader.read(24)) == 24
    assert again.wait(PATIENCE_S) == 0
    assert captures(net) == []


def test_one_interface_has_one_capture_and_wrong_filters_are_told(net: Net, tmp_path: Path) -> None:
    file = str(tmp_path / "own.pcap")
    with net.capture("r1-eth1", file):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        refused = start(net, pipe, "r1", "r1-eth1")
        with pipe.open("rb") as reader:
            assert reader.read() == b""
        assert refused.wait(PATIENCE_S) != 0
        assert refused.stderr is not None
        assert "capture at r1-eth1" in refused.stderr.read()
    said = subprocess.run(
        hybridnet("extcap", "--extcap-interface", "any", "--extcap-capture-filter", "no filter"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert said.stderr.startswith("error: --extcap-capture-filter")


def test_another_user_sees_and_captures_nothing(net: Net, wireshark: Wireshark) -> None:
    """The program runs as nobody, who can read the sources of this repository but no run of root's."""
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
    code = (
        "import json; from hybridnet.tools.extcap.interfaces import interfaces;"
        "print(json.dumps([each.value for each in interfaces()]))"
    )
    said = subprocess.run(
        [*as_nobody, sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    if "No module named" in said.stderr or "Permission denied" in said.stderr:
        pytest.skip("nobody cannot read the sources of this repository here")
    assert json.loads(said.stdout) == []


def test_nothing_is_listed_once_the_network_has_ended(wireshark: Wireshark) -> None:
    with Net(Small(), port_type=PORT_TYPE) as short:
        run = short.cluster.journal.run
        assert run in wireshark.tshark("-D").stdout
    assert run not in wireshark.tshark("-D").stdout


def start(net: Net, pipe: Path, node: str, interface: str, filter: str = "") -> subprocess.Popen[str]:
    words = ["extcap", "--capture", "--extcap-interface", value(net, node, interface), "--fifo", str(pipe)]
    more = ["--extcap-capture-filter", filter] if filter else []
    return subprocess.Popen(hybridnet(*words, *more), stderr=subprocess.PIPE, text=True)
