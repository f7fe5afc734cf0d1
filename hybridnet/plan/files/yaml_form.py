# SPDX-License-Identifier: MIT
"""Our YAML form of a description: its schema, which follows from the tables of options, its reader and its writer.

hosts:
  h1: {machine: m1}
switches:
  s1:
links:
  - {between: [h1, s1], bw: 10, delay: 5ms}

The *form* of a description is the same as plain data: what `read_form` reads, and an editor changes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from hybridnet.describe.kinds import (
    OWN_KINDS,
    HostKind,
    SwitchKind,
    host_kind,
    host_kinds,
    switch_kind,
    switch_kinds,
)
from hybridnet.describe.options import table
from hybridnet.describe.options.input_schema import said_schema
from hybridnet.describe.schema.check import told
from hybridnet.describe.topo import External, LinkSpec, NodeSpec, Topo
from hybridnet.describe.topo.node_options import NODE_OPTIONS
from hybridnet.describe.topo.options import END_OPTIONS, link_option_names
from hybridnet.describe.topo.roles import ROLES
from hybridnet.describe.values import Json, meant
from hybridnet.errors import EnvironmentLackError, TopologyError, UnitError
from hybridnet.plan.files.yaml_text import Path, Read, read_yaml, where, write_yaml

__all__ = [
    "DEVICES",
    "SECTIONS",
    "ends_of",
    "fill_from_yaml",
    "options_of_role",
    "plain_link",
    "plain_node",
    "read_form",
    "schema",
    "to_yaml",
    "unjoined_devices",
    "write_form",
    "wrong_in_form",
]

SECTIONS = {role.section: role for role in ROLES.values() if role.section is not None}
DEVICES = "devices"
"""The section of the computer's devices, each of which is the end of a link (`External`), and no node before that."""
_EXTERNAL = "external"
_PYTHON_ONLY = {"cls"}  # a class cannot be written in a file
_CONTROLLER = {
    "apps": {"type": "array", "items": {"type": "string"}, "description": "Ryu apps: files or modules"},
    "ip": {"type": "string", "description": "of a controller that somebody else runs"},
    "port": {"type": "integer", "minimum": 1, "maximum": 65535},
    "machines": {"type": "array", "items": {"type": "string"}},
}
_FLUID = {
    "from": {"type": "string", "description": "where it begins"},
    "to": {"type": "string", "description": "where it ends"},
    "model": {"type": "object", "description": "what flows, as of a background"},
    "name": {"type": "string", "description": "absent: from-to"},
}
_POSITION = {
    "type": "array",
    "items": {"type": "number", "minimum": -1e6, "maximum": 1e6},
    "minItems": 2,
    "maxItems": 2,
    "description": "where the node stands in the editor: from the left, from above",
}

# How parts of the form are written, for who has written one in another way. None stands for any name or number.
_WRITTEN: dict[tuple[str | None, ...], str] = {
    **{(section,): "NAME: below it, one in a line, each with a colon and a space" for section in SECTIONS},
    **{(section, None): "NAME: {ip: 10.0.0.1/8}, or NAME: alone" for section in ("hosts", "simulated_hosts")},
    **{
        (section, None): "NAME: {machine: m1}, or NAME: alone"
        for section in ("switches", "guests", "simulated_routers", "simulated_switches")
    },
    ("links",): "- {between: [h1, s1]} below it, one in a line",
    ("links", None): "- {between: [h1, s1]}",
    ("links", None, "between"): "between: [h1, s1]",
    ("links", None, "between", None): 'the name in quotes, as "1"',
    ("controllers",): "c0: {apps: [tree_switch]} below it",
    ("controllers", None): "NAME: {apps: [tree_switch]}",
    ("controllers", None, "apps"): "apps: [tree_switch]",
    ("controllers", None, "machines"): "machines: [m1]",
}


