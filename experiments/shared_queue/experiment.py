# SPDX-License-Identifier: MIT
"""One queue, a real flow and a simulated one: Linux's CUBIC and simcore's share 100 Mbit/s in real time.

::

    h1 (Linux)     ─┐                                              ┌─ h2 (Linux)
                    r1 ── 100 Mbit/s, 10 ms, one queue of a BDP ── r2
    v1 (simulated) ─┘                                              └─ v2 (simulated)

To the queue both are segments, and neither sender can tell who the other is. Were the simulated TCP too timid or too
bold, it would get too little or too much.

A simulated host answers in no time, a real one in some tens of microseconds, about what the link needs for a frame.
That alone decides whom a full queue drops: who is always on time finds it full again and again, who is late finds that
room has come free (the phase effect of Floyd and Jacobson 1991). So each round first pings from one real host to the
other, and gives the simulated hosts' links the delay that was found; ``--no-host-delay`` leaves it out, to show it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from hybridnet import Net
from hybridnet.errors import ExperimentError
from hybridnet.experiments.common.linux_flows import (
    LinuxFlow,
    clock_of,
    prepare,
    require_algorithms,
    run_flows,
)
from hybridnet.experiments.common.options import add_rounds_argument, add_seconds_argument
from hybridnet.experiments.shared_queue.host_delay import HostDelay, measure_host_delay
from hybridnet.experiments.shared_queue.link import (
    ALGORITHM,
    CROSSED,
    PAYLOAD_BPS,
    QUEUE_PACKETS,
    RATE_MBPS,
    RTT_S,
    SERVICE,
    SIMULATED,
    START_S,
    SharedLink,
    SharedRound,
    SimulatedSample,
    ping_s,
    sample_of,
)
from hybridnet.experiments.shared_queue.plot import plot_shared
from hybridnet.machines.cluster import Cluster
from hybridnet.observe.results import Check, Experiment, Limits, add_experiment_arguments, judge
from hybridnet.observe.series.snapshot import Snapshot

SUMMARY = "a real and a simulated CUBIC flow share a 100 Mbit/s link in real time"
TAKES_S = 240
VIRTUAL_TIME = None

MACHINE = "m1"
MACHINES = 1
SECONDS = 60.0
EVERY_S = 0.1
LEAST_FAIRNESS = 0.9
LEAST_USED = 0.9
QUEUES = ("drop-tail", "codel")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add this experiment's options to those of ``hybridnet reproduce``."""
    add_seconds_argument(parser, SECONDS, "seconds of each round", least=5)
    add_rounds_argument(parser, 3)
    parser.add_argument(
        "--queue", choices=QUEUES, default=QUEUES[0], help="queue of the shared link (default: %(default)s)"
    )
    parser.add_argument(
        "--no-host-delay",
        action="store_true",
        help="let the simulated hosts answer in no time, unlike the real ones",
    )
    add_experiment_arguments(parser, "shared-queue", quick="one round of 15 s")


def run(arguments: argparse.Namespace) -> list[Check]:
    """Run the rounds, one after the other, each in a network of its own.

    Returns:
        The checks; ``hybridnet reproduce`` prints them and decides about the exit code.

    Raises:
        EnvironmentLackError: the machine's kernel has no CUBIC.
    """
    seconds, rounds = (15.0, 1) if arguments.quick else (arguments.seconds, arguments.rounds)
    queue: str = arguments.queue
    facts = {
        "seconds": seconds,
        "rounds": rounds,
        "rtt_s": RTT_S,
        "queue": queue,
        "queue_packets": QUEUE_PACKETS,
        "host_delay": not arguments.no_host_delay,
    }
    experiment = Experiment(arguments, facts)
    done: list[SharedRound] = []
    with arguments.cluster([MACHINE]) as cluster, experiment.steps(rounds) as steps:
        require_algorithms(cluster, MACHINE, [ALGORITHM])
        for number in range(1, rounds + 1):
            with steps.step(f"round {number} of {rounds}, {seconds:g} s"):
                round_ = _round(cluster, number, seconds, queue, host_delay=not arguments.no_host_delay)
                done.append(round_)
                _write(experiment, done[-1])
            experiment.console.print(str(done[-1]), highlight=False)
    plot_shared(experiment.directory.path / "shared.png", done[0])
    return experiment.finish(checks_of(done))


