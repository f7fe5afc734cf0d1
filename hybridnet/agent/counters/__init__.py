# SPDX-License-Identifier: MIT
"""What a machine counts, as plain data."""
