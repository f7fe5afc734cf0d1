# SPDX-License-Identifier: MIT
"""iperf3 flows between many pairs of hosts, one after the other or some at a time. `Net.iperf_matrix` uses this."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import NamedTuple

from hybridnet.describe.values import shown, whole
from hybridnet.errors import ExperimentError, MachineError, UsageError
from hybridnet.observe.results import html
from hybridnet.run.net.iperf import Flow, check_flow, format_bandwidth, iperf
from hybridnet.run.net.matrix_text import csv_text, progress_bar, text_table
from hybridnet.run.node import Host

__all__ = ["IperfMatrix", "IperfRow", "checked_pairs", "measure_flows"]

MOST_PARALLEL = 128
HIGHEST_PORT = 65535


class IperfRow(NamedTuple):
    """One flow. Of one that failed, `error` says why, and the figures are None."""

    client: str
    server: str
    received_bps: float | None  # bit/s that arrived, of payload
    sent_bps: float | None
    lost_percent: float | None = None  # of UDP's datagrams
    error: str | None = None


class IperfMatrix(NamedTuple):
    """The flows between hosts, in the order of the pairs.

    Attributes:
        protocol: ``"TCP"`` or ``"UDP"``.
        rate: what each UDP flow offered, as it was given; None for TCP.
        seconds: how long each flow sent.
        parallel: how many ran at a time.
        rows: one for each pair.
    """

    protocol: str
    rate: str | None
    seconds: float
    parallel: int
    rows: list[IperfRow]

    def row(self, client: str, server: str) -> IperfRow:
        """The flow of a pair. Raises UsageError if there is none."""
        for row in self.rows:
            if (row.client, row.server) == (client, server):
                return row
        raise UsageError(f"iperf matrix: there is no pair {shown(client)}, {shown(server)}; give two names")

    @property
    def failed(self) -> list[IperfRow]:
        """The flows that failed."""
        return [row for row in self.rows if row.error is not None]

    def to_json(self) -> dict[str, object]:
        """The matrix as data."""
        return {**self._asdict(), "rows": [row._asdict() for row in self.rows]}

    def dumps(self) -> str:
        """The matrix as JSON text."""
        return json.dumps(self.to_json(), indent=2)

    def csv(self) -> str:
        """A line of CSV for each flow, after one of names, which are those of `IperfRow`; a figure that a flow does not
        have is empty.
        """
        return csv_text(IperfRow._fields, (row._asdict() for row in self.rows))

    def __str__(self) -> str:
        """A line for each flow."""
        columns, rows = self._table()
        return text_table(columns, rows) + "".join(f"\n{line}" for line in self._errors())

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        columns, rows = self._table()
        said = f"{self.protocol}, {self.seconds:g} s each, {self.parallel} at a time"
        return html.joined(
            html.word(said if self.rate is None else f"{said}, {self.rate} offered"),
            html.table(columns, rows, texts=2),
            html.lines(self._errors()),
        )

    def _table(self) -> tuple[list[str], list[list[str]]]:
        lost = ["lost"] if self.protocol == "UDP" else []
        rows = [
            [
                row.client,
                row.server,
                *(self._figures(row) if row.error is None else ["failed", "", *("" for _ in lost)]),
            ]
            for row in self.rows
        ]
        return ["client", "server", "received", "sent", *lost], rows

    def _errors(self) -> list[str]:
        return [f"{row.client} -> {row.server}: {row.error}" for row in self.failed]

    def _figures(self, row: IperfRow) -> list[str]:
        figures = [format_bandwidth(row.received_bps or 0.0), format_bandwidth(row.sent_bps or 0.0)]
        return figures if row.lost_percent is None else [*figures, f"{row.lost_percent:.2f} %"]


def checked_pairs(
    hosts: Sequence[Host], given: Sequence[tuple[Host, Host]] | None
) -> list[tuple[Host, Host]]:
    """The given (client, server) pairs, else all ordered pairs of the hosts. Raises UsageError."""
    pairs = list(itertools.permutations(hosts, 2)) if given is None else list(given)
    for client, server in pairs:
        if client is server:
            raise UsageError(f"iperf_matrix: the pair {client}, {server} is one host; give two")
        if server.IP() is None:
            raise UsageError(f"iperf_matrix: host {server} has no address; give it an ip=, or leave it out")
    return pairs


def measure_flows(
    pairs: Sequence[tuple[Host, Host]], flow: Flow, parallel: int, slow: int = 1
) -> IperfMatrix:
    """See `hybridnet.Net.iperf_matrix`; `slow` as of `iperf`."""
    whole(parallel, "iperf_matrix: parallel", 1, MOST_PARALLEL)
    check_flow(flow, slow)
    if flow.port + parallel - 1 > HIGHEST_PORT:
        raise UsageError(
            f"iperf_matrix: port {flow.port} and {parallel} flows at a time need ports up to "
            f"{flow.port + parallel - 1}; choose a lower one"
        )
    ports: SimpleQueue[int] = SimpleQueue()  # of flows at the same time, each has its own
    for port in range(flow.port, flow.port + parallel):
        ports.put(port)

    def measure(pair: tuple[Host, Host]) -> IperfRow:
        client, server = pair
        with _taken(ports) as port:
            try:
                found = iperf(server, client, flow._replace(port=port), slow)
            except (ExperimentError, MachineError) as error:
                return IperfRow(client.name, server.name, None, None, error=str(error))
        return IperfRow(client.name, server.name, found.received_bps, found.sent_bps, found.lost_percent)

    rows: list[IperfRow] = []
    with progress_bar("flows", len(pairs)) as advance, ThreadPoolExecutor(parallel, "iperf") as pool:
        for row in pool.map(measure, pairs):
            rows.append(row)
            advance(1)
    rate = flow.rate if flow.protocol == "UDP" else None
    return IperfMatrix(flow.protocol, rate, flow.seconds, parallel, rows)


@contextmanager
def _taken(ports: SimpleQueue[int]) -> Iterator[int]:
    port = ports.get()
    try:
        yield port
    finally:
        ports.put(port)
