# SPDX-License-Identifier: MIT
"""What can happen in a trial: each kind of event by its name, with its options.

An option is a node or a link of the network, a time, or a number. Each can be read, and drawn from a seed. What ends by
itself ends at the latest when the trial's disturbances end.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final

from hybridnet.describe.quantities import format_delay, parse_delay
from hybridnet.describe.values import meant, shown, whole
from hybridnet.errors import UsageError
from hybridnet.tools.explore.site import Site

__all__ = ["DISTURBANCES", "Disturbance", "Stage"]

_MOST_NS = 2_000_000_000  # of what lasts


class Stage(Protocol):
    """What disturbances may do to a trial."""

    site: Site

    def ping(self, source: str, target: str) -> None:
        """Let a host ask another one."""

    def move(self, host: str, switch: str) -> None:
        """Take a host to the free port of a switch; one that is there goes back to where it was at first."""

    def set_link(self, link: str, up: bool) -> None:
        """Take a link, or the one to a host, up or down."""

    def lose_connection(self, switch: str) -> None:
        """End the connections of a switch to its controllers."""

    def restart(self, switch: str) -> None:
        """Let a switch lose its connection and all that it has been told."""

    def connect(self, switch: str) -> None:
        """Let a switch connect to each controller that is there, if it is not."""

    def fail(self, controller: str) -> None:
        """End a controller, with all that it knows."""

    def cut_off(self, controller: str) -> None:
        """End all connections of a controller, which goes on."""

    def restore(self, controller: str) -> None:
        """Start a controller that has failed, and let all switches connect to it."""

    def delay(self, switch: str, which: str, delay_ns: int) -> None:
        """Delay messages: to_controller, to_switch, barrier, statistics; 0: as at first."""

    def flow(self, source: str, address: str, segments: int, every_ns: int) -> None:
        """Let a client send a flow of segments to a service."""

    def time_out(self, switch: str, after_ns: int, behind_ns: int, *, at_switch: bool) -> None:
        """Let a switch and its controller hear nothing of each other, until one of the two gives the connection up.

        The other one notices `behind_ns` later. At the latest when both have, the switch connects again.
        """

    def request(self, controller: str, method: str, path: str, body: str) -> None:
        """Ask the REST interface of a controller's application."""

    def later(self, after_ns: int, do: Callable[[], None]) -> None:
        """Do something later."""


Read = Callable[[Any, Site, str], Any]
Draw = Callable[[Site, random.Random], Any]


@final
@dataclass(frozen=True)
class Option:
    """One option: how it is read, and drawn; a value that cannot be drawn in a network is None.

    Args:
        default: what it is if it is not written; None: it must be.
    """

    read: Read
    draw: Draw
    meaning: str
    default: Any = None


@final
@dataclass(frozen=True)
class Disturbance:
    """One kind of event.

    Args:
        name: as a schedule has it.
        meaning: one line for people.
        options: by name.
        do: does it, with the options' values.
        from_the_start: a property of a switch for the whole trial; when it is said to happen does not matter.
        drawn: a seed may draw it; what hosts ask each other is drawn apart.
        least_controllers: so many there must be for a seed to draw it.
    """

    name: str
    meaning: str
    options: Mapping[str, Option]
    do: Callable[[Stage, dict[str, Any]], None]
    from_the_start: bool = False
    drawn: bool = True
    least_controllers: int = 1

    def draw(self, site: Site, chance: random.Random) -> dict[str, Any] | None:
        """Values of its options; None: this network has nothing to which it could happen."""
        values = {name: option.draw(site, chance) for name, option in self.options.items()}
        return (
            None if None in values.values() or values.get("from") == values.get("to") is not None else values
        )

    def read(self, given: Mapping[str, Any], site: Site, what: str) -> dict[str, Any]:
        """What somebody has written, checked. Raises UsageError."""
        for name in given:
            if name not in self.options:
                raise UsageError(
                    f"{what}: {self.name} has no option {shown(name)}; {meant(name, self.options)}it has "
                    f"{', '.join(self.options)}"
                )
        lacking = [
            name for name, option in self.options.items() if name not in given and option.default is None
        ]
        if lacking:
            raise UsageError(
                f"{what}: {self.name} lacks {', '.join(lacking)}; it has {', '.join(self.options)}"
            )
        return {
            name: option.read(given.get(name, option.default), site, f"{what}: {name}")
            for name, option in self.options.items()
        }


