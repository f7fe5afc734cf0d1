# SPDX-License-Identifier: MIT
"""`import mininet` means `hybridnet.mininet`, only where that is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hybridnet.mininet.importing import imports_mininet, path_of_mininet

PROGRAM = "import mininet.net, hybridnet.mininet.net; print(mininet.net is hybridnet.mininet.net)"


def test_on_pythonpath_both_names_are_one_package() -> None:
    path = os.pathsep.join(filter(None, [str(path_of_mininet()), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
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
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(text)
    found = {name for name in scripts if imports_mininet(tmp_path / name)}
    assert found == {"direct.py", "topology.py", "indirect.py"}
