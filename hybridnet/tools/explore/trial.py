# SPDX-License-Identifier: MIT
"""One trial: a network, a fresh controller, and a schedule, from the first connection to the last question.

::

    0 s      switches connect          1 s    hosts announce themselves
    1.5 s    what the schedule says  ─▶ 4 s
    6 s      all that was disturbed is as it should be: links up, connections there, messages on time
    6.5 s    hosts announce themselves; 7, 8, 9 s: every host asks every other one
    10 s     what the invariants look at

An application that is slow to be ready has more time: before 0 s, so that the seconds of a schedule stay the same, and
again from 6 s on.

Time is simulated. It stands still while the controller works, so a busy computer changes nothing.
"""

from __future__ import annotations

import hashlib
import heapq
import itertools
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from hybridnet.describe.options.tables import extension
from hybridnet.errors import ControllerError
from hybridnet.tools.explore import frames
from hybridnet.tools.explore.controller import ControllerFactory, SteppedController
from hybridnet.tools.explore.disturbances import DISTURBANCES
from hybridnet.tools.explore.messages import (
    BARRIER_REPLY,
    MULTIPART_REPLY,
    PACKET_IN,
    PACKET_OUT,
    Message,
    frame_of_packet_in,
    frame_of_packet_out,
    split,
)
from hybridnet.tools.explore.reading import Reader
from hybridnet.tools.explore.schedule import LATEST_NS, Event, Schedule
from hybridnet.tools.explore.site import DIRECTION, Host, Service, Site
from hybridnet.tools.explore.tables import Tables
from hybridnet.tools.explore.walk import Fabric, Place

__all__ = ["Flow", "Observed", "Probe", "Request", "run_trial"]

HOSTS_NS, HEALED_NS, ANNOUNCED_NS, END_NS = 1_000_000_000, LATEST_NS, 6_500_000_000, 10_000_000_000
PROBES_NS = (7_000_000_000, 8_000_000_000, 9_000_000_000)
USUAL_NS = 1_000_000  # of a message between a switch and its controller
MOST_MESSAGES = 10_000  # of one trial; a network in which packets multiply has more, and who asks every 2 ms
_AFTER_ARP_NS = 20_000_000
_APART_NS = 5_000_000
_ANNOUNCES_NS = 50_000_000  # after a host has moved
_LAST_FLOW_NS, _LAST_FLOW = 6_700_000_000, (6, 400_000_000)  # when, how many segments, how far apart
_RECONNECTS_NS = 1_000_000_000  # after its controller has ended a connection; Open vSwitch waits as long
_LATE_KINDS = {BARRIER_REPLY: "barrier", MULTIPART_REPLY: "statistics"}


@final
@dataclass
class Probe:
    """One ping: from whom to whom, in which round (0: of the schedule), and what became of it."""

    number: int
    source: str
    target: str
    round: int
    frame: bytes = b""
    arrived: bool = False
    answered: bool = False
    asked: list[str] = field(default_factory=list)  # switches that sent it to the controller
    released: bool = False  # since it was asked the last time, the controller sent it on


@final
@dataclass
class Flow:
    """One flow of a client to a service: a segment now and then, each with a number from 1 on.

    Args:
        turn: 0: of the schedule; 1: of the end, when nothing is disturbed any more.
        sent: segments.
        came: which segment came to which host.
        answered: segments whose answer came to the client, from the address that it asked.
    """

    number: int
    source: str
    service: Service
    turn: int = 0
    sent: int = 0
    came: list[tuple[int, str]] = field(default_factory=list)
    answered: set[int] = field(default_factory=set)


@final
@dataclass
class Request:
    """One request to the application's REST interface, and the answer; status None: there was none."""

    text: str
    status: int | None = None
    answer: bytes = b""


