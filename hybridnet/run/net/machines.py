# SPDX-License-Identifier: MIT
"""The machines of a network, whoever makes them: the network at its start, or somebody before."""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.describe.topo import Topo
from hybridnet.errors import MachineError
from hybridnet.machines.cluster import Machines
from hybridnet.machines.cluster.here import HERE, Here
from hybridnet.run.net import startup
from hybridnet.run.net.controllers import Controllers
from hybridnet.system.ending import Endings
from hybridnet.system.folders import require_folder
from hybridnet.system.log import info

__all__ = ["NetMachines"]


class NetMachines:
    """The machines of one `hybridnet.Net`: those that it was given, else its own, which end with each run.

    Args:
        given: machines that somebody made already, and ends; "here": its own machine is this computer itself; None: its
            own are local ones.
    """

    def __init__(self, given: Machines | str | None) -> None:
        self._cluster = None if given is None or isinstance(given, str) else given
        self._here = given == HERE
        self.given = self._cluster is not None

    @property
    def there(self) -> bool:
        """Whether there are any now."""
        return self._cluster is not None

    @property
    def cluster(self) -> Machines:
        """The machines. Raises MachineError where there are none yet, or no longer."""
        if self._cluster is None:
            raise MachineError("the network is not running; call net.start() first")
        return self._cluster

    def names(self, topo: Topo) -> list[str]:
        """Those that there are, or will be for this description."""
        if self._cluster is not None:
            return self._cluster.machines
        return [HERE] if self._here else startup.machine_names(topo)

    def require_folder(self, folder: str) -> None:
        """Raise MachineError where a folder for records is missing on one of them."""
        if self._cluster is None:  # machines of its own have the files of this computer
            require_folder(folder)
        else:
            self._cluster.call_all(
                dict.fromkeys(self._cluster.machines, ("check_folder", {"folder": folder}))
            )

    def begin(
        self, names: Sequence[str], controllers: Controllers, endings: Endings, *, has_switches: bool
    ) -> Machines:
        """The machines, with the controllers begun: beside local ones, which take a while to come up.

        Args:
            endings: of the run.
            has_switches: whether there are emulated ones, of which this computer has those of one network only.
        """
        if self._cluster is not None:
            heads = {name: startup.own_address_toward(self._cluster.address(name)) for name in names}
            controllers.begin(heads, endings)
            return self._cluster
        endings.add(self._close)
        if self._here:
            self._cluster = here = Here(alone=has_switches)
            controllers.begin({HERE: here.address(HERE)}, endings, here.journal.environment())
            return here
        from hybridnet.machines.cluster import Cluster

        info(f"*** Starting machines: {' '.join(names)}\n")
        self._cluster = Cluster.local(
            names, on_head_address=lambda address: controllers.begin(dict.fromkeys(names, address), endings)
        )
        return self._cluster

    def _close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None
