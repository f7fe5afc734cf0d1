# SPDX-License-Identifier: MIT
"""What the readers of other programs' labs share: what they found that hybridnet does otherwise, how nodes and links
are gone through, the files of a lab's nodes, and the names of its interfaces.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from hybridnet.describe.kinds import host_kind
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.host_options import MOST_FILE_TEXT, MOST_FILES, files
from hybridnet.describe.user_files import user_file
from hybridnet.describe.values import plain, printable
from hybridnet.errors import TopologyError, UnitError, UsageError

__all__ = [
    "FORWARD", "MOST_NODES", "Findings", "Lab", "LabFiles", "add_all", "ends_options", "export_line", "frr_options",
    "has_frr", "is_service_of_frr", "refuse_large",
]  # fmt: skip

FORWARD = "sysctl -qw net.ipv4.ip_forward=1"
"""A command of hosts, which Docker does in a container's namespace, and routers do."""
MOST_LAB_BYTES = 4 << 20  # of a lab's own file
MOST_NODES = 10_000  # of a lab
MOST_SHOWN = 100  # lines
MOST_TEXTS = 64 << 20  # characters of all files of a lab's nodes
MOST_ENTRIES = 20_000  # of the folders of a lab
FIRST_OTHER_PORT = 10_000  # of interfaces that are not named ethN: they come after those that are
LONGEST_INTERFACE = 14  # characters: one less than Linux takes, for the portal of a link that is simulated
FRR_FOLDERS = ("/etc/frr", "/etc/quagga", "/etc/zebra")
_IMAGE_WITH_FRR = re.compile(r"(^|[/_-])(frr|frrouting|quagga)([0-9]*)(/frr)?([:@-].*)?$")
_STARTS_FRR = re.compile(
    r"(systemctl\s+(re)?start\s+|service\s+|/etc/init\.d/|/usr/lib/frr/)(frrinit\.sh|frr|quagga|zebra|watchfrr\.sh)\b"
)
_ASKS_DAEMON = re.compile(r"^\s*(\w+)\s*=\s*\"?yes\b", re.MULTILINE)


class Findings:
    """What is done otherwise than the file says, and what it says that hybridnet cannot do."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._notes: dict[str, dict[str, None]] = {}  # the nodes, in order, by what is to be said of each
        self._refusals: dict[str, dict[str, None]] = {}

    def note(self, node: str, words: str) -> None:
        """Say what is left out or done otherwise, which does not change the network."""
        self._notes.setdefault(words, {})[plain(node)] = None

    def note_image(self, node: str, image: str, with_frr: bool) -> None:
        """Say what takes the place of a node's image; `with_frr`: the node becomes a router with FRR."""
        whose = (
            "its routing daemons are those of this computer's FRR"
            if with_frr
            else "the host has this computer's programs"
        )
        self.note(node, f"image: {plain(image)} is not run; {whose}")

    def refuse(self, node: str, words: str) -> None:
        """Say why this is no network that hybridnet can make."""
        self._refusals.setdefault(words, {})[plain(node)] = None

    def check(self) -> None:
        """Raise TopologyError with all that was refused, a line each."""
        if self._refusals:
            lines = "\n  ".join(_told(self._refusals))
            raise TopologyError(f"{self._file}: hybridnet cannot make this network as it is:\n  {lines}")

    def notes(self) -> list[str]:
        """A line for each thing that is done otherwise, with its nodes."""
        return [f"{self._file}: {line}" for line in _told(self._notes)]

    def adding(self, node: str, add: Any, *arguments: Any, **options: Any) -> bool:
        """Add something to a description; what that refuses is refused here. Returns whether it was added."""
        try:
            add(*arguments, **options)
        except (TopologyError, UnitError) as error:
            self.refuse(node, str(error))
            return False
        return True


class Lab(Protocol):
    """Adds the nodes and links of a lab to a description; what is wrong with one goes to the findings."""

    def add_node(self, what: str, node: Any) -> None:
        """A node; `what`: its name, or where it is in the file."""

    def add_link(self, what: str, link: Any) -> None:
        """A link between two nodes that were added."""