@final
@dataclass
class Observed:
    """What a trial shows.

    Args:
        site: its network, and `homes` where each host is in the end, by jack.
        fabric: the tables in the end; None: the trial was cut short, because of `talk`, or because packets multiplied.
        talk: that there were too many messages other than packets, in words; "": there were not.
        earlier: the tables before the schedule began, by switch.
        sent: how often hosts have sent a frame.
        asked: how often a frame came to the controller from a switch.
        said: when a switch was told something, in nanoseconds of the trial, each message, by switch.
        grown: bytes by which the controller's own memory has grown since `earlier`.
        timeline: what happened, by instant in nanoseconds.
        log: what the controller printed.
        settle_ns: how much longer the application had to be ready.
        trace: SHA-256 of every message and every frame of hosts with its instant: trials with the same trace are the
            same, byte for byte.
    """

    site: Site
    homes: dict[str, str]
    settle_ns: int = 0
    flows: dict[int, Flow] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    before: dict[str, str] = field(default_factory=dict)  # where a host that has moved was, by jack
    probes: dict[int, Probe] = field(default_factory=dict)
    fabric: Fabric | None = None
    talk: str = ""
    earlier: dict[str, Tables] = field(default_factory=dict)
    sent: dict[bytes, int] = field(default_factory=dict)
    asked: dict[tuple[str, bytes], int] = field(default_factory=dict)
    said: dict[str, list[int]] = field(default_factory=dict)
    grown: int = 0
    timeline: list[tuple[int, str]] = field(default_factory=list)
    log: str = ""
    trace: str = ""
    ended: str = ""  # why the controller ended, if it did


def run_trial(
    site: Site, schedule: Schedule, factory: ControllerFactory, seed: int = 1, settle_ns: int = 0
) -> Observed:
    """Run one trial. The same schedule and seed give the same, as far as the application does.

    Args:
        settle_ns: how much longer the application has to be ready.

    Raises:
        ControllerError: the application cannot be loaded.
    """
    with tempfile.TemporaryDirectory(prefix="hybridnet-explore-") as shared:
        trial = _Trial(site, schedule, factory, shared, seed, settle_ns)
        try:
            trial.begin()
            try:
                trial.run()
            except ControllerError as error:
                trial.observed.ended = str(error)
            except _CutShortError:
                pass
        finally:
            trial.end()
    return trial.observed


class _CutShortError(Exception):
    """Packets multiply without end, or the controller talks so."""


@dataclass
class _Channel:
    """The connection between a switch and a controller. Each of the two may have left it before the other does."""

    switch: str
    controller: str
    at_switch: int
    at_controller: int
    rest: dict[bool, bytes] = field(default_factory=lambda: {True: b"", False: b""})
    due_ns: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    open: bool = True  # what one says, the other hears


