# SPDX-License-Identifier: MIT
"""The parts of ``hybridnet reproduce maxinet``: scale, staircase of flows, the three arms, the report."""
