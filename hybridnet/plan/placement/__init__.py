# SPDX-License-Identifier: MIT
"""Where each node of a description goes: machines, instances, partitions."""
