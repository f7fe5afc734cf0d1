# SPDX-License-Identifier: MIT
"""What people write: values with units, options, topologies, and how they are checked."""
