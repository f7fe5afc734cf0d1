# SPDX-License-Identifier: MIT
"""Climbs the staircase of flows on one arm, and reads what arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

from hybridnet.agent.counters import computer
from hybridnet.cluster import Cluster
from hybridnet.errors import ExperimentError
from hybridnet.experiments.maxinet.arms import RECEIVERS, SENDERS
from hybridnet.experiments.maxinet.flow_runner import ran_ns
from hybridnet.experiments.maxinet.processor_time import ControllerTime, Sampled, processors_of
from hybridnet.experiments.maxinet.report import ArmRound
from hybridnet.experiments.maxinet.scale import PAYLOAD_BYTES, Scale
from hybridnet.experiments.maxinet.staircase import (
    SETTLE_S,
    FlowSpec,
    counted_seconds,
    flows_of,
    seconds_of,
    step_results,
)
from hybridnet.experiments.maxinet.verdicts import stalled_ns, stalls_in, step_verdict
from hybridnet.results.verdict import Window

PORT = 5201
SAMPLE_PERIOD_S = 1.0
SPREAD_S = 0.6
"""At the beginning of a step, so that its new flows do not start all at once."""
WINDOW_S = 0.25
"""Between the snapshots of a step: what a stall spoils is left out of its verdict by so much at a time."""
LEAST_S = 1e-3
WARM_UP_LIMIT_S = 60
GRACE_S = 1.0
"""After the last step, for iperf3 clients to exchange their results with the servers."""

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

    def snapshots(self) -> list[dict[str, Any]]:
        """A snapshot per simcore instance; empty if nothing is simulated."""


def settle(arm: Arm) -> None:
    """Wait until what was there before the arm keeps no processor busy any more, in the hypervisor.

    How long that took is ``arm.settings["settled_after_s"]``.
    """
    with ThreadPoolExecutor() as machines:
        answers = machines.map(
            lambda request: ask(request, verb="settle", quiet_s=QUIET_S, limit_s=SETTLE_LIMIT_S),
            (arm.sender, arm.receiver),
        )
        arm.settings["settled_after_s"] = max(answer["waited_s"] for answer in answers)


def climb(arm: Arm, scale: Scale, tick: Callable[[str, float], None]) -> ArmRound:
    """Run every step of the scale on ``arm``.

    Before the first step each receiver is pinged by its sender, so that MAC learning and the set-up of OpenFlow
    rules are not part of any figure.

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

    samplers = [_start_sampling(arm, machine) for machine in (SENDERS, RECEIVERS)]
    began = time.monotonic()
    windows: list[list[Window]] = []
    controllers: list[ControllerTime] = []
    for index, count in enumerate(scale.steps):
        ends = began + (index + 1) * scale.seconds_per_step
        ask(
            arm.sender,
            verb="go",
            hosts=[flow.sender for flow in flows if flow.step == index],
            spread_s=SPREAD_S,
        )
        what = f"{arm.name}: {count} TCP + {count} UDP flows"
        tick(what, 0.0)
        time.sleep(max(0.0, min(SETTLE_S, ends - time.monotonic())))
        first_s, first_ns = time.monotonic(), ran_ns([arm.controller_pid])
        windows.append(_watch(arm, ends, partial(tick, what)))
        lasted_s = max(time.monotonic() - first_s, LEAST_S)
        controllers.append(
            ControllerTime(computer(), (ran_ns([arm.controller_pid]) - first_ns) / 1e9 / lasted_s)
        )
    sent = ask(arm.sender, verb="finish", grace_s=GRACE_S)
    arrived = ask(arm.receiver, verb="finish", grace_s=GRACE_S)

    sampled = [
        Sampled(
            sampler["computer"],
            sampler["cores"],
            sampler["ticks_per_second"],
            answer["samples"],
            began + sampler["clock_ahead_s"],
        )
        for sampler, answer in zip(samplers, (sent, arrived), strict=True)
    ]
    seconds = seconds_of(arrived["samples"], flows, sampled[-1].started_s)
    steps = step_results(seconds, scale)
    simulated = bool(arm.snapshots())
    verdicts = [
        step_verdict(windows[index] if simulated else None, step, counted_seconds(seconds, scale, index))
        for index, step in enumerate(steps)
    ]
    return ArmRound(
        arm=arm.name,
        steps=steps,
        seconds=seconds,
        verdicts=verdicts,
        processors=[
            processors_of(sampled, controller, scale, index) for index, controller in enumerate(controllers)
        ],
        boot_s=arm.boot_s,
        stalls=sum(stalls_in(window) for of_step in windows for window in of_step),
        stalled_s=sum(stalled_ns(window) for of_step in windows for window in of_step) / 1e9,
        settings=arm.settings,
        flows={
            "clients": sent["clients"],
            "servers": arrived["servers"],
            "unfinished": arrived["unfinished"],
        },
    )


def _start_sampling(arm: Arm, machine: str) -> dict[str, Any]:
    """Have a machine's flow runner begin. Returns its answer, with how far the machine's clock is ahead of ours."""
    processes = arm.cluster.call(machine, "processes")
    request = arm.sender if machine == SENDERS else arm.receiver
    answer = ask(request, verb="sample", period_s=SAMPLE_PERIOD_S, processes=processes)
    return answer | {"clock_ahead_s": answer["monotonic_s"] - time.monotonic()}


def _client(arm: Arm, flow: FlowSpec, scale: Scale) -> dict[str, Any]:
    """What the runner needs for a flow, which runs from its step until the end."""
    return {
        "host": flow.sender,
        "netns": arm.netns(flow.sender),
        "to": arm.address(flow.receiver),
        "port": PORT,
        "protocol": flow.protocol,
        "rate_bps": flow.rate_bps,
        "seconds": (len(scale.steps) - flow.step) * scale.seconds_per_step,
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
