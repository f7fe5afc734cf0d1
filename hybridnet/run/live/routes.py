# SPDX-License-Identifier: MIT
"""The one declaration of the REST interface: server, OpenAPI document, checks of bodies and docs follow from it.

A route names a method of `Control`. What the path and the body give are its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hybridnet.run.live.flows import MOST_SECONDS
from hybridnet.run.live.response_schemas import ANSWERS

__all__ = ["PREFIX", "ROUTES", "Route", "openapi"]

PREFIX = "/api/v1"
Schema = dict[str, object]


@dataclass(frozen=True)
class Route:
    """One operation.

    Args:
        call: the method of `Control`, or ``"events"`` and ``"openapi"``, which the server has itself.
        body: the JSON Schema of each argument that the body gives; None: there is no body.
        required: of those, the ones without a default.
        answer: what comes back, as a media type.
    """

    method: str
    path: str
    call: str
    summary: str
    body: dict[str, Schema] | None = None
    required: tuple[str, ...] = ()
    answer: str = "application/json"
    parameters: dict[str, str] = field(default_factory=dict)

    @property
    def body_schema(self) -> Schema:
        """Of the whole body."""
        return {
            "type": "object",
            "properties": self.body or {},
            "required": list(self.required),
            "additionalProperties": False,
        }


LINK = {"link": "the link's name"}
NODE = {"node": "the name of a host or switch"}
NUMBER = {"number": "its number"}
NAME: Schema = {"type": "string", "minLength": 1, "maxLength": 64}

ROUTES = (
    Route("GET", "/state", "state", "The verdict, the instances, and how much there is."),
    Route("GET", "/verdict", "verdict", "The verdict since the start, with the figures behind it."),
    Route("GET", "/network", "network", "Machines, nodes and links."),
    Route(
        "GET",
        "/events",
        "events",
        "Server-sent events, two a second: the state, and the links whose figures changed, as rows of number, rate "
        "there and back in bit/s, packets lost by the loss model and packets dropped since the start.",
        answer="text/event-stream",
    ),
    Route("GET", "/links/{link}", "link", "One link: options, and what it carries now.", parameters=LINK),
    Route("GET", "/links/{link}/history", "history", "The last five minutes of a link.", parameters=LINK),
    Route("GET", "/link-options", "link_options", "The options that a link takes, with units and help."),
    Route(
        "PATCH",
        "/links/{link}",
        "set_link",
        "Change options of a link while it runs, as `Net.set_link`; params1 and params2 for one direction.",
        {"options": {"type": "object", "minProperties": 1, "maxProperties": 64}},
        ("options",),
        parameters=LINK,
    ),
    Route(
        "PUT",
        "/links/{link}/status",
        "set_status",
        "Set the links between its two nodes up or down, as `Net.configLinkStatus`.",
        {"status": {"enum": ["up", "down"]}},
        ("status",),
        parameters=LINK,
    ),
    Route(
        "POST",
        "/nodes/{node}/exec",
        "exec",
        "Run a command of the shell in a node, and wait for its end.",
        {
            "command": {"type": "string", "minLength": 1, "maxLength": 32768, "pattern": "^[^\\u0000]*$"},
            "timeout": {"type": "number", "minimum": 0.1, "maximum": 60},
        },
        ("command",),
        parameters=NODE,
    ),
    Route("GET", "/nodes/{node}/programs", "programs", "The programs that run in a host.", parameters=NODE),
    Route(
        "GET",
        "/captures",
        "list_captures",
        "All captures that were begun here; for one at a simulated end, how many frames it has lost.",
    ),
    Route(
        "POST",
        "/captures",
        "start_capture",
        "Begin a capture at an end of a link; a filter is one of pcap-filter(7).",
        {
            "link": NAME,
            "end": {"enum": ["a", "b"]},
            "filter": {"type": "string", "maxLength": 1000, "pattern": "^[^\\u0000]*$"},
        },
        ("link",),
    ),
    Route("POST", "/captures/{number}/stop", "stop_capture", "End a capture.", parameters=NUMBER),
    Route(
        "GET",
        "/captures/{number}/file",
        "capture_file",
        "What the capture has so far, as a pcap file.",
        answer="application/vnd.tcpdump.pcap",
        parameters=NUMBER,
    ),
    Route("GET", "/flows", "list_flows", "All flows that were begun here, with the rate of every second."),
    Route(
        "POST",
        "/flows",
        "start_flow",
        "Begin an iperf3 flow between two hosts; the rate is what UDP offers (10 Mbit/s), and TCP has none.",
        {
            "client": NAME,
            "server": NAME,
            "protocol": {"enum": ["TCP", "UDP"]},
            "rate": {"type": "string", "maxLength": 32},
            "seconds": {"type": "number", "minimum": 1, "maximum": MOST_SECONDS},
        },
        ("client", "server"),
    ),
    Route("GET", "/flows/{number}", "flow", "One flow.", parameters=NUMBER),
    Route("POST", "/flows/{number}/stop", "stop_flow", "End a flow before its time.", parameters=NUMBER),
    Route("GET", "/openapi.json", "openapi", "This document."),
)

_ERRORS = {
    "400": "The path or the body makes no sense; `error` says why, and what to do.",
    "401": "The token is missing or wrong.",
    "403": "The token is read-only, or the request comes from another page.",
    "404": "There is no node, link, capture or flow of that name.",
    "409": "The network refuses, or no longer runs; `error` says why.",
    "413": "The body is too long.",
    "415": "The body is not JSON.",
    "503": "Too many requests are open.",
}


def openapi(
    version: str,
    routes: Sequence[Route] = ROUTES,
    answers: Mapping[str, Schema] = ANSWERS,
    title: str = "a running network",
) -> Schema:
    """The OpenAPI 3.1 document of these routes, which answer so by operation."""
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    paths: dict[str, Schema] = {}
    for route in routes:
        operation: Schema = {
            "operationId": route.call,
            "summary": route.summary,
            "responses": {
                "200": {
                    "description": "ok",
                    "content": {
                        route.answer: {"schema": answers[route.call]} if route.call in answers else {}
                    },
                },
                **{status: {"description": text, "content": error} for status, text in _ERRORS.items()},
            },
        }
        if route.parameters:
            operation["parameters"] = [
                {
                    "name": name,
                    "in": "path",
                    "required": True,
                    "description": text,
                    "schema": {"type": "string"},
                }
                for name, text in route.parameters.items()
            ]
        if route.body is not None:
            operation["requestBody"] = {
                "required": True,
                "content": {"application/json": {"schema": route.body_schema}},
            }
        paths.setdefault(PREFIX + route.path, {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": f"hybridnet: {title}", "version": version},
        "paths": paths,
        "security": [{"token": []}],
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                "Error": {
                    "type": "object",
                    "properties": {"error": {"type": "string"}},
                    "required": ["error"],
                }
            },
        },
    }
