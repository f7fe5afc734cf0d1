# SPDX-License-Identifier: MIT
"""What `addSimHost(applications=[...])` accepts: the programs of simulated hosts, checked where they are written.

Each is a dictionary with a `kind` and that kind's options, in the units of the rest of a description; here it
becomes what the instance plan says, but for a destination, which may be the name of a node until the plan
knows its address.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridnet.errors import TopologyError
from hybridnet.quantities import parse_bandwidth, parse_delay, parse_size
from hybridnet.topo_tcp import resolve_tcp

__all__ = ["APPLICATION_KINDS", "resolve_applications"]

ARRIVALS = ("cbr", "poisson", "on_off")

Parser = Callable[[Any, str], Any]


@dataclass(frozen=True)
class Option:
    """An option of a kind: its key in the instance plan, how it is read, and whether it must be there."""

    key: str
    parse: Parser
    required: bool = False


def _whole(least: int, most: int) -> Parser:
    def parse(value: Any, what: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise TopologyError(f"{what}: {value!r} is no whole number from {least} to {most}")
        return value

    return parse


def _one_of(*names: str) -> Parser:
    def parse(value: Any, what: str) -> str:
        if value not in names:
            near = difflib.get_close_matches(str(value), names, n=1)
            cure = f"did you mean {near[0]!r}?" if near else f"write one of {', '.join(names)}"
            raise TopologyError(f"{what}: {value!r} is unknown; {cure}")
        return str(value)

    return parse


def _bytes(least: int, most: int) -> Parser:
    """A size: a bare number is bytes, text carries its unit."""

    def parse(value: Any, what: str) -> int:
        bare = isinstance(value, int) and not isinstance(value, bool)
        size = parse_size(f"{value} B" if bare else value, what)
        if not least <= size <= most:
            raise TopologyError(f"{what}: {value!r} is {size} bytes; write {least} to {most}")
        return size

    return parse


def _path(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.startswith("/") or not value.isascii():
        raise TopologyError(f"{what}: {value!r} is no path; write one such as '/file'")
    if any(character in " ?" or not character.isprintable() for character in value):
        raise TopologyError(f"{what}: {value!r} has a space or '?'; leave it out")
    return value


def _above_zero(value: Any, what: str) -> int:
    duration = parse_delay(value, what)
    if duration == 0:
        raise TopologyError(f"{what}: {value!r} is 0; write a time above it")
    return duration


def _truth(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise TopologyError(f"{what}: {value!r} is neither True nor False")
    return value


def _whole_seconds(value: Any, what: str) -> int:
    duration = _above_zero(value, what)
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
_PORT = Option("port", _whole(1, 65535), required=True)
_TCP = {"tcp": Option("tcp", resolve_tcp)}
_TO = {"destination": Option("destination", _destination, required=True), "port": _PORT}
_START = {"start": Option("start_ns", parse_delay)}
_SIZES = {
    "request": Option("request_bytes", _bytes(1, _MUCH)),
    "response": Option("response_bytes", _bytes(1, _MUCH)),
}

APPLICATION_KINDS: Mapping[str, Mapping[str, Option]] = {
    **{kind: {"port": _PORT, **_TCP} for kind in ("tcp_discard", "tcp_echo", "tcp_chargen", "iperf3_server")},
    **{kind: {"port": _PORT} for kind in ("udp_sink", "udp_echo", "udp_chargen")},
    "http_server": {
        "port": Option("port", _whole(1, 65535)),
        "path": Option("path", _path),
        "size": Option("size_bytes", _bytes(0, (1 << 32) - 1)),
        **_TCP,
    },
    "request_server": {"port": _PORT, **_SIZES, **_TCP},
    "request_client": {
        **_TO,
        **_SIZES,
        "count": Option("count", _whole(1, _MUCH)),
        "mean_think": Option("mean_think_ns", parse_delay),
        **_START,
        **_TCP,
    },
    "tcp_bulk": {**_TO, "size": Option("bytes", _bytes(1, _MUCH)), **_START, **_TCP},
    "udp_source": {
        **_TO,
        "rate": Option("rate_bps", parse_bandwidth, required=True),
        "payload": Option("payload_bytes", _bytes(16, 65507)),
        "arrivals": Option("arrivals", _one_of(*ARRIVALS)),
        "mean_on": Option("mean_on_ns", _above_zero),
        "mean_off": Option("mean_off_ns", _above_zero),
        "local_port": Option("local_port", _whole(1, 65535)),
        **_START,
        "stop": Option("stop_ns", _above_zero),
    },
    "iperf3_client": {
        "destination": _TO["destination"],
        "port": Option("port", _whole(1, 65535)),
        "udp": Option("udp", _truth),
        "reverse": Option("reverse", _truth),
        "streams": Option("streams", _whole(1, 128)),
        "rate": Option("rate_bps", parse_bandwidth),
        "block": Option("block_bytes", _bytes(1, 1 << 20)),
        "time": Option("time_ns", _whole_seconds),
        **_START,
        **_TCP,
    },
    "traceroute": {
        "destination": _TO["destination"],
        "hops": Option("hops", _whole(1, 255)),
        "probes": Option("probes", _whole(1, 10)),
        "payload": Option("payload_bytes", _bytes(0, 65507)),
        "port": Option("port", _whole(1, 60000)),
        "wait": Option("wait_ns", _above_zero),
        **_START,
    },
    "ping": {
        "destination": _TO["destination"],
        "interval": Option("interval_ns", _above_zero),
        "count": Option("count", _whole(1, _MUCH)),
        "payload": Option("payload_bytes", _bytes(0, 65507)),
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
    if not isinstance(given, Mapping) or "kind" not in given:
        raise TopologyError(f"{what}: {given!r} is no application; write a dictionary with 'kind'")
    kind = _one_of(*APPLICATION_KINDS)(given["kind"], f"{what}: kind")
    options = APPLICATION_KINDS[kind]
    resolved: dict[str, Any] = {"kind": kind}
    for name, value in given.items():
        if name == "kind":
            continue
        if name not in options:
            near = difflib.get_close_matches(str(name), options, n=1)
            cure = f"did you mean {near[0]!r}?" if near else f"the options are {', '.join(sorted(options))}"
            raise TopologyError(f"{what} ({kind}): unknown option {name!r}; {cure}")
        resolved[options[name].key] = options[name].parse(value, f"{what} ({kind}): {name}")
    for name, option in options.items():
        if option.required and option.key not in resolved:
            raise TopologyError(f"{what} ({kind}): {name} is missing; add it")
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
