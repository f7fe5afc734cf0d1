# SPDX-License-Identifier: MIT
"""The switches of a machine: Open vSwitch, Linux bridges, patches."""
