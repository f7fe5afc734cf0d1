# SPDX-License-Identifier: MIT
"""Climbs the staircase of flows on one arm, and reads what arrives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from experiments.maxinet_parts.report import ArmRound
from experiments.maxinet_parts.scale import Scale
from experiments.maxinet_parts.staircase import SETTLE_S, FlowSpec, flows_of, seconds_of, step_results
from hybridnet.errors import ExperimentError
from hybridnet.results import Limits, Verdict, judge

PORT = 5201
SAMPLE_PERIOD_S = 1.0
WARM_UP_LIMIT_S = 60
GRACE_S = 10.0
"""After the last step, for iperf3 clients to exchange their results with the servers."""

LIMITS = Limits(lateness_p999_ns=1_000_000, late_packets_fraction=1e-4, processor_busy=0.98)

Request = Callable[[dict[str, Any]], dict[str, Any]]


class Arm(Protocol):
    """One way of building the network of the comparison, running."""

    name: str
    settings: dict[str, Any]
    boot_s: float

    def sender(self, request: dict[str, Any]) -> dict[str, Any]:
        """Asks the flow runner on the senders' machine."""

    def receiver(self, request: dict[str, Any]) -> dict[str, Any]:
        """Asks the flow runner on the receivers' machine."""

    def netns(self, host: str) -> str:
        """The path of the host's network namespace on its machine."""

    def address(self, host: str) -> str:
        """The host's IPv4 address."""

    def snapshots(self) -> list[dict[str, Any]]:
        """A snapshot per simcore instance; empty where nothing is simulated."""


def climb(arm: Arm, scale: Scale, tick: Callable[[str, float], None]) -> ArmRound:
    """Runs every step of the scale on ``arm``.

    Before the first step each receiver is pinged by its sender, so that MAC learning and the set-up of OpenFlow
    rules are not part of any figure.

    Args:
        arm: a network that runs.
        scale: what to offer.
        tick: called about once a second with what is going on and the seconds that went by.

    Raises:
        ExperimentError: a host does not answer, or a flow could not be started.
    """
    flows = flows_of(scale)
    ask(
        arm.receiver,
        verb="servers",
        flows=[{"host": flow.receiver, "netns": arm.netns(flow.receiver), "port": PORT} for flow in flows],
    )
    _warm_up(arm, flows)

    ask(arm.receiver, verb="sample", period_s=SAMPLE_PERIOD_S)
    sampling_since = time.monotonic()
    snapshots: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]] = []
    began = time.monotonic()
    for index, count in enumerate(scale.steps):
        ends = began + (index + 1) * scale.seconds_per_step
        left_s = (len(scale.steps) - index) * scale.seconds_per_step
        starting = [flow for flow in flows if flow.step == index]
        ask(arm.sender, verb="clients", flows=[_client(arm, flow, left_s) for flow in starting])
        what = f"{arm.name}: {count} TCP + {count} UDP flows"
        _wait(min(time.monotonic() + SETTLE_S, ends), what, tick)
        before = arm.snapshots()
        _wait(ends, what, tick)
        if before:
            snapshots.append((before, arm.snapshots()))
    sent = ask(arm.sender, verb="finish", grace_s=GRACE_S)
    arrived = ask(arm.receiver, verb="finish", grace_s=GRACE_S)

    first_sample_s = arrived["samples"][0]["monotonic_s"]
    seconds = seconds_of(arrived["samples"], flows, started_s=first_sample_s + (began - sampling_since))
    steps = step_results(seconds, scale)
    verdicts: list[Verdict] = [
        judge(before, after, LIMITS, processor_busy=step.processor_busy)
        for (before, after), step in zip(snapshots, steps, strict=False)
    ]
    return ArmRound(
        arm=arm.name,
        steps=steps,
        seconds=seconds,
        verdicts=verdicts,
        boot_s=arm.boot_s,
        settings=arm.settings,
        flows={
            "clients": sent["clients"],
            "servers": arrived["servers"],
            "unfinished": arrived["unfinished"],
        },
    )


def _client(arm: Arm, flow: FlowSpec, seconds: int) -> dict[str, Any]:
    """What the runner needs to start a flow."""
    return {
        "host": flow.sender,
        "netns": arm.netns(flow.sender),
        "to": arm.address(flow.receiver),
        "port": PORT,
        "protocol": flow.protocol,
        "rate_bps": flow.rate_bps,
        "seconds": seconds,
        "block_bytes": flow.block_bytes,
    }


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
    """Asks a flow runner; raises ExperimentError when it answers with an error."""
    answer = request(content)
    if "error" in answer:
        raise ExperimentError(f"flow runner, {content['verb']}: {answer['error']}")
    return answer


def _wait(until: float, what: str, tick: Callable[[str, float], None]) -> None:
    while (left := until - time.monotonic()) > 0:
        step = min(left, 1.0)
        time.sleep(step)
        tick(what, step)
