# SPDX-License-Identifier: MIT
"""MaxiNet's front end, as scripts see it: its names and manners over `hybridnet.compat.mininet` and
`hybridnet.Cluster`.

    Cluster: workers, which are hybridnet's machines ─▶ Experiment: a topology over them ─▶ nodes as in Mininet

`hybridnet run SCRIPT.py` makes it importable as `MaxiNet` (`from MaxiNet.Frontend import maxinet`) for scripts that
import that; so do ``python -m hybridnet.compat.mininet SCRIPT.py`` and ``PYTHONPATH=$(hybridnet mininet-path)``. There
is no server to start before, and tunnels are cut links, which the simulator delivers.
"""

from hybridnet.compat.maxinet.cli import CLI
from hybridnet.compat.maxinet.cluster import Cluster
from hybridnet.compat.maxinet.experiment import Experiment
from hybridnet.compat.maxinet.nodes import NodeWrapper
from hybridnet.compat.maxinet.partitioner import Clustering, Partitioner
from hybridnet.compat.maxinet.tools import FatTree, Tools
from hybridnet.compat.maxinet.worker import Worker

__all__ = [
    "CLI",
    "Cluster",
    "Clustering",
    "Experiment",
    "FatTree",
    "NodeWrapper",
    "Partitioner",
    "Tools",
    "Worker",
    "run_cmd",
    "run_cmd_shell",
]


def run_cmd(cmd: str | list[str]) -> str:
    """Run a program on this computer. Returns what it printed; raises CalledProcessError if it fails."""
    import subprocess

    return subprocess.check_output(cmd, text=True)


def run_cmd_shell(cmd: str) -> str:
    """Run a command on this computer, in a shell. Returns what it printed; raises CalledProcessError if it fails."""
    import subprocess

    return subprocess.check_output(cmd, shell=True, text=True)
