# SPDX-License-Identifier: MIT
"""What a page of a simulation in virtual time answers, as JSON Schemas; see `hybridnet.run.live.response_schemas`."""

from __future__ import annotations

from hybridnet.run.live.response_schemas import (
    ANSWERS,
    COUNT,
    FLAG,
    PERHAPS,
    STATE,
    TEXT,
    Schema,
    by_name,
    list_of,
    object_of,
)

__all__ = ["STEPPING_ANSWERS"]

_PERHAPS_COUNT: Schema = {"type": ["integer", "null"], "minimum": 0}
_PROGRESS = object_of(
    time_ns=COUNT,
    events=COUNT,
    running=FLAG,
    speed=PERHAPS,
    until_ns=COUNT,
    condition={"type": ["object", "null"]},
    stopped={"enum": ["end", "condition", "step", "pause", None]},
    last_ns=COUNT,
)
_EVENT: Schema = {
    "type": "object",
    "properties": {"time_ns": COUNT, "what": TEXT, "where": TEXT, "packet": {"type": ["string", "null"]}},
    "required": ["time_ns", "what", "where"],
    "additionalProperties": False,
}
_PACKET = object_of(
    place={"enum": ["waiting", "sending", "wire", "delay"]},
    begins_ns=_PERHAPS_COUNT,
    departs_ns=_PERHAPS_COUNT,
    arrives_ns=_PERHAPS_COUNT,
    bytes=COUNT,
    segments=COUNT,
    text=TEXT,
)
_CONTENTS = {"forward": FLAG, "waiting": COUNT, "under_way": COUNT, "in_all": COUNT}
_DRAWN: Schema = {
    "type": "array",
    "items": {"type": ["string", "integer", "null"]},
    "minItems": 6,
    "maxItems": 6,
    "description": "place, begins_ns, arrives_ns, bytes, segments, kind",
}
_MESSAGE = object_of(
    number=COUNT, time_ns=COUNT, interface=TEXT, sent=FLAG, bytes=COUNT, segments=COUNT, text=TEXT
)
_CONNECTION: Schema = {
    "type": "object",
    "properties": {"name": TEXT, "node": TEXT, "state": TEXT, "recovery": TEXT, "cwnd_bytes": COUNT},
    "required": ["name", "node", "state", "recovery", "cwnd_bytes", "in_flight_bytes", "rto_ns"],
}

STEPPING_ANSWERS: dict[str, Schema] = {
    **ANSWERS,
    "state": object_of(**STATE, simulation=_PROGRESS),
    "simulation": _PROGRESS,
    "step": _PROGRESS,
    "run": _PROGRESS,
    "pause": _PROGRESS,
    "next_events": {**list_of(_EVENT), "maxItems": 50},
    "packets": object_of(
        time_ns=COUNT,
        capped=FLAG,
        directions=list_of(object_of(number=COUNT, **_CONTENTS, packets=list_of(_DRAWN))),
    ),
    "queue": list_of(object_of(link=TEXT, **_CONTENTS, packets=list_of(_PACKET))),
    "connections": list_of(_CONNECTION),
    "messages": {**list_of(_MESSAGE), "maxItems": 200},
    "follow": object_of(interfaces=list_of(TEXT)),
    "figures": by_name(by_name(list_of(TEXT))),
}
