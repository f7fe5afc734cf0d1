# SPDX-License-Identifier: MIT
"""What a plan depends on besides the description: families, transports, sizes, and whether it fits."""