def add_all(lab: Lab, nodes: Mapping[str, Any], links: Any, file: str, cure: str) -> None:
    """Add the nodes of a lab, by name, and its links. `cure`: what to do where the links are no list.

    Raises:
        TopologyError: there are too many nodes, or the links are no list.
    """
    if len(nodes) > MOST_NODES:
        raise TopologyError(f"{file}: the lab has {len(nodes)} nodes, and may have {MOST_NODES}; divide it")
    for name, node in nodes.items():
        lab.add_node(str(name), node)
    links = [] if links is None else links
    if not isinstance(links, list):
        raise TopologyError(f"{file}: topology.links is not a list; {cure}")
    for index, link in enumerate(links, 1):
        lab.add_link(f"links.{index}", link)


class LabFiles:
    """Reads the files of a lab's nodes, as texts, and keeps within bounds.

    Args:
        folder: where relative paths begin.
    """

    def __init__(self, folder: Path, findings: Findings) -> None:
        self._folder = folder
        self._findings = findings
        self._texts: dict[Path, str | None] = {}
        self._left = MOST_TEXTS
        self._entries = MOST_ENTRIES

    def path(self, named: str) -> Path:
        """Where something is that the lab names."""
        return self._folder / os.path.expanduser(named)

    def at(self, node: str, key: str, source: Path, target: str) -> dict[str, str]:
        """The texts of a file, or of all files in a folder, by their path in the node."""
        if source.is_dir():
            found: dict[str, str] = {}
            for file in self._in(source):
                if len(found) >= MOST_FILES:
                    self._findings.refuse(
                        node,
                        f"{key}: {self._shown(source)} has more than {MOST_FILES} files; give the node fewer",
                    )
                    break
                text = self.text(node, key, file)
                if text is not None:
                    found[f"{target.rstrip('/')}/{file.relative_to(source)}"] = text
            return found
        text = self.text(node, key, source)
        return {} if text is None else {target: text}

    def laid(self, node: str, key: str, texts: Mapping[str, str]) -> dict[str, str]:
        """Those of a node's texts that can be laid where they belong; a word about each of the others."""
        found = {}
        for path, text in texts.items():
            try:
                files({path: text}, "")
            except TopologyError:
                self._findings.note(
                    node,
                    f"{key}: {plain(path)} is left out: files are laid in folders, and not in /dev, /proc or /sys",
                )
            else:
                found[path] = text
        return found

    def text(self, node: str, key: str, file: Path) -> str | None:
        """The text of a file; None, and a word about it, if it is none."""
        if file not in self._texts:
            self._texts[file] = self._read(node, key, file)
        text = self._texts[file]
        self._left -= len(text or "")
        if self._left < 0:
            self._findings.refuse(
                node,
                f"{key}: the files of the lab have more than {MOST_TEXTS >> 20} MiB; give its nodes fewer",
            )
            return None
        return text

    def _shown(self, path: Path) -> str:
        """A path as the lab's author knows it, in full."""
        inside = path.is_relative_to(self._folder)
        return printable(str(path.relative_to(self._folder) if inside else path))

    def _in(self, folder: Path) -> Iterator[Path]:
        """The files in a folder, however deep; links to folders are not followed."""
        for place, folders, names in os.walk(folder):
            folders.sort()
            self._entries -= len(names) + len(folders)
            if self._entries < 0:
                raise TopologyError(
                    f"{folder}: the lab's folders have more than {MOST_ENTRIES} entries; remove some"
                )
            yield from (Path(place, name) for name in sorted(names) if not name.startswith(".git"))

    def _read(self, node: str, key: str, file: Path) -> str | None:
        try:
            place = user_file(file)
            if not place.is_file():
                self._findings.refuse(
                    node, f"{key}: {self._shown(file)} is no file; add it, or correct the path"
                )
                return None
            if place.stat().st_size > MOST_FILE_TEXT:
                raise ValueError
            text = place.read_text(encoding="utf-8")
            if "\0" in text:
                raise ValueError
        except OSError as error:
            self._findings.refuse(node, f"{key}: {self._shown(file)} cannot be read: {error.strerror}")
            return None
        except ValueError:
            self._findings.note(
                node,
                f"{key}: {self._shown(file)} is left out: it is no text in UTF-8 of at most "
                f"{MOST_FILE_TEXT >> 20} MiB; show the host its folder with privateDirs",
            )
            return None
        return text


