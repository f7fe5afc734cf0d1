# SPDX-License-Identifier: MIT
"""What `hybridnet.Net` is called with, checked: Mininet's options that there are not, and which values make sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hybridnet.describe.kinds import OWN_KINDS
from hybridnet.describe.topo import Topo
from hybridnet.describe.topo.options import link_option_names
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
# The plan's options that have other names in Mininet.
_OF_MININET = {"autoSetMacs": "auto_set_macs", "autoStaticArp": "auto_static_arp", "ipBase": "ip_base"}
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
    reroute: Any,
) -> None:
    """Refuse what `Net` cannot do. Raises UsageError: a value makes no sense."""
    if topo is not None and not isinstance(topo, Topo):
        made = (
            f"{topo.__name__}()"
            if isinstance(topo, type) and issubclass(topo, Topo)
            else "an object of a Topo class"
        )
        raise UsageError(f"Net: topo {shown(topo)} is not a description; give {made}")
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
    flag(reroute, "Net: reroute")
    if not isinstance(wait_connected, bool):
        number(wait_connected, "Net: waitConnected", 0, 1e6)


def plan_options(options: Mapping[str, Any], named: Iterable[str]) -> PlanOptions:
    """The options of plans that nobody builds yet: without a token, a key and controllers; with those that the command
    line asks of all networks.

    Args:
        options: those that `Net` does not name itself, by their names in `PlanOptions` or in Mininet.
        named: those that it does, which may be meant.

    Raises:
        UsageError: there is no such option, or it is Mininet's and not supported, or given by both of its names, or the
            command line asks for another value.
    """
    own = {_OF_MININET.get(name, name): value for name, value in options.items()}
    for name in _OF_MININET.keys() & options.keys():
        if _OF_MININET[name] in options:
            raise UsageError(
                f"Net: {name}= and {_OF_MININET[name]}= are two names of one option; leave one out"
            )
    for name in sorted(own.keys() - _PLAN_OPTIONS):
        if name in _UNSUPPORTED:
            raise UsageError(f"Net: {name}= is not supported; {_UNSUPPORTED[name]}")
        if name in link_option_names():
            raise UsageError(f"Net: {name}= is an option of links; write addLink(node1, node2, {name}=...)")
        near = nearest(name, [*_PLAN_OPTIONS, *_OF_MININET, *named])
        meant = f"did you mean {near!r}?" if near else "see help(hybridnet.Net)"
        raise UsageError(f"Net: unknown option {name!r}; {meant}")
    values: dict[str, Any] = {"token": _NO_TOKEN, "peering_key": _NO_KEY, **asked().and_own(own)}
    return PlanOptions(**values)
