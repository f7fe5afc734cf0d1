# SPDX-License-Identifier: MIT
"""How a machine comes to be: its namespaces on this computer, or a session on another, and its agent's process."""
