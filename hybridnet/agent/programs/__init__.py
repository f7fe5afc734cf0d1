# SPDX-License-Identifier: MIT
"""The programs in nodes: shells, programs with pipes, terminals."""
