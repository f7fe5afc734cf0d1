# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

from hybridnet.observe.recording.flow_names import flow_names


def simulated(name: str, *addresses: str, **more: Any) -> dict[str, Any]:
    kinds = [("address6" if ":" in each else "address", each) for each in addresses]
    return {"name": name, "interfaces": [{kind: f"{each}/24"} for kind, each in kinds], **more}


def test_a_connection_is_called_by_the_nodes_at_its_ends() -> None:
    plan = {"nodes": [simulated("a", "10.0.0.1"), simulated("b", "10.0.0.2", "fd00::2")]}
    names = flow_names(["a:10.0.0.1:5001>10.0.0.2:9", "a:fd00::1:77>fd00::2:80", "r1-r2:r1>r2"], plan)
    assert names == {
        "a:10.0.0.1:5001>10.0.0.2:9": "a:5001 → b:9",
        "a:fd00::1:77>fd00::2:80": "a:77 → b:80",
    }


def test_ports_are_there_only_where_they_tell_flows_apart() -> None:
    plan = {"nodes": [simulated("a", "10.0.0.1"), simulated("b", "10.0.0.2"), simulated("c", "10.0.0.3")]}
    names = flow_names(["a:10.0.0.1:1>10.0.0.2:9", "a:10.0.0.1:2>10.0.0.3:9"], plan)
    assert list(names.values()) == ["a → b", "a → c"]


def test_nodes_of_every_machine_and_instance_are_known_emulated_ones_too() -> None:
    host = {"name": "h1", "interfaces": [{"name": "h1-eth0", "addresses": ["10.0.0.7/8", "fd00::7/64"]}]}
    plan = {"machines": {"m1": {"hosts": [host], "instances": [{"nodes": [simulated("v1", "10.0.0.9")]}]}}}
    [name] = flow_names(["v1:10.0.0.9:1>10.0.0.7:5201"], plan).values()
    assert name == "v1 → h1"


def test_an_address_of_nobody_stays() -> None:
    assert list(flow_names(["a:10.0.0.1:1>192.0.2.1:80"], {}).values()) == ["a → 192.0.2.1"]


def test_the_congestion_control_that_an_application_asks_for_is_said() -> None:
    bulk = {"kind": "tcp_bulk", "destination": "10.0.0.2", "port": 9, "tcp": {"congestion": "bbr"}}
    plan = {"nodes": [simulated("a", "10.0.0.1", applications=[bulk]), simulated("b", "10.0.0.2")]}
    names = flow_names(["a:10.0.0.1:1>10.0.0.2:9", "b:10.0.0.2:9>10.0.0.1:1"], plan)
    assert list(names.values()) == ["a → b (bbr)", "b → a"]
