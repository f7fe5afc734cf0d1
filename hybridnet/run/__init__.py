# SPDX-License-Identifier: MIT
"""The network that runs: its controllers, nodes, page and prompt."""
