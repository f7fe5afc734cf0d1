# SPDX-License-Identifier: MIT
"""Calibration: measures on each computer what packets cost at hosts, switches, portals, links and between instances."""

from hybridnet.tools.calibration.busy_times import Seen
from hybridnet.tools.calibration.calibrate import calibrate, computers_of, named_facts
from hybridnet.tools.calibration.flows import networks_on, run_flows

__all__ = ["Seen", "calibrate", "computers_of", "named_facts", "networks_on", "run_flows"]
