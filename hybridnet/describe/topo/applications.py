# SPDX-License-Identifier: MIT
"""What `addSimHost(applications=[...])` accepts: the programs of simulated hosts, checked where they are written.

Each is a dictionary with a `kind` and that kind's options, in the units of the rest of a description; here it
becomes what the instance plan says, but for a destination, which may be the name of a node until the plan
knows its address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.describe.options import family
from hybridnet.describe.options.read import read_kind
from hybridnet.describe.schema.plans import ApplicationModel
from hybridnet.errors import TopologyError

__all__ = ["resolve_applications"]


def resolve_applications(given: Any, what: str) -> list[ApplicationModel]:
    """The applications as the instance plan writes them; `what` names the host.

    Raises:
        TopologyError: a kind or an option does not exist, one is missing, a value is out of range, two listen
            at the same port, or two udp_source would be one flow.
        UnitError: a quantity has no unit.

    Example:
        >>> resolve_applications([{"kind": "http_server", "size": "20 MB"}], "simhost web")
        [{'kind': 'http_server', 'size_bytes': 20000000}]
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise TopologyError(f"{what}: applications is {given!r}; write a list of dictionaries")
    resolved = [_resolve(each, f"{what}: application {index}") for index, each in enumerate(given)]
    taken: dict[tuple[str, int], str] = {}
    for application in resolved:
        for listening in _listens_at(application):
            if listening in taken:
                protocol, port = listening
                raise TopologyError(
                    f"{what}: {taken[listening]} and {application['kind']} both listen at {protocol} port {port}; "
                    "give one of them another"
                )
            taken[listening] = application["kind"]
    _refuse_one_flow_twice(resolved, what)
    return resolved


def _refuse_one_flow_twice(resolved: Sequence[ApplicationModel], what: str) -> None:
    """A sink tells sources by their addresses and ports, and counts by the numbers of each."""
    default = family("application").models["udp_source"].said["local_port"].default
    flows: set[tuple[Any, ...]] = set()
    for index, application in enumerate(resolved):
        if application["kind"] != "udp_source":
            continue
        local_port = application.get("local_port", default)
        flow = application["destination"], application["port"], local_port
        if flow in flows:
            raise TopologyError(
                f"{what}: application {index} (udp_source): another one sends from port {local_port} to port "
                f"{application['port']} of {application['destination']}, and a sink could not tell them apart; "
                "give it another local_port"
            )
        flows.add(flow)


def _resolve(given: Any, what: str) -> ApplicationModel:
    resolved = read_kind(given, family("application"), what, "application")
    kind = resolved["kind"]
    if resolved.get("udp") and "rate_bps" not in resolved:
        raise TopologyError(f"{what} ({kind}): UDP has no rate of its own; add rate")
    if resolved.get("stop_ns") is not None and resolved["stop_ns"] <= resolved.get("start_ns", 0):
        raise TopologyError(f"{what} ({kind}): it stops before it starts; choose a later stop")
    application: ApplicationModel = resolved
    return application


def _listens_at(application: Mapping[str, Any]) -> list[tuple[str, int]]:
    kind = application["kind"]
    if "destination" in application:
        return []
    port = application.get("port", 80)  # of http_server
    if kind == "iperf3_server":
        return [("TCP", port), ("UDP", port)]
    return [("UDP" if kind.startswith("udp_") else "TCP", port)]
