# SPDX-License-Identifier: MIT
"""All rows, by group."""

from __future__ import annotations

from tests.system.mininet_rows import helper_rows, link_rows, net_rows, node_rows

__all__ = ["GROUPS"]

GROUPS = (*helper_rows.GROUPS, *node_rows.GROUPS, *link_rows.GROUPS, *net_rows.GROUPS)