def has_frr(image: str) -> bool:
    """Whether an image of that name is one of FRR, or of Quagga, which FRR comes from.

    Example:
        >>> has_frr("quay.io/frrouting/frr:10.1.0"), has_frr("kathara/quagga"), has_frr("alpine:3")
        (True, True, False)
    """
    return _IMAGE_WITH_FRR.search(image) is not None


def is_service_of_frr(command: str) -> bool:
    """Whether a command only starts FRR's daemons as a service, which hybridnet's routers do themselves."""
    return _STARTS_FRR.search(command) is not None


def frr_options(files: dict[str, str], more_daemons: frozenset[str] = frozenset()) -> dict[str, object]:
    """The options of a router with FRR; takes FRR's files out of those of the node.

    Args:
        files: texts by path.
        more_daemons: those that the lab turns on elsewhere than in the file ``daemons``.
    """
    known = host_kind("frr").options["daemons"]
    own = {path: files.pop(path) for path in list(files) if os.path.dirname(path) in FRR_FOLDERS}
    asked = {*more_daemons}
    confs: list[str] = []
    for path, text in own.items():
        name = os.path.basename(path)
        if name == "daemons":
            asked |= set(_ASKS_DAEMON.findall(text))
        elif name.endswith(".conf") and name != "vtysh.conf":
            confs.append(text)
    daemons = []
    for daemon in sorted(asked):
        try:
            daemons += known([daemon], "daemons")
        except TopologyError:  # zebra, staticd, watchfrr, vtysh_enable and the like
            continue
    lines = [line for conf in confs for line in conf.splitlines() if not _IS_OF_THE_TERMINAL.match(line)]
    return {"kind": "frr", "daemons": daemons, **({"conf": "\n".join(lines) + "\n"} if lines else {})}


_IS_OF_THE_TERMINAL = re.compile(
    r"\s*(no\s+)?(service integrated-vtysh-config|password\b|enable password\b|log\b)"
)


def export_line(name: str, value: str) -> str:
    """What sets a variable in a host's shell."""
    return f"export {name}={shlex.quote(value)}"


def ends_options(topo: Topo, node: str, interface: str, number: int, taken: set[str]) -> dict[str, Any]:
    """The options of `addLink` that give the end at a node its interface's name: that in the node, and one that no
    other interface has.

    Args:
        number: 1 or 2: which end of the link.
        taken: the names that interfaces have; the chosen one is added.
    """
    host = topo.node_spec(node).role == "host"
    long = f"{node}-{interface}" if host or interface in taken else interface
    name, count = long, 1
    while len(name) > LONGEST_INTERFACE or name in taken:
        tail = f"-{interface}" if count == 1 and len(interface) < LONGEST_INTERFACE - 2 else f"-{count}"
        name = f"{node[: LONGEST_INTERFACE - len(tail)]}{tail}"
        count += 1
    taken.add(name)
    options: dict[str, object] = {f"intfName{number}": name}
    if host:
        options[f"params{number}"] = {"name": interface}
        found = re.fullmatch(r"eth(0|[1-9][0-9]{0,3})", interface)
        options[f"port{number}"] = FIRST_OTHER_PORT + len(taken) if found is None else int(found[1])
    return options


def _told(lines: Mapping[str, Mapping[str, None]]) -> list[str]:
    told = []
    for words, nodes in lines.items():
        names = list(nodes)
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        told.append(f"{', '.join(names[:MOST_SHOWN])}{more}: {words}")
    if len(told) > MOST_SHOWN:
        told[MOST_SHOWN:] = [f"and {len(told) - MOST_SHOWN} lines more"]
    return told


def refuse_large(file: str, text: str) -> None:
    """Raise UsageError for a text that is no lab's."""
    if len(text) > MOST_LAB_BYTES:
        raise UsageError(f"{file}: it has more than {MOST_LAB_BYTES >> 20} MiB; divide the lab")
