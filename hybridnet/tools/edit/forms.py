# SPDX-License-Identifier: MIT
"""What the editor offers: kinds of nodes, and fields of nodes, links and ends, all from where they are declared."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from hybridnet.describe.kinds import (
    OPENVSWITCH,
    OWN_KINDS,
    SIMULATED,
    HostKind,
    KindOption,
    Reader,
    SwitchKind,
    host_kind,
    host_kinds,
    switch_kind,
    switch_kinds,
)
from hybridnet.describe.options import Option, table
from hybridnet.describe.options.flags import accepts, default_of
from hybridnet.describe.topo.node_options import NODE_OPTIONS_SAID
from hybridnet.describe.topo.options import END_OPTIONS, LINK_OPTIONS, Said
from hybridnet.errors import EnvironmentLackError
from hybridnet.plan.files.yaml_form import SECTIONS

__all__ = ["forms"]

Field = dict[str, object]

_PREFIXES = {"switch": "s", "simswitch": "w", "simrouter": "r", "simhost": "v", "guest": "g"}
_ONLY_IN_PYTHON = "class"  # the kind of an option that no file can hold


def forms() -> dict[str, object]:
    """What the page needs to offer everything.

    Returns:
        palette: of each kind of node its ``title``, its ``section`` of the form, the ``options`` that choose it, the
            ``prefix`` of names, and what it ``looks`` like.
        nodes: by section the fields of its nodes; ``kinds`` says which kinds have a field, if not all.
        link, end: the fields of a link, and those that only an end of it has.
    """
    return {
        "palette": list(_palette()),
        "nodes": {section: _node_fields(role.name) for section, role in SECTIONS.items()},
        "link": [*_direction_fields(), *_said_fields(LINK_OPTIONS, without=("params1", "params2"))],
        "end": [*_said_fields(END_OPTIONS), *_direction_fields()],
    }


def _palette() -> Iterator[dict[str, object]]:
    for section, role in SECTIONS.items():
        title = "Open vSwitch" if role.name == "switch" else role.title
        yield _kind(section, title, {})
        for name in _kinds_of(role.name):
            with contextlib.suppress(EnvironmentLackError):  # whoever uses it is told
                yield _kind(section, _title(role.name, name), {"kind": name})


def _kind(section: str, title: str, options: Mapping[str, str]) -> dict[str, object]:
    role = SECTIONS[section]
    simulated = role.simulated or options.get("kind") == SIMULATED
    looks = "host" if role.is_end else "switch" if role.forwards_frames else "router"
    return {
        "title": title,
        "section": section,
        "options": dict(options),
        "prefix": _PREFIXES.get(role.name, "h"),
        "looks": f"{looks} {'simulated' if simulated else 'emulated'}",
    }


def _kinds_of(role: str) -> Sequence[str]:
    """The kinds of a role besides that which it has by itself."""
    if role == "host":
        return host_kinds()
    return [kind for kind in switch_kinds() if kind != OPENVSWITCH] if role == "switch" else ()


def _title(role: str, kind: str) -> str:
    if kind == SIMULATED:
        return "OpenFlow switch, simulated"
    return host_kind(kind).title if role == "host" else switch_kind(kind).title


def _node_fields(role: str) -> list[Field]:
    fields = [
        _said_field(option.name, option.said, _choices(role, option.name, option.said), option.kinds)
        for option in NODE_OPTIONS_SAID[role]
        if option.said.kind != _ONLY_IN_PYTHON
    ]
    kind_of: Callable[[str], HostKind | SwitchKind] = host_kind if role == "host" else switch_kind
    for kind in _kinds_of(role):
        if kind in OWN_KINDS:
            continue
        with contextlib.suppress(EnvironmentLackError):
            made = kind_of(kind)
            fields += [
                _said_field(name, _said_of(read, made.title), (), (kind,))
                for name, read in made.options.items()
            ]
    return fields


def _said_of(read: Reader, title: str) -> Said:
    return Said(read.help, read.kind) if isinstance(read, KindOption) else Said(f"of a {title}")


def _choices(role: str, name: str, said: Said) -> Sequence[str]:
    if said.kind != "kind":
        return said.choices
    return host_kinds() if role == "host" else switch_kinds()


def _said_fields(options: Mapping[str, Said], without: Sequence[str] = ()) -> list[Field]:
    return [_said_field(name, said, said.choices) for name, said in options.items() if name not in without]


def _said_field(name: str, said: Said, choices: Sequence[str], kinds: Sequence[str] = ()) -> Field:
    if said.table is not None:
        return _field(table(said.table).said[name], kinds)
    kind = "choice" if said.kind == "kind" else said.kind
    return {
        "name": name,
        "kind": kind,
        "unit": "",
        "help": said.help,
        "default": said.default,
        "choices": list(choices),
        "kinds": list(kinds),
    }


def _direction_fields() -> list[Field]:
    return [_field(option) for option in table("direction").said.values()]


def _field(option: Option, kinds: Sequence[str] = ()) -> Field:
    models = accepts(option) if option.kind == "family" else ""
    return {
        "name": option.said_as,
        "kind": option.kind,
        "unit": option.unit,
        "help": f"{option.help}; {models}" if models else option.help,
        "default": default_of(option),
        "choices": list(option.choices),
        "kinds": list(kinds),
    }
