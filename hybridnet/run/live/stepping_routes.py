# SPDX-License-Identifier: MIT
"""What a page of a simulation in virtual time can be asked besides: to go on, and what is in it."""

from __future__ import annotations

from hybridnet.run.live.routes import LINK, NAME, ROUTES, Route, Schema

__all__ = ["STEPPING_ROUTES"]

MOST_EVENTS = 1_000_000
_LONG: Schema = {"type": "string", "minLength": 1, "maxLength": 256}

CONDITION: Schema = {
    "type": "object",
    "properties": {
        "section": _LONG,
        "element": _LONG,
        "figure": _LONG,
        "comparison": _LONG,
        "value": {"anyOf": [{"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}, _LONG]},
    },
    "required": ["section", "element", "figure", "comparison"],
    "additionalProperties": False,
}

STEPPING_ROUTES = (
    *ROUTES,
    Route("GET", "/simulation", "simulation", "Where the simulation is, and whether it goes on."),
    Route(
        "POST",
        "/simulation/step",
        "step",
        "Handle this many events (1 by default), then pause.",
        {"events": {"type": "integer", "minimum": 1, "maximum": MOST_EVENTS}},
    ),
    Route(
        "POST",
        "/simulation/run",
        "run",
        "Go on to an instant, until a condition holds, or to the end; speed is simulated seconds in a second, "
        "without one it goes as fast as it can.",
        {
            "until": {"type": "string", "minLength": 1, "maxLength": 32},
            "speed": {"anyOf": [{"type": "number", "minimum": 1e-9, "maximum": 1e9}, {"type": "null"}]},
            "condition": {"anyOf": [CONDITION, {"type": "null"}]},
        },
    ),
    Route("POST", "/simulation/pause", "pause", "Stop where it is."),
    Route("GET", "/simulation/next-events", "next_events", "The next 50 events, as things stand."),
    Route(
        "GET",
        "/simulation/packets",
        "packets",
        "Where packets are, for a drawing: at most 30 that wait and 30 on their way in each direction of a link.",
    ),
    Route(
        "GET",
        "/links/{link}/queue",
        "queue",
        "What is in both directions of a link, packet by packet.",
        parameters=LINK,
    ),
    Route(
        "GET",
        "/simulation/connections",
        "connections",
        "The TCP connections of simulated hosts, with their state.",
    ),
    Route(
        "GET",
        "/simulation/messages",
        "messages",
        "The latest 200 packets that interfaces sent or received, as text.",
    ),
    Route(
        "PUT",
        "/simulation/messages",
        "follow",
        "Keep only the packets of these interfaces from now on; of all interfaces if none is named.",
        {"interfaces": {"type": "array", "items": NAME, "maxItems": 1000}},
        ("interfaces",),
    ),
    Route("GET", "/simulation/figures", "figures", "The figures that a condition can use, by element."),
)
