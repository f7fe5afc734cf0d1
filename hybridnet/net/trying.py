# SPDX-License-Identifier: MIT
"""What `hybridnet.Net` tries out: pings and flows between hosts, commands in many nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridnet.errors import UsageError
from hybridnet.net import batch, probes
from hybridnet.net.batch import Completed
from hybridnet.net.iperf import Flow, iperf_pair
from hybridnet.net.iperf_matrix import IperfMatrix, checked_pairs, measure_flows
from hybridnet.net.ping_matrix import PingMatrix, measure_pings
from hybridnet.net.structure import Structure
from hybridnet.values import flag, number, shown, whole

__all__ = ["Trying"]


class Trying(Structure):
    """The tests of `hybridnet.Net`, as Mininet has them, and those of all pairs; of no use by itself."""

    def ping(
        self,
        hosts: Sequence[Any] | None = None,
        timeout: float | str | None = None,
        parallel: bool = False,
    ) -> float:
        """Ping once between all pairs of hosts, and print a table. Returns the percentage lost.

        Args:
            timeout: seconds to wait for an answer; None: one.
            parallel: all pairs side by side, by the agents themselves and not by `ping`: seconds for 128 hosts.
        """
        wait_s = probes.patience(timeout)
        probes.announce(hosts)
        ping = probes.ping_all_at_once if flag(parallel, "ping: parallel") else probes.ping_all
        return ping(self.cluster, self._some_hosts(hosts, "ping"), wait_s)

    def pingAll(self, timeout: float | str | None = None, parallel: bool = False) -> float:
        """`ping` between all hosts."""
        return self.ping(timeout=timeout, parallel=parallel)

    def ping_matrix(
        self,
        hosts: Sequence[Any] | None = None,
        count: int = 1,
        interval: float = 0.0,
        timeout: float | str | None = None,
    ) -> PingMatrix:
        """Ping between all ordered pairs of hosts, side by side. Returns round trips and losses.

        Args:
            hosts: default: all.
            count: requests of each pair, 1 to 1000; the first one may have to find out a MAC address.
            interval: seconds between two requests of a pair, at least.
            timeout: seconds to wait for an answer; None: one.

        Example:
            >>> matrix = net.ping_matrix(count=10)  # doctest: +SKIP
            >>> matrix.rtt_ms("h1", "h2"), matrix.lost("h1", "h2"), matrix.lost_percent  # doctest: +SKIP
            (0.081, 0, 0.0)
            >>> Path("pings.json").write_text(matrix.dumps())  # doctest: +SKIP
        """
        whole(count, "ping_matrix: count", 1, 1000)
        number(interval, "ping_matrix: interval", 0, 3600)
        wait_s = probes.patience(timeout)
        return measure_pings(self.cluster, self._some_hosts(hosts, "ping_matrix"), count, interval, wait_s)

    def pingPair(self) -> float:
        """`ping` between the first two hosts."""
        return self.ping(self.hosts[:2])

    def iperf(
        self,
        hosts: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: float = 5,
        port: int = 5001,
    ) -> list[str]:
        """One iperf3 flow between two hosts (the first and the last); print and return what arrived and
        what was sent.

        For UDP the offered rate comes first, as in Mininet.

        Args:
            fmt: the unit of the rates, as for iperf's -f: k, m or g for Kbits to Gbits, K, M or G for KBytes to GBytes
                per second; None: by size.

        Raises:
            UsageError: there are not two hosts, or an option makes no sense.
            ExperimentError: iperf3 failed; the message quotes it.
        """
        ends = self._some_hosts(hosts, "iperf")
        if hosts is None:
            ends = [ends[0], ends[-1]] if len(ends) > 1 else ends
        return iperf_pair(ends, Flow(l4Type, udpBw, seconds, port), fmt)

    def iperf_matrix(
        self,
        pairs: Sequence[Any] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        seconds: float = 1,
        port: int = 5001,
        parallel: int = 1,
    ) -> IperfMatrix:
        """One iperf3 flow for each pair of hosts. Returns what arrived, what was sent, and UDP's loss.

        Args:
            pairs: (client, server) pairs; default: all ordered pairs of all hosts that have an address.
            udpBw: what each UDP flow offers.
            seconds: how long each flow sends.
            port: the first of `parallel` TCP and UDP ports.
            parallel: how many flows run at a time, 1 to 128. They share the links, and this computer.

        Raises:
            UsageError: an option makes no sense. A flow that fails is a row with an `error`, and the others go on.

        Example:
            >>> matrix = net.iperf_matrix([("h1", "h2"), ("h2", "h1")], seconds=2)  # doctest: +SKIP
            >>> matrix.row("h1", "h2").received_bps  # doctest: +SKIP
            9412000000.0
        """
        wanted = None if pairs is None else [self._pair(pair) for pair in _listed(pairs)]
        able = [host for host in self._some_hosts(None, "iperf_matrix") if host.IP() is not None]
        return measure_flows(checked_pairs(able, wanted), Flow(l4Type, udpBw, seconds, port), parallel)

    def run_all(self, commands: Mapping[Any, Any], timeout: float | None = None) -> dict[Any, Completed]:
        """Run commands in the shells of many nodes at the same time, with one call for each machine.

        Args:
            commands: of each node, by name or object, what `Node.cmd` takes: text, or a list of words.
            timeout: seconds after which a command is interrupted; None: none.

        Returns:
            Of each node, by the same name or object, its `Completed`: output and exit_code.

        Raises:
            UsageError: an unknown node, or an empty command.
            MachineError: the network is not started, a node is running another command, or a command did not end in
                time; every other one has ended.

        Example:
            >>> net.run_all({"h1": "hostname -I", "h2": ["cat", "/etc/hosts"]})["h1"].exit_code  # doctest: +SKIP
            0
        """
        if not isinstance(commands, Mapping):
            raise UsageError(f"run_all: {shown(commands)} is not a dictionary; write {{'h1': 'true'}}")
        return batch.run_all(
            self.cluster, {key: (self._node(key), command) for key, command in commands.items()}, timeout
        )

    # Inside

    def _some_hosts(self, hosts: Any, what: str) -> list[Any]:
        if hosts is None:
            self._refuse_losses()
            lost = self.cluster.lost()
            return [host for host in self.hosts if host.machine not in lost]
        if not isinstance(hosts, Sequence) or isinstance(hosts, str | bytes):
            raise UsageError(f"{what}: {shown(hosts)} is not a list of hosts; write net.get('h1', 'h2')")
        return [self._node(host) for host in hosts]

    def _pair(self, pair: Any) -> tuple[Any, Any]:
        ends = self._some_hosts(pair, "iperf_matrix")
        if len(ends) != 2:
            raise UsageError(
                f"iperf_matrix: {shown(pair)} is not a pair of client and server; write ('h1', 'h2')"
            )
        return ends[0], ends[1]


def _listed(pairs: Any) -> Sequence[Any]:
    if not isinstance(pairs, Sequence) or isinstance(pairs, str | bytes):
        raise UsageError(f"iperf_matrix: {shown(pairs)} is not a list of pairs; write [('h1', 'h2')]")
    return pairs
