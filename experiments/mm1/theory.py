# SPDX-License-Identifier: MIT
"""Closed forms of queueing systems in their steady state. Rates are per second, times in seconds."""

from __future__ import annotations

from math import factorial


def mm1_response_s(arrivals: float, service: float) -> float:
    """Mean time in an M/M/1 system.

    Example:
        >>> round(mm1_response_s(1 / 3, 1 / 2), 9)
        6.0
    """
    return 1 / (service - arrivals)


def mm1_share(arrivals: float, service: float, jobs: int) -> float:
    """The part of the time with so many jobs in an M/M/1 system."""
    load = arrivals / service
    return (1 - load) * load**jobs


def mmm_response_s(arrivals: float, service: float, servers: int) -> float:
    """Mean time in an M/M/m system, by Erlang's C formula."""
    offered = arrivals / service
    all_busy = offered**servers / factorial(servers) / (1 - offered / servers)
    waits = all_busy / (sum(offered**n / factorial(n) for n in range(servers)) + all_busy)
    return waits / (servers * service - arrivals) + 1 / service


def md1_response_s(arrivals: float, service: float) -> float:
    """Mean time in an M/D/1 system, by the formula of Pollaczek and Khinchine."""
    load = arrivals / service
    return load / (2 * service * (1 - load)) + 1 / service


def mm1k_shares(arrivals: float, service: float, capacity: int) -> list[float]:
    """The part of the time with 0 to ``capacity`` jobs in an M/M/1/K system. The last one is the part of jobs lost."""
    load = arrivals / service
    weights = [load**n for n in range(capacity + 1)]
    return [weight / sum(weights) for weight in weights]


def mm1k_response_s(arrivals: float, service: float, capacity: int) -> float:
    """Mean time in an M/M/1/K system of those that were not lost, by Little's law."""
    shares = mm1k_shares(arrivals, service, capacity)
    mean_jobs = sum(n * share for n, share in enumerate(shares))
    return mean_jobs / (arrivals * (1 - shares[-1]))
