# SPDX-License-Identifier: MIT
"""Hedera: large flows of a fat tree placed by the controller, beside ECMP and a switch that never blocks."""
