# SPDX-License-Identifier: MIT
"""`import mininet` means `hybridnet.compat.mininet`, only where that is asked for."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hybridnet
from hybridnet.compat.mininet.controllers.bridging import place_of
from hybridnet.compat.mininet.loading.importing import (
    PROGRAMS,
    imports_mininet,
    once_imported,
    ours,
    path_of_mininet,
    take_the_name,
)
from hybridnet.compat.mininet.net import VERSION
from hybridnet.errors import UsageError

OF_MININET = (
    "import mininet.net, hybridnet.compat.mininet.net; print(mininet.net is hybridnet.compat.mininet.net)"
)
OF_MAXINET = """
import MaxiNet.Frontend.partitioner
from MaxiNet.Frontend import maxinet
from MaxiNet.Frontend.cli import CLI
from MaxiNet.Frontend.container import Docker
from MaxiNet.Frontend.tools import Tools as older
from MaxiNet.tools import FatTree, Tools
from mininet.topo import Topo
import hybridnet.compat.maxinet as ours
print(maxinet is ours and CLI is ours.CLI and Tools is older is ours.Tools and issubclass(FatTree, Topo)
      and MaxiNet.Frontend.partitioner.Partitioner is ours.Partitioner)
"""


def test_mn_and_controller_that_a_script_calls_are_ours_and_not_what_is_found_first_otherwise() -> None:
    program = "import mininet, os, shutil; print(shutil.which('mn')); os.execvp('mn', ['mn', '--version'])"
    path = os.pathsep.join(filter(None, [str(path_of_mininet()), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.stdout == f"{PROGRAMS / 'mn'}\n{VERSION}\n"


def test_a_script_that_another_python_runs_gets_hybridnet_s_own_where_that_one_has_none(
    tmp_path: Path,
) -> None:
    script = tmp_path / "other.py"
    script.write_text(
        "import sys, mininet.util\nprint(sys.executable, sys.argv[1:], mininet.util.ipAdd(1))\n"
    )
    (tmp_path / "bin").mkdir()  # outside the virtual environment, and so without what hybridnet depends on
    (tmp_path / "bin/python").symlink_to(Path(sys.executable).resolve())
    started = f"import mininet, subprocess; subprocess.run([{str(tmp_path / 'bin/python')!r}, {str(script)!r}, 'x'])"
    own = Path(hybridnet.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", started],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(path_of_mininet()), str(own)])},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == (f"{sys.executable} ['x'] 10.0.0.1\n", "")


def test_the_cluster_edition_of_mininets_examples_is_ours() -> None:
    assert ours("mininet.examples.cluster") == "hybridnet.compat.mininet.cluster"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["-v", "ptcp:6653"], ("127.0.0.1", 6653)),
        (["ptcp:"], ("127.0.0.1", 6633)),
        (["ptcp:6699:10.0.0.1"], ("10.0.0.1", 6699)),
    ],
)
def test_the_reference_controllers_arguments_say_where_to_listen(
    monkeypatch: pytest.MonkeyPatch, words: list[str], place: tuple[str, int]
) -> None:
    monkeypatch.delenv("HYBRIDNET_NETWORK", raising=False)
    assert place_of(words) == place


def test_in_a_host_the_reference_controller_listens_at_every_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HYBRIDNET_NETWORK", "1")  # the script's namespace is another one
    assert place_of(["ptcp:"]) == ("0.0.0.0", 6633)


def test_a_controller_that_is_told_no_place_to_listen_says_what_to_write() -> None:
    with pytest.raises(UsageError, match="write controller ptcp:6653"):
        place_of(["-v"])


@pytest.mark.parametrize("program", [OF_MININET, OF_MAXINET])
def test_on_pythonpath_both_names_are_one_package(program: str) -> None:
    path = os.pathsep.join(filter(None, [str(path_of_mininet()), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_script_with_the_folder_on_pythonpath_ends_with_a_verdict_on_its_networks() -> None:
    program = (
        "import mininet.log\nfrom hybridnet.observe.results.verdict import Verdict\n"
        "from hybridnet.observe.results import open_runs\n"
    )
    ran = (
        program
        + "stop = lambda: None\nopen_runs.began(stop)\nopen_runs.ended(stop, Verdict('trusted', []))\n"
    )
    for script, said in ((program, ""), (ran, "*** Verdict: trusted")):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(path_of_mininet()), os.getcwd()])},
            capture_output=True,
            text=True,
        )
        assert done.stderr.startswith(said)
        assert bool(done.stderr) is bool(said)


def test_a_script_that_imports_mininet_itself_or_by_a_module_beside_it_is_known(tmp_path: Path) -> None:
    scripts = {
        "plain.py": "import os\n",
        "direct.py": "def f():\n    from mininet.net import Mininet\n",
        "topology.py": "import mininet.topo\n",
        "indirect.py": "from topology import T\n",
        "broken.py": "def (\n",
        "maxinet.py": "from MaxiNet.Frontend import maxinet\nprint 'Python 2'\n",
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    found = {name for name in scripts if imports_mininet(tmp_path / name)}
    assert found == {"direct.py", "topology.py", "indirect.py", "maxinet.py"}


def test_an_import_by_a_library_is_noticed_before_it_takes_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_lab_library.py").write_text("from mininet.topo import Topo\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "mininet"]:
        monkeypatch.delitem(
            sys.modules, name
        )  # an import statement looks into this dictionary, not into another
    told: list[str] = []

    def tell() -> None:
        told.append("mininet")
        take_the_name()

    with once_imported(tell):
        library = importlib.import_module("a_lab_library")
    assert told == ["mininet"]
    assert library.Topo.__module__ == "hybridnet.compat.mininet.topo"


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="hybridnet is in no virtual environment here")
def test_a_python_without_hybridnet_hands_over_to_the_one_that_has_it(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import mininet.topo, sys\nprint(mininet.topo.Topo.__module__, sys.argv[1:])\n")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(path_of_mininet())}
    of_the_system = os.path.join(sys.base_prefix, "bin", "python3")
    command = [of_the_system, str(script), "an argument"]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout == "hybridnet.compat.mininet.topo ['an argument']\n"
