# SPDX-License-Identifier: MIT
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from hybridnet import Topo, TopologyError, _simcore
from hybridnet.describe.options import Table, family, table
from hybridnet.describe.topo.applications import resolve_applications
from hybridnet.errors import PlanError, UnitError
from tests.hybridnet.plan.support import plan


def resolve(*given: Any) -> list[dict[str, Any]]:
    return resolve_applications(list(given), "simhost s")


def test_quantities_become_the_plans_numbers() -> None:
    source = {
        "kind": "udp_source",
        "destination": "h",
        "port": 9,
        "rate": "8 Mbit/s",
        "start": "1s",
        "stop": "2s",
    }
    assert resolve(source, {"kind": "http_server", "size": "20 MB", "tcp": "rfc"}) == [
        {
            "kind": "udp_source",
            "destination": "h",
            "port": 9,
            "rate_bps": 8_000_000,
            "start_ns": 1_000_000_000,
            "stop_ns": 2_000_000_000,
        },
        {"kind": "http_server", "size_bytes": 20_000_000, "tcp": "rfc"},
    ]


@pytest.mark.parametrize(
    ("application", "says"),
    [
        ({"kind": "http_sever"}, "did you mean 'http_server'"),
        ({"port": 80}, "is not an application; write a dictionary with 'kind'"),
        ("http_server", "is not an application"),
        ({"kind": "http_server", "pathh": "/x"}, "did you mean 'path'"),
        ({"kind": "http_server", "path": "x"}, "is not of the file: it begins with /"),
        ({"kind": "http_server", "path": "/a b"}, "neither spaces nor"),
        ({"kind": "http_server", "size": "8 GB"}, "write 0 to 4294967295"),
        ({"kind": "tcp_echo"}, "port is missing"),
        ({"kind": "tcp_echo", "port": 0}, "not a whole number from 1 to 65535"),
        ({"kind": "tcp_echo", "port": True}, "not a whole number"),
        ({"kind": "tcp_echo", "port": 7, "tcp": "linus"}, "did you mean 'linux'"),
        ({"kind": "ping"}, "destination is missing"),
        ({"kind": "ping", "destination": "h", "interval": "0s"}, "write a time above it"),
        (
            {"kind": "udp_source", "destination": "h", "port": 9, "rate": 1, "start": "2s", "stop": "1s"},
            "stops before it starts",
        ),
    ],
)
def test_a_mistake_is_named_with_its_cure(application: Any, says: str) -> None:
    with pytest.raises(TopologyError, match=f"^simhost s: application 0.*{says}"):
        resolve(application)


def test_a_quantity_without_unit_is_refused() -> None:
    with pytest.raises(UnitError, match=r"application 0 \(ping\): interval"):
        resolve({"kind": "ping", "destination": "h", "interval": 1})


def test_two_at_one_port_are_refused_but_not_over_different_protocols() -> None:
    resolve({"kind": "tcp_echo", "port": 7}, {"kind": "udp_echo", "port": 7})
    with pytest.raises(TopologyError, match="tcp_echo and http_server both listen at TCP port 80"):
        resolve({"kind": "tcp_echo", "port": 80}, {"kind": "http_server"})
    with pytest.raises(TopologyError, match="both listen at UDP port 5201"):
        resolve({"kind": "iperf3_server", "port": 5201}, {"kind": "udp_sink", "port": 5201})


def test_two_sources_that_a_sink_could_not_tell_apart_are_refused() -> None:
    source = {"kind": "udp_source", "destination": "h", "port": 9, "rate": 1}
    resolve(source, source | {"local_port": 5000}, source | {"port": 10}, source | {"destination": "k"})
    for same in (source, source | {"local_port": 49152, "start": "1s"}):
        with pytest.raises(TopologyError, match=r"application 1 \(udp_source\).* give it another local_port"):
            resolve(source, same)


def test_only_simulated_hosts_have_applications() -> None:
    topo = Topo()
    with pytest.raises(TopologyError, match="unknown option 'applications'"):
        topo.addHost("h1", applications=[])
    with pytest.raises(TopologyError, match="write a list"):
        topo.addSimHost("s1", applications={"kind": "tcp_echo"})


def kinds() -> Mapping[str, Table]:
    return family("application").models


def example(kind: str) -> dict[str, Any]:
    """An application of that kind with every option that it has."""
    values = {
        "port": 1000 + list(kinds()).index(kind), "tcp": "rfc", "path": "/x", "size": "1 kB", "request": 10,
        "response": "1 kB", "count": 3, "mean_think": "1ms", "start": "1s", "stop": "3s", "destination": "h2",
        "rate": 1, "payload": 100, "arrivals": "poisson", "mean_on": "1s", "mean_off": "1s", "local_port": 5000,
        "interval": "1s", "udp": True, "reverse": True, "streams": 2, "block": 1000, "time": "2s", "hops": 5,
        "probes": 2, "wait": "1s", "think_distribution": "constant",
    }  # fmt: skip
    return {"kind": kind, **{name: values[name] for name in kinds()[kind].said}}


