# SPDX-License-Identifier: MIT
"""Calibration: measures on each computer what packets cost at hosts, switches, portals, links and between instances."""

from hybridnet.calibration.calibrate import calibrate, computers_of, named_facts
from hybridnet.calibration.flows import Seen, run_flows

__all__ = ["Seen", "calibrate", "computers_of", "named_facts", "run_flows"]
