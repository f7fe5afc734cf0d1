# SPDX-License-Identifier: MIT
"""This computer as a guest of a network that runs on another one: a TAP behind a simulated link."""

from hybridnet.tools.join.guest import Guest
from hybridnet.tools.join.ticket import Ticket, read_ticket

__all__ = ["Guest", "Ticket", "read_ticket"]
