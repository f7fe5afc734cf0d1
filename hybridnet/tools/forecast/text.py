# SPDX-License-Identifier: MIT
"""A forecast and costs for people to read: the rows of their tables, and the sentences beside them."""

from __future__ import annotations

from hybridnet.describe.quantities import format_rate
from hybridnet.tools.forecast.costs import AROUND, PROTOCOLS, THREAD, Cost, Costs, Traffic
from hybridnet.tools.forecast.demand import DATAGRAM_BYTES
from hybridnet.tools.forecast.forecast import TRUSTED, Bound, Forecast

__all__ = ["CORE_COLUMNS", "COST_COLUMNS", "PART_COLUMNS", "core_rows", "cost_rows", "part_rows", "sentences"]

PART_COLUMNS = ("part", "machine", "busy", "share", "trusted up to")
CORE_COLUMNS = ("computer", "processor", "busy", "pinned there")
COST_COLUMNS = ("element", "", "whose time", "a burst or turn", "a unit", "a byte", "100 Mbit/s take")
_MOST_ROWS = 14
_LIKELY = {"tcp": Traffic(200, 200, 12.5e6), "udp": Traffic(1000, 12.5e6 / DATAGRAM_BYTES, 12.5e6)}
"""100 Mbit/s in long trains, and as datagrams of one flow."""


def part_rows(forecast: Forecast) -> list[tuple[str, ...]]:
    """One row for each part, the fullest first; the emptiest are left out where there are many."""
    loads = forecast.loads
    rows: list[tuple[str, ...]] = []
    for part in forecast.parts[:_MOST_ROWS]:
        busy = "" if part.kind == "link" else f"{loads.busy[part]:.2f} of {part.capacity:g}"
        limit = TRUSTED.get(part.kind)
        rows.append(
            (
                str(part),
                part.machine,
                busy,
                _percent(loads.share(part)),
                "" if limit is None else _percent(limit),
            )
        )
    left = len(forecast.parts) - len(rows)
    if left > 0:
        most = loads.share(forecast.parts[_MOST_ROWS])
        rows.append(
            (f"… and {left} more, each at most {_percent(most)} (all of them with --json)", "", "", "", "")
        )
    return rows


def core_rows(forecast: Forecast) -> list[tuple[str, ...]]:
    """One row for each processor."""
    return [
        (core.computer, str(core.cpu), _percent(core.busy), ", ".join(core.pinned)) for core in forecast.cores
    ]


def sentences(forecast: Forecast) -> list[str]:
    """What is carried, what is full first, how far the demand may grow, and what else to know."""
    demand = forecast.demand
    offered, carried = demand.total_bps, forecast.loads.carried_bps
    flows = f"{len(demand.flows)} flows offer" if len(demand.flows) > 1 else "1 flow offers"
    found = [f"{flows} {_rate(offered)}; the links let {_rate(carried)} through"]
    found.append(f"full first: {_bound(forecast.first)}")
    trusted = forecast.trusted
    word = "stays trusted" if forecast.stays_trusted else "is too much to be trusted"
    found.append(f"this demand {word}; the largest that does: {_bound(trusted)}")
    return [*found, *(f"note: {note}" for note in forecast.notes)]


def cost_rows(costs: Costs) -> list[tuple[str, ...]]:
    """One row for each cost, and what 100 Mbit/s of payload take of a processor."""
    rows = []
    for element, of_element in costs.elements.items():
        for protocol in PROTOCOLS:
            for whose, cost in of_element.get(protocol, {}).items():
                texts = {THREAD: "its thread", AROUND: "the kernel"}
                figures = (cost.burst_ns, cost.unit_ns, cost.byte_ns)
                rows.append(
                    (
                        element,
                        protocol,
                        texts[whose],
                        *map(_time, figures),
                        _percent(_share(cost, protocol)),
                    )
                )
    return rows


def _share(cost: Cost, protocol: str) -> float:
    return cost.cores(_LIKELY[protocol])


def _bound(bound: Bound) -> str:
    if bound.part is None:
        return "nothing, at any rate that was tried"
    return f"{bound.part}, at {bound.factor:.2f} times this demand ({_rate(bound.carried_bps)} carried)"


def _time(nanoseconds: float) -> str:
    if nanoseconds == 0:
        return "–"
    return f"{nanoseconds / 1e3:.2f} us" if nanoseconds >= 1000 else f"{nanoseconds:.3g} ns"


def _rate(bps: float) -> str:
    return format_rate(round(float(f"{bps:.3g}"))) if bps >= 1 else "0 bit/s"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
