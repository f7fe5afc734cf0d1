# SPDX-License-Identifier: MIT
"""What pyproject.toml declares is what the sources import, and a wheel holds all of it and nothing else."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

ROOT = Path(__file__).resolve().parent.parent
DIST = os.environ.get("HYBRIDNET_DIST")  # where `make release` wants the packages; else they are forgotten
FIRST = re.search(r"```python\n(from hybridnet import.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
ELSEWHERE = {"mininet", "ryu", "eventlet"}  # in Debian's Python and in Ryu's
IMPORTED_AS = {"PyYAML": "yaml"}
OTHERWISE_CALLED = {"libcrypto": "libssl"}  # Debian's package of a library
PAIR = """from hybridnet import Topo
class Pair(Topo):
    def build(self):
        self.addSimHost("a", applications=[{"kind": "tcp_bulk", "destination": "b", "port": 9}])
        self.addSimHost("b", applications=[{"kind": "tcp_discard", "port": 9}])
        self.addLink("a", "b", bw=10, delay="5ms")
"""
OPTIONAL = {
    "pexpect",  # for a script that asks for it, with an error that names the cure
    *("pytest", "_pytest"),  # whose plug-in is there for who has pytest
}


def test_every_import_is_declared() -> None:
    imported = {
        name
        for folder in ("hybridnet", "topologies", "experiments")
        for file in (ROOT / folder).rglob("*.py")
        if "ryu_apps" not in file.parts
        for name in modules_of(ast.parse(file.read_text()))
    }
    third = (
        imported - sys.stdlib_module_names - ELSEWHERE - OPTIONAL - {"hybridnet", "topologies", "experiments"}
    )
    # What experiments ship to a namespace is a folder of theirs, run beside its siblings.
    own = {file.stem for folder in ("experiments", "hybridnet") for file in (ROOT / folder).rglob("*.py")}
    declared = {IMPORTED_AS.get(name_of(line), name_of(line)) for line in project()["dependencies"]}
    assert third - own <= declared
    assert declared - {"cryptography", "websockets"} <= third  # distributed and uvicorn import these for us


def test_what_is_declared_is_what_is_tested() -> None:
    inputs = (ROOT / "requirements" / "runtime.in").read_text().splitlines()
    named = {name_of(line) for line in inputs if line and not line.startswith("#")}
    assert named == {name_of(line) for line in project()["dependencies"]}


def test_what_only_other_pythons_need_is_locked_with_its_marker() -> None:
    for asked in (ROOT / "requirements").glob("*.in"):
        lines = (line.partition("#")[0].strip() for line in asked.read_text().splitlines())
        locked = asked.with_suffix(".txt").read_text().splitlines()
        assert {line for line in lines if ";" in line} == {line for line in locked if ";" in line}, asked


@pytest.mark.slow
@pytest.mark.wheel
@pytest.mark.timeout(1200)
def test_an_installed_wheel_runs_away_from_the_repository(tmp_path: Path) -> None:
    """Source distribution, wheel of it, new environment, the README's network, a simulation, an experiment."""
    packages = Path(DIST).resolve() if DIST else tmp_path / "dist"
    packages.mkdir(exist_ok=True)
    assert not list(packages.iterdir()), f"{packages} is not empty: a release is packages of one build"
    away = tmp_path / "away"
    away.mkdir()
    run([sys.executable, str(ROOT / ".ci/packages.py"), str(packages)], away)
    [sdist], [wheel] = packages.glob("*.tar.gz"), packages.glob("*.whl")
    assert sums_of(packages) == (packages / "SHA256SUMS").read_text()
    assert re.search(r"-manylinux_2_\d+_x86_64\.whl$|-manylinux_2_\d+_aarch64\.whl$", wheel.name)
    version = metadata_of(wheel).version
    assert metadata_of(sdist).version == version
    assert top_level(wheel) <= {"hybridnet", "hybridnet.libs", f"hybridnet-{version}.dist-info"}
    assert brought_without_licence(wheel) == set()

    run([sys.executable, "-m", "venv", str(tmp_path / "venv")], away)
    programs = tmp_path / "venv" / "bin"
    run([str(programs / "pip"), "install", "--quiet", "--disable-pip-version-check", str(wheel)], away)
    run([str(programs / "pip"), "check"], away)
    hybridnet = str(programs / "hybridnet")
    assert f"hybridnet {version}\n" in run([hybridnet, "version"], away)
    (away / "pair.py").write_text(PAIR)
    simulated = run([hybridnet, "simulate", "pair.py", "--until", "1s"], away)
    assert re.search(r"b:tcp_discard:9 +received +1\.[01]\d* MB", simulated)  # of 1.25 MB, 10 Mbit/s for 1 s
    flows = run([hybridnet, "simulate", "pair.py", "--until", "1s", "--workload", "hadoop,load=0.1"], away)
    assert "slowdown mean" in flows
    assert FIRST is not None
    (away / "first.py").write_text(FIRST[1])
    assert "h1" in run([hybridnet, "plan", "first.py"], away)
    assert "M/M/1/5" in run([hybridnet, "reproduce", "mm1", "--out", "mm1"], away)
    if os.geteuid() == 0:
        assert "3 packets transmitted, 3 received, 0% packet loss" in run(
            [hybridnet, "run", "first.py"], away
        )


