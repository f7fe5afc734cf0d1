# SPDX-License-Identifier: MIT
"""MaxiNet's prompt: Mininet's, which knows the workers too."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from typing import Any

from hybridnet.compat.mininet import cli
from hybridnet.system.log import error, output

__all__ = ["CLI"]


class CLI(cli.CLI):
    """A prompt for an experiment; returns when the user leaves it.

    Args:
        experiment: an `Experiment` that runs.
        plocals, pglobals: the names that `py` sees.
    """

    prompt = "MaxiNet> "

    def __init__(self, experiment: Any, plocals: Mapping[str, Any], pglobals: Mapping[str, Any]) -> None:
        self.experiment = experiment
        self.plocals = dict(plocals)
        self.pglobals = dict(pglobals)
        super().__init__(experiment.net)

    def default(self, line: str) -> bool | None:  # type: ignore[override]
        """NODE COMMAND, WORKER COMMAND: run a command in a node, or on a worker."""
        name, _, text = line.partition(" ")
        if name in self.experiment.cluster.hosts and name not in self.mn:
            self.do_exec(f"{self.experiment.cluster.get_worker(name).machine} {text}")
            return None
        return super().default(line)

    def do_hosts(self, _: str) -> None:
        """hosts: list all hosts."""
        output(f"{' '.join(host.nn for host in self.experiment.hosts)}\n")

    def do_workers(self, _: str) -> None:
        """workers: list all workers with their numbers."""
        numbers = self.experiment.hostname_to_workerid
        output(f"{' '.join(f'{name}[{wid}]' for name, wid in numbers.items())}\n")

    def do_switches(self, _: str) -> None:
        """switches: list all switches with the numbers of their workers."""
        numbers = self.experiment.hostname_to_workerid
        told = (f"{switch.nn}[{numbers[switch.worker.hn()]}]" for switch in self.experiment.switches)
        output(f"{' '.join(told)}\n")

    def do_pingall(self, line: str) -> None:
        """pingall [HOST]: ping between all hosts, or from one to all."""
        if not line.strip():
            super().do_pingall("")
            return
        source = self.experiment.get(line.strip())
        if source is None:
            error(f"*** there is no node {line.strip()}\n")
            return
        others = [host for host in self.experiment.hosts if host is not source]
        lost = 0
        for other in others:
            answered = source.pexec("ping", "-c1", other.IP())[2] == 0
            lost += not answered
            output(f"{source} -> {other}{'' if answered else ' X'}\n")
        output(f"*** Results: {100 * lost / max(len(others), 1):.2f}% dropped\n")

    def do_dpctl(self, line: str) -> None:
        """dpctl SWITCH COMMAND [ARGUMENTS]: run ovs-ofctl on a switch."""
        name, _, command = line.partition(" ")
        switch = self.experiment.get(name)
        if switch is None or not command.strip():
            error("*** write: dpctl SWITCH COMMAND [ARGUMENTS]\n")
            return
        output(switch.dpctl(command))

    def do_ip(self, line: str) -> None:
        """ip NODE: print a node's address."""
        node = self.experiment.get(line.strip())
        output(f"there is no node {line.strip()}\n" if node is None else f"{node.IP()}\n")

    def do_py(self, line: str) -> None:
        """py STATEMENT: execute Python; the names of the script are known."""
        try:
            exec(line, self.pglobals, self.plocals)
        except Exception:  # the user's own code: report whatever it raises
            traceback.print_exc()
        sys.stdout.flush()
