# SPDX-License-Identifier: MIT
"""Two interfaces joined by a simulated link, and no topology."""

from hybridnet.wire.wire import BACKENDS, Wire, wire_plan

__all__ = ["BACKENDS", "Wire", "wire_plan"]
