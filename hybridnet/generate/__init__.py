# SPDX-License-Identifier: MIT
"""Frames of a schedule, and those who count them."""

from hybridnet.generate.generate import BACKENDS, GAPS, Generator, Receiver

__all__ = ["BACKENDS", "GAPS", "Generator", "Receiver"]
