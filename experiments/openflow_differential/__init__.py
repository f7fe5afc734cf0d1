# SPDX-License-Identifier: MIT
"""Random flow tables, groups and packets through two switches that must do the same."""
