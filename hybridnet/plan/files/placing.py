# SPDX-License-Identifier: MIT
"""Where nodes stand in a drawing: in rows where the network has levels, else where springs would hold them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hybridnet.describe.topo import Topo, natural
from hybridnet.describe.topo.roles import ROLES

__all__ = ["Places", "place_graph", "place_nodes"]

Places = dict[str, tuple[float, float]]

MOST_EXACT = 400  # nodes for which all distances are weighed
SWEEPS = 12  # over the rows
STEPS = 150  # toward the least stress
SEED = 1


def place_nodes(topo: Topo) -> Places:
    """The place of each node, each coordinate from 0 to 1; the same description is placed the same."""
    ends = [spec.name for spec in topo.node_specs() if ROLES[spec.role].is_end]
    return place_graph(topo.nodes(), topo.iterLinks(), ends)


def place_graph(names: Iterable[str], links: Iterable[tuple[str, str]], ends: Sequence[str]) -> Places:
    """As `place_nodes`, of nodes and links without a description.

    Args:
        ends: the nodes that are hosts.
    """
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(sorted(names, key=natural))
    graph.add_edges_from((one, other) for one, other in links)
    levels = _levels(graph, ends)
    if levels is not None:
        return _rows(graph, levels)
    found = networkx.spring_layout(graph, seed=SEED, iterations=100)
    placed = {name: (float(x), float(y)) for name, (x, y) in found.items()}
    return _scaled(_least_stress(graph, placed) if 2 < len(graph) <= MOST_EXACT else placed)


def _levels(graph: Any, ends: Sequence[str]) -> dict[str, int] | None:
    """Of each node the distance to the nearest host; None where this gives no levels: links stay within one, or a tree
    would have a single level of switches.
    """
    import networkx

    if not ends:
        return None
    levels: dict[str, int] = dict(networkx.multi_source_dijkstra_path_length(graph, set(ends)))
    flat = any(levels.get(one) == levels.get(other) for one, other in graph.edges)
    return None if flat or len(levels) < len(graph) or max(levels.values()) < 1 else levels


def _rows(graph: Any, levels: Mapping[str, int]) -> Places:
    """Rows from the hosts up, each ordered by where its neighbours stand, so that few links cross."""
    rows: list[list[str]] = [[] for _ in range(max(levels.values()) + 1)]
    for name in graph:
        rows[levels[name]].append(name)
    across = {name: (at + 0.5) / len(row) for row in rows for at, name in enumerate(row)}
    for sweep in range(SWEEPS):
        for level in range(1, len(rows)) if sweep % 2 == 0 else range(len(rows) - 2, -1, -1):
            beside = level - 1 if sweep % 2 == 0 else level + 1
            wanted = {
                name: [across[other] for other in graph[name] if levels[other] == beside]
                for name in rows[level]
            }
            middle = {
                name: sum(found) / len(found) if found else across[name] for name, found in wanted.items()
            }
            rows[level].sort(key=lambda name: (middle[name], natural(name)))
            across |= {name: (at + 0.5) / len(rows[level]) for at, name in enumerate(rows[level])}
    height = max(len(rows) - 1, 1)
    return {name: (across[name], levels[name] / height) for name in graph}


def _least_stress(graph: Any, begin: Places) -> Places:
    """Places whose distances are in proportion to the numbers of links between, as well as a plane allows.

    Stress majorization: Gansner, Koren, North, "Graph drawing by stress majorization", 2004, equation 7.
    """
    import networkx
    import numpy as np

    names = list(begin)
    hops = dict(networkx.all_pairs_shortest_path_length(graph))
    farthest = max(max(own.values()) for own in hops.values())
    wanted = np.array([[hops[one].get(other, farthest + 1) for other in names] for one in names], float)
    np.fill_diagonal(wanted, 1.0)
    weights = wanted**-2.0
    np.fill_diagonal(weights, 0.0)
    laplacian = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    places = np.array([begin[name] for name in names])
    for _ in range(STEPS):
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        pull = -weights * wanted / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = laplacian @ (pull @ places)
    return {name: (float(x), float(y)) for name, (x, y) in zip(names, places, strict=True)}


def _scaled(places: Places) -> Places:
    if not places:
        return places
    low = [min(place[axis] for place in places.values()) for axis in (0, 1)]
    size = [max(place[axis] for place in places.values()) - low[axis] or 1.0 for axis in (0, 1)]
    return {name: ((x - low[0]) / size[0], (y - low[1]) / size[1]) for name, (x, y) in places.items()}
