# SPDX-License-Identifier: MIT
"""`import mininet` means `hybridnet.mininet`, only where that is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridnet.mininet.importing import imports_mininet, path_of_mininet

OF_MININET = "import mininet.net, hybridnet.mininet.net; print(mininet.net is hybridnet.mininet.net)"
OF_MAXINET = """
import MaxiNet.Frontend.partitioner
from MaxiNet.Frontend import maxinet
from MaxiNet.Frontend.cli import CLI
from MaxiNet.Frontend.container import Docker
from MaxiNet.Frontend.tools import Tools as older
from MaxiNet.tools import FatTree, Tools
from mininet.topo import Topo
import hybridnet.maxinet as ours
print(maxinet is ours and CLI is ours.CLI and Tools is older is ours.Tools and issubclass(FatTree, Topo)
      and MaxiNet.Frontend.partitioner.Partitioner is ours.Partitioner)
"""


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
