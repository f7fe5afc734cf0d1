# SPDX-License-Identifier: MIT
"""What `hybridnet.Net` is called with, checked: Mininet's options that there are not, and which values make sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hybridnet.describe.kinds import OWN_KINDS
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.topo import require_built
from hybridnet.describe.values import choice, flag, nearest, number, shown
from hybridnet.errors import UsageError
from hybridnet.machines.cluster.here import HERE
from hybridnet.observe.results.on_loss import ON_LOSS
from hybridnet.plan.choices.from_command_line import asked
from hybridnet.plan.network import PlanOptions

__all__ = ["check_arguments", "plan_options"]

# Mininet's constructor options that have no meaning here, and what to do instead.
_UNSUPPORTED = {
    "autoPinCpus": "give hosts cores, as in addHost(cores=0)",
    "build": "leave it out: nothing is made before start()",
    "cleanup": "leave it out: `hybridnet clean` removes what a killed run left",
    "inNamespace": "switches live in their machine's namespace",
    "intf": "leave it out: addLink takes the options of interfaces",
    "link": "leave it out: addLink takes options such as bw=, and a link that has some is simulated",
    "listenPort": "give switches theirs, as in addSwitch(listenPort=6654)",
    "xterms": "run programs with popen",
}
_PLAN_OPTIONS = set(PlanOptions.__dataclass_fields__) - {"token", "controllers", "peering_key"}
_NO_TOKEN = "0" * 16  # of plans that nobody builds
_NO_KEY = "0" * 64


def check_arguments(
    topo: Any,
    cluster: Any,
    switches: Any,
    on_loss: Any,
    on_progress: Any,
    wait_connected: Any,
    flags: Mapping[str, Any],
) -> None:
    """Refuse what `Net` cannot do.

    Args:
        flags: by their names.

    Raises:
        UsageError: a value makes no sense.
    """
    if topo is not None and not isinstance(topo, Topo):
        raise UsageError(f"Net: topo {shown(topo)} is not a description; give an object of a Topo class")
    if topo is not None:
        require_built(topo)
    if cluster not in (None, HERE) and not hasattr(cluster, "call_all"):
        raise UsageError(
            f'Net: cluster {shown(cluster)} is not a hybridnet.Cluster; leave it out, make one, or write "{HERE}"'
        )
    if switches is not None:
        choice(switches, "Net: switches", OWN_KINDS)
    if on_loss is not None:
        choice(on_loss, "Net: on_loss", ON_LOSS)
    if on_progress is not None and not callable(on_progress):
        raise UsageError(f"Net: on_progress {shown(on_progress)} cannot be called; give a function")
    for name, value in flags.items():
        flag(value, f"Net: {name}")
    if not isinstance(wait_connected, bool):
        number(wait_connected, "Net: waitConnected", 0, 1e6)


def plan_options(
    of_mininet: Mapping[str, Any], options: Mapping[str, Any], named: Iterable[str]
) -> PlanOptions:
    """The options of plans that nobody builds yet: without a token, a key and controllers; with those that the command
    line asks of all networks.

    Args:
        of_mininet: those of the plan's options that have other names in Mininet.
        options: those that `Net` does not name.
        named: those that it does, which may be meant.

    Raises:
        UsageError: there is no such option, or it is Mininet's and not supported, or the command line asks for another
            value.
    """
    for name in sorted(options.keys() - _PLAN_OPTIONS):
        if name in _UNSUPPORTED:
            raise UsageError(f"Net: {name}= is not supported; {_UNSUPPORTED[name]}")
        near = nearest(name, [*_PLAN_OPTIONS, *named])
        meant = f"did you mean {near!r}?" if near else "see help(hybridnet.Net)"
        raise UsageError(f"Net: unknown option {name!r}; {meant}")
    return PlanOptions(
        **{"token": _NO_TOKEN, "peering_key": _NO_KEY, **of_mininet, **asked().and_own(options)}
    )
