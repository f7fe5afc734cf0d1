# SPDX-License-Identifier: MIT
"""The switches of one machine whose kinds packages bring: each is made by the maker of its kind."""

from __future__ import annotations

from collections.abc import Sequence

from hybridnet.describe.kinds import Maker, switch_kind
from hybridnet.describe.schema.plans import NodePlan
from hybridnet.system.ending import Endings
from hybridnet.system.journal import Journal

__all__ = ["OtherKinds"]


class OtherKinds:
    """Knows of which kind each switch is, and has a maker of each kind that there is."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._makers: dict[str, Maker] = {}  # by kind
        self._kind_of: dict[str, str] = {}  # by name of the switch

    def __contains__(self, name: object) -> bool:
        return name in self._kind_of

    def create(self, plans: Sequence[NodePlan]) -> None:
        """Make switches, without ports.

        Raises:
            EnvironmentLackError: no package that is installed here brings a kind.
            MachineError: one could not be made.
        """
        for kind in dict.fromkeys(plan["kind"] for plan in plans):
            if kind not in self._makers:
                self._makers[kind] = switch_kind(kind).maker(self._journal)
            own = [plan for plan in plans if plan["kind"] == kind]
            self._kind_of.update({plan["name"]: kind for plan in own})
            self._makers[kind].create(own)

    def add_ports(self, plans: Sequence[NodePlan]) -> None:
        """Give switches, or parts of them, their ports: devices of pairs and portals, which are there."""
        for plan in plans:
            self._makers[plan["kind"]].add_ports(plan["name"], plan["ports"])

    def add_port(self, switch: str, device: str) -> None:
        """Make a device of the computer a port."""
        self._makers[self._kind_of[switch]].add_ports(switch, [device])

    def remove(self, names: Sequence[str]) -> None:
        """Remove switches. One that is not there is no error."""
        for kind, maker in self._makers.items():
            own = [name for name in names if self._kind_of.get(name) == kind]
            if own:
                maker.remove(own)
            for name in own:
                del self._kind_of[name]

    def destroy(self) -> None:
        """Remove them all. Whatever one raises, all are tried; a second call ends what is left."""
        Endings(*(maker.destroy for maker in self._makers.values())).close()
        self._makers, self._kind_of = {}, {}
