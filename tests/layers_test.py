# SPDX-License-Identifier: MIT
"""The layers of ARCHITECTURE.md hold: an include or an import goes only down, and every file says what it is.

The arrows are read from the block under "Layers" in ARCHITECTURE.md (``a ◀ b`` means that b may use a, and what a may
use), so the document cannot drift from the code. The checker is tested too, on small trees that break each rule.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CPP_FOLDERS = ("simcore", "tests", "benchmarks")
PYTHON_FOLDERS = ("hybridnet", "topologies", "experiments", "controllers", "tests", "benchmarks", "examples")
SYSTEM_HEADERS_ALLOWED = {"sys", "python"}  # every system call is in sys; python includes nanobind
LIBRARY_HEADERS = {"lz4.h", "tsl/robin_map.h"}  # pure functions, allowed everywhere
OUTSIDE = {
    "topologies",
    "experiments",
}  # folders of their own here, rooms of the package once it is installed
ABOVE_ALL = {"__init__", "__main__"}  # of hybridnet: lists what is public, so it may import everything
OUTSIDE_OF_THE_HOUSE = {"ryu_apps", "topologies", "experiments"}  # folders of their own here
TOPO = ["describe", "topo"]

Layers = dict[str, set[str]]


def read_arrows(text: str, heading: str) -> Layers:
    """What each layer may use, transitively, from the lines of ``text`` from ``heading`` to the next heading.

    A line holds chains of ``◀``; chains are set apart by two spaces, names by spaces or commas.
    """
    direct: Layers = {}
    inside = False
    for line in text.splitlines():
        if re.match(r"\S+/", line):
            inside = line.split()[0] == heading
            line = line.split(maxsplit=1)[1] if inside else line
        if not inside:
            continue
        for chain in re.split(r"\s{2,}|;", line):
            links = [re.split(r"[\s,]+", names.strip()) for names in chain.split("◀")]
            for names in links:
                for name in filter(None, names):
                    direct.setdefault(name, set())
            for lower, upper in itertools.pairwise(links):
                for name in upper:
                    direct[name].update(lower)
    return close(direct)


def read_cmake(text: str) -> Layers:
    """What each simcore layer may use, transitively, from the ``simcore_layer`` lines of simcore/CMakeLists.txt."""
    direct = {}
    for name, rest in re.findall(r"^simcore_layer\((\w+)([^)]*)\)", text, re.MULTILINE):
        direct[name] = set(re.findall(r"simcore_(\w+)", rest))
    return close(direct)


def close(direct: Layers) -> Layers:
    def below(name: str) -> set[str]:
        return direct[name].union(*(below(lower) for lower in direct[name]))

    return {name: below(name) for name in direct}


def sources(root: Path, folders: Iterable[str], *suffixes: str) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and "__pycache__" not in path.parts:
                yield path


def check_cpp(root: Path, layers: Layers) -> list[str]:
    wrong = []
    for path in sources(root, CPP_FOLDERS, ".cc", ".h"):
        where = path.relative_to(root)
        layer = where.parts[1] if where.parts[0] == "simcore" else None
        if layer is not None and layer not in layers:
            wrong.append(f"{where}: simcore/{layer} is not a layer in ARCHITECTURE.md")
            continue
        text = path.read_text()
        if path.suffix == ".h" and not re.match(r"// SPDX[^\n]*\n//\n// \S[\s\S]*?\n#pragma once\n", text):
            wrong.append(f"{where}: a header opens with SPDX, `//`, what it is, and then #pragma once")
        for bracket, included in re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)', text, re.MULTILINE):
            wrong += check_include(root, where, layer, bracket, included, layers)
    return wrong


def check_include(
    root: Path, where: Path, layer: str | None, bracket: str, included: str, layers: Layers
) -> list[str]:
    if bracket == "<":
        pure = not included.endswith(".h") or included in LIBRARY_HEADERS
        if layer is not None and layer not in SYSTEM_HEADERS_ALLOWED and not pure:
            return [f"{where}: <{included}> is of the system; only simcore/sys makes system calls"]
        return []
    if included.startswith("/") or ".." in Path(included).parts or not (root / included).is_file():
        return [f'{where}: "{included}" is not a path of this repository, from its root']
    target = Path(included).parts
    if layer is None or target[:2] == ("simcore", layer):
        return []
    if target[0] != "simcore" or target[1] not in layers[layer]:
        return [f'{where}: "{included}" is not below simcore/{layer}']
    return []


@cache
def nodes_of(text: str) -> list[ast.Import | ast.ImportFrom | ast.Call]:
    """What a file imports and calls; several tests ask it of the whole house."""
    found = (ast.Import, ast.ImportFrom, ast.Call)
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, found)]


def imported_modules(path: Path, where: Path) -> Iterator[str]:
    """The dotted names that a file imports, also within functions; relative ones are made absolute."""
    for node in nodes_of(path.read_text()):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = list(where.parts[: len(where.parts) - node.level]) if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            # `from hybridnet.plan import files` names a room only by what it takes
            whole = base.split(".")[0] == "hybridnet" and base.count(".") < 3
            yield from (f"{base}.{alias.name}" for alias in node.names) if whole else (base,)


class House:
    """The wings of hybridnet, and the rooms of those that have some, as ARCHITECTURE.md draws them.

    A wing is a folder (or a file) of hybridnet; a room is a folder (or a file) of a wing. ``hybridnet/`` says which
    wings a wing may use, ``hybridnet/WING/`` which of the other rooms in its wing a room may, and
    ``hybridnet/WING/ROOM/`` the same of a room with rooms. A wing without such a line is one room.
    """

    def __init__(self, text: str) -> None:
        headings = re.findall(r"^(hybridnet/(?:\w+/)*)\s", text, re.MULTILINE)
        self.drawn = {tuple(each.split("/")[1:-1]): read_arrows(text, each) for each in headings}

    def missing(self, where: tuple[str, ...]) -> str | None:
        """What of a file's place is not drawn, if anything."""
        for depth, name in enumerate(where):
            arrows = self.drawn.get(where[:depth])
            if arrows and name not in arrows and (depth == 0 or name not in ABOVE_ALL):
                what = "room" if depth else "wing"
                return f"hybridnet/{'/'.join(where[: depth + 1])} is not a {what} in ARCHITECTURE.md"
        return None

    def forbids(self, where: tuple[str, ...], target: tuple[str, ...]) -> str | None:
        """Why what stands at `where` may not import `target`, both without ``hybridnet`` and ``.py``; None: it may."""
        for depth, (own, other) in enumerate(zip(where, target, strict=False)):
            if own != other:
                arrows = self.drawn.get(where[:depth])
                if not arrows or own in ABOVE_ALL or other in arrows[own]:
                    return None
                return f"which is not below hybridnet/{'/'.join(where[: depth + 1])}"
        return None


