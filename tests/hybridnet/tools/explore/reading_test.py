# SPDX-License-Identifier: MIT
"""What is read of a simulated switch is what it does."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from hybridnet.describe.options.tables import extension
from hybridnet.experiments.openflow_differential import wire
from hybridnet.tools.explore.header import Cube
from hybridnet.tools.explore.messages import hello, hello_10, message
from hybridnet.tools.explore.reading import Reader
from hybridnet.tools.explore.site import DIRECTION
from hybridnet.tools.explore.tables import ALL, FLOOD, Action, NotUnderstoodError, Rule, Tables
from hybridnet.tools.explore.walk import Fabric, follow

PORT_MOD_10, NO_FLOOD = 15, 16  # OpenFlow 1.0, 5.1 and 5.2.1


def bench_of(protocols: list[str]) -> Any:
    """A switch with a host at each of its three ports."""
    bench = extension().SwitchBench(1)
    bench.add_openflow_switch("s1", {"dpid": f"{1:016x}", "protocols": protocols})
    for port in (1, 2, 3):
        bench.add_interface("s1", f"s1-eth{port}", mac=f"02:00:00:00:00:0{port}", number=port)
        bench.add_host(f"h{port}")
        bench.add_link(f"h{port}", f"h{port}", f"s1-eth{port}", DIRECTION, DIRECTION)
    return bench


def told(bench: Any, greeting: bytes, *said: bytes) -> None:
    connection = bench.connect("s1", True)
    for each in (greeting, *said):
        bench.hear(connection, each)


def reached(tables: Tables, number: int) -> set[str | None]:
    """By whom a packet from h1 is got that all ports, or those that flood, send."""
    tables.flows = [Rule(0, 1, Cube(), apply=(Action("output", number),))]
    tables.sort()
    peers = {("s1", port): f"h{port}" for port in (1, 2, 3)}
    ways, _ = follow(Fabric({"s1": tables}, peers), ("s1", 1), 0)
    return {way.end.host for way in ways}


def test_a_port_that_a_controller_of_openflow_10_has_taken_out_of_floods_gets_none() -> None:
    bench = bench_of(["OpenFlow10"])
    reader = Reader(bench, "s1", ["OpenFlow10"])
    assert reached(reader.tables(), FLOOD) == {"h2", "h3"}

    mac = bytes.fromhex("020000000003")
    told(
        bench,
        hello_10(),
        message(PORT_MOD_10, struct.pack("!H6sIIIxxxx", 3, mac, NO_FLOOD, NO_FLOOD, 0), version=1),
    )
    assert reached(reader.tables(), FLOOD) == {"h2"}
    assert reached(reader.tables(), ALL) == {"h2", "h3"}


def test_a_switch_of_openflow_13_has_no_such_port() -> None:
    bench = bench_of(["OpenFlow13"])
    assert reached(Reader(bench, "s1", ["OpenFlow13"]).tables(), FLOOD) == {"h2", "h3"}


def test_what_cannot_be_understood_is_said_with_the_name_of_its_switch() -> None:
    bench = bench_of(["OpenFlow13"])
    told(
        bench,
        hello(),
        wire.flow(0, 7, 9, {"eth_type": 0x0800}, [wire.apply([wire.push(wire.PUSH_MPLS, 0x8847)])]),
    )
    with pytest.raises(NotUnderstoodError, match=r"^explore: switch s1: a flow has an action of type 19"):
        Reader(bench, "s1", ["OpenFlow13"]).tables()