def _one_of(
    names: Callable[[Site], list[str]],
    meaning: str,
    lacking: str = "choose another event",
    default: str | None = None,
) -> Option:
    def read(value: Any, site: Site, what: str) -> str:
        if value not in names(site):
            there = (
                f"there are {', '.join(names(site))}"
                if names(site)
                else f"the network has no such thing: {lacking}"
            )
            raise UsageError(f"{what}: there is no {shown(value)}; {there}")
        return str(value)

    return Option(
        read, lambda site, chance: chance.choice(names(site)) if names(site) else None, meaning, default
    )


def _time(least_ms: int, most_ms: int, meaning: str) -> Option:
    def read(value: Any, _: Site, what: str) -> str:
        if parse_delay(value, what) > _MOST_NS:
            raise UsageError(f"{what}: {shown(value)} is longer than {format_delay(_MOST_NS)}")
        return str(value)

    return Option(read, lambda _, chance: f"{chance.randint(least_ms, most_ms)}ms", meaning)


def _count(least: int, most: int, meaning: str) -> Option:
    return Option(
        lambda value, _, what: whole(value, what, 1, 1_000_000),
        lambda _, chance: chance.randint(least, most),
        meaning,
    )


def _text(meaning: str, default: str | None = None) -> Option:
    def read(value: Any, _: Site, what: str) -> str:
        if not isinstance(value, str) or any(sign in value for sign in "\r\n"):
            raise UsageError(f"{what}: {shown(value)}: write a text on one line, in quotation marks")
        return value

    return Option(read, lambda _, __: None, meaning, default)


def _path() -> Option:
    text = _text("of what")

    def read(value: Any, site: Site, what: str) -> str:
        path: str = text.read(value, site, what)
        if not path.startswith("/") or " " in path:
            raise UsageError(f"{what}: {shown(value)}: write a path, such as /simpleswitch/mactable/1")
        return path

    return Option(read, text.draw, text.meaning)


def _clients(site: Site) -> list[str]:
    return [name for name in site.hosts if all(name not in each.servers for each in site.services.values())]


_HOST = _one_of(lambda site: list(site.hosts), "a host")
_SWITCH = _one_of(lambda site: list(site.switches), "a switch")
_EDGE = _one_of(
    lambda site: [name for name in site.switches if f"{name}-free" in site.jacks], "a switch that has hosts"
)
_CLIENT = _one_of(_clients, "a host that is no server")
_SERVICE = _one_of(
    lambda site: list(site.services),
    "the address of a service",
    "no service is said by an invariant affinity(...)",
)
_CONTROLLER = _one_of(lambda site: list(site.controllers), "a controller")
_FIRST_CONTROLLER = _one_of(lambda site: list(site.controllers), "whom", default="c1")
_METHOD = _one_of(lambda _: ["GET", "PUT", "POST", "DELETE"], "of HTTP")
_LINK = _one_of(lambda site: list(site.links), "a link between switches")
_FOR = _time(50, 1500, "for how long")
_LATE = _time(20, 400, "by how much")


def _ns(text: str) -> int:
    return parse_delay(text, "explore: time")


def _down(stage: Stage, link: str, for_ns: int) -> None:
    stage.set_link(link, False)
    stage.later(for_ns, lambda: stage.set_link(link, True))


def _flap(stage: Stage, to: dict[str, Any]) -> None:
    for number in range(to["times"]):
        stage.later(2 * number * _ns(to["every"]), lambda: _down(stage, to["host"], _ns(to["every"])))


def _lose(stage: Stage, to: dict[str, Any]) -> None:
    stage.lose_connection(to["switch"])
    stage.later(_ns(to["for"]), lambda: stage.connect(to["switch"]))


def _fail(stage: Stage, to: dict[str, Any]) -> None:
    stage.fail(to["controller"])
    stage.later(_ns(to["for"]), lambda: stage.restore(to["controller"]))


def _cut_off(stage: Stage, to: dict[str, Any]) -> None:
    stage.cut_off(to["controller"])
    stage.later(_ns(to["for"]), lambda: stage.restore(to["controller"]))


def _restart(stage: Stage, to: dict[str, Any]) -> None:
    stage.restart(to["switch"])
    stage.later(_ns(to["for"]), lambda: stage.connect(to["switch"]))


def _timed_out(at_switch: bool) -> Callable[[Stage, dict[str, Any]], None]:
    def do(stage: Stage, to: dict[str, Any]) -> None:
        stage.time_out(to["switch"], _ns(to["after"]), _ns(to["behind"]), at_switch=at_switch)

    return do


