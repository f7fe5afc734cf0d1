# SPDX-License-Identifier: MIT
"""What the literature says about TCP's throughput under loss, in bytes per second, without delayed acknowledgements."""

from __future__ import annotations

from math import inf, sqrt

PERIODIC = 1.22
"""sqrt(3/2): every 1/p-th segment is lost (Mathis, Semke, Mahdavi and Ott 1997); the paper's formula."""

INDEPENDENT = 1.31
"""Segments are lost independently of each other (Ott, Kemperman and Mathis 1996)."""


def square_root(constant: float, mss_bytes: float, rtt_s: float, loss: float) -> float:
    """``constant * MSS / (RTT * sqrt(p))``; infinite without loss."""
    return inf if loss == 0 else constant * mss_bytes / (rtt_s * sqrt(loss))


def pftk(mss_bytes: float, rtt_s: float, loss: float, timeout_s: float, window_bytes: float) -> float:
    """Equation 32 of Padhye, Firoiu, Towsley and Kurose 1998, with one acknowledgement for each segment.

    Args:
        timeout_s: T0, how long the first timeout of a series lasts.
        window_bytes: the receiver's window, which bounds the throughput.
    """
    most = window_bytes / rtt_s
    if loss == 0:
        return most
    per_segment = rtt_s * sqrt(2 * loss / 3) + timeout_s * min(1.0, 3 * sqrt(3 * loss / 8)) * loss * (
        1 + 32 * loss * loss
    )
    return min(most, mss_bytes / per_segment)


def cubic(mss_bytes: float, rtt_s: float, loss: float) -> float:
    """The response function of CUBIC, RFC 9438 section 5.1: the faster of its cubic and its Reno-friendly region.

    C is 0.4 and beta 0.7; infinite without loss.
    """
    if loss == 0:
        return inf
    c, beta = 0.4, 0.7
    in_cubic_region: float = (c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt_s / loss) ** 0.75
    return mss_bytes / rtt_s * max(in_cubic_region, sqrt(1.5 / loss))
