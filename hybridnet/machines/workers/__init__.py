# SPDX-License-Identifier: MIT
"""How a machine starts: its namespaces on this computer, or a session on another, and its agent's process."""
