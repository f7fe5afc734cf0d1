# SPDX-License-Identifier: MIT
"""The controllers of a network: made as scripts ask for them, begun together, and told to the switches."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hybridnet.describe.values import shown, text
from hybridnet.errors import ControllerError, UsageError
from hybridnet.run.controllers.kinds import Controller, RemoteController
from hybridnet.system.ending import Endings
from hybridnet.system.log import info

__all__ = ["Controllers", "controller_targets"]


class Controllers:
    """The controllers of one `hybridnet.Net`.

    Args:
        default: what `Net(controller=)` says: a class, a function of a name, an object, a list of these, or None.

    Raises:
        UsageError: `default` is none of them.
    """

    def __init__(self, default: Any) -> None:
        several = isinstance(default, list | tuple)
        self._defaults: list[Any] = list(default) if several else [] if default is None else [default]
        for each in self._defaults:
            _check_kind(each, "Net: controller")
        self._usual = Controller if several or default is None else default
        self.all: list[RemoteController] = []

    def add(
        self, name: Any, kind: Any, params: Mapping[str, Any], taken: Sequence[str] = ()
    ) -> RemoteController:
        """Add a controller: `name` is an object, or the name of one that `kind` (a class, function or object) makes.

        Raises:
            UsageError: they make no controller, or one whose name is taken.
        """
        made = self._made(name, self._usual if kind is None else kind, params)
        if made.name in [*taken, *(controller.name for controller in self.all)]:
            raise UsageError(
                f"controller {made.name}: the name is taken by another controller or node; choose another"
            )
        self.all.append(made)
        return made

    def remove(self, controller: RemoteController) -> None:
        """Stop a controller, and forget it. Raises UsageError if it is none of these."""
        if controller not in self.all:
            known = ", ".join(each.name for each in self.all) or "none"
            raise UsageError(
                f"delController: {shown(controller)} is no controller of this network; it has {known}"
            )
        self.all.remove(controller)
        controller.end()

    def add_defaults(self, taken: Sequence[str]) -> None:
        """Add those of `Net(controller=)`, as c0, c1, ..., where the script has added none itself."""
        if not self.all:
            for number, kind in enumerate(self._defaults):
                self.add(f"c{number}", kind, {}, taken)

    def check_machines(self, machines: Sequence[str]) -> None:
        """Raise UsageError if a controller names a machine that does not exist."""
        for controller in self.all:
            for machine in controller.machines or ():
                if machine not in machines:
                    raise UsageError(
                        f"controller {controller}: there is no machine {machine!r}; the machines are "
                        f"{', '.join(machines)}"
                    )

    def suit(self, loop: Sequence[str]) -> None:
        """Let each choose what suits a topology with this loop of switches (empty: none), and say what was chosen."""
        for controller in self.all:
            if chosen := controller.suit(loop):
                info(f"*** {chosen}\n")

    def begin(
        self, heads: Mapping[str, str], endings: Endings, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start them, without waiting.

        Args:
            heads: this computer's address toward each machine.
            environment: of programs that run beside ours; None: this process's.

        Raises:
            ControllerError: one cannot start, or cannot be reached at all of these addresses.
        """
        if self.all:
            info(f"*** Starting controllers: {' '.join(str(c) for c in self.all)}\n")
        for controller in self.all:
            endings.add(controller.end)
            controller.environment = environment
            first, *others = dict.fromkeys(heads[name] for name in controller.machines or heads)
            if others and not controller.at_several_addresses:
                raise ControllerError(
                    f"controller {controller}: its machines reach this computer at {', '.join([first, *others])}, and "
                    f"it can be reached at one of them; give it machines of one subnet, as in machines={[*heads][:1]}"
                )
            controller.begin(first, others) if others else controller.begin(first)

    def ready(self) -> None:
        """Wait until they listen."""
        for controller in self.all:
            controller.ready()

    def settle(
        self,
        machine_of: Mapping[str, str],
        switches: Mapping[str, str],
        waiting: Collection[str],
        patience_s: float,
    ) -> None:
        """Wait until they are ready for their switches: each has those of its machines.

        Args:
            switches: dpids by name.
            waiting: the names of those that connect just now.
        """
        for controller in self.all:
            own = {
                name: dpid
                for name, dpid in switches.items()
                if controller.machines is None or machine_of[name] in controller.machines
            }
            controller.settle(len(own), [own[name] for name in own if name in waiting], patience_s)

    def refusals(self) -> list[str]:
        """Why some have refused switches: see `RemoteController.refusal`."""
        return [controller.refusal for controller in self.all if controller.refusal]

    def check(self) -> None:
        """Raise ControllerError if one has died."""
        for controller in self.all:
            controller.check()

    def _made(self, name: Any, kind: Any, params: Mapping[str, Any]) -> RemoteController:
        for given in (name, kind):
            if isinstance(given, RemoteController):
                if params:
                    raise UsageError(
                        f"controller {given}: it is made already and takes no {min(params)}=; give it to its class"
                    )
                return given
        what = f"controller {text(name, 'controller: name')}"
        _check_kind(kind, what)
        try:
            made = kind(name, **params)
        except TypeError as error:
            raise UsageError(f"{what}: {shown(kind)} does not take its options: {error}") from error
        if not isinstance(made, RemoteController):
            raise UsageError(f"{what}: {shown(kind)} made {shown(made)}, which is not a controller")
        return made


def controller_targets(
    controllers: Sequence[RemoteController], heads: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return what the switches of each machine are told; `heads`: this computer's address toward it."""
    return {
        machine: [
            controller.target(head)
            for controller in controllers
            if controller.machines is None or machine in controller.machines
        ]
        for machine, head in heads.items()
    }


def _check_kind(kind: Any, what: str) -> None:
    if isinstance(kind, RemoteController):
        return
    made: Callable[..., Any] | Any = kind
    while isinstance(made, functools.partial):
        made = made.func
    if not callable(made) or (isinstance(made, type) and not issubclass(made, RemoteController)):
        raise UsageError(
            f"{what} {shown(kind)} is not a controller; give a class, an object such as Ryu('c0', 'my_app.py') or "
            "RemoteController('c0', ip='10.0.0.5', port=6653), or None"
        )
