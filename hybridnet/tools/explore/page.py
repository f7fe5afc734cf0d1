# SPDX-License-Identifier: MIT
"""A counterexample as one file that a browser opens: the packet's way hop by hop, tables before and after, and what
happened.

The file has everything in it and asks nobody for anything: it can be sent and kept.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hybridnet.plan.files.placing import place_graph
from hybridnet.tools.explore.counterexample import QUIET, end_text, texts_of
from hybridnet.tools.explore.explore import Report
from hybridnet.tools.explore.invariants import Finding
from hybridnet.tools.explore.trial import Observed

__all__ = ["page_of"]

_STATIC = Path(__file__).parent / "static"
_PLACE = re.compile(r"/\*(style|data|script)\*/")  # in counterexample.html


def page_of(report: Report) -> str:
    """The text of the page. `report` must have a counterexample."""
    found = report.counterexample
    assert found is not None
    seen = found.seen
    data = {
        "app": report.app,
        "facts": found.facts(),
        "findings": [_finding(each, seen) for each in found.found],
        "schedule": [event.text() for event in found.schedule],
        **_network(seen),
        "tables": _tables(seen),
        "timeline": [
            {"at_s": at_ns / 1e9, "what": what, "quiet": any(word in what for word in QUIET)}
            for at_ns, what in seen.timeline
        ],
        "log": seen.log,
    }
    # Whatever a name or the application's output has in it, no tag begins or ends in the data.
    parts = {
        "style": _static("counterexample.css"),
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "script": _static("counterexample.js"),
    }
    return _PLACE.sub(lambda place: parts[place[1]], _static("counterexample.html"))


def _static(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _finding(each: Finding, seen: Observed) -> dict[str, Any]:
    """With its way: the nodes in order (`path`), and the one where it ends."""
    said: dict[str, Any] = {"invariant": each.invariant, "text": each.text, "hops": [], "path": [], "end": ""}
    if each.way is None:
        return said
    way = each.way
    hosts = {seen.site.jacks[jack]: host for host, jack in seen.homes.items()}
    first = hosts.get((way.hops[0].switch, way.hops[0].port)) if way.hops else None
    path = [*([first] if first else []), *(hop.switch for hop in way.hops)]
    if way.end.host is not None:
        path.append(way.end.host)
    elif way.end.kind == "loop":
        path.append(way.end.place[0])
    return {
        **said,
        "hops": [
            {"switch": hop.switch, "port": hop.port, "rules": [rule.text() for rule in hop.rules]}
            for hop in way.hops
        ],
        "path": path,
        "end": end_text(way),
        "ends": way.end.host or way.end.place[0],
    }


def _network(seen: Observed) -> dict[str, Any]:
    """Nodes with their places, and links; a host that has moved is where it was drawn, with a link that is left."""
    site = seen.site
    between = [(one, other) for (one, _), (other, _) in site.links.values()]
    first = {host: site.jacks[jack][0] for host, jack in site.homes.items()}
    last = {host: site.jacks[jack][0] for host, jack in seen.homes.items()}
    places = place_graph([*site.hosts, *site.switches], [*between, *first.items()], list(site.hosts))
    links = [{"ends": ends, "left": False} for ends in (*between, *last.items())]
    links += [{"ends": (host, at), "left": True} for host, at in first.items() if last[host] != at]
    return {
        "switches": list(site.switches),
        "nodes": [
            {"name": name, "kind": "switch" if name in site.switches else "host", "x": x, "y": y}
            for name, (x, y) in places.items()
        ],
        "links": links,
    }


def _tables(seen: Observed) -> dict[str, dict[str, list[str]]]:
    after = {} if seen.fabric is None else texts_of(seen)
    return {
        name: {
            "before": seen.earlier[name].text() if name in seen.earlier else [],
            "after": after.get(name, []),
        }
        for name in seen.site.switches
    }
