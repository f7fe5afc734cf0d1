# SPDX-License-Identifier: MIT
"""The options of everything, from the simulator's tables: how they are written, refused, checked and explained."""

from hybridnet.describe.options.tables import Family, Option, Table, family, table

__all__ = ["Family", "Option", "Table", "family", "table"]
