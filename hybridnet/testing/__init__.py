# SPDX-License-Identifier: MIT
"""Tests of applications and networks: pytest's plug-in, and what its fixtures give."""

from __future__ import annotations