def checks_of(rounds: Sequence[SharedRound]) -> list[Check]:
    """The promises of this experiment, and whether they hold."""
    unfair = min(rounds, key=lambda each: each.fairness)
    idle = min(rounds, key=lambda each: each.used)
    return [
        Check(
            "Jain's index of the real and the simulated flow, each round",
            f"{unfair.fairness:.3f} at least: {unfair.real_bps / 1e6:.1f} and {unfair.simulated_bps / 1e6:.1f} Mbit/s",
            None,
            f"at least {LEAST_FAIRNESS}",
            unfair.fairness >= LEAST_FAIRNESS,
        ),
        Check(
            "both together, of what the framing lets through",
            f"{idle.used:.1%} at least",
            None,
            f"at least {LEAST_USED:.0%}",
            idle.used >= LEAST_USED,
        ),
        Check.of_verdicts("verdict of every round", [each.verdict for each in rounds]),
    ]


def _round(cluster: Cluster, number: int, seconds: float, queue: str, *, host_delay: bool) -> SharedRound:
    """Build the network, let both flows run, and remove it."""
    topo = SharedLink(aqm=None if queue == "drop-tail" else queue)
    with (
        # It ends after the network: the flow of an interrupted round ends with its hosts.
        ThreadPoolExecutor(1) as thread,
        Net(topo, cluster=cluster, port_type="afpacket", seed=number) as net,
    ):
        sender, receiver = net["h1"], net["h2"]
        for host in (sender, receiver):
            prepare(host, trains=True)
        sender.execute(["ping", "-n", "-c", "2", "-i", "0.2", receiver.IP()])  # ARP
        answering = HostDelay(0.0, 0.0)
        if host_delay:
            answering = measure_host_delay(sender, receiver, ping_s())
            for host_name, router in SIMULATED:
                net.set_link(host_name, router, **answering.link_options(CROSSED))
        ready_s = _snapshot(net)["time_ns"] / 1e9
        if ready_s > START_S - 1:
            raise ExperimentError(
                f"shared-queue: all was ready {ready_s:.1f} s after the instance began, and the simulated flow begins "
                f"after {START_S:g} s; run it where less else runs"
            )
        ahead_s = cluster.call(MACHINE, "clock")["epochs_ns"][MACHINE] / 1e9  # of the instance's clock
        begin = ahead_s + START_S
        real = thread.submit(
            run_flows, [(sender, receiver)], [ALGORITHM], seconds, EVERY_S, begin, clock_of(net)
        )
        snapshots = _watch(net, real)
        [flow] = real.result()
    begin_s = flow.began - ahead_s
    simulated = [sample_of(each) for each in snapshots]
    judged = [each for each in snapshots if begin_s <= each["time_ns"] / 1e9 <= begin_s + seconds]
    verdict = judge([([judged[0]], [judged[-1]])], Limits())
    return SharedRound(number, begin_s, seconds, answering, flow, simulated, verdict, judged[-1]["links"])


def _watch(net: Net, real: Future[list[LinuxFlow]]) -> list[Snapshot]:
    """Snapshots of the instance until the real flow has ended."""
    snapshots = [_snapshot(net)]
    while not real.done():
        time.sleep(EVERY_S)
        snapshots.append(_snapshot(net))
    return snapshots


def _snapshot(net: Net) -> Snapshot:
    [snapshot] = net.snapshot().values()
    now: Snapshot = snapshot
    return now


def _write(experiment: Experiment, done: SharedRound) -> None:
    """Write down what was measured, as soon as it is: a later failure loses nothing."""
    directory, folder = experiment.directory, f"round-{done.number}"
    directory.write_json(
        f"{folder}/round.json",
        {
            "link": {"rate_mbps": RATE_MBPS, "payload_bps": PAYLOAD_BPS, "service": SERVICE},
            **done.to_json(),
        },
    )
    columns = ("acknowledged_bytes", "cwnd_segments", "retransmitted_segments")
    directory.write_csv(
        f"{folder}/real.csv",
        ["time_s", *columns],
        zip(done.real_times, *(done.real.column(name) for name in columns), strict=True),
    )
    directory.write_csv(f"{folder}/simulated.csv", list(SimulatedSample._fields), done.simulated)
