# SPDX-License-Identifier: MIT
"""What the operations of the REST interface answer, as JSON Schemas: the OpenAPI document has them, and tests hold the
server to them. An operation without an entry answers something else than JSON, or any JSON.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "ANSWERS",
    "COUNT",
    "FLAG",
    "PERHAPS",
    "STATE",
    "TEXT",
    "Schema",
    "by_name",
    "list_of",
    "object_of",
]

Schema = dict[str, object]
Answer = dict[str, Any]
"""What a route of REST answers: `ANSWERS` has the schema of each."""

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
PERHAPS: Schema = {"type": ["number", "null"]}


def object_of(**properties: Schema) -> Schema:
    """An object that has all of these, and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(of: Schema) -> Schema:
    """Of any length."""
    return {"type": "array", "items": of}


def _both_ways(of: Schema) -> Schema:
    """From the first end of a link, and from its second."""
    return {**list_of(of), "minItems": 2, "maxItems": 2}


def by_name(of: Schema) -> Schema:
    """An object with any names."""
    return {"type": "object", "additionalProperties": of}


_WORD: Schema = {"enum": ["trusted", "saturated", "broken"]}
_END = object_of(node=TEXT, interface=TEXT)
_LINK: dict[str, Schema] = {
    "name": TEXT,
    "a": _END,
    "b": _END,
    "kind": TEXT,
    "simulated": FLAG,
    "down": FLAG,
    "limit_bps": _both_ways(PERHAPS),
    "text": _both_ways(TEXT),
}
_SAID = {**_LINK, "options": _both_ways(by_name({"type": ["string", "number", "boolean"]}))}
_NODE = object_of(name=TEXT, kind=TEXT, simulated=FLAG, machine=TEXT, addresses=list_of(TEXT))
_OPTION = object_of(
    name=TEXT,
    kind=TEXT,
    unit=TEXT,
    help=TEXT,
    choices=list_of(TEXT),
    default={"type": ["string", "number", "boolean", "null"]},
)
_CAPTURE = object_of(
    number=COUNT,
    link=TEXT,
    node=TEXT,
    interface=TEXT,
    filter=TEXT,
    running=FLAG,
    lost={"type": ["integer", "null"], "minimum": 0},
    error=TEXT,
)
_FLOW = object_of(
    number=COUNT,
    client=TEXT,
    server=TEXT,
    protocol={"enum": ["TCP", "UDP"]},
    seconds=NUMBER,
    state={"enum": ["running", "done", "stopped", "failed"]},
    rates=list_of({**list_of(NUMBER), "minItems": 2, "maxItems": 2}),
    received_bps=PERHAPS,
    error=TEXT,
)

STATE: dict[str, Schema] = {
    "number": COUNT,
    "version": COUNT,
    "time": NUMBER,
    "verdict": object_of(word=_WORD, reasons=list_of(TEXT)),
    "instances": by_name(by_name(NUMBER)),
    "counts": object_of(machines=COUNT, nodes=COUNT, links=COUNT),
    "right": {"enum": ["full", "reading"]},
}
"""Of the operation ``state``."""

ANSWERS: dict[str, Schema] = {
    "state": object_of(**STATE),
    "verdict": object_of(
        word=_WORD, reasons=list_of(TEXT), notes=list_of(TEXT), figures=by_name(by_name(NUMBER))
    ),
    "network": object_of(
        version=COUNT,
        machines=list_of(object_of(name=TEXT, address=TEXT)),
        nodes=list_of(_NODE),
        links=list_of(object_of(**_LINK)),
    ),
    "link": object_of(**_SAID, number=COUNT, figures=by_name(_both_ways(PERHAPS))),
    "history": object_of(
        link=TEXT,
        time=list_of(NUMBER),
        rate_bps=_both_ways(list_of(PERHAPS)),
        queue_packets=_both_ways(list_of(PERHAPS)),
        dropped=_both_ways(list_of(PERHAPS)),
    ),
    "link_options": list_of(_OPTION),
    "set_link": object_of(**_SAID),
    "set_status": object_of(**_SAID),
    "exec": object_of(output=TEXT, error=TEXT, exit_code={"type": "integer"}),
    "programs": list_of(object_of(pid=COUNT, name=TEXT)),
    "list_captures": list_of(_CAPTURE),
    "start_capture": _CAPTURE,
    "stop_capture": _CAPTURE,
    "list_flows": list_of(_FLOW),
    "start_flow": _FLOW,
    "flow": _FLOW,
    "stop_flow": _FLOW,
    "openapi": {"type": "object", "required": ["openapi", "info", "paths"]},
}
"""By operation: the ``operationId`` in the document."""
