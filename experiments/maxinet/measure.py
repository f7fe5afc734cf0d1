# SPDX-License-Identifier: MIT
"""Climbs the staircase of flows on one arm, and reads what arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from hybridnet.errors import ExperimentError
from hybridnet.experiments.maxinet.arms import RECEIVERS, SENDERS
from hybridnet.experiments.maxinet.flow_runner import ran_ns
from hybridnet.experiments.maxinet.processor_time import ControllerTime, Sampled, processors_of
from hybridnet.experiments.maxinet.report import ArmRound
from hybridnet.experiments.maxinet.scale import PAYLOAD_BYTES, Scale
from hybridnet.experiments.maxinet.staircase import (
    SETTLE_S,
    FlowSpec,
    Second,
    Stay,
    StepResult,
    counted_seconds,
    flows_of,
    seconds_of,
    step_result,
)
from hybridnet.experiments.maxinet.verdicts import stalled_ns, stalls_in, step_verdict
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Verdict, Word
from hybridnet.observe.results.verdict import Window
from hybridnet.observe.series.snapshot import Snapshot
from hybridnet.system.processor import computer

PORT = 5201
SAMPLE_PERIOD_S = 1.0
SPREAD_S = 0.6
"""At the beginning of a step, so that its new flows do not start all at once."""
WINDOW_S = 0.25
"""Between the snapshots of a step: what a stall spoils is left out of its verdict by so much at a time."""
LEAST_S = 1e-3
WARM_UP_LIMIT_S = 60
GRACE_S = 1.0
"""After the clients are ended, for the servers to end as well."""
MOST_AGAIN = 2
"""Steps of a climb that are measured again: what is broken more often is no accident."""
SPARE_S = 30
"""That a flow could go on for after the last step: a bound, as each is ended before."""

QUIET_S = 3.0
"""Longer than the pauses that a hypervisor makes while it takes memory back."""
SETTLE_LIMIT_S = 60.0
"""Whoever waits for a hypervisor that gives processors to others all the time waits in vain: the verdicts say so."""

Request = Callable[[dict[str, Any]], dict[str, Any]]


class Arm(Protocol):
    """One way of building the network of the comparison, running."""

    name: str
    settings: dict[str, Any]
    boot_s: float
    cluster: Cluster

    @property
    def controller_pid(self) -> int:
        """The controller's process, on this computer."""

    def sender(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the flow runner on the senders' machine."""

    def receiver(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the flow runner on the receivers' machine."""

    def netns(self, host: str) -> str:
        """The path of the host's network namespace on its machine."""

    def address(self, host: str) -> str:
        """The host's IPv4 address."""

    def snapshots(self) -> list[Snapshot]:
        """A snapshot per simcore instance; empty if nothing is simulated."""


def climb(arm: Arm, scale: Scale, tick: Callable[[str, float], None]) -> ArmRound:
    """Run every step of the scale on ``arm``.

    Before the first step each receiver is pinged by its sender, so that MAC learning and the set-up of OpenFlow
    rules are not part of any figure. A step whose stay is broken is measured again at once, with the same flows: what
    the computer did meanwhile is no property of the arm. What is broken again, or the third in a climb, stays broken.

    Args:
        arm: a network that runs.
        scale: what to offer.
        tick: called every WINDOW_S with what is going on and the seconds that went by.

    Raises:
        ExperimentError: a host does not answer, or a flow could not be started.
    """
    flows = flows_of(scale)
    _quieten(arm, scale)
    ask(
        arm.receiver,
        verb="servers",
        flows=[{"host": flow.receiver, "netns": arm.netns(flow.receiver), "port": PORT} for flow in flows],
    )
    _warm_up(arm, flows)
    ask(arm.sender, verb="clients", flows=[_client(arm, flow, scale) for flow in flows])
    tick(f"{arm.name}: waiting until the computer is quiet", 0.0)
    settled_after_s = _settle(arm)

    machines = [_start_sampling(arm, machine) for machine in (SENDERS, RECEIVERS)]
    began = time.monotonic()
    in_time = [began + machine["clock_ahead_s"] for machine in machines]
    kept: list[_Watched] = []
    again: list[tuple[Stay, Verdict]] = []
    for step, count in enumerate(scale.steps):
        new = [flow.sender for flow in flows if flow.step == step]
        ask(arm.sender, verb="go", hosts=new, spread_s=SPREAD_S)
        watched = _stay(
            arm, scale, step, began, partial(tick, f"{arm.name}: {count} TCP + {count} UDP flows")
        )
        if len(again) < MOST_AGAIN:
            samples = ask(arm.receiver, verb="samples")["samples"]
            _, verdict = _judge(watched, scale, seconds_of(samples, flows, in_time[-1]))
            if verdict.word is Word.BROKEN:
                again.append((watched.stay, verdict))
                what = f"{arm.name}: {count} TCP + {count} UDP flows, again"
                watched = _stay(arm, scale, step, began, partial(tick, what))
        kept.append(watched)
    sent = ask(arm.sender, verb="finish", grace_s=0.0)  # the clients would go on
    arrived = ask(arm.receiver, verb="finish", grace_s=GRACE_S)

    sampled = [
        Sampled(
            machine["computer"], machine["cores"], machine["ticks_per_second"], answer["samples"], started_s
        )
        for machine, answer, started_s in zip(machines, (sent, arrived), in_time, strict=True)
    ]
    seconds = seconds_of(arrived["samples"], flows, in_time[-1])
    judged = [_judge(watched, scale, seconds) for watched in kept]
    windows = [window for watched in kept for window in watched.windows or ()]
    return ArmRound(
        arm=arm.name,
        stays=[watched.stay for watched in kept],
        steps=[result for result, _ in judged],
        seconds=seconds,
        verdicts=[verdict for _, verdict in judged],
        again=again,
        processors=[processors_of(sampled, watched.controller, watched.stay) for watched in kept],
        boot_s=arm.boot_s,
        stalls=sum(map(stalls_in, windows)),
        stalled_s=sum(map(stalled_ns, windows)) / 1e9,
        settings={**arm.settings, "settled_after_s": settled_after_s},
        flows={
            "clients": sent["clients"],
            "servers": arrived["servers"],
            "unfinished": arrived["unfinished"],
        },
    )


@dataclass(frozen=True)
class _Watched:
    """What was seen of a stay while it lasted; ``windows``: None if nothing is simulated."""

    stay: Stay
    windows: list[Window] | None
    controller: ControllerTime


def _stay(arm: Arm, scale: Scale, step: int, began: float, tick: Callable[[float], None]) -> _Watched:
    """Let the flows run for the length of a step, and watch the instances and the controller."""
    stay = Stay(step, time.monotonic() - began, scale.seconds_per_step)
    ends = began + stay.begin_s + stay.lasts_s
    tick(0.0)
    time.sleep(max(0.0, min(SETTLE_S, ends - time.monotonic())))
    first_s, first_ns = time.monotonic(), ran_ns([arm.controller_pid])
    windows = _watch(arm, ends, tick)
    lasted_s = max(time.monotonic() - first_s, LEAST_S)
    processors = (ran_ns([arm.controller_pid]) - first_ns) / 1e9 / lasted_s
    return _Watched(stay, windows if arm.snapshots() else None, ControllerTime(computer(), processors))


def _judge(watched: _Watched, scale: Scale, seconds: Sequence[Second]) -> tuple[StepResult, Verdict]:
    """What a stay delivered, and what that is worth, from the seconds that are known."""
    counted = counted_seconds(seconds, watched.stay)
    result = step_result(counted, scale, watched.stay.step)
    return result, step_verdict(watched.windows, result, counted)


def _settle(arm: Arm) -> float:
    """Wait until what was there before the arm keeps no processor busy any more, in the hypervisor. Returns the seconds
    that this took; none where it has been so for `QUIET_S`.
    """
    with ThreadPoolExecutor() as machines:
        answers = machines.map(
            lambda request: ask(request, verb="settle", quiet_s=QUIET_S, limit_s=SETTLE_LIMIT_S),
            (arm.sender, arm.receiver),
        )
        return max(float(answer["waited_s"]) for answer in answers)


def _start_sampling(arm: Arm, machine: str) -> dict[str, Any]:
    """Have a machine's flow runner begin. Returns its answer, with how far the machine's clock is ahead of ours."""
    processes = arm.cluster.call(machine, "processes")
    request = arm.sender if machine == SENDERS else arm.receiver
    answer = ask(request, verb="sample", period_s=SAMPLE_PERIOD_S, processes=processes)
    return answer | {"clock_ahead_s": answer["monotonic_s"] - time.monotonic()}


def _client(arm: Arm, flow: FlowSpec, scale: Scale) -> dict[str, Any]:
    """What the runner needs for a flow, which runs from its step until the end, when it is ended."""
    return {
        "host": flow.sender,
        "netns": arm.netns(flow.sender),
        "to": arm.address(flow.receiver),
        "port": PORT,
        "protocol": flow.protocol,
        "rate_bps": flow.rate_bps,
        "seconds": (len(scale.steps) - flow.step + MOST_AGAIN) * scale.seconds_per_step + SPARE_S,
        "datagram_bytes": PAYLOAD_BYTES,
    }


def _quieten(arm: Arm, scale: Scale) -> None:
    """Have no host solicit IPv6 routers, of which there are none.

    They would all do so at the same instants, 4, 8, 16 seconds and so on after they came up (RFC 4861, and the kernel's
    timers that fire together), and each solicitation is flooded to all the others: 16,000 frames within milliseconds,
    which is not the traffic that is compared.
    """
    numbers = range(1, scale.hosts_per_machine + 1)
    ask(arm.sender, verb="quiet", netns=[arm.netns(f"h{number}") for number in numbers])
    ask(
        arm.receiver,
        verb="quiet",
        netns=[arm.netns(f"h{number + scale.hosts_per_machine}") for number in numbers],
    )


def _warm_up(arm: Arm, flows: Sequence[FlowSpec]) -> None:
    pings = [
        {"host": flow.sender, "netns": arm.netns(flow.sender), "to": arm.address(flow.receiver)}
        for flow in flows
    ]
    lost = ask(arm.sender, verb="ping", flows=pings, count=3, limit_s=WARM_UP_LIMIT_S)["lost"]
    if lost:
        raise ExperimentError(
            f"warm up the {arm.name} arm: {len(lost)} of {len(pings)} hosts got no answer from their pairs, "
            f"{lost[0]} among them; see the controller's log in the run directory"
        )


def ask(request: Request, **content: Any) -> dict[str, Any]:
    """Ask a flow runner; raise ExperimentError when it answers with an error."""
    answer = request(content)
    if "error" in answer:
        raise ExperimentError(f"flow runner, {content['verb']}: {answer['error']}")
    return answer


def _watch(arm: Arm, until: float, tick: Callable[[float], None]) -> list[Window]:
    """Snapshots of the arm every WINDOW_S, as windows."""
    windows: list[Window] = []
    at, before = time.monotonic(), arm.snapshots()
    while until - time.monotonic() > 0:
        began = time.monotonic()
        time.sleep(min(WINDOW_S, max(0.0, until - began)))
        now, after = time.monotonic(), arm.snapshots()
        windows.append((before, after))
        tick(now - at)
        at, before = now, after
    return windows
