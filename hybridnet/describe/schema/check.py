# SPDX-License-Identifier: MIT
"""The check of a plan against its format: the files beside this one, and in them the options of the simulator's tables.

`instance.json` says how an instance plan is put together; what a link, an application, a portal or real time can be
asked comes from `hybridnet.describe.options`, so an option is declared once. What has a title is a type in `plans.py`
beside this file, which `typed.py` writes.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast

import jsonschema_rs

from hybridnet.describe.options import family, table
from hybridnet.describe.options.schema import family_schema, portal_schema, table_schema
from hybridnet.errors import PlanError

__all__ = ["check", "checked", "schema", "told"]

Kind = TypeVar("Kind")

INSTANCE = "urn:hybridnet:instance"


@cache
def schema(name: str) -> dict[str, Any]:
    """The schema of the plans of an ``instance`` or a ``machine``, whole: it refers to no other."""
    text = (files("hybridnet.describe.schema") / f"{name}.json").read_text(encoding="utf-8")
    whole: dict[str, Any] = json.loads(text)
    if name == "instance":
        whole["$defs"] |= {
            "application": family_schema(family("application")),
            "direction": _option_table(
                "direction", "DirectionPlan", "what happens to packets one way over a link"
            ),
            "fluid_model": family_schema(family("fluid")),
            "openflow": _option_table("openflow", "OpenFlowPlan", "what a simulated switch has of OpenFlow"),
            "peer": _option_table(
                "peer",
                "PeerPlan",
                "a peering portal, and the way to the other",
            ),
            "portal_by_backend": portal_schema(),
            "realtime": _option_table(
                "realtime", "RealTimePlan", "how an instance keeps pace with the clock"
            ),
        }
    else:
        whole["$defs"]["instance"] = schema("instance")
    return whole


def _option_table(name: str, title: str, description: str) -> dict[str, Any]:
    return {**table_schema(table(name), title), "description": description}


def check(value: object, name: str, what: str, part: str = "") -> None:
    """Check a plan of this name, or a part of one.

    Args:
        name: ``instance`` or ``machine``.
        what: the object, for errors.
        part: a definition of the schema, such as ``direction``.

    Raises:
        PlanError: it does not follow the schema; the message says where first, and why.
    """
    validator = _validator(name, part)
    try:
        if validator.is_valid(value):
            return
        errors = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.instance_path)))
    except (TypeError, ValueError, OverflowError) as error:
        raise PlanError(f"{what}: it holds something that JSON cannot express: {error}") from None
    where = "/".join(map(str, errors[0].instance_path))
    more = f" ({len(errors)} errors)" if len(errors) > 1 else ""
    raise PlanError(f"{what}{f', at {where}' if where else ''}: {told(errors[0])}{more}")


def checked(value: object, kind: type[Kind], what: str) -> Kind:
    """The value, which follows the schema whose title is the name of this type of `plans.py`. Raises as `check`."""
    name, part = _place_of(kind.__name__)
    check(value, name, what, part)
    return cast(Kind, value)


@cache
def _place_of(title: str) -> tuple[str, str]:
    """The plan in which there is a type, and its definition there; "": it is the whole plan."""
    for name in ("instance", "machine"):
        whole = schema(name)
        if whole["title"] == title:
            return name, ""
        for part, each in whole["$defs"].items():
            if each.get("title") == title:
                return name, part
    raise KeyError(title)


def told(error: Any) -> str:
    """What an error of the validator says, with all values or all forms where only some are possible."""
    given = json.dumps(error.instance)[:200]
    options = getattr(error.kind, "options", None)
    if isinstance(options, list):
        return f"{given} is not one of {', '.join(map(json.dumps, options))}"
    forms = getattr(error.kind, "context", None)
    if isinstance(forms, list) and all(forms):
        return _told_of_forms(error, given, [form[0] for form in forms])
    if isinstance(forms, list):
        return f"{given} has more than one of its forms; write two"
    return str(error.message)


def _told_of_forms(error: Any, given: str, wrong: list[Any]) -> str:
    """The same where a value may have one of several forms, of each of which `wrong` has the first error."""
    here = list(error.instance_path)
    others = [
        each for each in wrong if not (hasattr(each.kind, "types") and list(each.instance_path) == here)
    ]
    if not others:
        types = dict.fromkeys(name for each in wrong for name in each.kind.types)
        return f"{given} is not of type {' or '.join(map(json.dumps, types))}"
    words = []
    for each in others:  # those of its type; the rest are not what was meant
        below = "/".join(map(str, list(each.instance_path)[len(here) :]))
        words.append(f"{f'{below}: ' if below else ''}{told(each)}")
    return words[0] if len(words) == 1 else f"{given} has none of its forms: {', or '.join(words)}"


@cache
def _validator(name: str, part: str) -> Any:
    whole = schema(name)
    if part:
        whole = {"$ref": f"{whole['$id']}#/$defs/{part}", "$defs": {name: whole}}
    return jsonschema_rs.Draft202012Validator(whole)
