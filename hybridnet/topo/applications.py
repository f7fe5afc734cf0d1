# SPDX-License-Identifier: MIT
"""What `addSimHost(applications=[...])` accepts: the programs of simulated hosts, checked where they are written.

Each is a dictionary with a `kind` and that kind's options, in the units of the rest of a description; here it
becomes what the instance plan says, but for a destination, which may be the name of a node until the plan
knows its address.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_bandwidth, parse_delay
from hybridnet.topo.fields import Kinds, Option, above_zero, one_of, resolve_kind, size_between, whole_between
from hybridnet.topo.tcp import resolve_tcp

__all__ = ["APPLICATION_KINDS", "resolve_applications"]

ARRIVALS = ("cbr", "poisson", "on_off")


def _path(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.startswith("/") or not value.isascii():
        raise TopologyError(f"{what}: {value!r} is no path; write one such as '/file'")
    if any(character in " ?" or not character.isprintable() for character in value):
        raise TopologyError(f"{what}: {value!r} has a space or '?'; leave it out")
    return value


def _truth(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise TopologyError(f"{what}: {value!r} is neither True nor False")
    return value


def _whole_seconds(value: Any, what: str) -> int:
    duration = above_zero(value, what)
    if duration % 1_000_000_000 or duration > 86_400 * 1_000_000_000:
        raise TopologyError(
            f"{what}: {value!r} is no whole number of seconds from 1 to 86400, as iperf3 takes"
        )
    return duration


def _destination(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise TopologyError(f"{what}: {value!r} is no destination; write a node's name or an address")
    return value


_MUCH = 1 << 40
_PORT = Option("port", whole_between(1, 65535), required=True)
_TCP = {"tcp": Option("tcp", resolve_tcp)}
_TO = {"destination": Option("destination", _destination, required=True), "port": _PORT}
_START = {"start": Option("start_ns", parse_delay)}
_SIZES = {
    "request": Option("request_bytes", size_between(1, _MUCH)),
    "response": Option("response_bytes", size_between(1, _MUCH)),
}

APPLICATION_KINDS: Kinds = {
    **{kind: {"port": _PORT, **_TCP} for kind in ("tcp_discard", "tcp_echo", "tcp_chargen", "iperf3_server")},
    **{kind: {"port": _PORT} for kind in ("udp_sink", "udp_echo", "udp_chargen")},
    "http_server": {
        "port": Option("port", whole_between(1, 65535)),
        "path": Option("path", _path),
        "size": Option("size_bytes", size_between(0, (1 << 32) - 1)),
        **_TCP,
    },
    "request_server": {"port": _PORT, **_SIZES, **_TCP},
    "request_client": {
        **_TO,
        **_SIZES,
        "count": Option("count", whole_between(1, _MUCH)),
        "mean_think": Option("mean_think_ns", parse_delay),
        **_START,
        **_TCP,
    },
    "tcp_bulk": {**_TO, "size": Option("bytes", size_between(1, _MUCH)), **_START, **_TCP},
    "udp_source": {
        **_TO,
        "rate": Option("rate_bps", parse_bandwidth, required=True),
        "payload": Option("payload_bytes", size_between(16, 65507)),
        "arrivals": Option("arrivals", one_of(*ARRIVALS)),
        "mean_on": Option("mean_on_ns", above_zero),
        "mean_off": Option("mean_off_ns", above_zero),
        "local_port": Option("local_port", whole_between(1, 65535)),
        **_START,
        "stop": Option("stop_ns", above_zero),
    },
    "iperf3_client": {
        "destination": _TO["destination"],
        "port": Option("port", whole_between(1, 65535)),
        "udp": Option("udp", _truth),
        "reverse": Option("reverse", _truth),
        "streams": Option("streams", whole_between(1, 128)),
        "rate": Option("rate_bps", parse_bandwidth),
        "block": Option("block_bytes", size_between(1, 1 << 20)),
        "time": Option("time_ns", _whole_seconds),
        **_START,
        **_TCP,
    },
    "traceroute": {
        "destination": _TO["destination"],
        "hops": Option("hops", whole_between(1, 255)),
        "probes": Option("probes", whole_between(1, 10)),
        "payload": Option("payload_bytes", size_between(0, 65507)),
        "port": Option("port", whole_between(1, 60000)),
        "wait": Option("wait_ns", above_zero),
        **_START,
    },
    "ping": {
        "destination": _TO["destination"],
        "interval": Option("interval_ns", above_zero),
        "count": Option("count", whole_between(1, _MUCH)),
        "payload": Option("payload_bytes", size_between(0, 65507)),
        **_START,
    },
}


def resolve_applications(given: Any, what: str) -> list[dict[str, Any]]:
    """The applications as the instance plan writes them; `what` names the host.

    Raises:
        TopologyError: a kind or an option does not exist, one is missing, a value is out of range, or two
            listen at the same port.
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
    return resolved


def _resolve(given: Any, what: str) -> dict[str, Any]:
    resolved = resolve_kind(given, APPLICATION_KINDS, "kind", what, "application")
    kind = resolved["kind"]
    if resolved.get("udp") and "rate_bps" not in resolved:
        raise TopologyError(f"{what} ({kind}): UDP has no rate of its own; add rate")
    if resolved.get("stop_ns") is not None and resolved["stop_ns"] <= resolved.get("start_ns", 0):
        raise TopologyError(f"{what} ({kind}): it stops before it starts; choose a later stop")
    return resolved


def _listens_at(application: Mapping[str, Any]) -> list[tuple[str, int]]:
    kind = application["kind"]
    if "destination" in application:
        return []
    port = application.get("port", 80)
    if kind == "iperf3_server":
        return [("TCP", port), ("UDP", port)]
    return [("UDP" if kind.startswith("udp_") else "TCP", port)]
