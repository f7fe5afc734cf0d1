# SPDX-License-Identifier: MIT
"""What a command line asks of the networks of a script: `hybridnet run --instances 4 SCRIPT.py`.

Each network of the process that says nothing else has it. One that says something else is refused: of two answers to
one question, nobody could tell which one was meant.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hybridnet.errors import UsageError
from hybridnet.plan.choices.options import RealtimeOptions
from hybridnet.plan.choices.peering import PeeringOptions

__all__ = ["NOTHING", "Asked", "asked", "asking"]


@dataclass(kw_only=True)
class Asked:
    """What is asked; None is nothing.

    Args:
        instances: of each machine: ``instances_per_machine``.
        peering: the way between instances.
        wait: how instances wait for frames and events.
        slow: as of a plan's options.
        switches: as of `hybridnet.Net`.
        protocols: versions of OpenFlow of switches that do not say.
    """

    instances: int | str | None = None
    peering: PeeringOptions | None = None
    wait: str | None = None
    slow: int | None = None
    switches: str | None = None
    protocols: str | None = None
    _obeyed: bool = field(default=False, init=False)

    @property
    def flags(self) -> list[str]:
        """The flags that ask for it."""
        given = {
            "--instances": self.instances,
            "--peering": self.peering,
            "--wait": self.wait,
            "--slow": self.slow,
            "--switches": self.switches,
            "--protocols": self.protocols,
        }
        return [flag for flag, value in given.items() if value is not None]

    def and_own(self, options: Mapping[str, Any]) -> dict[str, object]:
        """The options of a plan that are asked for, with those that a network has said.

        Raises:
            UsageError: the two contradict each other.
            PlanError: an option makes no sense.
        """
        both = dict(options)
        if self.instances is not None:
            own = both.setdefault("instances_per_machine", self.instances)
            _agree("instances_per_machine", own, "--instances", self.instances)
        if self.slow is not None:
            _agree("slow", both.setdefault("slow", self.slow), "--slow", self.slow)
        if self.wait is not None:
            own = both.get("realtime")
            said = dict(own.options) if isinstance(own, RealtimeOptions) else {}
            _agree("realtime: wait", said.setdefault("wait", self.wait), "--wait", self.wait)
            both["realtime"] = RealtimeOptions(**said)
        if self.protocols is not None:
            own = both.setdefault("protocols", self.protocols)
            _agree("protocols", own, "--protocols", self.protocols)
        if self.peering is not None:
            both["peering"] = _both_peerings(self.peering, both.get("peering"))
        return both

    def and_own_switches(self, own: str | None) -> str | None:
        """The kind of switches: that of the network, or the one that is asked for. Raises UsageError."""
        if self.switches is None:
            return own
        if own is not None:
            _agree("switches", own, "--switches", self.switches)
        return self.switches

    def obeyed(self) -> None:
        """A network starts that has them."""
        self._obeyed = True

    @property
    def has_network(self) -> bool:
        """Whether a network has started."""
        return self._obeyed

    def refuse_unobeyed(self) -> None:
        """Raise UsageError if something was asked, and no network has started."""
        if self.flags and not self._obeyed:
            raise UsageError(
                f"{', '.join(self.flags)}: the script has started no network that could obey; leave it out, or choose "
                "a topology with --topo"
            )


def _both_peerings(asked: PeeringOptions, own: Any) -> PeeringOptions:
    if own is None:
        return asked
    written = PeeringOptions.of(own)
    for name in asked.given.keys() & written.given.keys():
        _agree(f"peering: {name}", written.given[name], "--peering", asked.given[name])
    return PeeringOptions(**{**written.given, **asked.given})


def _agree(name: str, own: Any, flag: str, asked: Any) -> None:
    if own != asked:
        raise UsageError(
            f"Net: {name}={own!r} in the script, and {flag} asks for {asked!r}; leave one of the two out"
        )


NOTHING = Asked()
_asked = NOTHING


def asked() -> Asked:
    """Of a network that is made now."""
    return _asked


@contextlib.contextmanager
def asking(what: Asked) -> Iterator[None]:
    """Networks that are made within have it.

    Example:
        >>> with asking(Asked(instances=4)):
        ...     asked().and_own({"seed": 2})
        {'seed': 2, 'instances_per_machine': 4}
        >>> asked().and_own({"seed": 2})
        {'seed': 2}
    """
    global _asked
    before, _asked = _asked, what
    try:
        yield
    finally:
        _asked = before
