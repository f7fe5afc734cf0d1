# SPDX-License-Identifier: MIT
"""Tickets: what a plan writes is read, and nothing else; the key is in no message."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from hybridnet.describe.topo import Topo
from hybridnet.errors import UsageError
from hybridnet.plan.network import MachineSpec, PlanOptions, make_plan
from hybridnet.tools.join import read_ticket


def written() -> dict[str, Any]:
    topo = Topo()
    topo.addSimRouter("r1")
    topo.addSimRouter("r2")
    topo.addLink("r1", "r2")
    topo.addLink(topo.addGuest("laptop", ip6="fd00::5/64"), "r1", delay="5ms", bw=10, aqm="codel", mtu=1400)
    options = PlanOptions(token="0" * 16, peering_key="5" * 64, peering={"compression": "on"})
    return make_plan(topo, [MachineSpec("m1", "198.18.0.1")], options).guests["laptop"]


def test_what_a_plan_writes_becomes_the_plan_of_the_guests_instance() -> None:
    content = written()
    ticket = read_ticket(json.dumps(content))
    assert ticket.addresses == ("10.1.0.1/16", "fd00::5/64")
    assert ticket.routes == (("100.64.0.0/30", "10.1.255.254"),)
    plan = ticket.plan("192.0.2.7")
    (peer,) = plan["peers"]
    assert peer == {
        "name": "run",
        "local": "0.0.0.0:0",
        "remote": "192.0.2.7:47900",
        "compression": "on",
        "key": content["key"],
    }
    (portal,) = plan["emulation_portals"]
    assert (portal["device"], portal["backend"]) == ("laptop-eth0", "tap")
    assert portal["options"] == {"mtu": 1400}
    (link,) = plan["links"]
    assert link["a_to_b"] == content["link"]["out"]
    assert link["b_to_a"] == content["link"]["back"]
    assert plan["token"] == "0" * 16


def changing(*path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(content: dict[str, Any]) -> None:
        at = content
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (changing("format", to=2), "its format is 2, and this hybridnet reads 1"),
        (changing("key", to="secret"), "its key makes no sense"),
        (changing("guest", to="../laptop"), "its guest makes no sense"),
        (changing("port", to=0), "its port is not within 1 and 65535"),
        (changing("port", to="47900"), "its port is not within"),
        (changing("interface", "name", to="eth0 up"), "its interface: name makes no sense"),
        (changing("interface", "mac", to="02:00"), "its interface: mac makes no sense"),
        (changing("interface", "addresses", to=["10.0.0.5/8; reboot"]), "this is not one"),
        (changing("interface", to=None), "this is not one"),
        (changing("routes", to=[{"prefix": "10.0.0.0/8", "via": "a host"}]), "this is not one"),
        (changing("link", "out", "plugin", to={"file": "/tmp/evil.so"}), "a plug-in or a trace"),
        (changing("link", "back", "rate_model", to={"file": "/etc/shadow"}), "a plug-in or a trace"),
        (changing("peering", "transport", to="shm"), "its peering has transport, which no guest has"),
        (changing("peering", "local", to="/tmp/x"), "its peering has local, which no guest has"),
    ],
)
def test_what_makes_no_sense_is_refused(change: Callable[[dict[str, Any]], None], says: str) -> None:
    content = copy.deepcopy(written())
    change(content)
    with pytest.raises(UsageError, match=says) as refused:
        read_ticket(json.dumps(content))
    assert content["key"] not in str(refused.value)


def test_the_instance_of_a_guest_is_as_slow_as_the_run() -> None:
    content = written()
    assert read_ticket(json.dumps(content)).plan("192.0.2.7")["slow"] == 1
    content["slow"] = 4
    assert read_ticket(json.dumps(content)).plan("192.0.2.7")["slow"] == 4
    content["slow"] = 0
    with pytest.raises(UsageError, match="slow"):
        read_ticket(json.dumps(content))


def test_what_instances_do_not_know_is_refused_before_anything_is_made() -> None:
    content = copy.deepcopy(written())
    content["link"]["out"]["delay_ns"] = -1
    with pytest.raises(UsageError, match="ticket"):
        read_ticket(json.dumps(content)).plan("192.0.2.7")


@pytest.mark.parametrize("text", ["", "laptop", "[]", "{}", "null", '{"format": 1}', "[" * 5000])
def test_text_that_is_no_ticket_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="ticket: this is not one; on the computer of the run"):
        read_ticket(text)