@cache
def schema() -> dict[str, object]:
    """The JSON Schema (2020-12) of the form."""
    direction = said_schema(table("direction"))
    end = {
        name: {"description": said.help, "type": ["string", "integer", "null"]}
        for name, said in sorted(END_OPTIONS.items())
    }
    others = link_option_names() - set(direction) - _PYTHON_ONLY - {"params1", "params2"}
    link = {
        "between": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        "port1": {"type": "integer", "minimum": 0},
        "port2": {"type": "integer", "minimum": 0},
        **{name: {} for name in sorted(others)},
        **direction,
        **{f"params{number}": _object({**direction, **end}) for number in (1, 2)},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:hybridnet:topology",
        "title": "A network, for --topo FILE.yaml of hybridnet",
        **_object(
            {
                "format": {"const": 1},
                "description": {"type": "string"},
                **{
                    section: {
                        "type": ["object", "null"],
                        "additionalProperties": _object(
                            {name: {} for name in options_of_role(role.name)}, "null"
                        ),
                    }
                    for section, role in SECTIONS.items()
                },
                DEVICES: {
                    "type": ["object", "null"],
                    "additionalProperties": _object(
                        {name: {} for name in options_of_role(_EXTERNAL)}, "null"
                    ),
                },
                "links": {"type": ["array", "null"], "items": {**_object(link), "required": ["between"]}},
                "fluids": {
                    "type": ["array", "null"],
                    "items": {**_object(_FLUID), "required": ["from", "to", "model"]},
                },
                "controllers": {
                    "type": ["object", "null"],
                    "additionalProperties": _object(_CONTROLLER, "null"),
                },
                "positions": {"type": ["object", "null"], "additionalProperties": _POSITION},
            }
        ),
    }


def fill_from_yaml(topo: Topo, text: str, file: str) -> dict[str, dict[str, object]] | None:
    """Add what a file describes. Returns its controllers by name; None if it says nothing about them.

    Raises:
        TopologyError, UnitError: with file and line.
    """
    read = read_form(text, file)
    content: Mapping[str, Any] = read.value
    for section, role in SECTIONS.items():
        add = role.add_to(topo)
        for name, options in (content.get(section) or {}).items():
            _placed((section, name), read, file, lambda: add(name, **(options or {})))  # noqa: B023 - called at once
    for index, given in enumerate(content.get("links") or []):
        options = {name: value for name, value in given.items() if name != "between"}
        one, other = ends_of(content, given["between"])
        _placed(("links", index), read, file, lambda: topo.addLink(one, other, **options))  # noqa: B023
    for path, why in unjoined_devices(content):
        raise TopologyError(f"{where(path, read, file)}: {why}")
    for index, given in enumerate(content.get("fluids") or []):
        said = given["from"], given["to"], given["model"], given.get("name")
        _placed(("fluids", index), read, file, lambda: topo.addFluid(*said))  # noqa: B023
    for name in content.get("positions") or {}:
        _placed(("positions", name), read, file, lambda: topo.node_spec(name))  # noqa: B023
    if "controllers" not in content:
        return None
    return {name: dict(options or {}) for name, options in (content["controllers"] or {}).items()}


def read_form(text: str, file: str) -> Read:
    """The form that a file holds, each value of a type that it may have there.

    Raises:
        TopologyError: with file and line.
    """
    read = read_yaml(text, file)
    if not isinstance(read.value, dict):
        raise TopologyError(
            f"{file}: it describes no network; write hosts:, switches: and links:, as in docs/files.md"
        )
    wrong = list(_wrong_in_form(read.value))
    if wrong:
        # Where several things are wrong, the one that stands first in the file.
        first = min(wrong, key=lambda each: (read.lines.get(each.line_of, 0), each.text))
        more = f" ({len(wrong)} mistakes in all)" if len(wrong) > 1 else ""
        raise TopologyError(f"{where(first.path, read, file, line_of=first.line_of)}: {first.text}{more}")
    return read


def ends_of(form: Mapping[str, Any], between: Sequence[str]) -> list[str | External]:
    """The ends of a link, as `Topo.addLink` takes them: a name among the form's devices is one of the computer."""
    devices = form.get(DEVICES) or {}
    return [External(name, **(devices[name] or {})) if name in devices else name for name in between]


def unjoined_devices(form: Mapping[str, Any]) -> list[tuple[Path, str]]:
    """The devices that are the end of no link: the place of each, and what is wrong."""
    joined = {name for link in form.get("links") or [] if link is not None for name in link["between"]}
    return [
        ((DEVICES, name), f"device {name} is at no link; join it to a node by one, or take it out")
        for name in form.get(DEVICES) or {}
        if name not in joined
    ]


def wrong_in_form(form: object) -> list[tuple[Path, str]]:
    """What of a form is of a type, or has a name, that it may not have: the place of each, and why."""
    return [(wrong.path, wrong.text) for wrong in _wrong_in_form(form)]


