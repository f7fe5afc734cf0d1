# SPDX-License-Identifier: MIT
"""What speakers of BGP agree on under the export rules, computed by having each of them do what it does."""

from __future__ import annotations

from collections.abc import Mapping, Set

from hybridnet.topologies.autonomous_systems import Systems

Route = tuple[int, list[int]]


def told(
    systems: Systems,
    origins: Set[int],
    leaks: Set[tuple[int, int]] = frozenset(),
    *,
    before: Mapping[int, Route] | None = None,
    backward: bool = False,
) -> dict[int, Route]:
    """The rules as speakers of BGP follow them, by turns until nobody learns anything: of each system the rank of its
    best route (0 by a customer, 1 by a peer, 2 by a provider, -1 its own) and its path.

    Args:
        origins: who says that it has the prefix.
        leaks: who tells whom everything, whatever the rules say. Then there may be two states in which nobody learns
            anything, and it depends on `before` which is reached.
        before: what they know at the beginning; None: nothing.
        backward: the last system has the first turn.
    """
    best: dict[int, Route] = {**(before or {}), **{each: (-1, [each]) for each in origins}}
    changed = True
    while changed:
        changed = False
        for each in sorted(systems.numbers, reverse=backward):
            if each in origins:
                continue
            offers = []
            beside = ((0, systems.customers), (1, systems.peers), (2, systems.providers))
            for rank, neighbours in beside:
                for other in neighbours[each]:
                    if other not in best or each in best[other][1]:
                        continue
                    # Customers hear all; who is above or beside hears only what comes from customers.
                    if rank == 2 or best[other][0] <= 0 or (other, each) in leaks:
                        offers.append((rank, len(best[other][1]), other))
            if not offers:
                if best.pop(each, None) is not None:
                    changed = True
                continue
            rank, _, other = min(offers)
            route = rank, [each, *best[other][1]]
            if best.get(each) != route:
                best[each], changed = route, True
    return best
