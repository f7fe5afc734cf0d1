# SPDX-License-Identifier: MIT
"""A running instance grows, shrinks and keeps timelines, asked over its control socket."""

from __future__ import annotations

import base64
import struct
import time
from typing import Any

from tests.hybridnet.simulate.instance.running import DIRECTION, Client

PING = {"kind": "ping", "destination": "10.9.0.1", "count": 1000, "interval_ns": 1_000_000}


def names(client: Client) -> dict[str, list[str]]:
    snapshot = client.ask(verb="snapshot")
    return {kind: sorted(row["name"] for row in snapshot[kind]) for kind in ("links", "nodes", "interfaces")}


def host(number: int, **more: Any) -> dict[str, Any]:
    return {
        "name": f"w{number}",
        "kind": "host",
        "interfaces": [
            {
                "name": f"w{number}-eth0",
                "mac": f"02:00:00:00:09:0{number}",
                "address": f"10.9.0.{number}/24",
            }
        ],
        **more,
    }


def link(a: str, b: str) -> dict[str, Any]:
    ends = {"a": {"interface": a}, "b": {"interface": b}}
    return {"name": f"{a}:{b}", **ends, "a_to_b": DIRECTION, "b_to_a": DIRECTION}


def await_row(client: Client, kind: str, name: str, key: str, least: int) -> dict[str, Any]:
    """The row of an element once its figure has reached a value."""
    for _ in range(1000):
        rows = client.ask(verb="snapshot")[kind]
        row: dict[str, Any] = next(row for row in rows if row["name"] == name)
        if row[key] >= least:
            return row
        time.sleep(0.01)
    raise AssertionError(f"{name}: {key} stays below {least}: {row}")


def grow(client: Client) -> None:
    """Two hosts more, one of which pings the other by a switch of its own."""
    switch = {"name": "s9", "kind": "switch", "interfaces": [{"name": "s9-eth1"}, {"name": "s9-eth2"}]}
    answer = client.ask(
        verb="change",
        add={
            "nodes": [host(1), host(2, applications=[PING]), switch],
            "links": [link("w1-eth0", "s9-eth1"), link("w2-eth0", "s9-eth2")],
        },
    )
    assert answer.keys() == {"time_ns"}, answer


def test_hosts_and_links_come_and_go_while_it_runs(client: Client) -> None:
    before = names(client)
    grow(client)
    assert len(names(client)["nodes"]) == len(before["nodes"]) + 3
    await_row(client, "applications", "w2:ping:0", "received", 5)
    interface = {"name": "v1-eth1", "mac": "02:00:00:00:09:0a", "address": "10.9.1.1/24"}
    answer = client.ask(
        verb="change",
        remove={"links": ["w1-eth0:s9-eth1", "w2-eth0:s9-eth2"], "nodes": ["w1", "w2", "s9"]},
        add={"interfaces": {"v1": [interface]}},
    )
    assert "error" not in answer, answer
    after = client.ask(verb="snapshot")
    removed = {row["name"]: row for row in after["removed"]}
    assert {kind: row["removed"] for kind, row in removed.items()} == {
        "links": 4,
        "nodes": 3,
        "interfaces": 4,
    }
    lost = removed["links"]
    assert lost["accepted_packets"] == lost["delivered_packets"] + lost["dropped"].get("removed", 0)
    assert "error" not in client.ask(verb="change", remove={"interfaces": ["v1-eth1"]})
    assert names(client) == before


def test_link_counts_are_those_of_a_snapshot_and_name_links_that_are_new(client: Client) -> None:
    first = client.ask(verb="link_counts")
    assert client.ask(verb="link_counts", known=first["generation"])["directions"] is None
    grow(client)
    await_row(client, "applications", "w2:ping:0", "received", 5)
    counts = client.ask(verb="link_counts", known=first["generation"])
    assert counts["generation"] > first["generation"]
    named = [tuple(direction) for direction in counts["directions"]]
    assert {("w2-eth0:s9-eth2", True), ("w2-eth0:s9-eth2", False)} == set(named) - {
        tuple(direction) for direction in first["directions"]
    } - {("w1-eth0:s9-eth1", True), ("w1-eth0:s9-eth1", False)}
    rows = struct.iter_unpack("11q", base64.b64decode(counts["figures"]))
    delivered = {direction: row[2] for direction, row in zip(named, rows, strict=True)}
    assert delivered["w2-eth0:s9-eth2", True] >= 5
    links = {"links": ["w1-eth0:s9-eth1", "w2-eth0:s9-eth2"], "nodes": ["w1", "w2", "s9"]}
    assert "error" not in client.ask(verb="change", remove=links)
    assert "known is -1" in client.ask(verb="link_counts", known=-1)["error"]


