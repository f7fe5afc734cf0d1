# SPDX-License-Identifier: MIT
"""Calibration: measures on each computer what packets cost at hosts, switches, portals, links and between instances."""

from hybridnet.tools.calibration.calibrate import calibrate, computers_of, named_facts
from hybridnet.tools.calibration.flows import networks_on, run_flows
from hybridnet.tools.calibration.looks import Seen

__all__ = ["Seen", "calibrate", "computers_of", "named_facts", "networks_on", "run_flows"]