def write_form(form: Mapping[str, object]) -> str:
    """The text of a form: its parts in the order of the schema, without those that are empty."""
    kept = {
        part: form[part]
        for part in schema()["properties"]  # type: ignore[attr-defined]
        if part in form and (form[part] or part == "controllers")
    }
    return write_yaml({"format": 1, **kept})


def to_yaml(topo: Topo, controllers: Mapping[str, Mapping[str, object]] | None = None) -> str:
    """The form of a description: what was written of each node and link, and of its controllers, if that is given."""
    content: dict[str, object] = {"format": 1}
    for section, role in SECTIONS.items():
        named = {spec.name: plain_node(spec) or None for spec in topo.node_specs() if spec.role == role.name}
        if named:
            content[section] = named
    devices = {spec.name: plain_node(spec) or None for spec in topo.node_specs() if spec.role == _EXTERNAL}
    if devices:
        content[DEVICES] = devices
    content["links"] = [
        {
            "between": [link.a.node, link.b.node],
            "port1": link.a.port,
            "port2": link.b.port,
            **plain_link(link),
        }
        for link in topo.link_specs()
    ]
    if fluids := topo.fluid_specs():
        content["fluids"] = [
            {"from": each.source, "to": each.destination, "model": _plain(each.options), "name": each.name}
            for each in fluids
        ]
    if controllers is not None:
        content["controllers"] = {name: _plain_options(options) for name, options in controllers.items()}
    return write_yaml(content)


def plain_node(spec: NodeSpec) -> dict[str, Json]:
    """The options of a node that a file can hold, as they were written."""
    return _plain_options(spec.options)


def plain_link(spec: LinkSpec) -> dict[str, Json]:
    """The options of a link that a file can hold, as they were written."""
    return _plain_options(spec.options)


def _plain_options(options: Mapping[Any, object]) -> dict[str, Json]:
    return {str(name): _plain(each) for name, each in options.items() if name not in _PYTHON_ONLY}


def _plain(value: object) -> Json:
    if isinstance(value, Mapping):
        return _plain_options(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def options_of_role(role: str) -> list[str]:
    """The options of nodes of a role, those of every registered kind included: the description knows which it has."""
    found = dict.fromkeys(NODE_OPTIONS[role])
    of_kinds: Mapping[str, tuple[Sequence[str], Callable[[str], HostKind | SwitchKind]]] = {
        "host": (host_kinds(), host_kind),
        "switch": ([kind for kind in switch_kinds() if kind not in OWN_KINDS], switch_kind),
    }
    names, kind_of = of_kinds.get(role, ((), host_kind))
    for name in names:
        with contextlib.suppress(EnvironmentLackError):  # who uses it is told
            found |= dict.fromkeys(kind_of(name).options)
    return [name for name in found if name not in _PYTHON_ONLY]


class _Wrong(NamedTuple):
    path: Path  # of the value that the schema refuses
    line_of: Path  # of the key that makes it wrong, if it is one that there is not
    text: str


def _wrong_in_form(form: object) -> Iterator[_Wrong]:
    for error in _validator().iter_errors(form):
        path = tuple(error.instance_path)
        unknown = getattr(error.kind, "unexpected", [])[:1]
        yield _Wrong(path, (*path, *unknown), _told(error, path))


def _told(error: Any, path: Path) -> str:
    message = str(error.message)
    if "dditional properties" in message:
        known = _known(path)
        near = meant(error.kind.unexpected[0], known)
        return f"{message}; {near}there are {', '.join(known)}" if known else message
    kind = tuple(None if at == 1 or isinstance(part, int) else part for at, part in enumerate(path))
    cure = f"; write {_WRITTEN[kind]}" if kind in _WRITTEN else ""
    return told(error)[:500] + cure


def _known(path: Path) -> list[str]:
    """The names that an object at this place may have."""
    at: Any = schema()
    for part in path:
        properties = at.get("properties", {})
        at = at["items"] if isinstance(part, int) else properties.get(part, at.get("additionalProperties"))
        if not isinstance(at, dict):
            return []
    return sorted(at.get("properties", {}))


@cache
def _validator() -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema())


def _placed(path: Path, read: Read, file: str, add: Any) -> None:
    try:
        add()
    except (TopologyError, UnitError) as error:
        raise type(error)(f"{where(path, read, file)}: {error}") from None


def _object(properties: Mapping[str, object], *others: str) -> dict[str, object]:
    return {
        "type": ["object", *others] if others else "object",
        "additionalProperties": False,
        "properties": properties,
    }
