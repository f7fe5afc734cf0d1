# SPDX-License-Identifier: MIT
"""The editor's REST interface: each route names a method of `Desk`."""

from __future__ import annotations

from hybridnet.run.live.response_schemas import FLAG, TEXT, Schema, list_of, object_of
from hybridnet.run.live.routes import Route

__all__ = ["ANSWERS", "BODY_LIMIT", "ROUTES"]

BODY_LIMIT = 4 << 20
_FORM: Schema = {"type": "object"}
_FILE: Schema = {"type": "string", "minLength": 1, "maxLength": 255}
_STAMP: Schema = {"type": "string", "maxLength": 64}
_LONGEST = 1 << 20

ROUTES = (
    Route("GET", "/document", "document", "The file's name, and its form as it was opened or saved last."),
    Route("GET", "/forms", "forms", "The kinds of nodes, and the fields of nodes, links and ends."),
    Route(
        "POST",
        "/value",
        "value",
        "What a text means in a YAML file.",
        {"text": {"type": "string", "maxLength": 1 << 16}},
        ("text",),
    ),
    Route(
        "POST",
        "/check",
        "check",
        "All mistakes of a drawing, each at its place; if there are none and `plan` is true, the plan.",
        {"form": _FORM, "plan": FLAG},
        ("form",),
    ),
    Route(
        "POST",
        "/open",
        "open",
        "The form of a YAML file's text.",
        {"text": {"type": "string", "maxLength": _LONGEST}, "file": _FILE},
        ("text", "file"),
    ),
    Route(
        "POST",
        "/save",
        "save",
        "Write a drawing; with `over` also over a file with another stamp than this, which `document` or `save` gave.",
        {"form": _FORM, "file": _FILE, "stamp": _STAMP, "over": FLAG},
        ("form", "file"),
    ),
    Route(
        "POST",
        "/export",
        "export",
        "A drawing as the text of a file.",
        {"form": _FORM, "language": {"enum": ["yaml", "python"]}},
        ("form", "language"),
    ),
    Route("GET", "/network", "network", "The network that was started here."),
    Route("POST", "/network/start", "start", "Start what is drawn.", {"form": _FORM}, ("form",)),
    Route("POST", "/network/stop", "stop", "Stop it."),
    Route("GET", "/openapi.json", "openapi", "This document."),
)

_NETWORK = object_of(
    state={"enum": ["none", "starting", "running", "stopping", "ended"]},
    url={"type": ["string", "null"]},
    failed=FLAG,
    said=list_of(TEXT),
)
_MISTAKE = object_of(path=list_of({"type": ["string", "integer"]}), text=TEXT)
_FIELD = object_of(
    name=TEXT, kind=TEXT, unit=TEXT, help=TEXT, default=TEXT, choices=list_of(TEXT), kinds=list_of(TEXT)
)
_KIND = object_of(
    title=TEXT,
    section=TEXT,
    options={"type": "object", "additionalProperties": TEXT},
    prefix=TEXT,
    looks=TEXT,
)

ANSWERS: dict[str, Schema] = {
    "document": object_of(file=TEXT, form=_FORM, stamp=TEXT),
    "forms": object_of(
        palette=list_of(_KIND),
        nodes={"type": "object", "additionalProperties": list_of(_FIELD)},
        link=list_of(_FIELD),
        end=list_of(_FIELD),
    ),
    "value": object_of(value={}),
    "check": object_of(mistakes=list_of(_MISTAKE), plan={"type": ["string", "null"]}),
    "open": object_of(form=_FORM),
    "save": object_of(saved=FLAG, why=TEXT, file=TEXT, stamp=TEXT),
    "export": object_of(file=TEXT, text=TEXT),
    "network": _NETWORK,
    "start": _NETWORK,
    "stop": _NETWORK,
}
