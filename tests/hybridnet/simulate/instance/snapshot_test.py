# SPDX-License-Identifier: MIT
"""What a running instance answers is what the types of `hybridnet.observe.series.snapshot` say."""

from __future__ import annotations

from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from hybridnet.observe.series.snapshot import Clock, FiredChange, LinkCounts, LinkRow, Snapshot
from tests.hybridnet.simulate.instance.running import Client


def faults(value: Any, kind: Any, at: str) -> list[str]:
    """Where a value is not of its type: a key too few, or one too many where the type is final."""
    if not is_typeddict(kind):
        items = get_args(kind)
        if get_origin(kind) is list and is_typeddict(items[0]):
            return [fault for each in value for fault in faults(each, items[0], at)]
        return []
    hints = get_type_hints(kind)
    marked = get_type_hints(kind, include_extras=True)
    required = {key for key in hints if get_origin(marked[key]) is not NotRequired}
    found = [f"{at}: no {key}" for key in required - value.keys()]
    if getattr(kind, "__final__", False) or kind is LinkRow:
        found += [f"{at}: {key}" for key in value.keys() - hints.keys()]
    return [
        *found,
        *(fault for key in value.keys() & hints.keys() for fault in faults(value[key], hints[key], key)),
    ]


def test_a_snapshot_has_what_its_type_has(client: Client) -> None:
    snapshot = client.ask(verb="snapshot")
    assert faults(snapshot, Snapshot, "snapshot") == []
    assert all(snapshot[kind] for kind in ("links", "nodes", "interfaces", "peers")), "a row of each"
    assert faults(client.ask(verb="snapshot", of_elements=False), Snapshot, "snapshot") == []
    assert faults(client.ask(verb="sample", links=[], interfaces=[]), Snapshot, "sample") == []


def test_other_answers_have_what_their_types_have(client: Client) -> None:
    assert faults(client.ask(verb="link_counts"), LinkCounts, "link_counts") == []
    assert faults(client.ask(verb="clock"), Clock, "clock") == []
    [link] = [row["name"].partition(":")[0] for row in client.ask(verb="snapshot")["links"]][:1]
    client.ask(
        verb="schedule",
        timeline="t",
        start_ns=client.ask(verb="clock")["now_ns"] + 50_000_000,
        entries=[{"at_ns": 0, "status": {"name": link, "up": False}}],
    )
    while not (fired := client.ask(verb="fired")["fired"]):
        pass
    assert faults(fired, list[FiredChange], "fired") == []
