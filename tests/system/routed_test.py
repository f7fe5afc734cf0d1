# SPDX-License-Identifier: MIT
"""Two machines joined routed: the hosts' gateways, the link between these and a server are simulated."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridnet import Net
from hybridnet.topologies import TwoTrees
from tests.system.live import finish_iperf3, rtts_ms, snapshots, start_iperf3
from tests.system.port_type import PORT_TYPE

LINK_MS, SERVER_MS = 5.0, 1.0


class WithServer(TwoTrees):
    """``TwoTrees``, with a simulated host behind r2."""

    def build(self, **options: object) -> None:
        super().build(join="routed", **options)  # type: ignore[arg-type]
        self.addSimHost("server", machine="m2")
        self.addLink("server", "r2", delay=f"{SERVER_MS}ms")


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("captures")
    return {name: directory / f"{name}.pcap" for name in ("r1-eth1", "r2-eth2", "server-eth0")}


@pytest.fixture(scope="module")
def net(captures: dict[str, Path]) -> Iterator[Net]:
    topo = WithServer(depth=1, bw=100, delay=f"{LINK_MS}ms")
    files = {name: str(path) for name, path in captures.items()}
    with Net(topo, port_type=PORT_TYPE, captures=files) as net:
        assert net.pingAll(timeout=5) == 0
        yield net


@pytest.fixture(scope="module")
def address(net: Net) -> dict[str, str]:
    """Of each simulated interface, its address: the plan's."""
    assert net.plan is not None
    return {
        interface["name"]: interface["address"].partition("/")[0]
        for plan in net.plan.machines.values()
        for node in plan["instances"][0]["nodes"]
        for interface in node["interfaces"]
    }


def hops(net: Net, target: str) -> list[str]:
    return re.findall(r"^ *\d+  (\S+)", net["h1"].cmd("traceroute -n -q 3 -w 5", target), re.MULTILINE)


def test_a_traceroute_names_both_routers_in_order(net: Net, address: dict[str, str]) -> None:
    there = net["h3"].IP()
    assert hops(net, there) == [address["r1-eth1"], address["r2-eth2"], there]


@pytest.mark.parametrize("interface", ["r1-eth1", "r1-eth2", "r2-eth1", "r2-eth2", "r2-eth3"])
def test_every_interface_of_a_router_answers_ping(net: Net, address: dict[str, str], interface: str) -> None:
    least_ms = 0 if interface.startswith("r1") else 2 * LINK_MS
    assert rtts_ms(net, "h1", address[interface], 3)[0] >= least_ms


def test_a_simulated_host_answers_ping_after_the_delays_of_the_way(net: Net, address: dict[str, str]) -> None:
    assert rtts_ms(net, "h1", address["server-eth0"], 5)[0] >= 2 * (LINK_MS + SERVER_MS)
    assert hops(net, address["server-eth0"])[:2] == [address["r1-eth1"], address["r2-eth2"]]


def test_the_router_at_which_a_ttl_ends_says_so(net: Net, address: dict[str, str]) -> None:
    there = net["h3"].IP()
    for ttl, router in ((1, "r1-eth1"), (2, "r2-eth2")):
        said = net["h1"].cmd(f"ping -n -c 1 -W 5 -t {ttl}", there)
        assert f"From {address[router]} icmp_seq=1 Time to live exceeded" in said
    dropped = {name: nodes(net)[name]["dropped"].get("ttl_expired", 0) for name in ("r1", "r2")}
    assert all(dropped.values()), dropped


def test_the_router_without_a_route_says_so(net: Net, address: dict[str, str]) -> None:
    before = nodes(net)["r1"]["dropped"].get("no_route", 0)
    said = net["h1"].cmd("ping -n -c 1 -W 5 192.0.2.1")  # TEST-NET-1: nobody's
    assert f"From {address['r1-eth1']} icmp_seq=1 Destination Net Unreachable" in said
    assert nodes(net)["r1"]["dropped"]["no_route"] == before + 1


def test_the_router_before_a_silent_host_says_so(net: Net, address: dict[str, str]) -> None:
    absent = re.sub(r"\d+$", "200", net["h3"].IP())
    said = net["h1"].cmd("ping -n -c 1 -W 10", absent)
    assert f"From {address['r2-eth2']} icmp_seq=1 Destination Host Unreachable" in said


def test_captures_hold_what_passed_and_nothing_malformed(
    net: Net, captures: dict[str, Path], address: dict[str, str]
) -> None:
    there = net["h3"].IP()
    rtts_ms(net, "h1", address["server-eth0"], 3)
    end = finish_iperf3(start_iperf3(net["h3"], net["h1"], "-n", "200K"))
    net.stop()  # which closes the files
    for path in captures.values():
        assert tshark(path, "_ws.malformed || ip.checksum.status == 0 || icmp.checksum.status == 0") == []
    echoes = tshark(captures["server-eth0"], "icmp.type == 8")
    replies = tshark(captures["server-eth0"], "icmp.type == 0")
    assert len(echoes) == len(replies) >= 3
    assert tshark(captures["r2-eth2"], "icmp.type == 11")
    payload = tshark(captures["r1-eth1"], f"tcp.len > 0 && ip.dst == {there}", "tcp.len")
    assert sum(map(int, payload)) >= end["sum_received"]["bytes"] > 0


def nodes(net: Net) -> dict[str, dict[str, object]]:
    return {node["name"]: node for snapshot in snapshots(net).values() for node in snapshot["nodes"]}


def tshark(path: Path, condition: str, column: str = "frame.number", frames: int | None = None) -> list[str]:
    """That column of the frames (the first `frames`) that meet a display filter. IPv4 checksums are checked, too. What
    UDP carries is data: tshark would take the probes of traceroute, whose ports are random, for some protocol.
    """
    done = subprocess.run(
        [
            "tshark",
            "-r",
            str(path),
            "-o",
            "ip.check_checksum:TRUE",
            "-d",
            "udp.port==0-65535,data",
            "-Y",
            condition,
            "-T",
            "fields",
            "-e",
            column,
            *([] if frames is None else ["-c", str(frames)]),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