def network(applications: list[dict[str, Any]]) -> Topo:
    topo = Topo()
    topo.addSimHost("h1", applications=applications)
    topo.addSimHost("h2")
    topo.addSimRouter("r1")
    topo.addLink("h1", "r1", delay="1ms")
    topo.addLink("h2", "r1", delay="1ms")
    return topo


def test_every_kind_and_option_is_in_the_plans_schema_and_a_destination_becomes_an_address() -> None:
    names = list(kinds())
    [machine] = [m for m in plan(network(list(map(example, names)))).machines.values() if m["instances"]]
    nodes = {node["name"]: node for node in machine["instances"][0]["nodes"]}
    assert [each["kind"] for each in nodes["h1"]["applications"]] == names
    address = nodes["h2"]["interfaces"][0]["address"].partition("/")[0]
    assert {each["destination"] for each in nodes["h1"]["applications"] if "destination" in each} == {address}
    assert "applications" not in nodes["h2"]


def test_the_binding_takes_every_kind_and_option() -> None:
    [machine] = [m for m in plan(network(list(map(example, kinds())))).machines.values() if m["instances"]]
    [host] = [node for node in machine["instances"][0]["nodes"] if node["name"] == "h1"]
    instance = _simcore.Instance("m1", 1, 1)
    instance.add_node("host", "h1")
    instance.add_interface("h1", "h1-eth0", "02:00:00:00:00:01", "10.1.0.1/16")
    for application in host["applications"]:
        instance.add_application("h1", application["kind"], application)
    with pytest.raises(Exception, match="the port is taken"):
        instance.add_application("h1", host["applications"][0]["kind"], host["applications"][0])


def test_a_destination_that_is_nowhere_is_refused() -> None:
    with pytest.raises(PlanError, match="ping to h9: there is no such node, and it is not an address"):
        plan(network([{"kind": "ping", "destination": "h9"}]))


def test_a_tcp_may_differ_from_its_preset_in_single_options() -> None:
    options = {
        "congestion": "reno",
        "minimum_rto": "1s",
        "receive_buffer": "1 MB",
        "sack": False,
        "nagle": "off",
    }
    expected = {
        "preset": "linux",
        "congestion": "reno",
        "minimum_rto_ns": 1_000_000_000,
        "receive_buffer": 1_000_000,
        "sack": False,
        "nagle": "off",
    }
    assert resolve({"kind": "tcp_echo", "port": 7, "tcp": options}) == [
        {"kind": "tcp_echo", "port": 7, "tcp": expected}
    ]
    assert resolve({"kind": "tcp_echo", "port": 7, "tcp": {"preset": "rfc"}})[0]["tcp"] == {"preset": "rfc"}


@pytest.mark.parametrize(
    ("tcp", "error"),
    [
        ({"congestion": "cubik"}, "did you mean 'cubic'"),
        ({"conjestion": "cubic"}, "did you mean 'congestion'"),
        ({"sack": 1}, "neither True nor False"),
        ({"initial_window": -1}, "not a whole number"),
        ({"preset": "linus"}, "did you mean 'linux'"),
        ({"minimum_rto": 1}, "unit"),
        (7, "does not exist"),
    ],
)
def test_a_tcp_that_makes_no_sense_is_refused(tcp: Any, error: str) -> None:
    with pytest.raises((TopologyError, UnitError), match=error):
        resolve({"kind": "tcp_echo", "port": 7, "tcp": tcp})


def test_every_option_of_a_tcp_is_in_the_plans_schema_and_taken_by_the_binding() -> None:
    values = {"flag": True, "count": 20, "size": "64 kB", "duration": "100ms", "rate": "10 Mbit/s"}
    given: dict[str, Any] = {
        name: option.choices[-1] if option.kind == "choice" else values[option.kind]
        for name, option in table("tcp").said.items()
    } | {"preset": "rfc", "mss": 1000}
    application = {"kind": "tcp_echo", "port": 7, "tcp": given}
    [machine] = [m for m in plan(network([application])).machines.values() if m["instances"]]
    [host] = [node for node in machine["instances"][0]["nodes"] if node["name"] == "h1"]
    instance = _simcore.OfflineSimulation(1)
    instance.add_node("host", "h1")
    instance.add_interface("h1", "h1-eth0", "02:00:00:00:00:01", "10.0.0.1/24")
    instance.add_application("h1", "tcp_echo", host["applications"][0])


def test_iperf3_over_udp_needs_a_rate_and_whole_seconds() -> None:
    client = {"kind": "iperf3_client", "destination": "h1"}
    with pytest.raises(TopologyError, match="add rate"):
        resolve({**client, "udp": True})
    with pytest.raises(TopologyError, match="whole number of seconds"):
        resolve({**client, "time": "1500ms"})
    assert resolve({**client, "udp": True, "rate": 10, "time": "3s"}) == [
        {**client, "udp": True, "rate_bps": 10_000_000, "time_ns": 3_000_000_000}
    ]