def test_a_change_that_cannot_be_made_changes_nothing_and_says_why(client: Client) -> None:
    before = names(client)
    sent = {
        "v1: a link joins its interface v1-eth0; remove that in the same change": {
            "remove": {"nodes": ["v1"]}
        },
        "remove link nowhere: there is no such link": {"remove": {"links": ["v1-v2", "nowhere"]}},
        "it is named twice": {"remove": {"links": ["v1-v2", "v1-v2"]}},
        "add node v1: the name is taken": {"add": {"nodes": [host(1), {**host(2), "name": "v1"}]}},
        "there is no interface w1-eth1": {"add": {"nodes": [host(1)], "links": [link("w1-eth1", "v1-eth0")]}},
        "a link joins its interface v1-eth0": {
            "add": {"nodes": [host(1)], "links": [link("w1-eth0", "v1-eth0")]}
        },
        "w1-eth0 is joined twice": {"add": {"nodes": [host(1)], "links": [link("w1-eth0", "w1-eth0")]}},
        "make link w1-eth0:w2-eth0": {
            "add": {
                "nodes": [host(1), host(2)],
                "links": [{**link("w1-eth0", "w2-eth0"), "a_to_b": {**DIRECTION, "queue_packets": None}}],
            }
        },
        "there is no peer m9": {
            "add": {"links": [{**link("v1-eth0", "v1-eth0"), "b": {"peer": "m9", "channel": 1}}]},
            "remove": {"links": ["v1-v2"]},
        },
        "there is no portal p9": {
            "add": {"nodes": [host(1)], "links": [{**link("w1-eth0", "x"), "b": {"portal": "p9"}}]}
        },
        "no link of this change joins it": {
            "add": {"emulation_portals": [{"name": "p9", "device": "lo", "backend": "pcap"}]}
        },
        "make interface v1-eth1 of v1: address": {
            "add": {
                "nodes": [host(1)],
                "interfaces": {
                    "v1": [{"name": "v1-eth1", "mac": "02:00:00:00:09:0a", "address": "10.0.0.1/24"}]
                },
            }
        },
        "set the routes of v1": {
            "add": {"nodes": [host(1)]},
            "routes": {"v1": [{"prefix": "10.8.0.0/16", "via": "10.0.0.9", "interface": "v9-eth0"}]},
        },
        "at add/nodes/0": {"add": {"nodes": [{"name": "w1"}]}},
        "at remove": {"remove": {"hosts": ["v1"]}},
    }
    without_root = {"no link of this change joins it"}
    for words, change in sent.items():
        answer = client.ask(verb="change", **change)
        if words in without_root:
            assert "error" in answer
        else:
            assert words in answer["error"]
    assert names(client) == before
    assert client.ask(verb="snapshot")["removed"] == []
    grow(client)  # and every name is free


def test_a_cut_link_goes_and_comes_with_another_channel(client: Client) -> None:
    cut = {"name": "cut", "a": {"interface": "v3-eth0"}, "b": {"peer": "m2", "channel": 1}}
    cut |= {"a_to_b": DIRECTION, "b_to_a": DIRECTION}  # type: ignore[dict-item]
    taken = client.ask(verb="change", add={"links": [{**cut, "name": "other"}]})
    assert "a link joins its interface v3-eth0" in taken["error"]
    assert "error" not in client.ask(verb="change", remove={"links": ["cut"]})
    assert "error" not in client.ask(verb="change", add={"links": [cut]})
    again = client.ask(verb="change", remove={"links": ["cut"]}, add={"links": [{**cut, "name": "other"}]})
    assert "channel m2:1 is in use" in again["error"]
    assert client.ask(verb="set_link", link="cut", up=False)["link"] == "cut"
    assert "error" not in client.ask(verb="change", remove={"links": ["cut"]})


def test_routes_of_a_host_are_replaced(client: Client) -> None:
    grow(client)
    route = {"prefix": "10.8.0.0/16", "via": "10.0.0.2", "interface": "v1-eth0"}
    assert "error" not in client.ask(verb="change", routes={"v1": [route]})
    assert "error" not in client.ask(verb="change", routes={"v1": []})
    twice = client.ask(verb="change", routes={"v1": [route, {**route, "via": "10.0.0.3"}]})
    assert "the prefix has another route already" in twice["error"]


