# SPDX-License-Identifier: MIT
"""Options of nodes: understood, or an error where they are written."""

from __future__ import annotations

import functools
import ipaddress
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.node_options import own_options, resolve_node
from hybridnet.errors import TopologyError, UnitError


@pytest.mark.parametrize(
    "ip", ["10.0.0", "10.0.0.1/40", "hello", "10.0.0.256", "::1", 5, 10.5, b"10.0.0.1", ["10.0.0.1"], True]
)
def test_what_is_no_address_is_refused(ip: Any) -> None:
    with pytest.raises(
        TopologyError, match=r"^host h1: ip .* is not an IPv4 address; write one like 10.0.0.1/8"
    ):
        Topo().addHost("h1", ip=ip)


def test_addresses_of_the_standard_library_are_taken() -> None:
    assert resolve_node("host", "h1", {"ip": ipaddress.ip_interface("10.0.0.1/8")}) == {"ip": "10.0.0.1/8"}
    assert resolve_node("host", "h1", {"ip": None, "ip6": ""}) == {"ip": None, "ip6": None}


@pytest.mark.parametrize("mac", ["00:00:00:00:00", "00:00:00:00:00:00", "01:00:00:00:00:01", "hello", 5])
def test_what_is_no_stations_mac_address_is_refused(mac: Any) -> None:
    with pytest.raises(TopologyError, match=r"^host h1: mac"):
        Topo().addHost("h1", mac=mac)


@pytest.mark.parametrize("text", ["10.0.0.1", "via", "via ten", "", 5, "via 10.0.0.1 dev", "via ::1 via ::2"])
def test_a_malformed_default_route_is_refused(text: Any) -> None:
    with pytest.raises(TopologyError, match=r"^host h1: defaultRoute"):
        Topo().addHost("h1", defaultRoute=text)


@pytest.mark.parametrize(
    ("routes", "said"),
    [
        ("10.0.0.0/8", "is not a list of"),
        ([("10.0.0.0/8",)], "is not a pair of prefix and gateway"),
        ([("10.0.0.0/8", "nowhere")], "'nowhere' is not an address"),
        ([("10.0.0.0/8", None)], "'None' is not an address"),
        ([("somewhere", "10.0.0.1")], "'somewhere' is not a prefix"),
        ([(5, "10.0.0.1")], "5 is not a prefix"),
        ([("fd00::/64", "10.0.0.1")], "of different families"),
    ],
)
def test_a_malformed_route_is_refused(routes: Any, said: str) -> None:
    with pytest.raises(TopologyError, match=f"^host h1: routes.*{said}"):
        Topo().addHost("h1", routes=routes)


def test_routes_are_read_with_and_without_via() -> None:
    given = [("10.2.0.0/16", "via 10.0.0.1"), ("fd00:2::5/64", "fd00::1")]
    assert resolve_node("host", "h1", {"routes": given})["routes"] == [
        ("10.2.0.0/16", "10.0.0.1"),
        ("fd00:2::/64", "fd00::1"),
    ]


@pytest.mark.parametrize(
    "directories",
    [
        "/var/run",
        ["/var/run", "log"],
        [5],
        ["/a\0b"],
        [("/a",)],
        [("/a", "b")],
        [("/a", "/%(host)s")],
        [("/a", "/%")],
    ],
)
def test_private_directories_are_a_list_of_absolute_paths(directories: Any) -> None:
    with pytest.raises(TopologyError, match=r"^host h1: privateDirs"):
        Topo().addHost("h1", privateDirs=directories)


@pytest.mark.parametrize(
    "options",
    [{"protocols": "bogus"}, {"protocols": "OpenFlow12a"}, {"protocols": 13}, {"protocols": [None]},
     {"failMode": "open"}, {"failMode": True}, {"dpid": "xyz"}, {"dpid": "1" * 17}, {"dpid": 1.5}, {"machine": 3},
     {"cls": "Switch"}, {"inNamespace": True}, {"datapath": "fast"},
     {"bridge": "windows"}, {"stp": "mstp"}, {"prio": 65536}, {"listenPort": 0}, {"inband": 1}, {"reconnectms": 999},
     {"batch": "yes"}],
)  # fmt: skip
def test_options_of_a_switch_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match=f"^switch s1: .*{next(iter(options))}"):
        Topo().addSwitch("s1", **options)


def test_protocols_and_dpids_are_read_as_mininet_reads_them() -> None:
    given = {"protocols": "OpenFlow10, OpenFlow13", "dpid": "00:00:00:00:00:00:00:0A"}
    assert resolve_node("switch", "s1", given) == {
        "protocols": ["OpenFlow10", "OpenFlow13"],
        "dpid": "000000000000000a",
    }
    assert resolve_node("switch", "s1", {"dpid": 12})["dpid"] == "0000000000000012"


