# SPDX-License-Identifier: MIT
"""How long a network with loops is silent when a core link fails, under three controllers."""