class _Trial:
    """The `Stage` of disturbances, too."""

    def __init__(
        self,
        site: Site,
        schedule: Schedule,
        factory: ControllerFactory,
        shared: str,
        seed: int,
        settle_ns: int,
    ) -> None:
        self.site = site
        self.observed = Observed(site, dict(site.homes), settle_ns)
        self.trace = hashlib.sha256()
        self._settle_ns = settle_ns
        self._end_ns = END_NS + 2 * settle_ns
        self._most_messages = MOST_MESSAGES * len(site.controllers) * self._end_ns // END_NS
        self._schedule = schedule
        self._factory = factory
        self._shared = shared
        self._seed = seed
        self._controllers: dict[str, SteppedController] = {}  # those that run
        self._made: Counter[str] = Counter()  # how often each was started
        self._cut: set[str] = set()  # controllers that no switch reaches
        self._memory: dict[str, int] = {}  # of each when the schedule began, or when it was started since
        self._logs: list[str] = []
        self._heap: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._channels: dict[tuple[str, str], _Channel] = {}  # by switch and controller
        self._by_number: dict[tuple[str, int], _Channel] = {}  # by controller
        self._requests: dict[tuple[str, int], Request] = {}
        self._asked: Counter[tuple[str, str, bytes]] = Counter()  # by controller
        self._macs: dict[tuple[str, int], int] = {}  # what a host knows of the addresses of services
        self._delays: dict[tuple[str, str], int] = {}
        self._down: set[str] = set()
        self._healed = False  # nothing is disturbed any more
        self._messages: Counter[str] = Counter()  # by their names
        self._woken_ns: dict[str, int] = {}
        self._bench = self._build(seed)
        self._readers = {
            name: Reader(self._bench, name, site.options[name]["protocols"]) for name in site.switches
        }

    def begin(self) -> None:
        """Start the controllers. Raises ControllerError: the application cannot be loaded."""
        for name in self.site.controllers:
            self._start(name)

    def end(self) -> None:
        """End them; what was observed is whole then."""
        for name in list(self._controllers):
            self._stop(name)
        self.observed.trace = self.trace.hexdigest()
        self.observed.log = "".join(self._logs)

    def run(self) -> None:
        for number, switch in enumerate(self.site.switches):
            self.later(number * _APART_NS, lambda switch=switch: self.connect(switch))  # type: ignore[misc]
        begun, well = self._settle_ns, 2 * self._settle_ns
        self._at(begun + HOSTS_NS, self._announce_all)
        self._at(begun + HOSTS_NS + 400_000_000, self._keep_tables)
        for event in self._schedule:
            self._at(begun + event.at_ns, lambda event=event: self._disturb(event))  # type: ignore[misc]
        self._at(begun + HEALED_NS, self._heal)
        self._at(well + ANNOUNCED_NS, self._announce_all)
        self._at(well + _LAST_FLOW_NS, self._last_flows)
        for turn, at_ns in enumerate(PROBES_NS, 1):
            self._at(well + at_ns, lambda turn=turn: self._probe_all(turn))  # type: ignore[misc]
        self._advance(self._end_ns)
        self.observed.grown = max(
            (each.memory() - self._memory[name] for name, each in self._controllers.items()), default=0
        )
        peers: dict[Place, Place | str] = {}
        for one, other in self.site.links.values():
            peers[one], peers[other] = other, one
        for host, jack in self.observed.homes.items():
            peers[self.site.jacks[jack]] = host
        self.observed.fabric = Fabric({name: each.tables() for name, each in self._readers.items()}, peers)

    # What disturbances do
    def ping(self, source: str, target: str, turn: int = 0) -> None:
        probe = Probe(len(self.observed.probes) + 1, source, target, turn)
        self.observed.probes[probe.number] = probe
        one, other = self.site.hosts[source], self.site.hosts[target]
        probe.frame = frames.ping(one, other, probe.number)
        self._send(source, frames.arp_request(one, other.address))
        self.later(_AFTER_ARP_NS, lambda: self._send(source, probe.frame))

    def move(self, host: str, switch: str) -> None:
        jack, old = self.site.free_jack(switch), self.observed.homes[host]
        if jack == old:
            jack = self.site.homes[host]  # it goes back
        elif jack in self.observed.homes.values():
            return  # somebody is there
        self.observed.before[host] = old
        self.set_link(old, False)
        self.observed.homes[host] = jack
        self.set_link(jack, True)
        one = self.site.hosts[host]
        self.later(_ANNOUNCES_NS, lambda: self._send(host, frames.arp_request(one, one.address)))

    def set_link(self, link: str, up: bool) -> None:
        name = self.observed.homes.get(link, link)
        free = name in self.site.jacks and name not in self.observed.homes.values()
        if (up and free) or (not up and self._healed):
            return
        (self._down.discard if up else self._down.add)(name)
        self._note(f"link {name} {'up' if up else 'down'}")
        self._bench.set_link_up(name, up)

    def flow(self, source: str, address: str, segments: int, every_ns: int, turn: int = 0) -> None:
        flow = Flow(len(self.observed.flows) + 1, source, self.site.services[address], turn)
        self.observed.flows[flow.number] = flow
        self._send(source, frames.arp_request(self.site.hosts[source], flow.service.address))
        for number in range(segments):
            self.later(_AFTER_ARP_NS + number * every_ns, lambda: self._send_segment(flow))

    def request(self, controller: str, method: str, path: str, body: str) -> None:
        request = Request(f"{method} {path}")
        self._note(f"request{self._to(controller)}: {request.text} {body}".rstrip())
        asked = self._controllers.get(controller)
        if asked is None:
            return  # nobody can answer, and that is no mistake of the application; nor if it ends meanwhile
        self.observed.requests.append(request)
        number = asked.connect("rest")
        self._requests[controller, number] = request
        content = body.encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: controller\r\nConnection: close\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        asked.give(number, head.encode() + content)
        self._work(controller)

    def fail(self, controller: str) -> None:
        if controller not in self._controllers:
            return
        self._note(f"{self._the(controller)} ends, and all that it knew is lost")
        waiting = [id(each) for (asked, _), each in self._requests.items() if asked == controller]
        self.observed.requests = [each for each in self.observed.requests if id(each) not in waiting]
        self._stop(controller)
        self._lose_all_of(controller)

    def cut_off(self, controller: str) -> None:
        self._note(f"no switch reaches {self._the(controller)}")
        self._cut.add(controller)
        self._lose_all_of(controller)

    def restore(self, controller: str) -> None:
        self._cut.discard(controller)
        if controller not in self._controllers:
            self._note(f"{self._the(controller)} starts again")
            self._start(controller)
        for switch in self.site.switches:
            self._connect(switch, controller)

    def lose_connection(self, switch: str) -> None:
        lost = self._channels_of(switch)
        if lost:
            self._note(f"{switch} loses its connection")
        for channel in lost:
            self._leave_switch(channel)
            self._leave_controller(channel)

    def time_out(self, switch: str, after_ns: int, behind_ns: int, *, at_switch: bool) -> None:
        for channel in self._channels_of(switch):
            if channel.open:
                self._time_out(channel, after_ns, behind_ns, at_switch=at_switch)

    def _time_out(self, channel: _Channel, after_ns: int, behind_ns: int, *, at_switch: bool) -> None:
        switch, controller = channel.switch, channel.controller
        self._note(f"{switch} and {self._the(controller)} hear nothing of each other any more")
        channel.open = False

        def give_up_switch() -> None:
            if self._channels.get((switch, controller)) is channel:
                self._note(f"{switch} has no answer to its echo requests: it gives the connection up")
                self._leave_switch(channel)
                self._connect(switch, controller)

        def give_up_controller() -> None:
            if self._by_number.get((controller, channel.at_controller)) is channel:
                self._note(f"{self._the(controller)} gives the connection of {switch} up, which was silent")
                self._leave_controller(channel)

        first, second = give_up_switch, give_up_controller
        if not at_switch:
            first, second = second, first
        self.later(after_ns, first)
        self.later(after_ns + behind_ns, second)

    def restart(self, switch: str) -> None:
        self.lose_connection(switch)
        self._note(f"{switch} restarts, and has forgotten all flows")
        self._readers[switch].forget_all()

    def connect(self, switch: str) -> None:
        for controller in self.site.controllers:
            self._connect(switch, controller)

    def _connect(self, switch: str, controller: str) -> None:
        reached = self._controllers.get(controller)
        if reached is None or controller in self._cut or (switch, controller) in self._channels:
            return
        number = reached.connect()
        channel = _Channel(switch, controller, self._bench.connect(switch), number)
        self._channels[switch, controller] = self._by_number[controller, number] = channel
        self._note(f"{switch} connects{self._to(controller)}")
        self._work(controller)

    def delay(self, switch: str, which: str, delay_ns: int) -> None:
        self._delays[switch, which] = delay_ns

    def later(self, after_ns: int, do: Callable[[], None]) -> None:
        self._at(self._bench.now_ns + after_ns, do)

    # Time
    def _at(self, at_ns: int, do: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (at_ns, next(self._order), do))

    def _advance(self, end_ns: int) -> None:
        while True:
            due_ns = min(self._heap[0][0] if self._heap else end_ns, end_ns)
            self._bench.run(due_ns)
            if self._collect():
                continue
            if due_ns == end_ns:
                return
            _, _, do = heapq.heappop(self._heap)
            do()

    def _collect(self) -> bool:
        """Take what hosts got and switches said. Returns whether there was something."""
        received = self._bench.received()
        for host, _, frame in received:
            self._receive(host, frame)
        spoke = False
        for channel in list(self._channels.values()):
            said = self._bench.said(channel.at_switch)
            if said:
                spoke = True
                self._carry(channel, said, to_controller=True)
        return bool(received) or spoke

    def _carry(self, channel: _Channel, data: bytes, *, to_controller: bool) -> None:
        """Let messages travel: in order, except for answers that are late on their own."""
        if not channel.open:
            return
        whole, channel.rest[to_controller] = split(channel.rest[to_controller] + data)
        way = "to_controller" if to_controller else "to_switch"
        for each in whole:
            self._messages[each.name().partition(" ")[0]] += 1
            if self._messages.total() > self._most_messages:
                self._cut_short()
            due_ns = self._bench.now_ns + USUAL_NS + self._delays.get((channel.switch, way), 0)
            alone_ns = (
                self._delays.get((channel.switch, _LATE_KINDS.get(each.type, "")), 0) if to_controller else 0
            )
            if alone_ns:
                due_ns += alone_ns
            else:
                due_ns = max(due_ns, channel.due_ns[to_controller])
                channel.due_ns[to_controller] = due_ns
            deliver = self._to_controller if to_controller else self._to_switch
            self._at(due_ns, lambda each=each, deliver=deliver: deliver(channel, each))  # type: ignore[misc]

    def _cut_short(self) -> None:
        if 2 * sum(self._messages[kind] for kind in ("PACKET_IN", "PACKET_OUT")) > self._most_messages:
            self._note("packets multiply: the trial is cut short")
        else:
            [(kind, times)] = self._messages.most_common(1)
            self.observed.talk = (
                f"the application and its switches exchange more than {self._most_messages} messages, {times} of "
                f"them {kind}, by {(self._bench.now_ns - self._settle_ns) / 1e9:g} s: the trial is cut short; let it "
                "ask less often"
            )
            self._note("too many messages: the trial is cut short")
        raise _CutShortError

    def _to_controller(self, channel: _Channel, message: Message) -> None:
        if not channel.open:
            return
        controller = self._title(channel.controller)
        self._note(f"{channel.switch} -> {controller}: {message.name()}")
        self._trace(f"{channel.switch} says {controller}", message.data)
        if message.type == PACKET_IN:
            frame = frame_of_packet_in(message)
            self._asked[channel.controller, channel.switch, frame] += 1
            self.observed.asked[channel.switch, frame] = max(
                self._asked[each, channel.switch, frame] for each in self.site.controllers
            )
            probe = self._probe_of(frame)
            if probe is not None:
                probe.asked.append(channel.switch)
                probe.released = False
        self._controllers[channel.controller].give(channel.at_controller, message.data)
        self._work(channel.controller)

    def _to_switch(self, channel: _Channel, message: Message) -> None:
        if not channel.open:
            return
        controller = self._title(channel.controller)
        self._note(f"{controller} -> {channel.switch}: {message.name()}")
        self._trace(f"{channel.switch} hears {controller}", message.data)
        self.observed.said.setdefault(channel.switch, []).append(self._bench.now_ns)
        if message.type == PACKET_OUT:
            probe = self._probe_of(frame_of_packet_out(message))
            if probe is not None:
                probe.released = True
        self._bench.hear(channel.at_switch, message.data)

    def _work(self, name: str) -> None:
        """Let a controller do what is to be done now, if it is there."""
        controller = self._controllers.get(name)
        if controller is None:
            return
        said = controller.step(self._bench.now_ns)
        for number, data in said.items():
            if (name, number) in self._requests:
                self._requests[name, number].answer += data
                self._trace("an answer", data)
            else:
                self._carry(self._by_number[name, number], data, to_controller=False)
        for number in controller.closed:
            self._controller_ended(name, number)
        wake_ns = controller.wake_ns
        if wake_ns is not None and wake_ns <= self._end_ns and wake_ns != self._woken_ns.get(name):
            self._woken_ns[name] = wake_ns
            self._at(max(wake_ns, self._bench.now_ns), lambda: self._work(name))

    def _controller_ended(self, name: str, number: int) -> None:
        """A controller has ended a connection: it has answered a request, or wants no more of a switch."""
        request = self._requests.pop((name, number), None)
        if request is not None:
            self._controllers[name].close(number)
            words, _, request.answer = request.answer.partition(b"\r\n\r\n")
            first = words.partition(b"\r\n")[0].decode(errors="replace").split(" ", 2)
            request.status = int(first[1]) if len(first) > 1 and first[1].isdecimal() else None
            self._note(f"answer to {request.text}: {' '.join(first[1:]) or 'none'}")
            return
        channel = self._by_number.pop((name, number))
        self._controllers[name].close(number)
        self._note(f"{self._the(name)} ends the connection of {channel.switch}")
        if channel.open:
            channel.open = False
            self.later(USUAL_NS, lambda: self._leave_switch(channel))
            self.later(_RECONNECTS_NS, lambda: self._connect(channel.switch, name))

    def _leave_switch(self, channel: _Channel) -> None:
        channel.open = False
        if self._channels.get((channel.switch, channel.controller)) is channel:
            del self._channels[channel.switch, channel.controller]
            self._bench.disconnect(channel.at_switch)

    def _leave_controller(self, channel: _Channel) -> None:
        channel.open = False
        if self._by_number.get((channel.controller, channel.at_controller)) is not channel:
            return
        del self._by_number[channel.controller, channel.at_controller]
        controller = self._controllers.get(channel.controller)
        if controller is not None:
            controller.close(channel.at_controller)
            self._work(channel.controller)

    # Controllers
    def _start(self, name: str) -> None:
        """Start one that knows nothing, neither of what it was before nor of the others."""
        self._made[name] += 1
        first = (name, self._made[name]) == (self.site.controllers[0], 1)
        settings = {"HYBRIDNET_CONTROLLER": name, "HYBRIDNET_SHARED": self._shared}
        controller = self._factory.make(
            self._seed if first else f"{self._seed} {name} {self._made[name]}", settings, self._bench.now_ns
        )
        self._controllers[name] = controller
        self._memory[name] = controller.memory()

    def _stop(self, name: str) -> None:
        controller = self._controllers.pop(name)
        title = "" if len(self.site.controllers) == 1 else f"{name}:\n"
        self._logs.append(title + controller.log())
        controller.end()
        self._requests = {key: each for key, each in self._requests.items() if key[0] != name}

    def _lose_all_of(self, controller: str) -> None:
        for channel in [each for each in self._channels.values() if each.controller == controller]:
            self._leave_switch(channel)
        for channel in [each for each in self._by_number.values() if each.controller == controller]:
            self._leave_controller(channel)

    def _channels_of(self, switch: str) -> list[_Channel]:
        return [each for each in self._channels.values() if each.switch == switch]

    def _title(self, controller: str) -> str:
        """Beside an arrow."""
        return "controller" if len(self.site.controllers) == 1 else controller

    def _the(self, controller: str) -> str:
        """In a sentence."""
        return "the controller" if len(self.site.controllers) == 1 else controller

    def _to(self, controller: str) -> str:
        """With the word before it; if there is one only, it is not named."""
        return "" if len(self.site.controllers) == 1 else f" to {controller}"

    # Hosts
    def _send(self, host: str, frame: bytes) -> None:
        if self.observed.homes[host] not in self._down:
            self.observed.sent[frame] = self.observed.sent.get(frame, 0) + 1
            self._trace(f"{host} sends", frame)
            self._bench.send(self.observed.homes[host], frame)

    def _receive(self, jack: str, frame: bytes) -> None:
        host = next((name for name, home in self.observed.homes.items() if home == jack), None)
        if host is None:
            return
        self._trace(f"{host} gets", frame)
        own = self.site.hosts[host]
        asked = frames.asked_for(frame)
        if asked is not None and asked[0] != asked[1] and asked[1] == own.address:
            asker = next((each for each in self.site.hosts.values() if each.address == asked[0]), None)
            if asker is not None:
                self._send(host, frames.arp_reply(own, asker))
        told = frames.told_by(frame)
        if told is not None:
            self._macs[host, told[0]] = told[1]
        self._receive_segment(host, own, frame)
        got = frames.read_ping(frame)
        probe = None if got is None else self.observed.probes.get(got.number)
        if got is None or probe is None or got.destination != own.mac:
            return
        if got.is_reply:
            probe.answered = True
        elif not probe.arrived:
            probe.arrived = True
            self._send(host, frames.ping(own, self.site.hosts[probe.source], probe.number, is_reply=True))

    def _send_segment(self, flow: Flow) -> None:
        """The next one, if the client knows to whom."""
        mac = self._macs.get((flow.source, flow.service.address))
        if mac is None:
            return
        flow.sent += 1
        client = self.site.hosts[flow.source]
        self._send(flow.source, frames.segment(client, mac, flow.service.address, flow.number, flow.sent))

    def _receive_segment(self, host: str, own: Host, frame: bytes) -> None:
        got = frames.read_segment(frame)
        if got is None or (got.destination, got.to) != (own.mac, own.address):
            return
        flow = self.observed.flows[got.flow]
        if not got.is_reply:
            flow.came.append((got.number, host))
            answer = frames.segment(own, got.source, got.by, got.flow, got.number, is_reply=True)
            self._send(host, answer)
        elif got.by == flow.service.address:
            flow.answered.add(got.number)

    def _last_flows(self) -> None:
        for address, service in self.site.services.items():
            for source in self.site.clients(service):
                self.flow(source, address, *_LAST_FLOW, 1)

    def _probe_of(self, frame: bytes) -> Probe | None:
        got = frames.read_ping(frame)
        return None if got is None or got.is_reply else self.observed.probes.get(got.number)

    def _announce_all(self) -> None:
        for number, host in enumerate(self.site.hosts):
            one = self.site.hosts[host]
            self.later(
                number * _APART_NS,
                lambda host=host, one=one: self._send(host, frames.arp_request(one, one.address)),  # type: ignore[misc]
            )

    def _probe_all(self, turn: int) -> None:
        for number, (one, other) in enumerate(itertools.permutations(self.site.hosts, 2)):
            self.later(
                number * _APART_NS,
                lambda one=one, other=other: self.ping(one, other, turn),  # type: ignore[misc]
            )

    # The frame of a trial
    def _disturb(self, event: Event) -> None:
        self._note(f"* {event.text()}")
        DISTURBANCES[event.do].do(self, dict(event.options))

    def _heal(self) -> None:
        self._note("* all that was disturbed is as it should be")
        self._healed = True
        self._delays.clear()
        for link in (*self.site.links, *self.observed.homes):
            if self.observed.homes.get(link, link) in self._down:
                self.set_link(link, True)
        for channel in [each for each in self._by_number.values() if not each.open]:
            self._leave_switch(channel)
            self._leave_controller(channel)
        for channel in [each for each in self._channels.values() if not each.open]:
            self._leave_switch(channel)
        for controller in self.site.controllers:
            self.restore(controller)

    def _keep_tables(self) -> None:
        self.observed.earlier = {name: each.tables() for name, each in self._readers.items()}
        self._memory = {name: each.memory() for name, each in self._controllers.items()}

    def _note(self, text: str) -> None:
        self.observed.timeline.append((self._bench.now_ns - self._settle_ns, text))

    def _trace(self, what: str, data: bytes) -> None:
        self.trace.update(f"{self._bench.now_ns} {what} {len(data)} ".encode() + data)

    def _build(self, seed: int) -> Any:
        bench = extension().SwitchBench(seed)
        said: dict[str, dict[str, Any]] = {name: {} for name in self.site.switches}
        for event in self._schedule:
            if event.do == "full-table":
                said[event.options["switch"]]["table_size"] = event.options["flows"]
            elif event.do == "slow-flow-mods":
                said[event.options["switch"]]["setup_rate"] = float(event.options["rate"])
        for name, dpid in self.site.switches.items():
            bench.add_openflow_switch(name, {**self.site.options[name], **said[name]})
            for port in self.site.ports(name):
                mac = ":".join(f"02{dpid & 0xFFFFFF:06x}{port:04x}"[at : at + 2] for at in range(0, 12, 2))
                bench.add_interface(name, f"{name}-eth{port}", mac=mac, number=port)
        for link, ends in self.site.links.items():
            bench.add_link(link, *(f"{name}-eth{port}" for name, port in ends), DIRECTION, DIRECTION)
        for jack, (name, port) in self.site.jacks.items():
            bench.add_host(jack)
            bench.add_link(jack, jack, f"{name}-eth{port}", DIRECTION, DIRECTION)
            if jack not in self.site.homes.values():
                bench.set_link_up(jack, False)
        return bench