@pytest.mark.parametrize(("kind", "most"), [("Switch", 15), ("Host", 64), ("SimRouter", 64)])
def test_a_name_that_is_too_long_is_refused_where_it_is_written(kind: str, most: int) -> None:
    topo = Topo()
    add = getattr(topo, f"add{kind}")
    add("n" * most)
    with pytest.raises(TopologyError, match=f"the name has {most + 1} characters, and may have {most}"):
        add("n" * (most + 1))


class Vlan:
    def __init__(self, name: str, tag: int = 1, **params: Any) -> None:
        pass


class Priority(Vlan):
    def config(self, priority: int = 0, **params: Any) -> None:
        pass


def test_the_parameters_of_a_class_are_options_of_its_nodes() -> None:
    assert own_options(functools.partial(Priority, tag=5)) == ["priority", "tag"]
    assert resolve_node("host", "h1", {"cls": Priority, "tag": 7, "ip": "10.0.0.1"}) == {
        "cls": Priority,
        "ip": "10.0.0.1",
    }
    with pytest.raises(TopologyError, match=r"host h1: unknown option 'tga'; did you mean 'tag'\?"):
        resolve_node("host", "h1", {"cls": Priority, "tga": 7})


@pytest.mark.parametrize(
    "options",
    [{"cpu": 0}, {"cpu": "20%"}, {"cpu": -0.5}, {"cores": "a"}, {"cores": []}, {"cores": [-1]}, {"cores": 1.5},
     {"devices": "eth1"}, {"devices": ["eth/1"]}, {"nat": "10.0.0.0/64"},
     {"sched": "fifo"}, {"period_us": 10}, {"inNamespace": 1}],
)  # fmt: skip
def test_limits_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(TopologyError, match=f"^host h1: {next(iter(options))}"):
        Topo().addHost("h1", **options)


def test_processors_are_given_as_mininet_takes_them() -> None:
    for written, cores in ((1, [1]), ([2, 0, 2], [0, 2]), ("0,2-4", [0, 2, 3, 4]), (None, None)):
        assert resolve_node("host", "h1", {"cores": written})["cores"] == cores
    assert resolve_node("host", "h1", {"cpu": -1}) == {"cpu": None}
    with pytest.raises(TopologyError, match="sched='rt' needs cpu="):
        Topo().addHost("h1", sched="rt")


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("256M", 256 << 20),
        ("256m", 256 << 20),
        ("1g", 1 << 30),
        ("8192K", 8 << 20),
        ("256 MB", 256_000_000),
        ("256 MiB", 256 << 20),
        (6 << 20, 6 << 20),
        (None, None),
    ],
)
def test_memory_has_the_units_of_control_groups_or_hybridnets(written: Any, size: int | None) -> None:
    assert resolve_node("host", "h1", {"memory": written})["memory"] == size


@pytest.mark.parametrize(
    "options",
    [
        {"memory": "256"},
        {"memory": "5M"},
        {"memory": -1},
        {"memory": 1.5},
        {"memory": "2000g"},
        {"memory": True},
        {"pids": 0},
        {"pids": "many"},
        {"pids": 2.5},
    ],
)
def test_memory_and_processes_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises((TopologyError, UnitError), match=f"host h1: {min(options)}"):
        resolve_node("host", "h1", options)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("/etc/motd", "are not texts by path"),
        ({"etc/motd": ""}, "is not the path of a file"),
        ({"/motd": ""}, "is not the path of a file"),
        ({"/etc/../motd": ""}, "is not the path of a file"),
        ({"/etc/motd/": ""}, "is not the path of a file"),
        ({"/proc/x": ""}, "no file can be laid there"),
        ({"/etc/motd": 5}, "is not a text of at most 1 MiB"),
        ({"/etc/motd": "a\0"}, "is not a text of at most 1 MiB"),
        ({"/etc/motd": "x" * ((1 << 20) + 1)}, "is not a text of at most 1 MiB"),
        ({f"/etc/{number}": "x" * (1 << 20) for number in range(9)}, "longer than 8 MiB"),
        ({f"/etc/{number}": "" for number in range(1001)}, "more than 1000"),
    ],
)
def test_files_are_texts_by_path_and_not_too_long(files: Any, said: str) -> None:
    with pytest.raises(TopologyError, match=f"^host h1: files.*{said}"):
        Topo().addHost("h1", files=files)


@pytest.mark.parametrize("commands", ["ip link", [5], [""], ["a\0"], ["x" * 65_537], ["a"] * 1001])
def test_commands_are_a_list_of_texts(commands: Any) -> None:
    with pytest.raises(TopologyError, match=r"^host h1: commands"):
        Topo().addHost("h1", commands=commands)
