# SPDX-License-Identifier: MIT
"""What is served to Prometheus follows from what the machines counted, and the dashboard speaks of nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text

from hybridnet.errors import MachineError
from hybridnet.run.live.files import DIRECTORY
from hybridnet.run.live.metrics import OPENMETRICS, Metrics
from hybridnet.run.live.watching import Watcher
from tests.hybridnet.run.live.server_test import live_of
from tests.hybridnet.run.live.support import Looked, net

Labels = dict[str, str]
OF_LOOP = {"cpu_ns": 250_000_000, "wall_ns": 10_000_000_000, "stalled_ns": 5_000_000, "stalls": 3}


def snapshot() -> dict[str, Any]:
    """Of the instance of `topo`: the link s2-h2 has a portal at each end, and s2-v1 one."""
    return {
        "time_ns": 10_500_000_000,
        "lateness": {"buckets": [[1023, 5], [1151, 2], [2047, 1], [1_200_000_000, 1]], "max_ns": 0},
        "loop": OF_LOOP,
        "links": [
            {"name": "s2-h2:p-s2-eth2>p-h2-eth0", "dropped": {"queue_full": 3, "impaired": 2}},
            {"name": "s2-h2:p-h2-eth0>p-s2-eth2", "dropped": {}},
            {"name": "gone:p-h9-eth0>p-s9-eth2", "dropped": {"queue_full": 9}},
        ],
        "interfaces": [
            {"name": "v1-eth0", "node": "v1", "in_packets": 4, "in_bytes": 400, "out_packets": 5, "out_bytes": 500,
             "dropped": {"not_for_me": 6}},
        ],
        "nodes": [{"name": "v1", "dropped": {"no_route": 7}}, {"name": "s9", "flows": 8, "dropped": {}}],
    }  # fmt: skip


class Scraped:
    """A network that has counted something, and its metrics."""

    def __init__(self) -> None:
        self.net, machines = net()
        self.machines: Looked = machines
        machines.wires = [("h1", "h1-eth0", 10, 1000, 5, 500, 1, 2)]
        machines.links = {
            ("s2-h2", True): {
                "accepted_packets": 20, "accepted_bytes": 2000, "delivered_packets": 15, "delivered_bytes": 1500,
                "lost": 2, "dropped": 3, "in_flight": 6, "queue_packets": 4, "queue_bytes": 444,
            },
            ("s2-h2", False): {},
        }  # fmt: skip
        machines.snapshots = {"m1": snapshot(), "dead": None}
        machines.interfaces = [("h1", "h1-eth0", 500, 5, 1, 1000, 10, 2)]
        machines.flows = {"s1": 12}
        self.net.start()
        self.watcher = Watcher(live_of(self.net), lambda: None)
        self.metrics = Metrics(live_of(self.net), self.watcher)

    def close(self) -> None:
        self.watcher.close()
        self.net.stop()

    def values(self, accept: str = "") -> dict[str, list[tuple[Labels, float]]]:
        data, _ = self.metrics.answer(accept)
        parse = parse_openmetrics if accept else parse_text
        found: dict[str, list[tuple[Labels, float]]] = {}
        for family in parse(data.decode()):
            for sample in family.samples:
                found.setdefault(sample.name, []).append((sample.labels, sample.value))
        return found


@pytest.fixture
def scraped() -> Iterator[Scraped]:
    made = Scraped()
    yield made
    made.close()


def way(link: str, sender: str, receiver: str, **more: str) -> Labels:
    return {"link": link, "from": sender, "to": receiver, **more}


def test_both_directions_of_links_are_counted_and_a_wire_has_no_queue(scraped: Scraped) -> None:
    values = scraped.values()
    delivered = values["hybridnet_link_delivered_bytes_total"]
    assert (way("h1-s1", "h1", "s1"), 1000) in delivered
    assert (way("h1-s1", "s1", "h1"), 500) in delivered
    assert (way("s2-h2", "s2", "h2"), 1500) in delivered
    assert (way("s2-h2", "h2", "s2"), 0) in delivered
    assert (way("s2-h2", "s2", "h2"), 20) in values["hybridnet_link_accepted_packets_total"]
    assert (way("s2-h2", "s2", "h2"), 444) in values["hybridnet_link_queue_bytes"]
    assert (way("s2-h2", "s2", "h2"), 6) in values["hybridnet_link_in_flight_packets"]
    for name in ("accepted_packets_total", "queue_packets"):
        assert {labels["link"] for labels, _ in values[f"hybridnet_link_{name}"]} == {"s2-h2", "s2-v1"}


def test_drops_are_told_by_reason_and_those_of_wires_by_direction(scraped: Scraped) -> None:
    dropped = scraped.values()["hybridnet_link_dropped_packets_total"]
    assert (way("s2-h2", "s2", "h2", reason="queue_full"), 3) in dropped
    assert (way("s2-h2", "s2", "h2", reason="impaired"), 2) in dropped
    assert (way("h1-s1", "h1", "s1", reason="interface"), 1) in dropped
    assert (way("h1-s1", "s1", "h1", reason="interface"), 2) in dropped
    assert all(labels["link"] != "gone" for labels, _ in dropped)


def test_interfaces_are_counted_emulated_and_simulated(scraped: Scraped) -> None:
    values = scraped.values()
    h1, v1 = {"node": "h1", "interface": "h1-eth0"}, {"node": "v1", "interface": "v1-eth0"}
    wanted = {
        "receive_bytes": (500, 400),
        "receive_packets": (5, 4),
        "transmit_bytes": (1000, 500),
        "transmit_packets": (10, 5),
    }
    for name, (emulated, simulated) in wanted.items():
        assert values[f"hybridnet_interface_{name}_total"] == [(h1, emulated), (v1, simulated)]
    assert values["hybridnet_interface_dropped_packets_total"] == [
        ({**h1, "reason": "rx_dropped"}, 1),
        ({**h1, "reason": "tx_dropped"}, 2),
        ({**v1, "reason": "not_for_me"}, 6),
    ]
    assert values["hybridnet_node_dropped_packets_total"] == [({"node": "v1", "reason": "no_route"}, 7)]


def test_switches_have_flows_whoever_simulates_them(scraped: Scraped) -> None:
    assert scraped.values()["hybridnet_switch_flows"] == [({"switch": "s1"}, 12), ({"switch": "s9"}, 8)]


def test_instances_have_lateness_in_seconds_and_one_that_ended_is_not_up(scraped: Scraped) -> None:
    values = scraped.values()
    assert values["hybridnet_instance_up"] == [({"name": "m1"}, 1), ({"name": "dead"}, 0)]
    assert values["hybridnet_instance_time_seconds"] == [({"name": "m1"}, 10.5)]
    assert values["hybridnet_instance_events_total"] == [({"name": "m1"}, 9)]
    late = {labels["le"]: count for labels, count in values["hybridnet_instance_lateness_seconds_bucket"]}
    assert (late["1.023e-06"], late["2.047e-06"], late["1.073741823"], late["+Inf"]) == (5, 8, 8, 9)
    assert values["hybridnet_instance_cpu_seconds_total"] == [({"name": "m1"}, 0.25)]
    assert values["hybridnet_instance_stalled_seconds_total"] == [({"name": "m1"}, 0.005)]
    assert values["hybridnet_instance_stalls_total"] == [({"name": "m1"}, 3)]


def test_the_verdict_is_one_of_three_words(scraped: Scraped) -> None:
    values = scraped.values()
    assert values["hybridnet_verdict"] == [
        ({"word": "trusted"}, 1), ({"word": "saturated"}, 0), ({"word": "broken"}, 0)
    ]  # fmt: skip
    assert values["hybridnet_verdict_reasons"] == [({}, 0)]


def test_machines_that_do_not_answer_leave_what_was_seen_last(scraped: Scraped) -> None:
    def silent(machine: str) -> None:
        raise MachineError(f"machine {machine}: it does not answer")

    scraped.machines.answers["scrape"] = silent
    values = scraped.values()
    assert values["hybridnet_machines_answer"] == [({}, 0)]
    assert (way("h1-s1", "h1", "s1"), 1000) in values["hybridnet_link_delivered_bytes_total"]
    assert "hybridnet_instance_up" not in values


def test_openmetrics_and_the_older_text_say_the_same(scraped: Scraped) -> None:
    scraped.watcher.close()  # it looks no more
    assert scraped.values() == scraped.values(f"{OPENMETRICS}; version=1.0.0,text/plain;q=0.5")
    assert scraped.metrics.answer(OPENMETRICS)[0].endswith(b"# EOF\n")


def test_names_have_base_units_and_no_label_that_prometheus_sets_itself(scraped: Scraped) -> None:
    for name, samples in scraped.values().items():
        assert name.startswith("hybridnet_")
        assert not re.search(r"_(ns|ms|us|bits|kb)(_|$)", name)
        assert not {key for labels, _ in samples for key in labels} & {"instance", "job"}


def test_the_document_names_every_metric_and_no_other(scraped: Scraped) -> None:
    text = (Path(__file__).parents[4] / "docs" / "live.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(hybridnet_\w+)`", text))
    assert named - {"hybridnet_simulation_time_seconds"} == set(scraped.values())


def dashboard() -> Any:
    return json.loads((DIRECTORY / "grafana.json").read_text(encoding="utf-8"))


def test_every_expression_of_the_dashboard_names_metrics_and_labels_that_are_served(scraped: Scraped) -> None:
    values = scraped.values()
    panels, variables = dashboard()["panels"], dashboard()["templating"]["list"]
    texts = [target["expr"] for panel in panels for target in panel["targets"]]
    texts += [each["query"] for each in variables if each["type"] == "query"]
    assert len(texts) > len(panels)
    for text in texts:
        names = re.findall(r"\bhybridnet_\w+", text)
        assert names, text
        labels = {key for name in names for found, _ in values[name] for key in found}
        grouped = re.findall(r"\b(?:by|without) \(([^)]*)\)", text)
        spoken = {word.strip() for group in grouped for word in group.split(",")}
        spoken |= set(re.findall(r"(\w+)=~", text)) | set(re.findall(r"label_values\(\w+, (\w+)\)", text))
        assert spoken <= labels, text
    for panel in panels:
        for target in panel["targets"]:
            [name, *_] = re.findall(r"\bhybridnet_\w+", target["expr"])
            written = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            assert written <= {key for found, _ in values[name] for key in found}, target


def test_panels_lie_beside_each_other_and_have_their_own_numbers() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for place in (panel["gridPos"] for panel in panels):
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken
        assert all(x < 24 for x, _ in cells)
        taken |= cells
