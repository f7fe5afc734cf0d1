# SPDX-License-Identifier: MIT
"""The hosts of a machine: namespaces, devices, addresses."""
