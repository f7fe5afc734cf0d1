# SPDX-License-Identifier: MIT
"""How to enter the hosts of a machine from outside: what its agent writes down for `hybridnet exec`.

A host's mount namespace, with its private directories and its /etc/hosts, and that of its name have no name themselves:
the agent holds a descriptor of each.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from hybridnet.system.ways import Way

__all__ = ["Entrance", "read_entrances", "write_entrances"]

_FILE = "hosts.json"


@dataclass(frozen=True)
class Entrance:
    """The namespaces of a host, as files within its machine.

    Args:
        network: of its network; None: it is in the machine's own namespaces.
        mount, name: of its mounts and its name; None: the machine's.
        environment: of its programs, where its root is an image; None: it has the computer's files.
        folder: where programs begin in an image.
        shell: the host's, as a command within it.
    """

    network: str | None = None
    mount: str | None = None
    name: str | None = None
    environment: dict[str, str] | None = None
    folder: str = "/"
    shell: Sequence[str] = ("bash",)

    def command(self) -> list[str]:
        """What enters it, run in the machine; empty where that is the same."""
        way = self.way()
        return way.within({}) or way.before

    def way(self) -> Way:
        """The same for programs that are to be prepared: see `hybridnet.system.ways`."""
        if self.network is None:
            return Way()
        mount = [] if self.mount is None else [f"--mount={self.mount}"]
        name = [] if self.name is None else [f"--uts={self.name}"]
        entering = ["nsenter", f"--net={self.network}"]
        if self.environment is None:
            return Way([*entering, *mount, *name, "--"])
        within = [*entering, *mount, *name, f"--wdns={self.folder}", "--"]
        return Way([*entering, *name, "--"], within, self.environment, self.shell)


def write_entrances(directory: Path, entrances: Mapping[str, Entrance]) -> None:
    """Write down those of all hosts of a machine, instead of what was there; nothing once its directory is gone."""
    unfinished = directory / f"{_FILE}.new"
    with contextlib.suppress(FileNotFoundError):
        unfinished.write_text(json.dumps({name: asdict(each) for name, each in entrances.items()}))
        os.replace(unfinished, directory / _FILE)


def read_entrances(directory: Path) -> dict[str, Entrance]:
    """Those of the hosts that the machine has now; none before its network is built."""
    try:
        told = json.loads((directory / _FILE).read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return {name: Entrance(**each) for name, each in told.items()}