def place_of(where: Path) -> tuple[str, ...]:
    """Of a file below hybridnet: its wing, its room and what follows."""
    return where.with_suffix("").parts[1:]


def check_python(root: Path, house: House) -> list[str]:
    wrong = []
    for path in sources(root, PYTHON_FOLDERS, ".py"):
        where = path.relative_to(root)
        place = place_of(where) if where.parts[0] == "hybridnet" else None
        if place and place[0] not in ABOVE_ALL and (lacking := house.missing(place)):
            wrong.append(f"{where}: {lacking}")
            continue
        if place:
            wrong += [
                f"{where}: imports {name} by its name as a string, which nothing checks; write an import"
                for name in modules_in_strings(path)
            ]
        for name in imported_modules(path, where):
            reason = why_not(where.parts, place, name.split("."), house)
            if reason:
                wrong.append(f"{where}: imports {name}, {reason}")
    return wrong


def modules_in_strings(path: Path) -> Iterator[str]:
    """The modules of hybridnet that a file imports by a literal string."""
    for node in nodes_of(path.read_text()):
        called = (
            getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        )
        if isinstance(node, ast.Call) and called in ("import_module", "__import__"):
            for argument in node.args[:1]:
                if isinstance(argument, ast.Constant) and str(argument.value).startswith("hybridnet."):
                    yield argument.value


def why_not(
    where: tuple[str, ...], place: tuple[str, ...] | None, name: list[str], house: House
) -> str | None:
    """Why a file (at `place`, if in hybridnet) may not import `name`; None when it may."""
    folder = where[0]
    if name[0] in OUTSIDE:
        return f"which the installed package calls hybridnet.{name[0]}"
    if folder == "controllers" and name[0] == "hybridnet":
        return "but controllers run in their own environment"
    if folder in {"hybridnet", "topologies"} and (name[0] == "tests" or name[1:2] == ["experiments"]):
        return "which is above it"
    if (
        folder == "topologies"
        and name[0] == "hybridnet"
        and name[1:3] != TOPO
        and name[1:2] != ["topologies"]
    ):
        return f"but topologies import hybridnet.{'.'.join(TOPO)} only"
    if folder == "experiments" and name[:2] == ["hybridnet", "agent"]:
        return "but the head touches a machine only through its agent"
    if not place or place[0] in ABOVE_ALL or name[0] != "hybridnet" or name[1:2] in ([], ["__version__"]):
        return None
    return house.forbids(place, tuple(name[1:]))


