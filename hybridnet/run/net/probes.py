# SPDX-License-Identifier: MIT
"""Who reaches whom, as Mininet asks: `Net.ping` and `pingAll` use this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hybridnet.describe.values import shown
from hybridnet.errors import UsageError
from hybridnet.machines.cluster.machines import VerbCall
from hybridnet.run.net.ping_matrix import measure_pings
from hybridnet.run.node import Host
from hybridnet.system.log import output

if TYPE_CHECKING:
    from hybridnet.machines.cluster import Machines

__all__ = ["announce", "patience", "ping_all", "ping_all_at_once"]

MOST_SECONDS = 86_400


def announce(hosts: Sequence[object] | None) -> None:
    """Say what is tested, as Mininet does where all hosts are: None."""
    if hosts is None:
        output("*** Ping: testing ping reachability\n")


def ping_all(cluster: Machines, hosts: Sequence[Host], wait_s: float, slow: int = 1) -> float:
    """Ping once from every host to every other; print Mininet's table. Returns the percentage of lost pings.

    A host that has no address is reached by nobody, as in Mininet: its pings are lost. One that has no interface is
    left out.

    The hosts of one machine take turns as the source; the machines, and the pings of one source, run side by
    side.
    """
    rows: dict[str, list[str]] = {}
    shown = sent = received = 0
    for turn in _turns(hosts):
        calls: dict[str, VerbCall] = {}
        targets: dict[str, list[Host]] = {}
        for source in turn:
            targets[source.name] = [host for host in hosts if host is not source and host.intfList()]
            pairs = [(source.name, _address(host)) for host in targets[source.name] if _address(host)]
            calls[source.machine or ""] = (
                "ping_pairs",
                {"pairs": pairs, "count": 1, "wait_s": wait_s * slow},
            )
        answers = cluster.call_all(calls)
        for source in turn:
            found = iter(answers[source.machine or ""])
            reached = [bool(_address(host) and next(found)["received"]) for host in targets[source.name]]
            sent += len(reached)
            received += sum(reached)
            rows[source.name] = [
                host.name if there else "X" for host, there in zip(targets[source.name], reached, strict=True)
            ]
        while shown < len(hosts) and hosts[shown].name in rows:
            output(f"{hosts[shown].name} -> {' '.join(rows[hosts[shown].name])} \n")
            shown += 1
    return _result(sent, received)


def ping_all_at_once(cluster: Machines, hosts: Sequence[Host], wait_s: float, slow: int = 1) -> float:
    """The same of all pairs side by side, which takes seconds for 128 hosts."""
    matrix = measure_pings(cluster, hosts, 1, 0.0, wait_s, slow)
    for source in matrix.hosts:
        answered = [
            "X" if matrix.lost(source, target) else target for target in matrix.hosts if target != source
        ]
        output(f"{source} -> {' '.join(answered)} \n")
    return _result(matrix.sent, matrix.received)


def _address(host: Host) -> str | None:
    """Where a host is pinged: by IPv6 if it has no IPv4 address; None: it has neither."""
    return host.IP() or host.IP6()


def _result(sent: int, received: int) -> float:
    if not sent:
        output("*** Warning: No packets sent\n")
        return 0.0
    lost = 100.0 * (sent - received) / sent
    output(f"*** Results: {int(lost)}% dropped ({received}/{sent} received)\n")
    return lost


def patience(timeout: Any) -> float:
    """How long to wait for a ping, in seconds: a number, or the text of one; None is a second. Raises UsageError."""
    try:
        seconds = 1.0 if timeout is None else float(timeout)
        if isinstance(timeout, bool) or not 0 < seconds <= MOST_SECONDS:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise UsageError(
            f"ping: timeout {shown(timeout)} is not a number of seconds; write for example 2"
        ) from None
    return seconds


def _turns(hosts: Sequence[Host]) -> list[list[Host]]:
    """The first host of each machine, then the second of each, and so on."""
    by_machine: dict[str, list[Host]] = {}
    for host in hosts:
        by_machine.setdefault(host.machine or "", []).append(host)
    longest = max((len(group) for group in by_machine.values()), default=0)
    return [[group[turn] for group in by_machine.values() if turn < len(group)] for turn in range(longest)]
