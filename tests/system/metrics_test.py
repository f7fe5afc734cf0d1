# SPDX-License-Identifier: MIT
"""A small network is scraped as Prometheus does it, and the counters are those of the network itself.

h1 ── s1 ┄┄ r1 ┄┄ h2       ── a wire, ┄┄ simulated; the second loses every third packet to h2
"""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from hybridnet import Net
from tests.system.live import Lossy, quiet_snapshots, wait_until
from tests.system.port_type import PORT_TYPE

pytestmark = pytest.mark.system

PINGS = 9
LOST = PINGS // 3
Values = dict[tuple[str, str, str, str], float]


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with Net(Lossy(), port_type=PORT_TYPE) as running:
        yield running


@pytest.fixture(scope="module")
def page(net: Net) -> Iterator[Any]:
    with net.live() as served:
        yield served


def scrape(url: str, token: str | None) -> Values:
    """By name, and the labels of a link, or those of another thing."""
    headers = {"Accept": "application/openmetrics-text; version=1.0.0"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    with urlopen(Request(f"http://{urlsplit(url).netloc}/metrics", headers=headers), timeout=10) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    found: Values = {}
    for family in families:
        for sample in family.samples:
            of = sample.labels
            thing = (
                of.get("link")
                or of.get("interface")
                or of.get("switch")
                or of.get("name")
                or of.get("word", "")
            )
            found[sample.name, thing, of.get("from", ""), of.get("reason", of.get("le", ""))] = sample.value
    return found


def reading_token(page: Any) -> str:
    return parse_qs(urlsplit(page.reading_url).query)["token"][0]


@pytest.mark.parametrize("token", [None, "wrong"])
def test_without_the_token_nothing_is_scraped(page: Any, token: str | None) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        scrape(page.url, token)
    assert refused.value.code == 401
    assert "hybridnet_" not in refused.value.read().decode()


def said_by(net: Net) -> Values:
    """What snapshots, the kernel and Open vSwitch's own program say of the same."""
    snapshot = net.snapshot()["m1"]
    assert snapshot is not None
    rows: dict[str, Any] = {row["name"].rpartition(">")[0]: row for row in snapshot["links"]}
    ways = {
        ("r1-h2", "r1"): "r1-h2:r1-eth2",
        ("s1-r1", "r1"): "s1-r1:r1-eth1",
        ("s1-r1", "s1"): "s1-r1:p-s1-eth2",
    }
    found: Values = {
        (f"hybridnet_link_{figure}_total", link, sender, ""): rows[name][figure]
        for (link, sender), name in ways.items()
        for figure in ("accepted_packets", "accepted_bytes", "delivered_packets", "delivered_bytes")
    }
    impaired = rows["r1-h2:r1-eth2"]["dropped"]["impaired"]
    found["hybridnet_link_dropped_packets_total", "r1-h2", "r1", "impaired"] = impaired
    [interface] = net.cluster.call("m1", "interface_counters", interfaces=[("h1", "h1-eth0")])["counters"]
    found["hybridnet_interface_transmit_packets_total", "h1-eth0", "", ""] = interface["tx_packets"]
    found["hybridnet_interface_receive_bytes_total", "h1-eth0", "", ""] = interface["rx_bytes"]
    found["hybridnet_link_delivered_packets_total", "h1-s1", "h1", ""] = interface["tx_packets"]
    flows = net["s1"].execute(["ovs-ofctl", "-O", "OpenFlow13", "dump-flows", "s1"]).count("cookie=")
    found["hybridnet_switch_flows", "s1", "", ""] = flows
    return found


def test_counters_are_what_the_network_itself_says(net: Net, page: Any) -> None:
    net["h1"].cmd(f"ping -c {PINGS} -i 0.05 -W 1 {net['h2'].IP()}")
    quiet_snapshots(net)
    # The kernel may still solicit routers: a counter lies between what it was before and after.
    before = said_by(net)
    page.watcher.look()
    values = scrape(page.url, reading_token(page))
    after = said_by(net)
    for key, least in before.items():
        assert 0 < least <= values[key] <= after[key], key
    assert before["hybridnet_link_dropped_packets_total", "r1-h2", "r1", "impaired"] >= LOST
    words = ("trusted", "saturated", "broken")
    assert sum(values["hybridnet_verdict", word, "", ""] for word in words) == 1
    assert values["hybridnet_instance_events_total", "m1", "", ""] > 0


def test_an_instance_that_was_killed_is_not_up_and_the_verdict_is_broken(net: Net) -> None:
    with net.live() as page:
        assert scrape(page.url, reading_token(page))["hybridnet_instance_up", "m1", "", ""] == 1
        killed = net.cluster.call("m1", "exec", argv="kill -9 $(pgrep -f [h]ybridnet.simulate.instance)")
        assert killed["status"] == 0
        wait_until(lambda: scrape(page.url, reading_token(page))["hybridnet_instance_up", "m1", "", ""] == 0)
        wait_until(lambda: scrape(page.url, reading_token(page))["hybridnet_verdict", "broken", "", ""] == 1)
