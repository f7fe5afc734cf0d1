# SPDX-License-Identifier: MIT
"""How large the comparison is: the paper's numbers, or what this machine can source, the same for all arms."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from hybridnet.errors import UsageError

PAYLOAD_BYTES = 1400
"""Of a UDP datagram; fits the 1450 bytes that VXLAN leaves of a 1500-byte MTU."""

YARDSTICK_FLOWS = 8
"""Of each kind, at the paper's rates: what the hybrid arm carries of them decides about the demand that it meets."""

MET_STEPS = (4, 16)
MET_SHARE = 0.13
"""The part of what the hybrid arm carries when it is full that the wider step of `met` asks for. It meets that with
processor time to spare.

So much less than all, because many paced flows, with two processes each, cost more per byte than the few that the
capacity is measured with, and because what a computer carries varies from minute to minute.
"""


MET_OF_TRUSTED = 0.6
"""Of the largest demand that stays trusted by the forecast."""


@dataclass(frozen=True)
class Scale:
    """One size of the experiment.

    Args:
        name: ``paper``, ``capacity`` or ``met``.
        depth: of the tree of switches on each machine; 2**depth hosts each.
        steps: flows of each kind at each step, ascending; at most half the hosts of a machine at the last.
        tcp_rate_bps, udp_rate_bps: what each flow offers, payload bits per second.
        seconds_per_step: whole seconds, at least 3.
        link_rate_bps, link_delay_ns: of the simulated link between the roots.
    """

    name: str
    depth: int
    steps: tuple[int, ...]
    tcp_rate_bps: int
    udp_rate_bps: int
    seconds_per_step: int
    link_rate_bps: int = 10_000_000_000
    link_delay_ns: int = 5_000_000

    def __post_init__(self) -> None:
        if self.seconds_per_step < 3:
            raise UsageError(
                f"scale {self.name}: {self.seconds_per_step} s per step is too short: the first second of a step "
                "is not counted, and two more are needed for a figure; give at least 3"
            )
        if 2 * self.steps[-1] > 2**self.depth:
            raise UsageError(
                f"scale {self.name}: {self.steps[-1]} TCP and as many UDP flows need {2 * self.steps[-1]} hosts on "
                f"each machine, a tree of depth {self.depth} has {2**self.depth}; use fewer flows or a deeper tree"
            )

    @property
    def hosts_per_machine(self) -> int:
        return 1 << self.depth

    def demand_bps(self, flows: int) -> dict[str, int]:
        """What is offered at the step with that many flows of each kind, by protocol; payload bit/s."""
        return {"tcp": flows * self.tcp_rate_bps, "udp": flows * self.udp_rate_bps}

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"scale {self.name}: 2 x {self.hosts_per_machine} hosts, 2 x {self.hosts_per_machine - 1} switches; "
            f"{', '.join(map(str, self.steps))} flows of each kind for {self.seconds_per_step} s each; "
            f"TCP {self.tcp_rate_bps / 1e6:g} Mbit/s and UDP {self.udp_rate_bps / 1e6:g} Mbit/s per flow; "
            f"link between the roots {self.link_rate_bps / 1e9:g} Gbit/s, {self.link_delay_ns / 1e6:g} ms"
        )


PAPER = Scale(
    name="paper",
    depth=6,
    steps=(1, 2, 4, 8, 16, 32),
    tcp_rate_bps=1_000_000_000,
    udp_rate_bps=100_000_000,
    seconds_per_step=30,
)
"""Section 5.3 and figures 2, 3 and 11 of Obaida and Liu 2017; TCP offered at the 1 Gbit/s of an access link."""


def met_scale(base: Scale, hybrid_bps: int, seconds_per_step: int, trusted_bps: int | None = None) -> Scale:
    """The paper's network and proportions with a demand that the hybrid arm meets, and two of the steps.

    Args:
        base: the paper's scale, with the link between the roots that was asked for.
        hybrid_bps: what the hybrid arm carries of `YARDSTICK_FLOWS` here, payload bit/s.
        seconds_per_step: whole seconds.
        trusted_bps: the most that stays trusted at the wider step, payload bit/s; None: not known.

    Returns:
        A scale whose wider step asks for ``MET_SHARE`` of ``hybrid_bps``, and for no more than ``MET_OF_TRUSTED`` of
        ``trusted_bps``, with the paper's ten parts TCP to one part UDP.

    Example:
        >>> met_scale(PAPER, 1_100_000_000, 3).demand_bps(16)
        {'tcp': 129600000, 'udp': 12800000}
    """
    widest_bps = MET_SHARE * hybrid_bps
    if trusted_bps is not None:
        widest_bps = min(widest_bps, MET_OF_TRUSTED * trusted_bps)
    part = min(1.0, widest_bps / MET_STEPS[-1] / (PAPER.tcp_rate_bps + PAPER.udp_rate_bps))
    return replace(
        base,
        name="met",
        steps=MET_STEPS,
        tcp_rate_bps=_round_down(part * PAPER.tcp_rate_bps),
        udp_rate_bps=_round_down(part * PAPER.udp_rate_bps),
        seconds_per_step=seconds_per_step,
    )


def _round_down(rate_bps: float) -> int:
    """To a tenth of a Mbit/s, and at least that, so that the printed rate is the rate."""
    return max(100_000, int(rate_bps // 100_000) * 100_000)
