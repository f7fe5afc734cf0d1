# SPDX-License-Identifier: MIT
"""A description as Python: a class of Topo, as a person would write it.

Neighbours in the description that say the same become a loop:

    for host in ("h1", "h2", "h3"):
        self.addHost(host)
        ...
"""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hybridnet.describe.topo import LinkSpec, NodeSpec, Topo
from hybridnet.describe.topo.roles import ROLES
from hybridnet.plan.files.yaml_form import plain_link, plain_node

__all__ = ["class_name", "to_python"]

WIDTH = 100
LEAST_ALIKE = 3  # that become a loop
_INDENT = "    "
_TAKEN = ("External", "Net", "Topo")  # what a user has of these names is hybridnet's


def to_python(
    topo: Topo,
    file: str = "drawn.py",
    description: str = "",
    controllers: Mapping[str, Mapping[str, object]] | None = None,
) -> str:
    """The text of a file that describes the same network.

    Args:
        file: its name, after which its class is named.
        description: what it says of itself.
        controllers: as of a YAML file; the text says by which option they are chosen, as they are no part of a Topo.
    """
    name = class_name(file)
    first, *others = [_documented(line) for line in description.strip().splitlines()] or [
        f"The network {name}."
    ]
    run = f"Run it: sudo hybridnet run {_documented(file)} --topo {name.lower()}{_documented(_controlled(controllers))}"
    body = [*_nodes(topo.node_specs()), *_links(topo), *_fluids(topo)]
    lines = [
        f'"""{first}',
        *others,
        "",
        run,
        '"""',
        "",
        f"from hybridnet import {'External, ' * _has_devices(topo)}Topo",
        "",
        "",
        f"class {name}(Topo):",
        f'{_INDENT}"""{first}"""',
        "",
        f"{_INDENT}def build(self):",
        *(f"{_INDENT * 2}{line}" for line in body or ["pass"]),
        "",
        "",
        f'topos = {{"{name.lower()}": {name}}}',
    ]
    return "\n".join(lines) + "\n"


def class_name(file: str) -> str:
    """The name of a class for a file of that name.

    Example:
        >>> class_name("my-first net.yaml"), class_name("2nd.yaml"), class_name(".yaml")
        ('MyFirstNet', 'Net2nd', 'Drawn')
    """
    words = re.findall(r"[A-Za-z0-9]+", file.rpartition("/")[2].rpartition(".")[0])
    made = "".join(word[:1].upper() + word[1:] for word in words) or "Drawn"
    made = f"Net{made}" if made[0].isdecimal() else made
    return f"Drawn{made}" if keyword.iskeyword(made) or made in _TAKEN else made


def _controlled(controllers: Mapping[str, Mapping[str, object]] | None) -> str:
    """The options of `hybridnet run` that choose these controllers."""
    if controllers is None or list(controllers.values()) == [{}]:
        return ""  # hybridnet chooses
    return "".join(f" --controller {_chosen(each)}" for each in controllers.values()) or " --controller none"


def _chosen(controller: Mapping[str, object]) -> str:
    apps = controller.get("apps")
    if isinstance(apps, list) and apps:
        return ",".join(map(str, apps))
    given = [f"{option}={controller[option]}" for option in ("ip", "port") if option in controller]
    return ",".join(["remote", *given]) if given else "tree_switch"


def _has_devices(topo: Topo) -> bool:
    return any(ROLES[spec.role].add is None for spec in topo.node_specs())


def _nodes(specs: Iterable[NodeSpec]) -> Iterator[str]:
    added = [spec for spec in specs if ROLES[spec.role].add is not None]
    for (role, _), alike in itertools.groupby(added, lambda spec: (spec.role, _arguments(plain_node(spec)))):
        group = list(alike)
        yield from _repeated(
            f"self.{ROLES[role].add}", [_written(each.name) for each in group], plain_node(group[0])
        )


def _links(topo: Topo) -> Iterator[str]:
    numbered = _with_ports(topo)
    devices = {spec.name: spec for spec in topo.node_specs() if ROLES[spec.role].add is None}

    def end(node: str) -> str:
        """The name; of a device of the computer, where it comes first, what it is."""
        spec = devices.pop(node, None)
        return (
            _written(node)
            if spec is None
            else f"External({', '.join([_written(node), *_arguments(plain_node(spec))])})"
        )

    ends = [((end(link.a.node), end(link.b.node)), options) for link, options in numbered]
    for (second, _), alike in itertools.groupby(ends, lambda each: (each[0][1], _arguments(each[1]))):
        group = list(alike)
        yield from _repeated("self.addLink", [first for (first, _), _ in group], group[0][1], second)


def _fluids(topo: Topo) -> Iterator[str]:
    for spec in topo.fluid_specs():
        ends = [_written(spec.source), _written(spec.destination)]
        yield from _call("self.addFluid", [*ends, _written(spec.options), f"name={_written(spec.name)}"], 2)


def _with_ports(topo: Topo) -> Iterator[tuple[LinkSpec, dict[str, object]]]:
    """Each link with its options, among them its ports where they are others than it gets by itself."""
    again = Topo()
    again.restore(topo.copy())
    for link in topo.link_specs():
        again.delLink(link.a.node, link.b.node, link.key)
    for link in topo.link_specs():
        a, b, options = link.a, link.b, dict(link.options)
        key = again.addLink(a.node, b.node, **options)
        made, ports = again.spec(a.node, b.node, key), {}
        if (made.a.port, made.b.port) != (a.port, b.port):
            ports = {"port1": a.port, "port2": b.port}
            again.delLink(a.node, b.node, key)
            again.addLink(a.node, b.node, a.port, b.port, **options)
        yield link, {**ports, **plain_link(link)}


def _repeated(function: str, firsts: list[str], options: Mapping[str, Any], *others: str) -> Iterator[str]:
    """A call for each first argument, in a loop where there are some."""
    rest = [*others, *_arguments(options)]
    if len(firsts) < LEAST_ALIKE:
        for first in firsts:
            yield from _call(function, [first, *rest], 2)
    else:
        yield from _loop("name", firsts, _call(function, ["name", *rest], 3))


def _loop(variable: str, values: list[str], body: list[str]) -> Iterator[str]:
    whole = f"for {variable} in ({', '.join(values)}):"
    if len(whole) + 2 * len(_INDENT) <= WIDTH:
        yield whole
    else:
        yield f"for {variable} in ("
        yield from (f"{_INDENT}{line}" for line in _filled(values, 3))
        yield "):"
    yield from (f"{_INDENT}{line}" for line in body)


def _filled(values: list[str], depth: int) -> Iterator[str]:
    line = ""
    for value in values:
        if line and len(line) + len(value) + 2 + depth * len(_INDENT) > WIDTH:
            yield line
            line = ""
        line += f"{' ' if line else ''}{value},"
    yield line


def _call(function: str, arguments: list[str], depth: int) -> list[str]:
    whole = f"{function}({', '.join(arguments)})"
    if len(whole) + depth * len(_INDENT) <= WIDTH:
        return [whole]
    return [f"{function}(", *(f"{_INDENT}{argument}," for argument in arguments), ")"]


def _arguments(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_written(value)}" for name, value in options.items()]


def _written(value: Any) -> str:
    """A value of plain data, as Python writes it."""
    if isinstance(value, str):
        return f'"{value}"' if value.isprintable() and not {'"', "\\"} & set(value) else repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_written(str(key))}: {_written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return repr(value)


def _documented(text: str) -> str:
    """A line that may stand in a documentation string."""
    return "".join(each if each.isprintable() else " " for each in text).replace("\\", "/").replace('"', "'")
