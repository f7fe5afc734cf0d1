# SPDX-License-Identifier: MIT
"""Which file holds what: by the end of its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hybridnet.describe.topo import Topo
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import file_path
from hybridnet.errors import TopologyError, UsageError
from hybridnet.plan.files.beside import add_beside
from hybridnet.plan.files.containerlab import fill_from_containerlab, is_containerlab
from hybridnet.plan.files.core import fill_from_core
from hybridnet.plan.files.dot import to_dot
from hybridnet.plan.files.gns3 import fill_from_gns3
from hybridnet.plan.files.graphml import fill_from_graphml, to_graphml
from hybridnet.plan.files.kathara import LAB_CONF, fill_from_kathara
from hybridnet.plan.files.python_form import to_python
from hybridnet.plan.files.yaml_form import fill_from_yaml, to_yaml
from hybridnet.plan.network import Plan

__all__ = ["READ", "WRITTEN", "FileTopo", "read_text", "read_topology", "write_topology"]

READ = (".yaml", ".yml", ".graphml", LAB_CONF, ".xml", ".gns3")
"""How the name of a file with a topology ends."""
_PICTURES = (".png", ".svg", ".pdf")
WRITTEN = (*_PICTURES, ".dot", ".graphml", ".yaml", ".py")
MOST_BYTES = 64 << 20


class FileTopo(Topo):
    """The network of a file; see `read_topology`.

    Attributes:
        controllers: by name what the file says of them; None if it says nothing.
        notes: what hybridnet does otherwise than the program that the file is for, a line each.
    """

    controllers: dict[str, dict[str, object]] | None = None
    notes: Sequence[str] = ()

    def build(
        self, file: str, text: str, options: Mapping[str, Any], beside: tuple[str, str] | None = None
    ) -> None:
        if file.endswith(".graphml"):
            fill_from_graphml(self, text, file, **options)
        elif file.endswith(LAB_CONF):
            self.notes, self.controllers = fill_from_kathara(self, text, file), {}
        elif file.endswith(".xml"):
            self.notes, self.controllers = fill_from_core(self, text, file), {}
        elif file.endswith(".gns3"):
            self.notes, self.controllers = fill_from_gns3(self, text, file), {}
        elif is_containerlab(file, text):
            self.notes, self.controllers = fill_from_containerlab(self, text, file), {}
        else:
            self.controllers = fill_from_yaml(self, text, file)
        if beside is not None:
            add_beside(self, *beside)


def read_topology(file: str | Path, *, beside: str | Path | None = None, **options: Any) -> FileTopo:
    """The network that a YAML or GraphML file describes, a lab of containerlab or Kathará, a session of CORE or a
    project of GNS3; docs/files.md and docs/labs.md have the forms.

    Args:
        beside: a YAML file with options of nodes and links, which are added to those of the file; docs/labs.md has the
            form.
        options: for maps in GraphML: nodes, hosts, bw, delay, simulated.

    Raises:
        UsageError: the file's name has another end, it cannot be read, or an option does not exist.
        TopologyError, UnitError: the file makes no sense; the message says where.
    """
    path = file_path(file, "read_topology: file")
    if not path.name.endswith(READ):
        raise UsageError(f"{path}: the name of a file with a topology ends with {', '.join(READ)}; rename it")
    known = ("nodes", "hosts", "bw", "delay", "simulated") if path.suffix == ".graphml" else ()
    if unknown := sorted(set(options) - set(known)):
        cure = f"there are {', '.join(known)}" if known else "such a file takes none"
        raise UsageError(f"{path}: there is no option {unknown[0]}=; {cure}")
    if beside is None:
        return FileTopo(str(path), read_text(path), options)
    more = file_path(beside, "read_topology: beside")
    return FileTopo(str(path), read_text(path), options, (read_text(more), str(more)))


def read_text(path: Path) -> str:
    """The text of a file that describes a network.

    Raises:
        UsageError: it cannot be read, or is too large.
        TopologyError: it is no text; the message says in which line.
    """
    try:
        place = user_file(path)
        if place.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path}: it has more than {MOST_BYTES >> 20} MiB; divide the network")
        return place.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = place.read_bytes()[: error.start].count(b"\n") + 1
        raise TopologyError(f"{path}:{line}: it is not text in UTF-8; convert it") from None


def write_topology(
    file: str | Path, topo: Topo, plan: Plan, controllers: Mapping[str, Mapping[str, object]] | None = None
) -> None:
    """Write a network: a picture (.png, .svg, .pdf), a graph for Graphviz (.dot), what `read_topology` reads, or a
    class of Topo (.py).

    Args:
        controllers: what a YAML file says of them; None: nothing.

    Raises:
        UsageError: the file's name has another end, its kind cannot hold the network, or it cannot be written.
    """
    path = file_path(file, "write_topology: file")
    write: dict[str, Callable[[], str]] = {
        ".dot": lambda: to_dot(topo, plan),
        ".graphml": lambda: to_graphml(topo),
        ".yaml": lambda: to_yaml(topo, controllers),
        ".py": lambda: to_python(topo, path.name, controllers=controllers),
    }
    if path.suffix not in WRITTEN:
        raise UsageError(f"{path}: the name of a drawing ends with {', '.join(WRITTEN)}; choose one of them")
    if path.suffix == ".graphml" and topo.fluid_specs():
        raise UsageError(f"{path}: GraphML has no place for fluid flows; write a .yaml or .py file")
    try:
        if path.suffix in _PICTURES:
            from hybridnet.plan.files.picture import draw

            draw(path, topo, plan)
        else:
            path.write_text(write[path.suffix](), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: it cannot be written: {error.strerror or error}") from None