def test_a_link_is_set_down_and_up(client: Client) -> None:
    grow(client)
    await_row(client, "applications", "w2:ping:0", "received", 5)
    assert "error" not in client.ask(verb="set_link", link="w1-eth0:s9-eth1", up=False)
    direction, sent = "w1-eth0:s9-eth1:s9-eth1>w1-eth0", "accepted_packets"
    before = await_row(client, "links", direction, sent, 0)[sent]
    row = await_row(client, "links", direction, sent, before + 1)
    assert row["status"] == "down"
    assert row["dropped"]["link_down"] > 0
    before = client.ask(verb="snapshot")["applications"][0]["received"]
    assert "error" not in client.ask(verb="set_link", link="w1-eth0:s9-eth1", up=True)
    await_row(client, "applications", "w2:ping:0", "received", before + 5)
    assert "true or false" in client.ask(verb="set_link", link="v1-v2", up="yes")["error"]


def test_a_timeline_fires_at_its_instants_and_the_link_holds_what_it_says(client: Client) -> None:
    start_ns = client.ask(verb="clock")["now_ns"] + 500_000_000
    entries = [
        {"at_ns": 2_000_000, "link": {"name": "v1-v2", "b_to_a": {"delay_ns": 3}}},
        {
            "at_ns": 1_000_000,
            "link": {"name": "v1-v2", "a_to_b": {"delay_ns": 2}, "b_to_a": {"rate_bps": 1000}},
        },
        {"at_ns": 3_000_000, "status": {"name": "cut", "up": False}},
        {
            "at_ns": 3_000_000,
            "routes": {"v1": [{"prefix": "10.8.0.0/16", "via": None, "interface": "v1-eth0"}]},
        },
    ]
    answer = client.ask(verb="schedule", timeline="t", start_ns=start_ns, entries=entries)
    assert answer == {"timeline": "t", "scheduled": 4}
    assert (
        "timeline t has changes" in client.ask(verb="set_link", link="v1-v2", a_to_b={"delay_ns": 9})["error"]
    )
    while len(fired := client.ask(verb="fired")["fired"]) < 4:
        time.sleep(0.01)
    assert [(row["entry"], row["at_ns"] - start_ns, row["error"]) for row in fired] == [
        (1, 1_000_000, ""),
        (0, 2_000_000, ""),
        (2, 3_000_000, ""),
        (3, 3_000_000, ""),
    ]
    assert all(row["fired_ns"] >= row["at_ns"] for row in fired)
    assert client.ask(verb="fired", first=3)["fired"] == fired[3:]
    now = client.ask(verb="set_link", link="v1-v2")
    assert now["a_to_b"] == {**DIRECTION, "delay_ns": 2}
    assert now["b_to_a"] == {**DIRECTION, "rate_bps": 1000, "delay_ns": 3}


def test_a_timeline_that_cannot_be_kept_is_refused(client: Client) -> None:
    def refused(**request: Any) -> str:
        answer: str = client.ask(verb="schedule", **{"timeline": "t", **request})["error"]
        return answer

    later = client.ask(verb="clock")["now_ns"] + 10_000_000_000
    down = {"at_ns": 0, "status": {"name": "v1-v2", "up": False}}
    assert "let it begin later" in refused(entries=[down])
    assert "there is no such link" in refused(
        start_ns=later, entries=[{"at_ns": 0, "status": {"name": "x", "up": True}}]
    )
    assert "there is no link 'x'" in refused(
        start_ns=later, entries=[{"at_ns": 0, "link": {"name": "x", "a_to_b": {"delay_ns": 1}}}]
    )
    assert "entry 0, a_to_b" in refused(
        start_ns=later, entries=[{"at_ns": 0, "link": {"name": "cut", "a_to_b": {"delay": 1}}}]
    )
    assert "at entries/0" in refused(
        start_ns=later, entries=[{"at_ns": -1, "status": {"name": "cut", "up": True}}]
    )
    assert "none of that name is pending" in client.ask(verb="cancel", timeline="t")["error"]
    assert client.ask(verb="schedule", timeline="t", start_ns=later, entries=[down])["scheduled"] == 1
    assert "there is one of that name" in refused(start_ns=later, entries=[down])
    assert client.ask(verb="cancel", timeline="t") == {"timeline": "t", "cancelled": 1}
    assert client.ask(verb="fired")["fired"] == []
