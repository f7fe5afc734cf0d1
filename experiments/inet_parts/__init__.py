# SPDX-License-Identifier: MIT
"""Parts of the experiments of Scussel and others, "INET emulation mode" (2015): inet-rtt and inet-loss."""
