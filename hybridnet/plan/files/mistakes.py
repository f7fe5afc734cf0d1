# SPDX-License-Identifier: MIT
"""Every mistake of a form, each at its place: what an editor shows at the node, the link or the field.

The judge is the description itself (`hybridnet.describe.topo`): each node and link is added as a file's would be. Where
one is refused, the option is at fault without which the refusal goes or becomes another one; without that option the
judge is asked again, for there may be several.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from hybridnet.describe.topo import External, Topo
from hybridnet.describe.topo.roles import Role
from hybridnet.errors import HybridnetError
from hybridnet.plan.files.yaml_form import SECTIONS, ends_of, unjoined_devices, wrong_in_form
from hybridnet.plan.files.yaml_text import Path

__all__ = ["Mistake", "find_mistakes", "place_of"]

_ENDS = ("params1", "params2")

Options = dict[str, Any]
Add = Callable[[Topo, Options], object]


class Mistake(NamedTuple):
    """One mistake.

    Attributes:
        path: where it is in the form: ``("hosts", "h1", "ip")``, ``("links", 0, "params1", "bw")``; empty: it is of no
            part alone.
        text: what is wrong, and what to do.
    """

    path: Path
    text: str


def find_mistakes(form: Mapping[str, Any]) -> list[Mistake]:
    """What makes a form no description; empty: `read_topology` takes the file that holds it."""
    found = [Mistake(path, text) for path, text in wrong_in_form(form)]
    if any(len(mistake.path) < 2 for mistake in found):
        return found
    kept: dict[str, Any] = copy.deepcopy(dict(form))
    lost: set[str] = set()  # nodes that are refused as a whole
    # The innermost first: what is around it may go, too.
    for path in sorted({_removable(mistake.path) for mistake in found}, key=len, reverse=True):
        if path[0] in SECTIONS and len(path) == 2:
            lost.add(str(path[1]))
        _remove(kept, path)
    topo = Topo()
    for section, role in SECTIONS.items():
        for name, options in (kept.get(section) or {}).items():
            wrong = list(_wrong(topo, _adding_node(role, name), dict(options or {})))
            found += [Mistake((section, name, *path), text) for path, text in wrong]
            if wrong and not wrong[-1][0]:
                lost.add(name)
    for index, given in enumerate(kept.get("links") or []):
        if given is None or lost & set(given["between"]):
            continue
        options = {name: value for name, value in given.items() if name != "between"}
        wrong = list(_wrong(topo, _adding_link(ends_of(kept, given["between"])), options))
        found += [Mistake(("links", index, *path), text) for path, text in wrong]
    for index, given in enumerate(kept.get("fluids") or []):
        if given is None or lost & {given["from"], given["to"]}:
            continue
        text = _refusal(topo, _adding_fluid, given)
        found += [] if text is None else [Mistake(("fluids", index), text)]
    found += [Mistake(path, text) for path, text in unjoined_devices(kept)]
    known = {*topo.nodes(), *lost}
    return found + [
        Mistake(("positions", name), f"positions: there is no node {name}; leave it out, or add the node")
        for name in kept.get("positions") or {}
        if name not in known
    ]


def place_of(error: HybridnetError, topo: Topo) -> Path:
    """The node or link that an error of a plan begins with, as a path of `Mistake`; empty: it names none."""
    text = str(error)
    for index, link in enumerate(topo.link_specs()):
        if text.startswith((f"link {link.name}:", f"{link.a.interface}:", f"{link.b.interface}:")):
            return "links", index
    for spec in topo.node_specs():
        words = (spec.role, "node", *(("router",) if spec.role == "simrouter" else ()))
        if text.startswith(tuple(f"{word} {spec.name}{end}" for word in words for end in (":", " "))):
            section = next((section for section, role in SECTIONS.items() if role.name == spec.role), None)
            return () if section is None else (section, spec.name)
    return ()


def _adding_node(role: Role, name: str) -> Add:
    return lambda topo, options: role.add_to(topo)(name, **options)


def _adding_link(ends: list[str | External]) -> Add:
    return lambda topo, options: topo.addLink(ends[0], ends[1], **options)


def _adding_fluid(topo: Topo, given: Options) -> object:
    return topo.addFluid(given["from"], given["to"], given["model"], given.get("name"))


def _wrong(topo: Topo, add: Add, options: Options) -> Iterator[tuple[Path, str]]:
    """What is wrong with the options of an element, which is added without them; an empty path: it is not added."""
    while (text := _refusal(topo, add, options)) is not None:
        guilty = next(
            (path for path in _paths(options) if _refusal(topo.copy(), add, _without(options, path)) != text),
            (),
        )
        yield guilty, text
        if not guilty:
            return
        options = _without(options, guilty)


def _refusal(topo: Topo, add: Add, options: Options) -> str | None:
    try:
        add(topo, options)
    except HybridnetError as error:
        return str(error)
    return None


def _paths(options: Options) -> Iterator[Path]:
    """The place of each option, those of one end before the end as a whole."""
    for name, value in options.items():
        if name in _ENDS and isinstance(value, Mapping):
            yield from ((name, inner) for inner in value)
        yield (name,)


def _without(options: Options, path: Path) -> Options:
    made = copy.deepcopy(options)
    _remove(made, path)
    return made


def _removable(path: Path) -> Path:
    """Of a place in a form, what can go so that the rest still is one: a link without ends is none."""
    return path[:2] if path[0] in ("positions", "fluids") or path[2:3] == ("between",) else path


def _remove(of: Any, path: Path) -> None:
    """Take a part out; a link stays in its place, as None, so that those behind it keep their numbers."""
    *way, last = path
    for part in way:
        of = of[part]
    if isinstance(of, list):
        of[last] = None  # type: ignore[index]
    else:
        of.pop(last, None)
