# SPDX-License-Identifier: MIT
"""What the operations of the REST interface answer, as JSON Schemas: the OpenAPI document has them, and tests hold the
server to them. An operation without an entry answers something else than JSON, or any JSON.
"""

from __future__ import annotations

from typing import Any

__all__ = ["ANSWERS"]

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
PERHAPS: Schema = {"type": ["number", "null"]}


def _object(**properties: Schema) -> Schema:
    """An object that has all of these, and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _both_ways(of: Schema) -> Schema:
    """From the first end of a link, and from its second."""
    return {**_list(of), "minItems": 2, "maxItems": 2}


def _by_name(of: Schema) -> Schema:
    return {"type": "object", "additionalProperties": of}


_WORD: Schema = {"enum": ["trusted", "saturated", "broken"]}
_END = _object(node=TEXT, interface=TEXT)
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
_SAID = {**_LINK, "options": _both_ways(_by_name({"type": ["string", "number", "boolean"]}))}
_NODE = _object(name=TEXT, kind=TEXT, simulated=FLAG, machine=TEXT, addresses=_list(TEXT))
_OPTION = _object(
    name=TEXT,
    kind=TEXT,
    unit=TEXT,
    help=TEXT,
    choices=_list(TEXT),
    default={"type": ["string", "number", "boolean", "null"]},
)
_CAPTURE = _object(number=COUNT, link=TEXT, node=TEXT, interface=TEXT, filter=TEXT, running=FLAG)
_FLOW = _object(
    number=COUNT,
    client=TEXT,
    server=TEXT,
    protocol={"enum": ["TCP", "UDP"]},
    seconds=NUMBER,
    state={"enum": ["running", "done", "stopped", "failed"]},
    rates=_list({**_list(NUMBER), "minItems": 2, "maxItems": 2}),
    received_bps=PERHAPS,
    error=TEXT,
)

ANSWERS: dict[str, Schema] = {
    "state": _object(
        number=COUNT,
        version=COUNT,
        time=NUMBER,
        verdict=_object(word=_WORD, reasons=_list(TEXT)),
        instances=_by_name(_by_name(NUMBER)),
        counts=_object(machines=COUNT, nodes=COUNT, links=COUNT),
        right={"enum": ["full", "reading"]},
    ),
    "verdict": _object(word=_WORD, reasons=_list(TEXT), figures=_by_name(_by_name(NUMBER))),
    "network": _object(
        version=COUNT,
        machines=_list(_object(name=TEXT, address=TEXT)),
        nodes=_list(_NODE),
        links=_list(_object(**_LINK)),
    ),
    "link": _object(**_SAID, number=COUNT, figures=_by_name(_both_ways(PERHAPS))),
    "history": _object(
        link=TEXT,
        time=_list(NUMBER),
        rate_bps=_both_ways(_list(PERHAPS)),
        queue_packets=_both_ways(_list(PERHAPS)),
        dropped=_both_ways(_list(PERHAPS)),
    ),
    "link_options": _list(_OPTION),
    "set_link": _object(**_SAID),
    "set_status": _object(**_SAID),
    "exec": _object(output=TEXT, error=TEXT, exit_code={"type": "integer"}),
    "list_captures": _list(_CAPTURE),
    "start_capture": _CAPTURE,
    "stop_capture": _CAPTURE,
    "list_flows": _list(_FLOW),
    "start_flow": _FLOW,
    "flow": _FLOW,
    "stop_flow": _FLOW,
    "openapi": {"type": "object", "required": ["openapi", "info", "paths"]},
}
"""By operation: the ``operationId`` in the document."""
