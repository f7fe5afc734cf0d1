# SPDX-License-Identifier: MIT
"""Flows as researchers count them: which there are, how long each would take alone, and what became of it.

Workload ─ flows_of (one seed) ─▶ Flow ─ the simulator ─▶ FlowRow (with its ideal time) ─▶ FlowTable
"""

from __future__ import annotations

from hybridnet.simulate.flows.sizes import DISTRIBUTIONS, SizeDistribution
from hybridnet.simulate.flows.table import FlowRow, FlowSummary, FlowTable
from hybridnet.simulate.flows.workload import Flow, Workload

__all__ = ["DISTRIBUTIONS", "Flow", "FlowRow", "FlowSummary", "FlowTable", "SizeDistribution", "Workload"]
