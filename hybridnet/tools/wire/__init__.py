# SPDX-License-Identifier: MIT
"""Two interfaces joined by a simulated link, without a topology."""

from hybridnet.tools.wire.wire import BACKENDS, Wire, wire_plan

__all__ = ["BACKENDS", "Wire", "wire_plan"]