def circles(root: Path) -> list[list[str]]:
    """Files of hybridnet that import each other in a circle, also within functions and for types alone; one circle at
    most is found.
    """
    files = {}
    for path in sources(root, ("hybridnet",), ".py"):
        where = path.relative_to(root)
        if where.parts[1] not in OUTSIDE_OF_THE_HOUSE and where.parts[1:] != ("__init__.py",):
            files[".".join(where.with_suffix("").parts).removesuffix(".__init__")] = path
    uses: dict[str, set[str]] = {}
    for name, path in files.items():
        found = set()
        for node in nodes_of(path.read_text()):
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                below = {f"{node.module}.{alias.name}" for alias in node.names}
                found.update(below & files.keys() or {node.module})
        uses[name] = {each for each in found if each in files and each != name}
    found_circles = []
    sorter = TopologicalSorter({name: sorted(used) for name, used in uses.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        found_circles.append(error.args[1])
    return found_circles


def check_licences(root: Path) -> list[str]:
    wrong = []
    everything = (*CPP_FOLDERS, *PYTHON_FOLDERS, "cloudlab")
    paths = {*sources(root, everything, ".cc", ".h", ".py"), *sources(root, ("setup", ".ci"), "", ".sh")}
    for path in sorted({*paths, *root.rglob("CMakeLists.txt"), *root.glob("*.py")}):
        parts = path.relative_to(root).parts
        if path.is_dir() or parts[0] in ("build", "runs") or parts[0].startswith(".venv"):
            continue
        lines = path.read_text().splitlines() or [""]
        if lines[0].startswith("#!"):
            lines = lines[1:] or [""]
        if not re.fullmatch(r"(//|#) SPDX-License-Identifier: MIT", lines[0]):
            wrong.append(f"{path.relative_to(root)}: the first line is not `SPDX-License-Identifier: MIT`")
    return wrong


ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()


def test_includes_go_only_down() -> None:
    assert check_cpp(ROOT, read_arrows(ARCHITECTURE, "simcore/")) == []


def test_imports_go_only_down() -> None:
    assert check_python(ROOT, House(ARCHITECTURE)) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circles(ROOT) == []


def test_every_source_names_its_licence() -> None:
    assert check_licences(ROOT) == []


def test_few_dictionaries_may_hold_anything() -> None:
    """Plans, counters and answers have types. Keyword arguments have none, nor JSON that a schema checks."""
    inside = [
        path
        for path in sources(ROOT, ("hybridnet",), ".py")
        if path.relative_to(ROOT).parts[1] not in OUTSIDE_OF_THE_HOUSE
    ]
    assert sum(path.read_text().count("dict[str, Any]") for path in inside) < 100


def test_cmake_links_the_layers_that_the_architecture_draws() -> None:
    arrows = read_arrows(ARCHITECTURE, "simcore/")
    arrows.pop("python")  # the binding has a CMakeLists.txt of its own
    assert read_cmake((ROOT / "simcore" / "CMakeLists.txt").read_text()) == arrows


# The checker itself.

SMALL = """
simcore/    units ◀ packet ◀ link      units ◀ kernel ◀ link
            units ◀ sys;  link ◀ stats, trace
hybridnet/  errors ◀ describe ◀ plan     plan ◀ run
hybridnet/describe/  values ◀ topo
hybridnet/run/  node ◀ net
hybridnet/run/net/  other ◀ live
topologies/ imports hybridnet.describe.topo only
"""


def test_arrows_are_read_as_chains_and_closed() -> None:
    assert read_arrows(SMALL, "simcore/") == {
        "units": set(),
        "packet": {"units"},
        "kernel": {"units"},
        "link": {"packet", "kernel", "units"},
        "sys": {"units"},
        "stats": {"link", "packet", "kernel", "units"},
        "trace": {"link", "packet", "kernel", "units"},
    }
    assert read_arrows(SMALL, "hybridnet/")["run"] == {"plan", "describe", "errors"}
    assert House(SMALL).drawn[("describe",)] == {"values": set(), "topo": {"values"}}
    assert ("plan",) not in House(SMALL).drawn


HEADER = "// SPDX-License-Identifier: MIT\n//\n// Thing: a thing.\n#pragma once\n"


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("simcore/packet/up.cc", '#include "simcore/link/link.h"\n', "is not below simcore/packet"),
        ("simcore/sys/aside.cc", '#include "simcore/packet/packet.h"\n', "is not below simcore/sys"),
        ("simcore/link/call.cc", "#include <sys/socket.h>\n", "only simcore/sys makes system calls"),
        ("simcore/link/out.cc", '#include "../packet/packet.h"\n', "is not a path of this repository"),
        ("simcore/link/abs.cc", '#include "/usr/include/pcap.h"\n', "is not a path of this repository"),
        ("simcore/link/near.cc", '#include "link.h"\n', "is not a path of this repository"),
        ("simcore/attic/old.cc", "", "simcore/attic is not a layer"),
        ("simcore/link/bare.h", "// SPDX-License-Identifier: MIT\n#pragma once\n", "a header opens with"),
    ],
)
def test_checker_finds_what_is_wrong_in_cpp(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    files = {
        "simcore/link/link.h": HEADER,
        "simcore/packet/packet.h": HEADER,
        "simcore/sys/fd.cc": "#include <poll.h>\n",
    }
    files["simcore/link/link.cc"] = '#include "simcore/link/link.h"\n#include "simcore/packet/packet.h"\n'
    write(tmp_path, files)
    assert check_cpp(tmp_path, read_arrows(SMALL, "simcore/")) == []
    write(tmp_path, {name: text})
    [found] = check_cpp(tmp_path, read_arrows(SMALL, "simcore/"))
    assert complaint in found
    assert found.startswith(name)


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (
            "hybridnet/describe/topo/topo.py",
            "from hybridnet.plan import plan\n",
            "is not below hybridnet/describe",
        ),
        (
            "hybridnet/describe/topo/topo.py",
            "def f():\n    import hybridnet.run.net\n",
            "not below hybridnet/describe",
        ),
        (
            "hybridnet/describe/topo/topo.py",
            "from hybridnet import plan\n",
            "is not below hybridnet/describe",
        ),
        ("hybridnet/describe/topo/topo.py", "from ...plan import plan\n", "is not below hybridnet/describe"),
        (
            "hybridnet/describe/values.py",
            "import hybridnet.describe.topo\n",
            "is not below hybridnet/describe/values",
        ),
        ("hybridnet/run/node/host.py", "from hybridnet.run import net\n", "is not below hybridnet/run/node"),
        ("hybridnet/run/net/live.py", "from hybridnet.experiments import maxinet\n", "which is above it"),
        (
            "hybridnet/run/net/live.py",
            'from importlib import import_module\n\nimport_module("hybridnet.run.net")\n',
            "by its name as a string",
        ),
        (
            "hybridnet/describe/topo/options.py",
            "import hybridnet.plan.routes\n",
            "is not below hybridnet/describe",
        ),
        (
            "hybridnet/run/net/other.py",
            "from hybridnet.run.net import live\n",
            "is not below hybridnet/run/net/other",
        ),
        ("hybridnet/attic.py", "", "hybridnet/attic is not a wing"),
        ("hybridnet/run/attic/old.py", "", "hybridnet/run/attic is not a room"),
        ("topologies/tree.py", "from hybridnet.plan import plan\n", "import hybridnet.describe.topo only"),
        ("controllers/switch.py", "import hybridnet.errors\n", "own environment"),
        ("experiments/one.py", "from hybridnet.agent.hosts import hosts\n", "only through its agent"),
    ],
)
def test_checker_finds_what_is_wrong_in_python(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    files = {
        "hybridnet/__init__.py": "from hybridnet.run.net.live import Net\n",
        "hybridnet/describe/topo/topo.py": "import hybridnet.errors\nimport hybridnet.describe.values\n",
        "hybridnet/plan/routes.py": "import hybridnet.describe.topo\nimport hybridnet.plan.hosts\n",
        "topologies/tree.py": "from hybridnet.describe.topo import Topo\n",
        "experiments/two.py": "from hybridnet.run.net import Net\n",
    }
    files["hybridnet/run/net/live.py"] = (
        "from hybridnet.describe.topo import Topo\nfrom ...plan import plan\nfrom . import other\n"
    )
    write(tmp_path, files)
    assert check_python(tmp_path, House(SMALL)) == []
    write(tmp_path, {name: text})
    [found] = check_python(tmp_path, House(SMALL))
    assert complaint in found
    assert found.startswith(name)


def test_checker_finds_a_circle_of_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "hybridnet/plan/links.py": "from hybridnet.plan import routes\n",
            "hybridnet/plan/routes.py": "from hybridnet.plan.hosts import Host\n",
            "hybridnet/plan/hosts.py": "",
        },
    )
    assert circles(tmp_path) == []
    write(tmp_path, {"hybridnet/plan/hosts.py": "def f():\n    from hybridnet.plan.links import Link\n"})
    [circle] = circles(tmp_path)
    assert set(circle) == {"hybridnet.plan.links", "hybridnet.plan.routes", "hybridnet.plan.hosts"}


def test_checker_misses_no_licence_line(tmp_path: Path) -> None:
    good, bad = "# SPDX-License-Identifier: MIT\n", '"""No licence."""\n'
    write(
        tmp_path,
        {"hybridnet/a.py": good, "setup/run": "#!/bin/bash\n" + good, "simcore/x/CMakeLists.txt": good},
    )
    assert check_licences(tmp_path) == []
    write(
        tmp_path,
        {
            "hybridnet/b.py": bad,
            "setup/other": "#!/bin/bash\n",
            "simcore/CMakeLists.txt": "",
            "setup.py": bad,
        },
    )
    assert len(check_licences(tmp_path)) == 4