def _late(which: str) -> Callable[[Stage, dict[str, Any]], None]:
    def do(stage: Stage, to: dict[str, Any]) -> None:
        stage.delay(to["switch"], which, _ns(to["by"]))
        stage.later(_ns(to["for"]), lambda: stage.delay(to["switch"], which, 0))

    return do


def _nothing(_: Stage, __: dict[str, Any]) -> None:
    """The switch was made so."""


_TIME_OUT_OPTIONS = {
    "switch": _SWITCH,
    "after": _time(50, 800, "how long until the first of the two gives up"),
    "behind": _time(20, 800, "how much later the other one notices"),
}
_LATE_OPTIONS = {"switch": _SWITCH, "by": _LATE, "for": _FOR}
_ALL = (
    Disturbance("ping", "a host asks another one", {"from": _HOST, "to": _HOST},
                lambda stage, to: stage.ping(to["from"], to["to"]), drawn=False),
    Disturbance("flow", "a client sends a flow of segments to a service, which are answered",
                {"from": _CLIENT, "to": _SERVICE, "segments": _count(4, 20, "how many"),
                 "every": _time(50, 400, "how far apart")},
                lambda stage, to: stage.flow(to["from"], to["to"], to["segments"], _ns(to["every"])), drawn=False),
    Disturbance("request", "somebody asks the application's REST interface",
                {"method": _METHOD, "path": _path(), "body": _text("what is sent", ""),
                 "controller": _FIRST_CONTROLLER},
                lambda stage, to: stage.request(to["controller"], to["method"], to["path"], to["body"]), drawn=False),
    Disturbance("host-moves",
                "a host leaves its port, appears at the free port of a switch (or, if it is there, at its first port), "
                "and announces itself",
                {"host": _HOST, "to": _EDGE}, lambda stage, to: stage.move(to["host"], to["to"])),
    Disturbance("link-down", "a link between switches goes down, and comes up again", {"link": _LINK, "for": _FOR},
                lambda stage, to: _down(stage, to["link"], _ns(to["for"]))),
    Disturbance("port-flaps", "the link of a host goes down and up several times",
                {"host": _HOST, "times": _count(1, 4, "how often"), "every": _time(10, 100, "how fast")}, _flap),
    Disturbance("switch-restarts", "a switch forgets its flows and connects again", {"switch": _SWITCH, "for": _FOR},
                _restart),
    Disturbance("connection-lost", "a switch keeps its flows, and has no controller for a while",
                {"switch": _SWITCH, "for": _FOR}, _lose),
    Disturbance("switch-times-out",
                "a switch has no answer to its echo requests, and connects again while the controller keeps the old "
                "connection for a while", _TIME_OUT_OPTIONS, _timed_out(at_switch=True)),
    Disturbance("controller-times-out",
                "a switch does not answer echo requests, the controller gives it up, and it notices later",
                _TIME_OUT_OPTIONS, _timed_out(at_switch=False)),
    Disturbance("controller-fails",
                "a controller ends, and all switches lose it; later it starts again, and knows nothing",
                {"controller": _CONTROLLER, "for": _FOR}, _fail, least_controllers=2),
    Disturbance("controller-cut-off", "a controller goes on, and has no connection to any switch for a while",
                {"controller": _CONTROLLER, "for": _FOR}, _cut_off, least_controllers=2),
    Disturbance("late-to-controller", "messages of a switch come late", _LATE_OPTIONS, _late("to_controller")),
    Disturbance("late-to-switch", "messages to a switch come late", _LATE_OPTIONS, _late("to_switch")),
    Disturbance("late-barriers", "a switch answers barriers late", _LATE_OPTIONS, _late("barrier")),
    Disturbance("late-statistics", "a switch answers requests for statistics late", _LATE_OPTIONS,
                _late("statistics")),
    Disturbance("slow-flow-mods", "a switch takes few flows per second",
                {"switch": _SWITCH, "rate": _count(20, 200, "per second")}, _nothing, from_the_start=True),
    Disturbance("full-table", "a switch has room for few flows, and refuses the others (OFPFMFC_TABLE_FULL)",
                {"switch": _SWITCH, "flows": _count(4, 12, "how many")}, _nothing, from_the_start=True),
)  # fmt: skip
DISTURBANCES: Mapping[str, Disturbance] = {each.name: each for each in _ALL}
"""By name."""