def run(command: list[str], folder: Path) -> str:
    """What it prints. It sees nothing of the repository."""
    clean = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
    }
    ended = subprocess.run(
        command,
        cwd=folder,
        env=clean,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print("$", *command, f"\n{ended.stdout}")
    assert ended.returncode == 0, f"{command} ended with status {ended.returncode}:\n{ended.stdout}"
    return ended.stdout


def sums_of(folder: Path) -> str:
    """As sha256sum prints them."""
    packages = (*folder.glob("*.tar.gz"), *folder.glob("*.whl"))
    return "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in packages)


def brought_without_licence(wheel: Path) -> set[str]:
    """The libraries of others in a wheel whose licence is not in it. Debian names packages after libraries."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    brought = {re.sub(r"[-.].*", "", Path(name).name) for name in names if name.startswith("hybridnet.libs/")}
    assert {"libpcap", "liblz4", "libcrypto"} <= brought
    licences = " ".join(Path(name).name for name in names if "/licenses/brought/" in name)
    return {name for name in brought if OTHERWISE_CALLED.get(name, name) not in licences}


def metadata_of(package: Path) -> Metadata:
    """What an index of packages reads of a package. It raises where it would refuse it: fields, version, licence,
    the type of the description.
    """
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            [name] = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            text = archive.read(name)
    else:
        with tarfile.open(package) as archive:
            file = archive.extractfile(f"{package.name.removesuffix('.tar.gz')}/PKG-INFO")
            assert file is not None
            text = file.read()
    found = Metadata.from_email(text, validate=True)
    assert found.description
    return found


def top_level(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    for needed in (
        "topologies/tree.py",
        "experiments/mm1/experiment.py",
        "ryu_apps/tree_switch.py",
        "machines/workers/deploy.sh",
        "machines/workers/debian.sh",
        "requirements/debian-packages.txt",
        "requirements/build.txt",
        "requirements/runtime.txt",
        "include/hybridnet/plugin.h",
        "run/live/static/index.html",
        "run/live/static/grafana.json",
        "run/live/static/vendor/cytoscape.min.js",
        "tools/edit/static/index.html",
        "compat/mininet/programs/tc",
    ):
        assert f"hybridnet/{needed}" in names
    return {name.split("/")[0] for name in names}


def project() -> dict[str, list[str]]:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return dict(described["project"])


def name_of(requirement: str) -> str:
    found = re.match(r"[\w-]+", requirement)
    assert found is not None, requirement
    return found[0].replace("-", "_")


def modules_of(tree: ast.AST) -> set[str]:
    """The first part of every module that is imported by its full name."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names
