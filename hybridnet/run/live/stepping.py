# SPDX-License-Identifier: MIT
"""The page of a simulation in virtual time: the same page, with a simulation in the place of machines.

Stepper ── Stepper ──▶ SteppedMachines ──▶ Watcher, Control: as of a network in real time
              └─────▶ SteppingControl: to go on, what is to come, queues, connections, messages
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn

from hybridnet.describe.values import plain
from hybridnet.errors import MachineError, UsageError
from hybridnet.machines.cluster.machines import Calls
from hybridnet.observe.results.verdict import Verdict
from hybridnet.observe.series.snapshot import ConnectionRow
from hybridnet.run.live.control import Control
from hybridnet.run.live.network import Live, UnknownNameError
from hybridnet.run.live.page import Page
from hybridnet.run.live.page_options import LOOPBACK, checked_place
from hybridnet.run.live.response_schemas import Answer
from hybridnet.run.live.routes import Route
from hybridnet.run.live.stepping_response_schemas import STEPPING_ANSWERS
from hybridnet.run.live.stepping_routes import STEPPING_ROUTES
from hybridnet.run.live.watching import Watcher
from hybridnet.simulate.offline.inspection import ComingEvent, LinkContents, Message
from hybridnet.simulate.offline.stepper import Stepper

__all__ = ["LiveStepper", "Stepper", "SteppingPage"]

NEXT_EVENTS = 50
_SECOND = 1_000_000_000


class LiveStepper(Stepper):
    """A `Stepper` that can be served as a page."""

    def live(
        self,
        host: str = LOOPBACK,
        port: int = 0,
        names: Sequence[str] = (),
        notebook: str | None = None,
    ) -> Page:
        """Serve it as a page; see docs/live.md. Arguments and errors are those of `hybridnet.Net.live`."""
        return SteppingPage(self, *checked_place(host, port, names, notebook))


class SteppingPage(Page):
    """Serves one simulation until it is closed. Arguments and errors are those of `Page`."""

    routes: ClassVar[Sequence[Route]] = STEPPING_ROUTES
    answers: ClassVar[Mapping[str, Answer]] = STEPPING_ANSWERS

    def __init__(
        self,
        stepped: Stepper,
        host: str = LOOPBACK,
        port: int = 0,
        names: tuple[str, ...] = (),
        notebook: str | None = None,
    ) -> None:
        self._stepped = stepped
        net: Any = SteppedNetwork(stepped)
        live = Live(net, lambda _: Verdict.of([]), frozenset, lambda _: ({}, {}), _refuse_capture)
        super().__init__(live, host, port, names, notebook)
        stepped.on_change = self.watcher.hasten
        self._endings.add(self._forget)

    def _forget(self) -> None:
        self._stepped.on_change = lambda: None

    def _watch(self, live: Live, on_look: Callable[[], object]) -> Watcher:
        return Watcher(live, on_look, lambda: _progress(self._stepped.progress))

    def _control(self, live: Live) -> Control:
        return SteppingControl(self._stepped, live, self.watcher)


def _refuse_capture(where: str, *_: str) -> NoReturn:
    raise MachineError(
        f"capture at {where}: a simulation in virtual time shows what passes under messages; for a file, name the "
        "interface in captures= of Net"
    )


class SteppedMachines:
    """What the page asks of machines, answered by the simulation."""

    def __init__(self, stepped: Stepper) -> None:
        self._stepped = stepped
        self.machines = list(stepped.plan.machines)

    def address(self, _: str) -> str:
        return "virtual time"

    def call_left(self, calls: Calls) -> Answer:
        """Of the one machine what its agent's verbs `look` and `scrape` would answer."""
        [(machine, (verb, arguments))] = calls.items()
        [instance] = self._stepped.plan.instances
        if verb == "scrape":
            return {
                machine: {
                    "instances": {instance: self._stepped.snapshot()},
                    "interfaces": [],
                    "flows": {},
                }
            }
        known = arguments["known"]
        assert isinstance(known, dict)
        time_ns, counts = self._stepped.link_counts(known.get(instance, 0))
        time_ns += _SECOND  # of zero the watcher takes that it has not looked yet
        return {
            machine: {
                "time_ns": time_ns,
                "counters": {"instances": {}},
                "wires": [],
                "links": {instance: counts},
            }
        }


class SteppedNetwork:
    """What the page needs of a network: see `hybridnet.run.live.network.Network`."""

    def __init__(self, stepped: Stepper) -> None:
        self.topo, self.plan = stepped.topo, stepped.plan
        self.cluster = SteppedMachines(stepped)
        self.nameToNode: dict[str, Any] = {}

    def set_link(self, src: str, dst: str, key: int | None = None, **_: Any) -> None:
        raise MachineError(f"link {src}-{dst}: the links of a simulation in virtual time stay as described")

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        raise MachineError(
            f"link {src}-{dst} {status}: the links of a simulation in virtual time stay as described"
        )


class SteppingControl(Control):
    """`Control`, and what `hybridnet.run.live.stepping_routes` adds."""

    def __init__(self, stepped: Stepper, live: Live, watcher: Watcher) -> None:
        super().__init__(live, watcher)
        self._stepped = stepped

    def start_capture(self, link: str, end: str = "a", filter: str = "") -> Answer:
        """Refused."""
        self._live.link(link)
        _refuse_capture(link)

    def simulation(self) -> Answer:
        """Where it is."""
        return _progress(self._stepped.progress)

    def step(self, events: int = 1) -> Answer:
        """Handle so many events."""
        return _progress(self._stepped.step(events))

    def run(
        self, until: str | None = None, speed: float | None = None, condition: Answer | None = None
    ) -> Answer:
        """Go on; returns at once."""
        return _progress(self._stepped.asked_to_run(until, condition, speed))

    def pause(self) -> Answer:
        """Stop."""
        return _progress(self._stepped.pause())

    def next_events(self) -> list[ComingEvent]:
        """The events to come."""
        return self._stepped.next_events(NEXT_EVENTS)

    def packets(self) -> Answer:
        """Where packets are; directions have the number of their link in the drawing."""
        seen = self._stepped.packets()
        directions = [
            {
                **{name: value for name, value in direction.items() if name != "link"},
                "number": self._watcher.number_of(direction["link"]),
            }
            for direction in seen["directions"]
        ]
        return {**seen, "directions": directions}

    def queue(self, link: str) -> list[LinkContents]:
        """What is in a link."""
        try:
            self._live.link(link)
        except UsageError:
            raise UnknownNameError(f"link {plain(link)}: there is no such link") from None
        return self._stepped.queue(link)

    def connections(self) -> list[ConnectionRow]:
        """TCP connections."""
        return self._stepped.connections()

    def messages(self) -> list[Message]:
        """The message trace."""
        return self._stepped.messages()

    def follow(self, interfaces: list[str]) -> Answer:
        """Of these interfaces only; returns them."""
        self._stepped.follow(interfaces)
        return {"interfaces": interfaces}

    def figures(self) -> Answer:
        """What a condition can speak of."""
        return self._stepped.figures()


def _progress(progress: Any) -> Answer:
    said: Answer = progress.to_json()
    return said
