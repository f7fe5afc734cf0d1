# SPDX-License-Identifier: MIT
"""Sweeps: one description or script with many values and seeds."""

from __future__ import annotations

from hybridnet.tools.sweep.values import value

__all__ = ["value"]
