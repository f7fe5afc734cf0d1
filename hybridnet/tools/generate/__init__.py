# SPDX-License-Identifier: MIT
"""Frames sent on a schedule, and their receivers."""

from hybridnet.tools.generate.generate import BACKENDS, GAPS, Generator, Receiver

__all__ = ["BACKENDS", "GAPS", "Generator", "Receiver"]
