# SPDX-License-Identifier: MIT
"""What stands at a link of a drawing."""

from __future__ import annotations

from hybridnet.describe.quantities import format_delay, format_rate
from hybridnet.describe.topo.direction import Direction
from hybridnet.plan.network.links import LinkPlan

__all__ = ["link_label"]


def link_label(link: LinkPlan) -> str:
    """Its rate, delay and loss, of both directions where they differ; empty if it has none."""
    there, back = _direction(link.a_to_b), _direction(link.b_to_a)
    if there == back:
        return there
    return f"{link.a.node}: {there or 'no limit'}\n{link.b.node}: {back or 'no limit'}"


def _direction(direction: Direction) -> str:
    parts = []
    if direction.rate_bps is not None:
        parts.append(format_rate(direction.rate_bps))
    if direction.delay_ns:
        parts.append(format_delay(direction.delay_ns))
    if direction.loss is not None:
        model = direction.loss
        share = f"{100 * model['probability']:g} %" if model["model"] == "independent" else model["model"]
        parts.append(f"loss {share}")
    return ", ".join(parts)
